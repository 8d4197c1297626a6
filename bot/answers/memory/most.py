"""The largest batch, the most requests at once or the longest context that a card holds, where the most is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.memory import largest_batch, largest_seq
from advisor.memory.estimate import traced
from advisor.memory.figure import figure_of
from advisor.memory.fit import SURE
from advisor.memory.inverse import EVEN
from advisor.models import Frozen, Method, MlModel, Note, Precision, Workload, note_of
from advisor.speed.rate import rate_of
from bot.answers.common import Job, Named, job_for, source_refs, step_sources
from bot.answers.memory.cards import gives
from bot.answers.memory.sizing import (
    card_notes,
    format_code,
    is_llm,
    lesser,
    merged,
    open_jobs,
    setting_notes,
    weighty,
)
from bot.answers.phrases import in_turn, model_named, way_named
from bot.core.answers import Answer, answer_with
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from bot.answers.memory.cards import Card

_MOST_BATCH: Final = 4_096
"""Beyond this nobody searches on; the answer says that it is more."""
_UNITS: Final = {"batch": "samples", "requests": "requests", "context": "tokens"}
_WORTH_A_COPY: Final = 4
"""Requests that one card must hold beside its own copy of the model for copies to be worth it."""
_USEFUL_TOKENS: Final = 512
"""A context shorter than this is of no use."""


class Most(Frozen):
    """One line: a way to use the model and the most that it allows."""

    model: str
    method: str
    format: str
    batch: int | None = None
    seq_len: int | None = None
    by_turns: bool = False
    length: int | None = None
    cached: bool = False
    kv8: bool = False
    """With an 8-bit cache of keys and values."""
    most: int
    even: int = 0
    """As much as fits as often as not."""
    capped: bool = False
    """As much as the model was made for, or as was searched."""

    def same_way(self, other: Most) -> bool:
        """Whether both are told in the same words."""
        return (self.model, self.method, self.format, self.kv8, self.most) == (
            other.model,
            other.method,
            other.format,
            other.kv8,
            other.most,
        )


def answer(request: Request, named: Named, card: Card, kind: str) -> Answer | None:
    """The most of each way to use the first model on a card; None where the question does not apply to it."""
    model = named.models[0]
    if kind != "batch" and not is_llm(model):
        return None
    jobs = _jobs(request, model, kind)
    works, copies = _in_copies([job.workload for job in jobs], card, kind)
    rows = [row for work in works for row in _rows(work, card, kind)]
    held, unit = any(row.most for row in rows), _UNITS[kind]
    facts = tuple(
        fact_of(
            name=f"most_{kind}_{row.method}_{row.format}{'_kv8' if row.kv8 else ''}",
            value=row.most * copies,
            unit=unit,
        )
        for row in rows
    )
    notes = named.notes + ((card.note,) if card.note else ()) + setting_notes(works) + card_notes(card.gpu, works)
    notes += (_even_odds(next(row for row in rows if row.most), kind, copies),) if held else ()
    trail = traced(figure_of(works[0])).trace
    return answer_with(
        headline=(_headline(rows, card, max(copies, works[0].n_gpus), kind, copies),),
        lines=(*_speeds(works, rows, card, kind, copies), *_others(rows, kind, copies)),
        facts=(fact_of(name="vram_usable", value=card.usable, unit="GiB", basis="nominal less reserve"), *facts),
        trace=(trail,),
        sources=source_refs(request, (*step_sources(trail), "memory-cases")),
        assumptions=merged(jobs, named.assumptions, leave=("seq_len",) if kind == "context" else ("batch",)),
        notes=weighty(notes),
        blocks=lesser(notes),
    )


def _copies(works: list[Workload], card: Card, kind: str) -> int:
    """On how many cards a copy of its own is served: several that each hold the model share no request; 1 otherwise.

    Split by layers, several cards would take turns and be hardly faster than one.
    """
    n = works[0].n_gpus
    if kind != "requests" or n == 1:
        return 1
    alone = largest_batch(works[0].model_copy(update={"n_gpus": 1}), card.gpu, card.vram)
    return n if alone >= _WORTH_A_COPY else 1


def _in_copies(works: list[Workload], card: Card, kind: str) -> tuple[list[Workload], int]:
    """The ways on one card and the number of copies, where each card is served for itself; else as they are and 1."""
    copies = _copies(works, card, kind)
    return ([work.model_copy(update={"n_gpus": 1}) for work in works] if copies > 1 else works), copies


def _even_odds(row: Most, kind: str, copies: int = 1) -> Note:
    """How sure the most is, and how much fits as often as not."""
    even = row.even * copies if row.even > row.most else 0
    return note_of("memory_most_sure", {"even": even, "tokens": kind == "context"})


def _headline(rows: list[Most], card: Card, n: int, kind: str, copies: int = 1) -> Line:
    """The most of the first way that holds anything."""
    best = next((row for row in rows if row.most), None)
    if best is None:
        return _not_surely(rows, card, n, kind)
    if copies > 1:
        each = {**_values(best, kind), "each": Figure(best.most), "most": Figure(best.most * copies)}
        return Line("most.requests.copies", {**each, "model": model_named(best.model), "gives": gives(card, n)})
    return Line(f"most.{kind}", {**_values(best, kind), "model": model_named(best.model), "gives": gives(card, n)})


def _not_surely(rows: list[Most], card: Card, n: int, kind: str) -> Line:
    """Where nothing surely fits what does as often as not, of the way that holds most; else that nothing does."""
    likely = max(rows, key=lambda row: row.even)
    values = {"model": model_named(likely.model), "gives": gives(card, n)}
    if likely.even < (_USEFUL_TOKENS if kind == "context" else 1):
        return Line(f"most.{kind}.none", values)
    even = Figure(likely.even, "token" if kind == "context" else "")
    return Line(f"most.{kind}.even", {**values, "way": way_named(likely), "even": even})


def _speeds(works: list[Workload], rows: list[Most], card: Card, kind: str, copies: int = 1) -> tuple[Line, ...]:
    """How fast all requests go at once, and each of them, where so many fit."""
    first = next(((work, row) for work, row in zip(works, rows, strict=False) if row.most), None)
    if kind != "requests" or first is None or card.gpu is None:
        return ()
    work, row = first
    try:
        made = rate_of(work.model_copy(update={"users": row.most}), card.gpu, work.n_gpus)
    except AdvisorError:
        return ()
    told = {"most": Figure(row.most * copies), "total": Figure(made.per_second * copies, "token/s")}
    return (Line("most.speed", {**told, "each": Figure(made.per_second / row.most, "token/s")}),)


def _others(rows: list[Most], kind: str, copies: int = 1) -> tuple[Line, ...]:
    """The ways that the headline does not tell."""
    first = next((row for row in rows if row.most), None)
    if first is None:
        return ()
    others = [row for row in rows if row is not first and not row.same_way(first)]
    left = [_row_line(row.model_copy(update={"most": row.most * copies}), kind) for row in others]
    return (Line("most.others", {"ways": in_turn(left)}),) if left else ()


def _row_line(row: Most, kind: str) -> Line:
    return Line(f"most.row.{kind}", _values(row, kind)) if row.most else Line("most.row.none", {"way": way_named(row)})


def _values(row: Most, kind: str) -> dict[str, Worded]:
    values: dict[str, Worded] = {
        "way": way_named(row),
        "most": Figure(row.most, "token" if kind == "context" else ""),
        "capped": Line(f"most.capped.{kind}") if row.capped else None,
    }
    if kind != "context":
        return {**values, "length": Figure(row.seq_len, "token") if row.seq_len else None}
    return {**values, "cache": Line("most.cache") if row.kv8 else None}


def _jobs(request: Request, model: MlModel, kind: str) -> list[Job]:
    """The ways to use a model whose most is told: what was said, else training for small models, running for others."""
    stated = request.slot("method") if kind != "requests" else Method.INFERENCE.value
    if isinstance(stated, list):
        return [job_for(request, model, Method(one)) for one in stated]
    ways = None if stated not in (None, Method.INFERENCE.value) else open_jobs(request, model)
    if not ways:
        return [job_for(request, model)]
    if is_llm(model) or model.modality == "image-gen":
        ways = [one for one in ways if one.workload.method is Method.INFERENCE] or ways
    if kind == "batch" and model.modality == "vision":
        ways = sorted(ways, key=lambda one: one.workload.method is Method.INFERENCE)
    return ways


def _rows(work: Workload, card: Card, kind: str) -> list[Most]:
    if kind != "context":
        even = largest_batch(work, card.gpu, card.vram, certainty=EVEN)
        return [_row(work, largest_batch(work, card.gpu, card.vram), _MOST_BATCH, even)]
    rows = []
    eighth = work.method is Method.INFERENCE and work.kv_precision is None
    for kv in (None, Precision.INT8) if eighth else (None,):
        changed = work.model_copy(update={"kv_precision": kv}) if kv else work
        sure, even = (largest_seq(changed, card.gpu, card.vram, certainty=one) for one in (SURE, EVEN))
        row = _row(changed, sure, work.ml_model.max_seq or 0, even, kv8=kv is not None)
        rows.append(row)
        if row.capped or row.most < _USEFUL_TOKENS:  # a smaller cache adds nothing
            break
    return rows


def _row(work: Workload, most: int, limit: int, even: int, *, kv8: bool = False) -> Most:
    tokens = kv8 or (work.method is Method.INFERENCE and limit != _MOST_BATCH)
    return Most(
        model=work.ml_model.name,
        method=work.method.value,
        format=format_code(work),
        batch=work.batch,
        seq_len=work.seq_len,
        by_turns=work.offload,
        kv8=kv8,
        most=0 if tokens and most < _USEFUL_TOKENS else most,
        even=even,
        capped=bool(limit) and most >= limit,
    )
