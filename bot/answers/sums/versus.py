"""Two ways to do one thing, each with figures of its own: what either comes to, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.calculators import Given, Solution, solve
from bot.read.placed import Amounts, Asked, Placed

GAPS: Final = frozenset({"price_gap", "price_change", "saved_share"})
"""What is asked of two of a kind."""
_BASES: Final = (
    *("work_cost", "bill", "api_bill", "storage_cost", "power_cost", "own_hour", "item_cost", "token_cost"),
    *("run_cost", "sound_bill", "item_bill", "hourly_rate"),
)
"""What either of two may come to; of several the one that uses most of what was said."""
_EACH: Final = "card"
_PRICES: Final = frozenset(
    {"purchase", "rent_card_hour", "rent_month", "kwh_price", "token_price", "run_cost", "budget"}
)
_PAID_BY: Final = frozenset(
    {"rent_card_hour", "rent_machine_hour", "rent_month", "token_price", "item_price", "sound_price"}
)
"""Prices by which one thing can be paid for in ways that differ."""
_PRICE: Final = "purchase"
_FEWEST: Final = 2
_FARTHEST: Final = 10.0
"""Two bare prices farther apart than this are not of one kind of thing."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two: its figures and what it comes to."""

    given: tuple[Given, ...]
    total: Solution | None
    value: float
    first: Placed
    """The figure that tells it from the other."""


@dataclass(frozen=True, slots=True)
class Versus:
    """Both sides in the order in which they were said, and the sum over both."""

    sides: tuple[Side, Side]
    gap: Solution

    @property
    def worked_out(self) -> bool:
        """Whether both come to a sum, not just to a price each."""
        return self.sides[0].total is not None


def versus(asked: tuple[Asked, ...], amounts: Amounts, least: float) -> Versus | None:
    """How far apart two are of which each has a figure of its own; None where none is asked for or none is said.

    Args:
        asked: what the message may ask for.
        amounts: what it gives; the second value of a quantity stands among the others.
        least: score from which on a quantity is asked for.
    """
    named = [one for one in asked if one.name in GAPS and one.score >= least]
    pairs = pairs_of(amounts) if named else []
    if not pairs:
        return _unlike(amounts, wanted=bool(named))
    both = tuple(side_given(amounts, pairs, place) for place in (0, 1))
    base = _base(both, pairs)
    values = _values(both, base, pairs)
    if not _comparable(values, base):
        return None
    gap = solve(named[0].name, (Given("price_before", values[0]), Given("price_after", values[1])))
    first, second = (_side(both[place], base, values[place], pairs, place) for place in (0, 1))
    return Versus((first, second), gap) if gap is not None else None


def _unlike(amounts: Amounts, *, wanted: bool) -> Versus | None:
    """Two ways that are paid for differently, as tokens of a service and hours of a card.

    Each comes to a sum by a price of its own, and neither sum uses the price of the other.
    """
    if not (wanted or "rivals" in amounts.flags):
        return None
    prices = {one.quantity: one for one in amounts.placed if one.quantity in _PAID_BY}
    found = _paid_by(amounts.given, frozenset(prices))
    if len(prices) != _FEWEST or len(found) != _FEWEST:
        return None
    ordered = sorted(found, key=lambda name: prices[name].measure.start)
    first, second = (Side(amounts.given, found[name], found[name].value, prices[name]) for name in ordered)
    gap = solve("price_gap", (Given("price_before", first.value), Given("price_after", second.value)))
    return Versus((first, second), gap) if gap is not None else None


def _paid_by(given: tuple[Given, ...], prices: frozenset[str]) -> dict[str, Solution]:
    """By each price the sum that uses it and no other."""
    found: dict[str, Solution] = {}
    for name in _BASES[:-1]:
        solution = solve(name, given)
        by = solution.node.said & prices if solution is not None else frozenset()
        if solution is not None and len(by) == 1:
            found.setdefault(next(iter(by)), solution)
    return found


def _comparable(values: list[float], base: str) -> bool:
    """Whether both sides come to something, and to something else; bare prices to not too far apart."""
    return len(set(values)) == _FEWEST and (bool(base) or max(values) <= _FARTHEST * min(values))


def _values(both: tuple[tuple[Given, ...], ...], base: str, pairs: list[tuple[Placed, Placed]]) -> list[float]:
    """What both sides come to, those left out that come to nothing."""
    found = (_value(given, base, pairs, place) for place, given in enumerate(both))
    return [value for value in found if value is not None]


def _side(given: tuple[Given, ...], base: str, value: float, pairs: list[tuple[Placed, Placed]], place: int) -> Side:
    """One of two, told from the other by its price where they differ in it."""
    first = min(pairs, key=lambda pair: pair[0].quantity not in _PRICES)[place]
    return Side(given, solve(base, given) if base else None, value, first)


def pairs_of(amounts: Amounts) -> list[tuple[Placed, Placed]]:
    """Quantities that have several values: two of them, in the order of the text."""
    first = {one.quantity: one for one in amounts.placed}
    counts: dict[str, list[Placed]] = {}
    for other in amounts.others:
        counts.setdefault(other.quantity, []).append(other)
    found = [_ends([first[name], *others]) for name, others in counts.items() if name in first] or _nameless(amounts)
    return [pair if pair[0].measure.start < pair[1].measure.start else (pair[1], pair[0]) for pair in found]


def _nameless(amounts: Amounts) -> list[tuple[Placed, Placed]]:
    """The only two amounts of money, where nothing says what either is the price of."""
    money = [one for one in amounts.unplaced if one.kind == "money"]
    if len(money) != _FEWEST or any(one.measure.kind == "money" for one in amounts.placed):
        return []
    first, second = (Placed(one, _PRICE, one.value, 0.0) for one in money)
    return [(first, second)]


def _ends(values: list[Placed]) -> tuple[Placed, Placed]:
    """Two values; of more than two the lowest and the highest."""
    return min(values, key=lambda one: one.value), max(values, key=lambda one: one.value)


def side_given(amounts: Amounts, pairs: list[tuple[Placed, Placed]], place: int) -> tuple[Given, ...]:
    """What holds for one side: its own figures, and what was said once."""
    own = {pair[place].quantity: pair[place].value for pair in pairs}
    shared = {one.name: one.value for one in amounts.given if one.name not in own}
    if _alone(pairs, place):
        shared.pop("cards", None)
    return tuple(Given(name, value) for name, value in (shared | own).items())


def _alone(pairs: list[tuple[Placed, Placed]], place: int) -> bool:
    """Whether the other side's price is one of each of several, and this side's is not."""
    each = [tuple(_EACH in one.measure.per for one in pair) for pair in pairs]
    return any(one[1 - place] and not one[place] for one in each)


def _base(both: tuple[tuple[Given, ...], ...], pairs: list[tuple[Placed, Placed]]) -> str:
    """What both sides come to; "" where a price stands for itself."""
    own = {pair[0].quantity for pair in pairs}
    found: list[tuple[int, str]] = []
    for name in _BASES:
        sums = [solve(name, given) for given in both]
        if all(one is not None and own & one.node.said and len(one.node.said) >= _FEWEST for one in sums):
            found.append((max(len(one.node.said) for one in sums if one is not None), name))
    return max(found, key=lambda entry: entry[0])[1] if found else ""


def _value(given: tuple[Given, ...], base: str, pairs: list[tuple[Placed, Placed]], place: int) -> float | None:
    """What one side comes to, or its price times its cards."""
    if base:
        found = solve(base, given)
        return found.value if found is not None else None
    priced = next((pair[place] for pair in pairs if pair[place].quantity in _PRICES), None)
    if priced is None:
        return None
    cards = next((one.value for one in given if one.name == "cards"), 1.0)
    return priced.value * (cards if priced.quantity == "purchase" and _EACH in priced.measure.per else 1.0)
