"""What is said of how many cards a job needs: the fewest of each kind, whether a stated number does, for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.memory import Verdict
from advisor.models import Frozen
from advisor.speed import CountEstimate
from bot.answers.choose.count_served import Service, is_too_slow, service_line
from bot.answers.phrases import NamedWay, cards_named, model_named, way_named
from bot.answers.speed.pace import Span
from bot.answers.speed.time_lines import short, span_told
from bot.core.line import Block, Depth, Figure, Line, Listing, Worded, gib
from bot.core.request import Request


class Held(Frozen):
    """A number of cards that was asked about."""

    n: int
    verdict: Verdict
    need_gib: float
    usable_gib: float
    pace: float | None = None
    """Tokens a second of each who asks at once, where people are counted."""


class CountRow(Frozen):
    """One kind of card."""

    gpu: str
    format: str = ""
    """Number format, where several are counted."""
    by_memory: int | None
    """Fewest that hold the job; None when even the largest count does not."""
    need_gib: float | None
    """On each of them."""
    tight: bool = False
    """No number surely holds it; this many may."""
    fewer: int | None = None
    sure: int | None = None
    """A smaller number that may hold it."""
    stated: Held | None = None
    """Whether the number of cards that was asked about holds the job."""
    by_time: CountEstimate | None = None
    span: Span | None = None
    """How long the run takes on the recommended count."""
    count: int | None
    """The larger of the two."""
    service: Service | None = None
    """What people who ask at once get of it."""


_MOST: Final = 64
_BOX: Final = 8


@dataclass(frozen=True, slots=True)
class Counted:
    """What was found out about a job: a row for each kind of card and format."""

    rows: tuple[CountRow, ...]
    model: str
    method: str
    generates: bool
    deadline: float
    """Hours that the run may take."""
    dataset: str
    meaning: int | None
    """What the documents name for the data set."""

    @property
    def uneven(self) -> bool:
        """Whether an engine that splits each layer would want another number."""
        return self.generates and any(row.count and row.count & (row.count - 1) for row in self.rows)

    @property
    def stated(self) -> tuple[CountRow, ...]:
        """Rows of a number that was asked about."""
        return tuple(row for row in self.rows if row.stated is not None)


def by_card(rows: Sequence[CountRow]) -> list[list[CountRow]]:
    """Rows of each card, one a format, in the order of the cards."""
    cards: dict[str, list[CountRow]] = {}
    for row in rows:
        cards.setdefault(row.gpu, []).append(row)
    return list(cards.values())


def headline(found: Counted) -> Line:
    """Whether the number that was asked about does, else the fewest cards of the first kind."""
    if found.stated:
        return _held(found, found.stated[0])
    return _fewest(found, found.rows[0])


def lines(request: Request, found: Counted) -> tuple[Line, ...]:
    """The other kinds and formats; what the numbers count."""
    if found.stated:
        rows = [_held(found, row) for row in found.stated[1:]]
        rows += [_row(found, row) for row in found.rows if row.count and row.stated and row.count != row.stated.n]
    else:
        rows = [_row(found, row) for row in found.rows[1:]]
    return (*rows, _basis(request, found))


def blocks(found: Counted) -> tuple[Block, ...]:
    """Every kind of card, in the complete form."""
    return (Listing(tuple(_row(found, row) for row in found.rows), depth=Depth.DETAILS),)


def _held(found: Counted, row: CountRow) -> Line:
    held = row.stated
    if held is None or held.verdict is Verdict.UNKNOWN:
        return _fewest(found, row)
    values: dict[str, Worded] = {
        "cards": cards_named(row.gpu, held.n),
        "model": model_named(found.model),
        "way": way_of(found, row),
        "need": gib(held.need_gib),
        "usable": gib(held.usable_gib),
    }
    if held.verdict is not Verdict.NO and is_too_slow(held.pace):
        slow: dict[str, Worded] = {"pace": Figure(held.pace or 0.0, "token/s"), "more": row.count}
        return Line("count.held.slow", {**values, **slow})
    return Line(f"count.held.{held.verdict.value}", values)


def _fewest(found: Counted, row: CountRow) -> Line:
    values: dict[str, Worded] = {"model": model_named(found.model), "way": way_of(found, row)}
    if row.count:
        return Line("count.take", {**values, **_taken(row)})
    if row.by_memory and row.by_time:
        return Line("count.too_slow", {**values, **_late(row)})
    return Line("count.too_big", {**values, "gpu": row.gpu, "most": _MOST})


def _row(found: Counted, row: CountRow) -> Line:
    way = way_of(found, row)
    if row.count:
        return Line("count.row", {"way": way, **_taken(row)})
    if row.by_memory and row.by_time:
        return Line("count.row.too_slow", {"way": way, **_late(row)})
    return Line("count.row.too_big", {"way": way, "gpu": row.gpu, "most": _MOST})


def _taken(row: CountRow) -> dict[str, Worded]:
    return {
        "cards": Line("cards.several", {"n": row.count or 1, "gpu": row.gpu}),
        "need": gib(row.need_gib) if row.need_gib else None,
        "tight": Line("count.tight") if row.tight else None,
        "fewer": row.fewer if not row.tight else None,
        "sure": row.sure,
        "span": span_told(row.span) if row.span else None,
        "pace": Figure(row.service.per_user, "token/s") if row.service else None,
    }


def _late(row: CountRow) -> dict[str, Worded]:
    hours = Figure(short(row.by_time.hours), "hour") if row.by_time else None
    return {"cards": cards_named(row.gpu, _BOX), "hours": hours, "by_memory": row.by_memory}


def way_of(found: Counted, row: CountRow) -> Line:
    """The method and format of a row."""
    return way_named(NamedWay(found.method, row.format))


def _basis(request: Request, found: Counted) -> Line:
    """What the numbers rest on."""
    timed = found.rows[0].by_time
    if timed is not None:
        rule = Figure(timed.by_rule, "card") if timed.by_rule else None
        values: dict[str, Worded] = {
            "hours": Figure(short(timed.one_card_hours), "hour"),
            "deadline": Figure(found.deadline, "hour"),
            "rule": rule,
            "dataset": found.dataset if found.meaning else None,
            "meaning": found.meaning,
        }
        return Line("count.timed", values)
    service = found.rows[0].service
    if service is not None:
        return service_line(request, service)
    if found.generates:
        return Line("count.memory_only", {"uneven": Line("count.uneven") if found.uneven else None})
    return Line("count.ask_time")
