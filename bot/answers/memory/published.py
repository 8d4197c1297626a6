"""What a program or model is published to want, held against the card that is named, where no formula gives it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bot.answers.choose.makers import vendors_of
from bot.answers.common import named_gpus, source_refs
from bot.answers.documents.passages import not_in_documents
from bot.answers.memory.cards import Card, named_card
from bot.answers.memory.sizing import ladder
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Line, Prose, Worded, measured
from bot.core.message import Fact, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.models import Gpu
    from knowledge.requirements import RequirementRow

_NEED: Final = "estimate_memory"
_RELIEF: Final = "reduce_memory"
_INFERENCE: Final = "inference"
_TRAIN, _RUN = "train", "run"
_VERSION: Final = re.compile(r"[\s-]*v?\d+(?:\.\d+)*$")
"""A release behind a name: what is published is that of another one."""
_SHOWN_CARDS: Final = 3
_FIRST_WITH_RT_CORES: Final = 7.5
"""Compute capability of Turing."""
_SAME: Final = 0.02
"""Share by which a card may hold less than a round figure: one of 80 GB holds 79.6."""


def is_asked(request: Request) -> bool:
    """Whether a program or model is named of which a requirement is published and nothing is computed."""
    return bool(_rows(request))


def handle(request: Request) -> Outcome:
    """The published figure, or whether the card that is named meets it; then what it counts and what else is known."""
    rows = _rows(request)
    if not rows:
        return not_in_documents(request, _NEED)
    meant, card = rows[0], _card(request)
    said = [Line("published.said", {"text": Prose(row.told(request.language))}) for row in rows]
    judged = _refused(request, meant, card) or _held_against(request, meant, card)
    lines = said[1:] if judged is None else said
    return answer_with(
        headline=(judged or said[0],),
        lines=(*lines, *_cards_line(request, meant, card)),
        facts=tuple(_fact(row) for row in rows if row.least is not None),
        sources=source_refs(request, dict.fromkeys(source for row in rows for source in row.sources)),
    )


def _rows(request: Request) -> tuple[RequirementRow, ...]:
    """The rows of the first subject that is named, the work that is meant first."""
    signs = request.heard.placed("published")
    models = {str(name).lower() for name in request.slot("model") or ()}
    rows = request.services.library.requirement_rows if signs or models else ()
    named = [row for row in rows if row.subject in signs or not models.isdisjoint(row.models)]
    series = {_VERSION.sub("", name) for name in models}
    named = named or [row for row in rows if not series.isdisjoint(row.models)]
    # what wants more, where neither is said
    return _of_first(named, _RUN if request.slot("method") == _INFERENCE else _TRAIN)


def _of_first(rows: list[RequirementRow], work: str) -> tuple[RequirementRow, ...]:
    """The rows of the first subject, those of a kind of work first."""
    own = (row for row in rows if row.subject == rows[0].subject)
    return tuple(sorted(own, key=lambda row: row.work != work))


def _card(request: Request) -> Card | None:
    """The first card that is named, else an amount of memory; None where neither is."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return None
    if named:
        return Card(named[0].gpu, None)
    stated = request.slot("vram_gb")
    return Card(None, float(stated)) if isinstance(stated, (int, float)) else None


def _held_against(request: Request, row: RequirementRow, card: Card | None) -> Line | None:
    """The figure, against the card where one is named; None where it ran out already and the figures alone help."""
    if request.intent == _RELIEF:
        return None
    return _judged(row, card) if card is not None else _stated(row)


def _refused(request: Request, row: RequirementRow, card: Card | None) -> Line | None:
    """That it does not run on a card, or the cards of a maker, at all; None where nothing is known against it."""
    gpu = card.gpu if card is not None else None
    if gpu is not None and row.rt_cores and _is_for_compute_alone(gpu):
        return Line("published.rt_cores", {"name": row.name, "card": gpu.name})
    makers = (gpu.vendor,) if gpu is not None else vendors_of(request)
    if not makers or not row.makers or not set(makers).isdisjoint(row.makers):
        return None
    named = (
        Line("published.card", {"gpu": gpu.name}) if gpu is not None else Line("published.cards_of", {"makers": makers})
    )
    return Line("published.maker", {"name": row.name, "maker": row.makers[0], "card": named})


def _is_for_compute_alone(gpu: Gpu) -> bool:
    """Whether an NVIDIA card has no RT cores: those with HBM have none, nor those before Turing."""
    if gpu.vendor != "NVIDIA":
        return False
    stacked = (gpu.memory_type or "").startswith("HBM")
    return stacked or float(gpu.compute_capability or _FIRST_WITH_RT_CORES) < _FIRST_WITH_RT_CORES


def _judged(row: RequirementRow, card: Card) -> Line | None:
    """Whether a card meets the figure; None where no figure is stated or its memory is not known."""
    holds = card.nominal
    if row.least is None or holds is None:
        return None
    values: dict[str, Worded] = {
        "name": row.name,
        "work": Line(f"published.{row.work}"),
        "least": measured(row.least, "GB"),
        "card": named_card(card),
        "holds": measured(holds, "GB"),
    }
    if row.good is not None:
        values["good"] = measured(row.good, "GB")
    return Line(f"published.{_verdict(row, holds)}{'' if card.label else '_amount'}", values)


def _verdict(row: RequirementRow, holds: float) -> str:
    """How an amount of memory stands to the figures of a row that has some."""
    if holds < (row.least or 0.0) * (1 - _SAME):
        return "short"
    return "narrow" if holds < (row.good or 0.0) * (1 - _SAME) else "holds"


def _stated(row: RequirementRow) -> Line | None:
    """The figure alone; None where none is stated."""
    if row.least is None:
        return None
    values: dict[str, Worded] = {
        "name": row.name,
        "work": Line(f"published.{row.work}"),
        "least": measured(row.least, "GB"),
        "good": measured(row.good, "GB") if row.good is not None else None,
    }
    return Line("published.stated", values)


def _fact(row: RequirementRow) -> Fact:
    return fact_of(name=f"published_{row.work}", value=row.least, unit="GB", basis=row.name, sources=row.sources)


def _cards_line(request: Request, row: RequirementRow, card: Card | None) -> tuple[Line, ...]:
    """Common cards that meet the figure, where they are to be named."""
    holding = _holding(request, row) if _wants_cards(row, card) else ()
    return (Line("published.cards", {"cards": holding}),) if holding else ()


def _wants_cards(row: RequirementRow, card: Card | None) -> bool:
    """Whether cards are to be named: none was, or the one that was does not meet the figure."""
    return row.least is not None and (card is None or (card.nominal or 0.0) < row.least * (1 - _SAME))


def _holding(request: Request, row: RequirementRow) -> tuple[str, ...]:
    """Common cards with so much memory of a maker that serves, smallest first."""
    gpus = (request.services.catalog.gpus[ident] for ident in ladder().cards)
    wanted = (row.least or 0.0) * (1 - _SAME)
    found = (
        gpu.name for gpu in gpus if (gpu.vram_gib or 0.0) >= wanted and (not row.makers or gpu.vendor in row.makers)
    )
    return tuple(found)[:_SHOWN_CARDS]
