"""Which of several named cards, or groups of them: the verdict for the job, then figures and each side's merits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import Verdict
from advisor.memory.estimate import brief
from advisor.memory.figure import figure_of
from advisor.memory.fit import fit_of
from advisor.models import Gpu, Method, MlModel, Note, Precision, note_of
from advisor.speed.contest import Contender, Contest, Side, contest
from advisor.speed.uses import LADDER, Uses, uses
from bot.answers import premise
from bot.answers.asked_job import plan_facts
from bot.answers.choose.aspects import aspects_of
from bot.answers.choose.compare_asked import asked_headline, is_of_rent, on_platform
from bot.answers.choose.compare_facts import (
    best_value,
    chart_of,
    columns_of,
    facts_of,
    loser_of,
    priced,
    remarks_on,
    sources_of,
)
from bot.answers.choose.compare_figures import bandwidths, differing
from bot.answers.choose.compare_lines import Compared, blocks_of, headline_of, lines_of, remarks_of
from bot.answers.choose.compare_memory import behind, in_the_usual_way, is_of_memory
from bot.answers.choose.compare_sides import Column, are_alike
from bot.answers.choose.family_sides import chips_of_family, sized
from bot.answers.choose.side_jobs import SideJob, draws, jobs_of_sides, runs_language_models, trains
from bot.answers.choose.side_prices import Prices
from bot.answers.common import (
    Job,
    Named,
    NamedGpu,
    decline_error,
    elicit_gpu,
    job_of,
    models_of,
    named_gpus,
    source_refs,
)
from bot.answers.documents.passages import passage_answer
from bot.answers.memory.sizing import is_llm, model_of_task
from bot.answers.speed.pace import counts_of, filled, plan_on, variant_notes, with_memory
from bot.answers.witness import MEMORY, RATES, witness_notes
from bot.core.answers import Answer, Decline, Elicit, Outcome, answer_with, offered_of
from bot.core.line import Line
from bot.core.request import Request

_MOST_SIDES: Final = 4
_BANDWIDTH_CONFLICT: Final = "E67"
_NAMESAKES: Final = (" Laptop", " D")
"""Endings of names that say for whom a version of a card is made."""
_NUMBER: Final = re.compile(r"\d{3,}")
_WORD: Final = re.compile(r"[a-z]+|\d+[a-z]*")


_SHOWN_BY_A_MODEL: Final = frozenset({"image_generation", "video_generation", "object_detection"})
"""Kinds of work whose usual model tells cards apart as the work does, where no model is named."""


def handle(request: Request) -> Outcome:
    """Compare the named cards; with fewer than two of them answer from the documents or ask."""
    found, request = named_gpus(request), on_platform(request)
    if isinstance(found, Decline):
        return found
    cards = _of_this_message(request, found)
    models = models_of(request)
    if isinstance(models, Named) and not models.models and request.slot("task") in _SHOWN_BY_A_MODEL:
        models = model_of_task(request)
    known, notes = (models.models, models.notes) if isinstance(models, Named) else ((), (models.reason,))
    chips, source = _machine_beside(request, cards)
    cards = [*chips, *cards]
    if len(cards) < 2 and not _several_counts(request, cards):
        return _fewer(request, cards)
    try:
        return _compared(request, _alike(cards[:_MOST_SIDES]), known, notes, source)
    except AdvisorError as error:
        return decline_error(error)


def _several_counts(request: Request, cards: list[NamedGpu]) -> bool:
    """One card in two counts is a comparison too."""
    return len(cards) == 1 and len(_counts_of_one(request)) > 1


def _said_twice(request: Request, name: str) -> bool:
    """The same number stands on both sides."""
    number = max(_NUMBER.findall(name), key=len, default="")
    return bool(number) and sum(word.count(number) for word in request.heard.words) > 1


def _base(request: Request, cards: list[NamedGpu]) -> str:
    """The card beside its namesake for notebooks or for export; empty when that was not said."""
    if len(cards) != 1 or not _said_twice(request, cards[0].asked):
        return ""
    bases = [cards[0].asked.removesuffix(ending) for ending in _NAMESAKES if cards[0].asked.endswith(ending)]
    return next((base for base in bases if request.services.catalog.gpu_variants(base)), "")


def is_beside_machine(request: Request, cards: list[NamedGpu]) -> bool:
    """Whether one card stands beside a machine that is named without its chip."""
    return bool(_machine_beside(request, _of_this_message(request, cards))[0])


def is_one_card_in_a_number(request: Request, cards: list[NamedGpu]) -> bool:
    """Whether one card is asked about in one number and nothing stands beside it."""
    if len(cards) != 1 or (request.slot("gpu_count") or 1) <= 1 or _several_counts(request, cards):
        return False
    return not is_beside_machine(request, cards) and not _said_twice(request, cards[0].asked)


def _of_this_message(request: Request, cards: list[NamedGpu]) -> list[NamedGpu]:
    """Where a message names a family and one card, that card: what was compared before stands on neither side."""
    if not request.heard.wished("gpu_family"):
        return cards
    names = set(request.heard.wished("gpu"))
    own = [card for card in cards if card.asked in names]
    return own if len(own) == 1 and _machine_beside(request, own)[0] else cards


def _machine_beside(request: Request, cards: list[NamedGpu]) -> tuple[list[NamedGpu], str]:
    """The chips of a machine that stands beside one card of another maker, and the source that names them."""
    if len(cards) != 1:
        return [], ""
    chips, source = chips_of_family(request)
    return ([], "") if any(chip.gpu.vendor == cards[0].gpu.vendor for chip in chips) else (chips, source)


def _kin(request: Request, name: str) -> list[str]:
    """Cards whose names begin like this one."""
    return sorted(gpu.name for gpu in request.services.catalog.gpus.values() if gpu.name.startswith(f"{name} "))


def _names(request: Request, suffix: str) -> bool:
    """Whether every word of a name's ending was said."""
    return set(_WORD.findall(suffix.lower())) <= {part for word in request.heard.words for part in _WORD.findall(word)}


def _counts_of_one(request: Request) -> list[int]:
    return sorted({int(one.value) for one in request.heard.named("gpu_count")})


def _fewer(request: Request, cards: list[NamedGpu]) -> Outcome:
    base = _base(request, cards)
    if base:
        return handle(replace(request, slots={**request.slots, "gpu": [base, cards[0].asked], "deploy": None}))
    if len(cards) == 1 and _said_twice(request, cards[0].asked):
        kin = _kin(request, cards[0].asked)
        meant = [name for name in kin if _names(request, name.removeprefix(cards[0].asked))]
        if meant:
            return handle(replace(request, slots={**request.slots, "gpu": [cards[0].asked, *meant[:1]]}))
        return Decline(reason=note_of("unknown_second_card", {"name": cards[0].asked, "kin": kin[:3]}))
    answer = passage_answer(request, "compare_gpus")
    if answer is not None and not request.slot("gpu"):
        return answer
    asked: Elicit = elicit_gpu()
    return answer or asked


def _alike(cards: list[NamedGpu]) -> list[NamedGpu]:
    """Of two names one of which is open, the variants that compare: the same memory first, then the same form.

    A800 against A100 is a question about two chips, not about 80 GB against 40.
    """
    if len(cards) != 2 or not any(card.others for card in cards):
        return cards
    first, second = [card.forms for card in cards]
    pairs = [
        ((one.form_factor != other.form_factor, bool(place) + bool(rank), place + rank), one, other)
        for place, one in enumerate(first)
        for rank, other in enumerate(second)
        if one.vram_gib == other.vram_gib
    ]
    if not pairs or cards[0].gpu.vram_gib == cards[1].gpu.vram_gib:
        return cards
    _, *taken = min(pairs, key=lambda pair: pair[0])
    return [_as_variant(card, gpu) for card, gpu in zip(cards, taken, strict=True)]


def _as_variant(card: NamedGpu, gpu: Gpu) -> NamedGpu:
    return NamedGpu(card.asked, gpu, tuple(one for one in (card.gpu, *card.others) if one.id != gpu.id))


def _compared(
    request: Request, cards: list[NamedGpu], models: tuple[MlModel, ...], notes: tuple[Note, ...], source: str
) -> Answer:
    cards = [sized(with_memory(request, card)) for card in cards]
    sides = _sides(request, cards)
    planned = plan_on(request, models[0], sides) if models else None
    job = filled(request, job_of(request, planned.way), sides) if planned else None
    jobs, made = _contested(request, sides, job)
    catalog = request.services.catalog
    use = uses(sides, [catalog.get_ml_model(name) for name in LADDER])
    prices, variants = Prices(request, [card.gpu for card in cards]), [card.others for card in cards]
    alike = request.heard.shows("gap", "alike")  # what both cost where the asker buys is known, and the same
    columns = columns_of(sides, made, prices, variants, renting=is_of_rent(request), priced=not alike)
    remarks = (
        *variant_notes(cards),
        *notes,
        *_smaller_way(made, sides, job),
        *(() if use else _less_compute(made, runs=request.slot("method") == Method.INFERENCE.value)),
        *made.notes,
        *_lone(cards, made),
        *remarks_on(request, sides),
    )
    told = replace(_told(request, (sides, made, jobs), columns, use, models, remarks), usual=in_the_usual_way(planned))
    asked = asked_headline(request, told)
    verdict = _verdict(request, told, made, asked)
    return answer_with(
        headline=(asked or verdict,),
        lines=(
            *aspects_of(request, [(side.gpu, side.n) for side in sides]),
            *behind(asked, verdict),
            *lines_of(told, of_money=asked is not None and not is_of_memory(asked)),
        ),
        blocks=blocks_of(told),
        facts=(*(plan_facts(planned) if planned else ()), *facts_of(made, columns)),
        trace=(made.trace, *(figure.trace for figure in made.published)),
        sources=source_refs(request, (*sources_of(made, columns), *((source,) if source else ()))),
        assumptions=job.assumptions if job else (),
        notes=remarks_of(told),
        conflicts=(_BANDWIDTH_CONFLICT,) if made.published else (),
        asks=None if models or request.slot("task") else offered_of(slot="task"),
        chart=chart_of(made, jobs),
        result=made,
    )


def _verdict(request: Request, told: Compared, made: Contest, asked: Line | None) -> Line:
    """Which side for what; a premise is confirmed or refused first, unless another line fills what was asked."""
    line = headline_of(told)
    return line if asked else premise.told(request, _holds(request, made, by_use=told.by_use is not None), line)


def _contested(request: Request, sides: list[Side], job: Job | None) -> tuple[tuple[SideJob, ...], Contest]:
    """The contest on the named job, or on usual ones; beside a job of which no speed is known a usual one, too."""
    jobs = jobs_of_sides(request, sides, job)
    made = contest(sides, [one.row for one in jobs])
    if job is None or any(result.factor for side in made.sides for result in side.results):
        return jobs, made
    jobs = (*jobs, *jobs_of_sides(request, sides, None)[:1])
    return jobs, contest(sides, [one.row for one in jobs])


def _told(
    request: Request,
    held: tuple[list[Side], Contest, tuple[SideJob, ...]],
    columns: Sequence[Column],
    use: Uses | None,
    models: tuple[MlModel, ...],
    remarks: tuple[Note, ...],
) -> Compared:
    sides, made, jobs = held
    alone = made.reason == "only_one_fits"
    return Compared(
        made=made,
        jobs=jobs,
        columns=tuple(columns),
        use=use,
        purpose=bool(request.slot("method") or request.slot("task") or models) or runs_language_models(request),
        ranked=_ranked(request, made, use),
        refused=bool(models) and _refused(made, use),
        model=models[0].name if models else "",
        gap=_gap(request, columns),
        notes=remarks,
        differing=differing(sides),
        bandwidths=bandwidths(sides),
        priced="" if alone else priced(columns),
        best=None if alone else best_value(columns),
        loser=None if alone else loser_of(made, columns),
        trains=trains(request),
        draws=draws(request, models),
    )


def _holds(request: Request, made: Contest, *, by_use: bool) -> bool | None:
    """Whether the side that the message names first is what it claims of it; None where it claims nothing.

    `by_use`: each side is for something; then no claim but a multiple is settled.
    """
    claim = premise.claim_of(request)
    multiple = premise.multiple_of(request)
    if multiple and len(made.sides) == len(premise.SIDES):
        ratios = [_ratios(made, row) for row in range(len(made.jobs))]
        alike = request.heard.shows("form", "alike")
        return are_alike(made.sides, ratios) if alike else premise.is_multiple(multiple, ratios)
    if not claim or by_use or request.heard.speaks_of("noise") or made.reason in {"unknown", "none_fits"}:
        return None
    if made.winner is None or made.reason.startswith("even"):
        return False
    return (made.winner == _claimed(request)) == (claim == "more")


def _claimed(request: Request) -> int:
    """The place of the side that the message names first, among those that were spoken of before too."""
    sides, named = request.slot("gpu") or [], request.heard.wished("gpu")
    return sides.index(named[0]) if named and named[0] in sides else 0


def _ratios(made: Contest, row: int) -> float | None:
    """Speed of the side that is named first over the other's at one job; None where one is not known."""
    first, second = (side.results[row].factor for side in made.sides)
    return first.value / second.value if first and second and second.value else None


_MEMORY_DECIDES: Final = frozenset({"only_one_fits", "none_fits"})


def _lone(cards: Sequence[NamedGpu], made: Contest) -> tuple[Note, ...]:
    """Which of the figures that decide rest on one source."""
    return witness_notes([one.gpu for one in cards], MEMORY if made.reason in _MEMORY_DECIDES else RATES)


def _ranked(request: Request, made: Contest, use: Uses | None) -> bool:
    """Whether one order of the sides answers the question, and not which of them is for what."""
    if use is None or made.reason in _MEMORY_DECIDES:
        return True
    if request.slot("model") and made.margin is not None:
        return True
    job = bool(request.slot("model")) or request.slot("method") not in {None, "inference"}
    return use.kind == "counts" and (job or use.rest is None)


def _refused(made: Contest, use: Uses | None) -> bool:
    """The side that is for everything else does not hold the job that was named."""
    return use is not None and use.rest is not None and made.sides[use.rest].results[0].fits == Verdict.NO.value


def _gap(request: Request, columns: Sequence[Column]) -> tuple[Note, ...]:
    """How much dearer one side is, when that is what was asked."""
    if request.slot("aspect") != "price":
        return ()
    from bot.answers.choose.price_gap import Priced, gap_notes  # only where the gap was asked for

    found = gap_notes([Priced(name=one.side.name, rent=one.rent, buy=one.buy) for one in columns])
    known = [note for note in found if note.code != "contest_no_gap"]
    # who asks whether it is worth the gap is not told that none is on record
    return tuple(known) if request.heard.speaks_of("worth") else found


def _smaller_way(made: Contest, sides: Sequence[Side], job: Job | None) -> tuple[Note, ...]:
    """QLoRA of the same model, when a full or LoRA training of it fits none of the sides."""
    if made.reason != "none_fits" or job is None or not is_llm(job.workload.ml_model):
        return ()
    if job.workload.method not in (Method.FULL, Method.LORA):
        return ()
    changed = {"method": Method.QLORA, "precision": Precision.INT4, "quant": "nf4", "optimizer": None, "n_gpus": 1}
    work = job.workload.model_copy(update={**changed, "parallel": None})
    need = figure_of(work)
    values = {
        "need": brief(need),
        "names": [side.gpu.name for side in sides if fit_of(need, side.gpu).verdict is not Verdict.NO],
    }
    return (note_of("contest_qlora", values),)


_MUCH_LESS: Final = 0.7


def _less_compute(made: Contest, *, runs: bool) -> tuple[Note, ...]:
    """A winner by bandwidth with far less compute than another side loses to it on large, compute-bound training.

    `runs`: models are only run, where it loses at reading long prompts.
    """
    if made.winner is None or made.reason != "faster":
        return ()
    own = _compute(made.sides[made.winner])
    most = max((_compute(side), side.name) for side in made.sides)
    if not own or own >= _MUCH_LESS * most[0]:
        return ()
    code = "contest_less_compute_running" if runs else "contest_less_compute"
    return (note_of(code, {"name": made.sides[made.winner].name, "other": most[1], "share": own / most[0]}),)


def _compute(side: Contender) -> float:
    """FP16 of all its cards together."""
    return (side.fp16_tflops or 0.0) * side.n


def _sides(request: Request, cards: list[NamedGpu]) -> list[Side]:
    if len(cards) == 1:
        return [Side(cards[0].gpu, n) for n in _counts_of_one(request)[:_MOST_SIDES]]
    return [Side(card.gpu, n) for card, n in zip(cards, counts_of(request, cards), strict=True)]
