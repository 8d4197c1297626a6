"""Why a language model writes slowly on a card: it spills into RAM, runs as it should, or is kept from it."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.errors import AdvisorError
from advisor.jobs.plan import Chosen
from advisor.memory.estimate import described
from advisor.memory.results import Verdict as Word
from advisor.models import Estimate, MlModel
from advisor.speed import tokens_per_second
from advisor.speed.contest import Side
from advisor.speed.rate import generates
from advisor.speed.results import OffloadEstimate
from bot.answers.asked_job import plan_facts
from bot.answers.common import fact, job_of, models_of, named_gpus, source_refs, step_sources
from bot.answers.memory.run_notes import in_ram
from bot.answers.phrases import NamedWay, cards_named, model_named, used_way
from bot.answers.speed.pace import counts_of, plan_on
from bot.answers.speed.time_lines import told
from bot.core.answers import Answer, Assumption, Decline, answer_with
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import Fact
from bot.core.request import Request


@dataclass(frozen=True, slots=True)
class Pace:
    """What one card, or several of a kind, can be expected to write."""

    side: Side
    model: MlModel
    chosen: Chosen
    way: NamedWay
    rate: Estimate
    """Tokens per second of one request."""
    spilt: OffloadEstimate | None
    """What is left in the machine's RAM; None where all of it fits."""
    facts: tuple[Fact, ...]
    assumptions: tuple[Assumption, ...]


def slow_answer(request: Request) -> Answer | None:
    """What limits the pace of a named model on a named card; None where it cannot be worked out."""
    pace = pace_of(request)
    if pace is None:
        return None
    said = request.heard.tokens_per_second
    return answer_with(
        headline=(_headline(pace, said),),
        lines=_lines(pace, said),
        facts=(*pace.facts, fact("tokens_per_second", pace.rate)),
        trace=(pace.rate.trace,),
        sources=source_refs(request, step_sources(pace.rate.trace)),
        assumptions=pace.assumptions,
    )


def pace_of(request: Request) -> Pace | None:
    """What can be expected; None where card or model is not named, or nothing is written."""
    meant = _meant(request)
    try:
        return _expected(request, *meant) if meant else None
    except AdvisorError:
        return None


def _meant(request: Request) -> tuple[Side, MlModel] | None:
    """The first card with its count, and the first model."""
    cards, named = named_gpus(request), models_of(request)
    if isinstance(cards, Decline) or isinstance(named, Decline) or not cards or not named.models:
        return None
    return Side(cards[0].gpu, counts_of(request, cards)[0]), named.models[0]


def _expected(request: Request, side: Side, model: MlModel) -> Pace | None:
    """The pace of the way that is meant, with what does not fit in RAM. Raises AdvisorError as the estimates do."""
    planned = plan_on(request, model, [side])
    job = job_of(request, planned.way)
    if not planned.chosen or not generates(job.workload):
        return None
    chosen = planned.chosen[0]
    spilt = in_ram(chosen.verdict, chosen.way) if chosen.verdict.word is Word.NO else None
    rate = spilt.decode if spilt else tokens_per_second(job.workload, side.gpu, side.n).decode
    work = job.workload
    way = NamedWay(work.method.value, work.quant or (work.precision.value if work.precision else ""))
    return Pace(side, model, chosen, way, rate, spilt, plan_facts(planned), job.assumptions)


def _headline(pace: Pace, said: float | None) -> Line:
    """The reason, by whether it fits and whether the pace that was said is what can be expected."""
    verdict = pace.chosen.verdict
    values: dict[str, Worded] = {
        "card": cards_named(pace.side.gpu.name, pace.side.n),
        "model": model_named(pace.model.name),
        "way": used_way(pace.way),
        "rate": told(pace.rate, "token/s"),
        "said": Figure(said, "token/s") if said else None,
    }
    if pace.spilt is not None:
        usual = said is not None and said >= pace.rate.low
        values |= {
            "need": gib(described(verdict.figure).total),
            "usable": gib(verdict.usable or 0.0),
            "outside": Figure(pace.spilt.in_ram_gb, "GB"),
            "said": values["said"] if usual else None,
        }
        return Line("slow.spills", values)
    if said is None:
        return Line("slow.expected", values)
    return Line("slow.below" if said < pace.rate.low else "slow.usual", values)


def _lines(pace: Pace, said: float | None) -> tuple[Line, ...]:
    """What to do: get all of it onto the card, or see what keeps it off."""
    if pace.spilt is not None:
        slower = said is not None and said < pace.rate.low
        return (Line("slow.fit_it"), *((Line("slow.ram"),) if slower else ()))
    if said is not None and said >= pace.rate.low:
        return (Line("slow.faster"),)
    nvidia = pace.side.gpu.vendor == "NVIDIA"
    check = Line("slow.check" if nvidia else "slow.check_other", {"need": gib(pace.chosen.verdict.need)})
    return (check, Line("slow.engine"))
