"""What is said of the memory that a job needs: the figure with its band, what holds it, other ways to do it."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.memory import MemoryEstimate
from bot.answers.memory.breakdown import breakdown, sum_line
from bot.answers.memory.cards import Card, gives
from bot.answers.memory.rows import Row, held_by
from bot.answers.phrases import in_turn, model_named, used_way, way_named
from bot.core.line import Block, Depth, Label, Line, Listing, Table, Worded, gib


@dataclass(frozen=True, slots=True)
class Need:
    """What was found out: every way with its need, the one that is meant first."""

    rows: tuple[Row, ...]
    first: MemoryEstimate
    card: Card | None = None
    """What the need is compared with."""
    runs: bool = False
    """Whether a context was said, which only running a model asks for."""
    batch: int | None = None
    """The largest batch on that card, where it was worked out; 0 where not even one sample surely fits."""

    @property
    def models(self) -> int:
        """How many models are told of."""
        return len({row.model for row in self.rows})


def headline(found: Need) -> Line:
    """The figure that was asked for; of several models each in turn."""
    row = found.rows[0]
    if found.models > 1:
        return Line("need.several", {"needs": in_turn([_named(one) for one in found.rows])})
    values: dict[str, Worded] = {"model": model_named(row.model), "way": used_way(row), "need": gib(row.need)}
    if found.card is not None and row.usable is not None:
        given = gives(found.card, found.first.n_gpus)
        return Line("need.on_card", {**values, "gives": given, "verdict": Label(row.verdict, "verdict")})
    if row.n > 1:
        return Line("need.each", {**values, "n": row.n, "held": held_by(row)})
    return Line("need.alone", {**values, "held": held_by(row)})


def lines(found: Need) -> tuple[Line, ...]:
    """The sum of one way, else the other ways; the most that fits on the card."""
    if len(found.rows) == 1:
        total = found.first.total.value
        return (sum_line(breakdown(found.first, short=True), total), *_batch(found), *_cards(found))
    if found.models > 1:
        return ()
    rest = found.rows[1:]
    running = [_way(row) for row in rest if row.method == "inference"]
    training = [] if found.runs else [_way(row) for row in rest if row.method != "inference"]
    told = [Line("need.running", {"ways": in_turn(running)})] if running else []
    return (*told, Line("need.training", {"ways": in_turn(training)})) if training else tuple(told)


def blocks(found: Need) -> tuple[Block, ...]:
    """All ways with their bands; of one way how each part came about."""
    if len(found.rows) > 1:
        return (*_sum_of_first(found), _table(found))
    parts = breakdown(found.first)
    shown = [
        Line("need.part", {"part": Label(one.name, "step"), "gib": gib(one.value), "how": Label(one.how, "how")})
        for one in parts
        if one.value
    ]
    return (Listing(tuple(shown), depth=Depth.DETAILS),)


def _sum_of_first(found: Need) -> tuple[Block, ...]:
    """Where one model is used in several ways: the parts of the one that the headline tells."""
    if found.models > 1:
        return ()
    parts = [one for one in breakdown(found.first, short=True) if one.value]
    return (Listing((sum_line(parts, found.first.total.value),)),)


def _batch(found: Need) -> list[Line]:
    if found.batch is None:
        return []
    return [Line("need.largest_batch", {"batch": found.batch})] if found.batch else [Line("need.no_batch")]


def _cards(found: Need) -> list[Line]:
    cards = found.rows[0].cards
    return [Line("need.cards", {"cards": cards})] if len(cards) > 1 and found.card is None else []


def _named(row: Row) -> Line:
    verdict = Label(row.verdict, "verdict") if row.verdict else None
    values = {"model": model_named(row.model), "way": used_way(row), "need": gib(row.need), "verdict": verdict}
    return Line("need.named", values)


def _way(row: Row) -> Line:
    """Another way with its need, and whether the card or which card holds it."""
    held = Label(row.verdict, "verdict") if row.verdict else held_by(row)
    return Line("need.way", {"way": way_named(row), "need": gib(row.need), "held": held})


def _table(found: Need) -> Table:
    columns = (Line("column.use"), Line("column.needs"), Line("column.verdict"))
    return Table(columns, tuple(_cells(row, found) for row in found.rows), depth=Depth.DETAILS)


def _cells(row: Row, found: Need) -> tuple[Line, Line, Line | Label]:
    what = {"card": None, "model": model_named(row.model) if found.models > 1 else None, "way": way_named(row)}
    held = Label(row.verdict, "verdict") if row.verdict else held_by(row)
    return Line("column.what", what), Line("memory.band", {"need": gib(row.need)}), held
