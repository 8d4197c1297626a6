"""What is needed held against what there is: both put together as they were said, and nothing said is left aside.

A message that asks whether something is enough says two things: what it takes, and what there is. Words beside a number
say that it is of what there is ("a 230 V socket", "64 GB of RAM"). So its values fall into two runs, one of them with all
such numbers; each run is put together as any sum is (`expression.py`), and both must come out in one unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from advisor.calculators.expression import MOST, Said, Sums, digits, in_order, orders, placed
from advisor.calculators.leftover import over, paired, sorted_out
from advisor.calculators.powers import AT_ONCE, SAME, UNITS, WORKED_OFF, Powers, hours_of, turned
from advisor.calculators.putting import Goal, Made, Tree
from advisor.calculators.reckon import ANY, HOUR, SIDE_BY_SIDE, SPANS

_APART: Final = 0.14
"""By how much less the likeliest way takes for granted than the next that comes to something else."""
_EACH, _LEFT, _OTHER = 0.04, 0.06, 0.8
"""To hold what one card or machine takes against what is said of one without a word for it; any other noun that only one
side has, in all and for each; what works at once, where times are held against each other."""
_TOTAL: Final = "total"
_SHARES: Final = frozenset({"share", "share?"})
_AMPERE, _VOLTS_AND_AMPERES = "ampere", 2


class Side(NamedTuple):
    """One of the two: its value in the unit of both, and how it is put together."""

    value: float
    tree: Tree


class Held(NamedTuple):
    """What is needed against what there is, in one unit."""

    need: Side
    limit: Side
    unit: Powers
    cost: float

    @property
    def is_enough(self) -> bool:
        """Whether there is as much as is needed."""
        return self.need.value <= self.limit.value * (1 + 1e-9)


def held(said: Sequence[Said], dearest: float) -> Held | None:
    """What all values come to as a need and a limit; None where nothing says which is which, or where it is not clear.

    Args:
        said: the values in the order of the text, two to eight; `holds` marks those of what there is.
        dearest: so much may be taken for granted.
    """
    if not 2 <= len(said) <= MOST or all(one.holds for one in said):
        return None
    said = _with_shares(said)
    if not any(one.holds for one in said):
        return None
    plain = tuple(map(_untaken, said))
    return _held(plain, dearest) or (_held(said, dearest) if plain != said else None)


def _held(said: Sequence[Said], dearest: float) -> Held | None:
    """What the values come to in the first order in which they make two sides."""
    for order in dict.fromkeys((_beside_counts(said), *orders(said), _limits_last(said))):
        ways = sorted(_ways(said, order, dearest + _APART), key=lambda one: one.cost)
        if ways and ways[0].cost <= dearest:
            return _surest(ways)
    return None


def _with_shares(said: Sequence[Said]) -> tuple[Said, ...]:
    """The values, a share right behind one of what there is as one of it."""
    behind = (False, *(one.holds for one in said[:-1]))
    return tuple(
        one._replace(holds=one.holds or (before and _is_share(one))) for one, before in zip(said, behind, strict=True)
    )


def _is_share(one: Said) -> bool:
    return one.atoms[0].sign in _SHARES and not any(atom.unit for atom in one.atoms)


def _untaken(one: Said) -> Said:
    """A value that takes away from what there is as one of what is needed."""
    return one._replace(atoms=tuple(atom._replace(sign="") if atom.sign == "-" else atom for atom in one.atoms))


def _surest(ways: Sequence[Held]) -> Held | None:
    """The likeliest way, where none that comes to something else is as likely."""
    best = ways[0]
    rivals = (one for one in ways if one.cost - best.cost < _APART)
    return best if all(_is_same(one, best) for one in rivals) else None


def _is_same(one: Held, other: Held) -> bool:
    """Whether two ways come to the same on both sides."""
    pairs = ((one.need, other.need), (one.limit, other.limit))
    return all(digits(first.value) == digits(second.value) for first, second in pairs)


def _limits_last(said: Sequence[Said]) -> tuple[int, ...]:
    """The places, those of what there is behind the others."""
    return tuple(sorted(range(len(said)), key=lambda at: (said[at].holds, at)))


def _beside_counts(said: Sequence[Said]) -> tuple[int, ...]:
    """The places, what is said for each of something right behind the values that count it, what there is behind all."""
    found = list(_limits_last(said))
    for at, one in enumerate(said):
        each = {name for name, power in one.atoms[0].unit if power < 0 and name not in UNITS}
        counted = [place for place in range(at) if _counts_one(said[place].atoms[0].unit, each)]
        if counted and not one.holds:
            found.remove(at)
            found.insert(found.index(counted[-1]) + 1, at)
    return tuple(found)


def _counts_one(unit: Powers, each: AbstractSet[str]) -> bool:
    """Whether a value is so many of what another is said for each of."""
    nouns = {name for name, power in unit if power > 0 and name not in UNITS}
    return bool(nouns) and bool(each) and (ANY in each or not nouns.isdisjoint(each))


def _ways(said: Sequence[Said], order: Sequence[int], dearest: float) -> Iterator[Held]:
    """Every way to part the values in one order into what is needed and what there is."""
    sums = Sums(_goal(said), in_order(said, order), dearest)
    for middle in range(1, len(order)):
        sides = order[:middle], order[middle:]
        holds = [any(said[at].holds for at in side) for side in sides]
        at = 1 if holds[1] else 0
        if all(holds) or not _are_sides(said, sides[1 - at], sides[at]):
            continue
        runs = sums.span(0, middle), sums.span(middle, len(order))
        need, limit = runs[1 - at], runs[at]
        for first in need:
            for second in limit:
                found = _against(first, second, order)
                if found is not None and found.cost <= dearest:
                    yield found


def _are_sides(said: Sequence[Said], need: Sequence[int], limit: Sequence[int]) -> bool:
    """Whether values may be what is needed, and what there is: with how many there are of it, a share of it, what is taken
    off it."""
    if any(_counts_what_there_is(said, at) for at in need):
        return False
    units = {said[at].atoms[0].unit for at in limit if said[at].holds and not _is_share(said[at])}
    return _are_of_one(units) and all(said[at].holds or _goes_with(said, at) for at in limit)


def _are_of_one(units: AbstractSet[Powers]) -> bool:
    """Whether there is so much of one thing: in one unit, or as volts and amperes."""
    return len(units) == 1 or (len(units) == _VOLTS_AND_AMPERES and all(_AMPERE in dict(unit) for unit in units))


def _goes_with(said: Sequence[Said], at: int) -> bool:
    """Whether a value says how many there are of what there is, which share of it, or what is taken off it."""
    return _counts_what_there_is(said, at) or any(
        atom.sign == "-" or (not atom.unit and atom.sign in _SHARES) for atom in said[at].atoms
    )


def _counts_what_there_is(said: Sequence[Said], at: int) -> bool:
    """Whether a value is so many of what there is, right before it."""
    return said[at].bound and said[at + 1].holds


def _goal(said: Sequence[Said]) -> Goal:
    """A sum of all, in time where there is so much time."""
    timed = any(one.holds and _is_time(one.atoms[0].unit) for one in said)
    return Goal(((HOUR, 1),) if timed else (), kind=_TOTAL)


def _is_time(unit: Powers) -> bool:
    return len(unit) == 1 and unit[0][0] in SPANS and unit[0][1] > 0


def _against(need: Made, limit: Made, order: Sequence[int]) -> Held | None:
    """One side against the other, in hours where they are times; None where they are of two kinds."""
    if "-" in {need.sign, limit.sign} or not isinstance(need.tree, tuple) or not _is_amount(limit):
        return None
    spans, nouns, others = sorted_out(over(need.unit, dict(limit.unit)))
    even = turned(spans) if spans else (1.0, 0.0)
    if even is None or others:
        return None
    cost = need.cost + limit.cost + even[1] + _of_nouns(nouns, timed=_is_of_time(limit.unit))
    unit, times = _told(limit.unit)
    first, second = need.value * even[0] * times, limit.value * times
    return Held(Side(first, placed(need.tree, order)), Side(second, placed(limit.tree, order)), unit, cost)


def _told(unit: Powers) -> tuple[Powers, float]:
    """The unit in which both sides are told, times in hours and amounts without their nouns, and how many it is."""
    if not _is_of_time(unit):
        return tuple(one for one in unit if one[0] in UNITS), 1.0
    hours = hours_of({name: power for name, power in unit if name in SPANS})
    return (((HOUR, 1),) if len(unit) == 1 else unit), hours


def _is_of_time(unit: Powers) -> bool:
    """Whether a value is so much time."""
    return any(name in SPANS and power > 0 for name, power in unit)


def _is_amount(limit: Made) -> bool:
    """Whether what there is, is so much of one thing that is measured; what flows, and the memory of cards, is no sum."""
    units = set(limit.unit)
    data = ("gigabyte", 1) in units
    flow, pooled = (HOUR, -1) in units and isinstance(limit.tree, tuple), ("card", 1) in units
    return sum(name in UNITS and power > 0 for name, power in units) == 1 and not (data and (flow or pooled))


def _of_nouns(nouns: Mapping[str, int], *, timed: bool) -> float:
    """What it takes for granted that only one side is of so many, or for each, of something."""
    left = [name for name, power in nouns.items() for _ in range(power)]
    each = [name for name, power in nouns.items() for _ in range(-power)]
    cost = paired(left, each, SAME)
    return cost + sum(_of_over(name, timed=timed) for name in left) + sum(map(_of_under, each))


def _of_over(name: str, *, timed: bool) -> float:
    if name in AT_ONCE:
        return _OTHER if timed else _EACH
    return _EACH if name == ANY else _OTHER if name in WORKED_OFF else _LEFT


def _of_under(name: str) -> float:
    return _EACH if name in SIDE_BY_SIDE or name == ANY else _OTHER


__all__ = ["Held", "Side", "held"]
