"""Two readings of one thing: which of two values is that of before, of one card, of the smaller batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from bot.read.placed import Amounts, Placed
from bot.read.units import in_unit_of

_SURE: Final = 2.0
"""From here on an unknown is asked for by name."""
_TIMES: Final = frozenset({"hours_total", "measured_hours", "run_hours", "epoch_hours", "days", "deadline_hours"})
_MEMORY: Final = frozenset({"peak_gb", "card_gb", "weights_gb", "fixed_gb", "total_gb", "kv_room_gib"})
_DATA: Final = "data"
_TWO: Final = 2
_SEVERAL: Final = frozenset({"cards"})


@dataclass(frozen=True, slots=True)
class Pair:
    """What two values of some quantities are for some unknowns: by size, else in the order of the text."""

    asked: frozenset[str]
    quantities: frozenset[str]
    names: tuple[str, str]
    sized: bool = True
    falling: bool = False
    """The larger one is the first."""


_SCALING: Final = frozenset({"efficiency", "speedup"})
_PAIRS: Final = (
    Pair(_SCALING, frozenset({"items_per_s"}), ("rate_before", "items_per_s")),
    Pair(_SCALING, frozenset({"tokens_per_s"}), ("token_rate_before", "tokens_per_s")),
    Pair(_SCALING, frozenset({"cards"}), ("cards_before", "cards")),
    Pair(_SCALING | {"time_saved"}, _TIMES, ("hours_before", "hours_after"), sized=False),
    Pair(frozenset({"round_hours"}), frozenset({"items"}), ("items_before", "items"), sized=False),
    Pair(frozenset({"used_share"}), _MEMORY, ("used_gb", "card_gb")),
    Pair(frozenset({"most_batch"}), frozenset({"batch", "micro_batch"}), ("batch_before", "batch")),
)


def paired(amounts: Amounts) -> Amounts:
    """The same, with two values of one quantity as the two readings that an unknown is worked out from."""
    asked = {one.name for one in amounts.asked if one.score >= _SURE}
    several = any(one.quantity in _SEVERAL and one.value > 1 for one in amounts.placed)
    for pair in _PAIRS:
        if not asked.isdisjoint(pair.asked):
            amounts = _named(amounts, pair, by_cards=several)
    return _of_batches(amounts)


def _named(amounts: Amounts, pair: Pair, *, by_cards: bool) -> Amounts:
    """The two values of one pair by their names."""
    both = _of(amounts, lambda one: one.quantity in pair.quantities)
    if len(both) != _TWO or both[0].measure.kind not in {both[1].measure.kind, "day", "time"}:
        return amounts
    timed = pair.quantities == _TIMES
    if pair.sized or (timed and by_cards):
        # one card takes longer and gets through less than several
        both = sorted(both, key=lambda one: one.value if not timed else -in_unit_of(one.measure, "hours_total"))
    return _with(amounts, zip(both, pair.names, strict=True))


def _of_batches(amounts: Amounts) -> Amounts:
    """What was taken with each of two batches: the memory that is said next to each."""
    batches = {one.quantity: one.measure.start for one in amounts.placed if one.quantity in {"batch_before", "batch"}}
    if len(batches) != _TWO:
        return amounts
    sizes = _sizes(amounts)
    told: dict[str, Placed] = {}
    for name, batch in (("gb_before", "batch_before"), ("peak_gb", "batch")):
        near = min(sizes, key=lambda one: _apart(batches[batch], one.measure.start), default=None)
        if near is not None:
            told[name] = near
            sizes.remove(near)
    rest = [(one, "card_gb") for one in sizes[:1]]
    return _with(amounts, [*((one, name) for name, one in told.items()), *rest])


def _sizes(amounts: Amounts) -> list[Placed]:
    """Every amount of memory, whatever it was taken for."""
    told = _of(amounts, lambda one: one.measure.kind == _DATA)
    known = {one.measure.start for one in told}
    loose = (one for one in amounts.unplaced if one.kind == _DATA and one.start not in known)
    return [*told, *(Placed(one, "", 0.0, 0.0) for one in loose)]


def _apart(batch: int, size: int) -> tuple[bool, int]:
    """A size stands behind its batch rather than before it."""
    return size < batch, abs(size - batch)


def _of(amounts: Amounts, fits: Callable[[Placed], bool]) -> list[Placed]:
    """Values of some quantities in the order of the text, those said again among them."""
    return sorted((one for one in (*amounts.placed, *amounts.others) if fits(one)), key=lambda one: one.measure.start)


def _with(amounts: Amounts, named: Iterable[tuple[Placed, str]]) -> Amounts:
    """The amounts with some values as other quantities."""
    new: Sequence[Placed] = [
        replace(one, quantity=name, value=in_unit_of(one.measure, name), adds=False) for one, name in named
    ]
    kept = without(amounts, {one.measure.start for one in new})
    placed = tuple(sorted([*kept.placed, *new], key=lambda one: one.measure.start))
    return replace(kept, placed=placed)


def without(amounts: Amounts, taken: Set[int]) -> Amounts:
    """The amounts without the measures that begin at some places."""
    placed, others = (
        tuple(one for one in listed if one.measure.start not in taken) for listed in (amounts.placed, amounts.others)
    )
    unplaced = tuple(one for one in amounts.unplaced if one.start not in taken)
    return replace(amounts, placed=placed, others=others, unplaced=unplaced)
