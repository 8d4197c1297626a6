"""Into how many MIG instances a card is cut, and how many of them hold a model."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.errors import AdvisorError
from advisor.machine.slices import SOURCES, Slice, slices_of
from advisor.memory import MemoryEstimate, Verdict, estimate_memory, fit_estimate
from advisor.models import Gpu, Method
from bot.answers.common import Job, job_for, models_of, named_gpus, source_refs
from bot.answers.memory.sizing import declined, format_code, is_llm, source_ids
from bot.answers.phrases import NamedWay, in_turn, model_named, used_way
from bot.core.answers import Decline, Outcome, answer_with, elicit_of
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request


def is_asked(request: Request) -> bool:
    """Whether instances of a card that is named are asked about."""
    heard = request.heard
    if not heard.shows("slices", "mig") or not request.slot("gpu"):
        return False
    return not (heard.shows("switch", "mps_share") or heard.shows("form", "why"))


def handle(request: Request) -> Outcome:
    """How many instances, or how many that hold the model; no, where the card cannot be cut."""
    cards, named = named_gpus(request), models_of(request)
    if isinstance(cards, Decline):
        return cards
    if isinstance(named, Decline):
        return named
    if not cards:
        return elicit_of(slot="gpu")
    gpu = cards[0].gpu
    cut = slices_of(gpu)
    if not cut:
        return answer_with(
            headline=(Line("mig.none", {"card": gpu.name}),),
            lines=(Line("mig.which"),),
            facts=(fact_of(name="instances", value=0),),
            sources=source_refs(request, SOURCES),
        )
    try:
        if named.models:
            return _holding(request, gpu, cut, _job(request, named.models[0].name))
    except AdvisorError as error:
        return declined(error)
    rows = [Line("mig.row", _row(one)) for one in cut]
    return answer_with(
        headline=(Line("mig.most", {"card": gpu.name, **_row(cut[0])}),),
        lines=(*((Line("mig.or", {"rows": in_turn(rows[1:])}),) if rows[1:] else ()), Line("mig.fixed")),
        facts=tuple(fact_of(name=f"instances:{one.name}", value=one.count) for one in cut),
        sources=source_refs(request, SOURCES),
    )


def _job(request: Request, name: str) -> Job:
    model = request.services.catalog.get_ml_model(name)
    runs = is_llm(model) and request.slot("method") in (None, Method.INFERENCE.value)
    return job_for(request, model, Method.INFERENCE if runs else None, 1)


def _row(one: Slice) -> dict[str, Worded]:
    return {"count": one.count, "name": one.name, "size": Figure(one.gb, "GB")}


def _holding(request: Request, gpu: Gpu, cut: Sequence[Slice], job: Job) -> Outcome:
    """The smallest instance that surely holds the job, else one where it is tight, and what smaller ones lack."""
    need = estimate_memory(job.workload)
    verdicts = {one.name: fit_estimate(need, None, one.gb).verdict for one in cut}
    held = [
        next((one for one in cut if verdicts[one.name] is wanted), None) for wanted in (Verdict.FITS, Verdict.TIGHT)
    ]
    taken = held[0] or held[1]
    values = {"card": gpu.name, **_needed(job, need)}
    headline = _headline(values, *held)
    return answer_with(
        headline=(headline,),
        lines=(*_next(cut, taken, held[1]), Line("mig.fixed")),
        facts=(
            fact_of(name="instances", value=taken.count if taken else 0),
            fact_of(name="vram_needed", value=need.total.value, unit="GiB"),
        ),
        trace=(need.total.trace,),
        sources=source_refs(request, (*source_ids([need]), *SOURCES)),
        assumptions=job.assumptions,
    )


def _headline(values: dict[str, Worded], found: Slice | None, tight: Slice | None) -> Line:
    taken = found or tight
    if taken is None:
        return Line("mig.too_large", values)
    return Line("mig.holds" if found else "mig.holds_tightly", {**values, **_row(taken)})


def _next(cut: Sequence[Slice], taken: Slice | None, tight: Slice | None) -> tuple[Line, ...]:
    """The next smaller instance, or the largest where none will do."""
    if taken is None:
        return (Line("mig.largest", _row(cut[-1])),)
    smaller = [one for one in cut if one.gb < taken.gb]
    if not smaller:
        return ()
    closest = tight is not None and tight is not taken
    return (Line("mig.smaller_tight" if closest else "mig.smaller", _row(smaller[-1])),)


def _needed(job: Job, need: MemoryEstimate) -> dict[str, Worded]:
    work = job.workload
    way = used_way(NamedWay(work.method.value, format_code(work)))
    return {"model": model_named(work.ml_model.name), "way": way, "need": gib(need.total.value)}
