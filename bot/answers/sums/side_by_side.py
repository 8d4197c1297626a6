"""Bills side by side that no formula names: each product of what was said once of it and once of all.

Added up where a total is asked for, held against each other where it is asked which is cheaper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.lanes import Lane, lanes_in
from advisor.calculators.product import Dimensions, Factor
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from advisor.periods import HOURS_A_DAY
from bot.answers.sums.choose import LEAST, PLAIN, Chosen
from bot.answers.sums.factors import Said, factors, implied, is_span, shown
from bot.answers.sums.left import left_out
from bot.answers.sums.together import SUMMED
from bot.answers.sums.versus import GAPS, Side, Versus
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Placed
from bot.read.units import in_unit_of

_MONEY: Final = "money"
_TOTAL: Final[Dimensions] = {_MONEY: 1}
_SPANS: Final = ("", "month", "day", "week", "hour", "year", "run", "round", "item")
"""For what two ways are held against each other, as far as both can be told for it."""
_LONG: Final = ("day", "week", "month", "year")
_KINDS: Final = {"kwh": "power_cost", "gigabyte": "storage_cost", "token": "api_bill"}
"""What a bill is for, by a unit that it holds."""
_BILL: Final = "bill"
_FEWEST: Final = 2
_COUNTED: Final = frozenset({"card", "machine"})
_TARIFF: Final = 5.0
"""Money for a kWh is no more than this."""
_BARE: Final = 500.0
"""Money for an hour is no more than this."""
_KEPT: Final = frozenset({"purchase", "resale", "wall_w", "card_w"})
_TOTALS: Final = frozenset({*SUMMED, "buy_total", "own_month"})


def side_by_side(chosen: Chosen | None, amounts: Amounts, cards: int = 0) -> Chosen | None:
    """Several bills by units that cancel, where they use more than the sum found by name; else that sum.

    Args:
        chosen: the sum found by name, if any.
        amounts: what the message gives and asks for.
        cards: how many cards it names; how fast each is decides between several that run as long.
    """
    if amounts.odd or (chosen is not None and chosen.follows):
        return chosen
    if _is_compared(amounts):
        wanted = _leaves(chosen, amounts) or _tells_no_gap(chosen, amounts)
        found = _compared(amounts, timed=cards >= _FEWEST) if wanted else None
    else:
        found = _summed(amounts) if _is_total(amounts) and _leaves(chosen, amounts) else None
    return found or chosen


def _leaves(chosen: Chosen | None, amounts: Amounts) -> bool:
    """Whether the sum found by name leaves something out, a week, month or year that it is asked for among that."""
    if chosen is None or left_out(chosen, amounts, frozenset(), ()):
        return True
    used = frozenset().union(*(one.node.said for one in (*chosen.solutions, *chosen.added)))
    return bool(chosen.added) and any(
        is_span(one.measure, one.quantity) for one in amounts.placed if one.quantity not in used
    )


def _tells_no_gap(chosen: Chosen | None, amounts: Amounts) -> bool:
    """Whether a sum is no comparison, although one is asked for in the same part."""
    if chosen is None or chosen.versus is not None or chosen.solutions[0].name in GAPS:
        return False
    its = {one.part for one in amounts.asked if one.name == chosen.solutions[0].name and one.score >= LEAST}
    gaps = {one.part for one in amounts.asked if one.name in GAPS and one.score >= LEAST}
    return not its or bool(its & gaps)


def _is_compared(amounts: Amounts) -> bool:
    """Whether it is asked which of two costs less, and neither is something that is bought to keep."""
    if any(one.quantity in _KEPT for one in amounts.placed):
        return False
    most = max((one.score for one in amounts.asked), default=0.0)
    gaps = [one.score for one in amounts.asked if one.name in GAPS and one.score >= LEAST]
    return most in gaps or ("rivals" in amounts.flags and (bool(gaps) or most < PLAIN))


def _is_total(amounts: Amounts) -> bool:
    """Whether it is asked what all comes to, and nothing more plainly than that."""
    money = [one for one in amounts.asked if one.fills and one.score >= LEAST and QUANTITIES[one.name].unit == _MONEY]
    most = max((one.score for one in money), default=0.0)
    return bool(money) and all(one.name in _TOTALS for one in money if one.score == most)


def _summed(amounts: Amounts) -> Chosen | None:
    """What several bills come to in all."""
    for said in _readings(amounts):
        lanes = _lanes(said, _TOTAL, amounts)
        if lanes:
            parts = tuple(_part(lane, said) for lane in lanes)
            total = sum(one.value for one in parts)
            working = " + ".join(f"{one.value:,.2f}" for one in parts)
            said_of_all = frozenset().union(*(one.node.said for one in parts))
            node = Node(_BILL, total, Formula(_BILL, (), working, float), tuple(one.node for one in parts), said_of_all)
            called = tuple(", ".join(shown(said[at]) for at in lane.own) for lane in lanes)
            sums = (Solution(node),)
            return Chosen(sums, amounts.given, score=PLAIN, added=parts, counted=_measures(said), called=called)
    return None


def _compared(amounts: Amounts, *, timed: bool) -> Chosen | None:
    """Two ways held against each other, over the longest time that both can be told for.

    `timed`: only where each has a time of its own.
    """
    for said in _readings(amounts):
        found = [_lanes(said, {**_TOTAL, span: -1} if span else _TOTAL, amounts) for span in _SPANS]
        both = [lanes for lanes in found if len(lanes) == _FEWEST and lanes[0].value != lanes[1].value]
        if both and (not timed or all(_has_time(lane, said) for lane in both[0])):
            return _against(min(both, key=lambda lanes: _assumed(lanes, said)), said, amounts)
    return None


def _has_time(lane: Lane, said: Sequence[Said]) -> bool:
    """Whether one of two has a time of its own."""
    return any(said[at].factor.unit.get("hour", 0) > 0 for at in lane.own)


def _assumed(lanes: Sequence[Lane], said: Sequence[Said]) -> int:
    """How many times that only words stand for the bills rest on."""
    return sum(said[at].measure is None for lane in lanes for at in lane.used)


def _against(lanes: Sequence[Lane], said: Sequence[Said], amounts: Amounts) -> Chosen | None:
    """Which of two costs less, and by how much."""
    sides = [Side(amounts.given, _part(lane, said), lane.value, _first(lane, said)) for lane in lanes]
    gap = solve("price_gap", (Given("price_before", sides[0].value), Given("price_after", sides[1].value)))
    if gap is None:
        return None
    two = Versus((sides[0], sides[1]), gap)
    return Chosen((gap,), amounts.given, score=PLAIN, versus=two, counted=_measures(said))


def _lanes(said: Sequence[Said], unit: Dimensions, amounts: Amounts) -> tuple[Lane, ...]:
    """The bills in a unit, each of enough that was said."""
    lanes = lanes_in(unit, [one.factor for one in said], nonstop="nonstop" in amounts.flags)
    told = [sum(said[at].measure is not None for at in lane.used) for lane in lanes]
    return lanes if max(told, default=0) >= _FEWEST else ()


def _part(lane: Lane, said: Sequence[Said]) -> Solution:
    """One bill as a sum of its own."""
    used = [said[at] for at in lane.used]
    units = {name for one in used for name in one.factor.unit}
    name = next((bill for unit, bill in _KINDS.items() if unit in units), _BILL)
    working = " \N{MULTIPLICATION SIGN} ".join(shown(one) for one in used)
    names = frozenset(one.name for one in used) - {""}
    return Solution(Node(name, lane.value, Formula(name, (), working, float), said=names))


def _first(lane: Lane, said: Sequence[Said]) -> Placed:
    """The figure by which a bill is told from the other: its price, else what it has of its own."""
    own = [said[at] for at in lane.own]
    one = next((one for one in own if one.factor.unit.get(_MONEY, 0) > 0), own[0])
    measure = one.measure
    if measure is None:
        raise LookupError("a bill has a figure of its own")  # implied times are never a lane's own
    value = in_unit_of(measure, one.name) if one.name else one.factor.value
    return Placed(measure, one.name or "purchase", value, 0.0)


def _measures(said: Sequence[Said]) -> tuple[Measure, ...]:
    return tuple(one.measure for one in said if one.measure is not None)


# --- what bare numbers stand for -------------------------------------------------------------------------------------


def _readings(amounts: Amounts) -> Iterator[list[Said]]:
    """What was said as factors, bare numbers by what is missing: as they stand first."""
    known = {one.measure: one.quantity for one in (*amounts.placed, *amounts.others)}
    measures = [*known, *(one for one in amounts.unplaced if one not in known)]
    said = factors([(one, known.get(one, "")) for one in measures])
    bare = sorted((one for one in measures if not one.kind and not known.get(one)), key=lambda one: one.start)
    times = implied(amounts)
    for made in (_as_said(said, bare), _like_others(said, bare), _as_tariffs(said, bare), _of_amounts(said, bare)):
        if made:
            yield _uncounted([*_each_day(made), *times])
            yield _uncounted([*made, *times])


def _as_said(said: list[Said], bare: list[Measure]) -> list[Said]:
    return [] if bare else said


def _uncounted(said: list[Said]) -> list[Said]:
    """Without the card or machine that a price is of each of, where their number is not said."""
    said_of = {name for one in said for name, power in one.factor.unit.items() if power > 0}
    alone = _COUNTED - said_of
    return [replace(one, factor=one.factor._replace(unit=_less(one.factor.unit, alone))) for one in said]


def _less(unit: Dimensions, names: frozenset[str]) -> Dimensions:
    return {name: power for name, power in unit.items() if name not in names}


def _each_day(said: list[Said]) -> list[Said]:
    """Several spans of hours that one day holds as those of each day, where days, weeks or months are said."""
    spans = [one for one in said if dict(one.factor.unit) == {"hour": 1}]
    told = any(one.factor.unit.get(span, 0) > 0 for one in said for span in _LONG)
    if not told or len(spans) < _FEWEST or sum(one.factor.value for one in spans) > HOURS_A_DAY:
        return said
    daily = {"hour": 1, "day": -1}
    return [replace(one, factor=one.factor._replace(unit=daily)) if one in spans else one for one in said]


def _like_others(said: list[Said], bare: list[Measure]) -> list[Said]:
    """A bare number as one more of what there is one less of than of the rest, as the hours of a second power."""
    counted = Counter(_key(one) for one in said)
    most = max(counted.values(), default=0)
    if len(bare) != 1 or most < _FEWEST:
        return []
    alike = [one for one in said if counted[_key(one)] == most - 1 and one.start < bare[0].start]
    return _sorted([*said, _in_unit_of(bare[0], alike[-1])]) if alike else []


def _in_unit_of(bare: Measure, sample: Said) -> Said:
    """A bare number in the unit of another value."""
    number = (sample.measure.number if sample.measure is not None else 0.0) or 1.0
    return Said(bare, sample.name, sample.factor._replace(value=bare.number * sample.factor.value / number))


def _as_tariffs(said: list[Said], bare: list[Measure]) -> list[Said]:
    """Bare numbers as prices, where none is said: of a kWh beside watts, of an hour else."""
    if any(_MONEY in one.factor.unit for one in said) or not bare:
        return []
    power = any("kwh" in one.factor.unit for one in said)
    unit, most = ({_MONEY: 1, "kwh": -1}, _TARIFF) if power else ({_MONEY: 1, "hour": -1}, _BARE)
    if any(one.number > most for one in bare):
        return []
    name = "kwh_price" if power else "rent_card_hour"
    return _sorted([*said, *(Said(one, name, Factor(one.number, unit)) for one in bare)])


def _of_amounts(said: list[Said], bare: list[Measure]) -> list[Said]:
    """A price of nothing as that of each of the amount before it."""
    if bare:
        return []
    made: list[Said] = []
    changed = False
    for one in said:
        before = made[-1].factor.unit if made else {}
        plain = dict(one.factor.unit) == _TOTAL and not one.name.startswith(("purchase", "budget"))
        if plain and len(before) == 1 and _MONEY not in before and min(before.values()) == 1:
            price = {_MONEY: 1, next(iter(before)): -1}
            made.append(replace(one, factor=one.factor._replace(unit=price)))
            changed = True
        else:
            made.append(one)
    return made if changed else []


def _key(one: Said) -> tuple[frozenset[tuple[str, int]], bool]:
    return frozenset(one.factor.unit.items()), one.factor.share


def _sorted(said: list[Said]) -> list[Said]:
    return sorted(said, key=lambda one: one.start)
