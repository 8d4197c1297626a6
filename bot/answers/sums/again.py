"""Values said after a sum, each in the place of the value that it takes, and what was said before with them.

What a value is called decides where it is called anything; else it is a new value of what was spoken of in its unit,
the nearest where several are. A value of before that is said again beside another of its quantity is the one given up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf, log
from typing import Final

from advisor.calculators import QUANTITIES, Given
from bot.core.sums import SumFrame
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Placed
from bot.read.units import in_unit_of

WEAK: Final = 1.3
"""A value placed by its unit alone may take the place of another of its unit."""
_OF_GRID, _GRAMS_OR_GIGABYTES = "kg_per_kwh", "gigabyte"
"""Behind a sum of emissions a bare g is grams."""
_OF_A_WEEK: Final = "days_week"
"""Days of the week that words stand for leave the time that they are counted in as it is."""
_FORMAT: Final = "format_bytes"
_KEPT_IN: Final = {"kv_bytes": 1.0, "value_bytes": 1.0, "bits": 8.0, "bytes_per_param": 1.0}
"""What is kept in a format, and how much of its unit a byte is."""
_RIVALS: Final = (
    frozenset({"hours_total", "measured_hours", "days", "weeks", "span_days", "hours_month", "days_week"}),
    frozenset({"hours_day", "hours_week", "utilization"}),
    frozenset({"rent_card_hour", "rent_machine_hour"}),
    frozenset({"rent_month", "budget_month"}),
    frozenset({"wall_w", "card_w", "card_limit_w"}),
    frozenset({"peak_gb", "weights_gb", "split_gb", "params"}),
    frozenset({"measured_hours", "epoch_hours", "items"}),
    frozenset({"budget", "budget_month"}),
    frozenset({"disk_mb_s", "link_gb_s"}),
)
"""Ways to say one thing: of a group the newest counts."""
_TIMES: Final = frozenset({"hour", "second", "day", "week", "month", "year"})
_PIECES: Final = frozenset({"item", "frame", "sample"})
_PEOPLE: Final = frozenset({"request", "stream", "person", "user"})
_SIZES: Final = frozenset({"GB", "MB", "GiB", "KiB", "byte"})
_UNITS_OF: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("time", "day", "week", "month", "year"), _TIMES),
    **dict.fromkeys(("person", "request"), _PEOPLE),
    **dict.fromkeys(("item", "item_rate"), _PIECES),
    "card": _PIECES | {"card"},
    "data": _SIZES,
    "data_rate": _SIZES,
    "byte": _SIZES,
    "energy": frozenset({"kWh"}),
    "power": frozenset({"W"}),
    "step_rate": frozenset({"step"}),
    "times": frozenset({"times", ""}),
}
"""Kind of a measure -> bases of the units that it may be said of; any other kind is of the unit of its own name."""
_PAID_FOR: Final = {"time": "/hour", "energy": "/kwh", "token": "/Mtok", "data": "/GB"}
_PAID_BY: Final = {"day": "_day", "week": "_week", "month": "_month", "year": "_year", "item": "item_"}
"""What money is counted for, by the units and the names of quantities."""
_NO_UNIT: Final = ""
_COUNTED: Final = frozenset({"card", "machine", "person", "run"})
"""Units of what is counted in whole numbers."""
_NO_COIN: Final = 0.7
"""So much farther off is money for a number that no coin is said of."""
_FAR: Final = log(20)
"""A value called nothing changes one before by less than so much, where it can be anything else."""
_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class _Seat:
    """A quantity of the sum before that a value may take the place of, and how far it would change."""

    quantity: str
    value: float
    apart: float


def readings_after(amounts: Amounts, before: SumFrame) -> tuple[Amounts, ...]:
    """The ways to read a message that goes on with a sum, the likelier first.

    Args:
        amounts: the message by its own words.
        before: the sum of the last answer.

    Returns:
        Values without a word of their own in the places of those before; then the message as it was read; then
        every value in such a place.
    """
    kept = _corrected(amounts, before.given)
    return _seated(kept, before.given, WEAK, _FAR), kept, _seated(kept, before.given, inf, inf)


def _corrected(amounts: Amounts, given: Mapping[str, float]) -> Amounts:
    """The amounts without the value of before, where the same quantity is said anew beside it."""
    known = [one for one in (*amounts.placed, *amounts.others) if one.quantity in given]
    fresh = {one.quantity: one for one in known if not _same(one.value, given[one.quantity])}
    gone = [one for one in known if one.quantity in fresh and _same(one.value, given[one.quantity])]
    if not gone:
        return amounts
    placed = _without(amounts.placed, gone)
    joined = [fresh[name] for name in fresh.keys() - {one.quantity for one in placed}]
    return _counted_with(replace(amounts, others=_without(amounts.others, [*joined, *gone])), (*placed, *joined), gone)


def _counted_with(amounts: Amounts, placed: Sequence[Placed], gone: Sequence[Placed] = ()) -> Amounts:
    """The amounts with these as what is counted; none of their measures, nor of what is given up, is left over."""
    said = {id(one.measure) for one in (*placed, *gone)}
    rest = tuple(one for one in amounts.unplaced if id(one) not in said)
    return replace(amounts, placed=tuple(placed), unplaced=rest)


def _without(placed: Sequence[Placed], gone: Sequence[Placed]) -> tuple[Placed, ...]:
    """Those that are none of these."""
    return tuple(one for one in placed if one not in gone)


def _seated(amounts: Amounts, given: Mapping[str, float], below: float, far: float) -> Amounts:
    """The amounts, each value that is called nothing as a new one of what was spoken of before.

    Args:
        amounts: what the message gives.
        given: the values of the sum before.
        below: what a value was placed with at most to be called nothing.
        far: the natural logarithm of the most by which it changes what it is taken for.
    """
    free = dict(given)
    placed: list[Placed] = []
    renamed: dict[str, str] = {}
    for one in (*amounts.placed, *map(_loose, _bare(amounts))):
        if one.score >= below and one.quantity in QUANTITIES:
            placed.append(one)
            continue
        seat = _nearest(one.measure, free, one)
        if seat is None or seat.apart > far:
            placed += [one] if one.quantity else []
            continue
        free.pop(seat.quantity)
        renamed[one.quantity] = seat.quantity
        placed.append(replace(one, quantity=seat.quantity, value=seat.value, score=max(one.score, WEAK)))
    adding = frozenset(renamed.get(name, name) for name in amounts.adding)
    return _counted_with(replace(amounts, adding=adding), placed)


def _bare(amounts: Amounts) -> list[Measure]:
    """The measures that are no quantity, articles aside."""
    return [one for one in amounts.unplaced if one.text and not (one.words and one.number <= 1)]


def _loose(measure: Measure) -> Placed:
    """A measure that nothing is known of but its unit."""
    return Placed(measure, "", measure.value, 0.0)


def _nearest(measure: Measure, given: Mapping[str, float], read: Placed) -> _Seat | None:
    """The quantity of before of which a value is a new one: of those of its unit that which it changes least."""
    seats = [seat for name, value in given.items() if (seat := _seat(measure, name, value)) is not None]
    best = min(seats, key=lambda one: one.apart, default=None)
    return None if best is None or (read.quantity in given and best.quantity == read.quantity) else best


def _seat(measure: Measure, name: str, value: float) -> _Seat | None:
    """A quantity of before as the place of a value; None where the value cannot be of it."""
    quantity = QUANTITIES[name]
    if value <= 0 or not _may_be_of(measure, name, quantity.unit):
        return None
    new = measure.number if measure.kind == _NO_UNIT and not measure.per else in_unit_of(measure, name)
    whole = quantity.unit not in _COUNTED or new == int(new)
    if new <= 0 or not whole or not quantity.low <= new <= quantity.high:
        return None
    unsaid = measure.kind == _NO_UNIT and quantity.unit.startswith("money")
    return _Seat(name, new, abs(log(new / value)) + _NO_COIN * unsaid)


def _may_be_of(measure: Measure, name: str, unit: str) -> bool:
    """Whether a measure can be of a quantity by its unit and by what it is counted for."""
    base = unit.partition("/")[0]
    if measure.kind == _NO_UNIT and not measure.per:
        return True
    if measure.kind in {_NO_UNIT, "money"}:
        return base == "money" and all(_is_paid_for(kind, name, unit) for kind in measure.per)
    if base not in _UNITS_OF.get(measure.kind, frozenset({measure.kind})):
        return False
    return not measure.per or "/" in unit or measure.per[0] == "card"


def _is_paid_for(kind: str, name: str, unit: str) -> bool:
    """Whether money of a quantity is counted for this."""
    if kind in _PAID_FOR:
        return _PAID_FOR[kind] in unit
    return kind not in _PAID_BY or _PAID_BY[kind] in f"{name}_"


def _same(one: float, other: float | None) -> bool:
    return other is not None and abs(one - other) <= _SAME * max(abs(one), abs(other))


# --- both together ---------------------------------------------------------------------------------------------------


def merge(before: SumFrame, amounts: Amounts) -> tuple[Given, ...]:
    """What was said before with what is said now: of two values the newer, or both where it says "more"."""
    values = dict(before.given)
    for one in amounts.implied:
        name, value = _of_format(one, values)
        if name != _OF_A_WEEK:
            _drop_rivals(values, (name,))
        values[name] = value
    for placed in amounts.placed:
        if placed.quantity in amounts.adding and placed.quantity in values:
            values[placed.quantity] += placed.value
            continue
        _drop_rivals(values, (placed.quantity,))
        values[placed.quantity] = placed.value
    grams = [one.number for one in amounts.unplaced if one.unit == _GRAMS_OR_GIGABYTES]
    if grams and _OF_GRID in values:
        values[_OF_GRID] = grams[-1] / 1000
    return tuple(Given(name, value) for name, value in values.items())


def _of_format(one: Given, values: Mapping[str, float]) -> tuple[str, float]:
    """What an implied value is; the bytes of a format are those of what was kept in another format before."""
    if one.name != _FORMAT:
        return one.name, one.value
    kept = next((name for name in _KEPT_IN if name in values), _FORMAT)
    return kept, one.value * _KEPT_IN.get(kept, 1.0)


def _drop_rivals(values: dict[str, float], names: Iterable[str]) -> None:
    """Take out what is another way to say one of these."""
    for name, group in ((name, group) for name in names for group in _RIVALS if name in group):
        for rival in group - {name}:
            values.pop(rival, None)


def is_used(amounts: Amounts, before: SumFrame, said: Sequence[frozenset[str]]) -> bool:
    """Whether sums rest on every value that a message adds or changes."""
    used = frozenset(chain.from_iterable(said))
    return all(one.quantity in used or _same(one.value, before.given.get(one.quantity)) for one in amounts.placed)
