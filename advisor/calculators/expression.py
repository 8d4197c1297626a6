"""Sums put together as they are said: values in the order of a text, each put to its neighbour by unit and by word.

Numbers that belong together stand together. So a sum is a tree over the values in their order: two neighbours are
multiplied, divided, added up, or one is taken off the other, and what comes out is the neighbour of the next. Units
decide: only equals are added, what is left over at the end must be what is asked for. Of all trees the one is taken
that takes least for granted, and none where another value is as likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf
from typing import Final, NamedTuple

from advisor.calculators.leftover import ONE_AT_ONCE, listed, of_number, of_under, over, paired, sorted_out
from advisor.calculators.powers import AT_ONCE, SAME, TIMES, UNITS, WORKED_OFF, Powers, turned
from advisor.calculators.putting import Goal, Made, Putting, Tree
from advisor.calculators.reckon import ANY, HOUR, SIDE_BY_SIDE, SPANS

MOST: Final = 8
"""Values of one sum."""
_KEPT: Final = 20
"""Ways to put the same neighbours together that are followed up."""
_DEAREST: Final = 1.0
_APART: Final = 0.14
"""How much a sum may take for granted, and by how much less than the next value."""
_DIGITS: Final = 9
_MOVED: Final = 0.05
"""To take values in another order than that of the text."""
_OF_PERIOD: Final = 0.3
"""To tell for the time that is asked about what comes out for all of it."""
_OVER, _SUMMED = 0.2, 0.8
"""What a noun costs that is left over; one that works side by side, and where a time is asked for."""
_ALONE = 0.1
"""What a noun costs of each of which something is left over; the one that is counted, in a ratio."""
_TORN: Final = 0.2
"""To take what is counted and the value said of it apart."""
_PEOPLE: Final = frozenset({"person"})
_WORK: Final = frozenset({"run", ANY})
"""Pieces of work: all of them take so long."""
_UNUSED: Final = 0.15
"""To tell of one day, say, what is asked for, where a number of days is said by the way."""
_SKIPPED: Final = 0.06
"""To do without a value that is said by the way."""


_AMOUNTS: Final = UNITS - SPANS.keys()


class Atom(NamedTuple):
    """One reading of a value that was said."""

    value: float
    unit: Powers = ()
    cost: float = 0.0
    """What this reading takes for granted."""
    sign: str = ""
    """"+": it comes on top; "-": it is taken off; "share" | "share?": it is only multiplied by; "speed": it shortens a time; "every":
    something comes back after so much, so that other values are divided by it."""


class Said(NamedTuple):
    """A value that was said, by all it may be."""

    atoms: tuple[Atom, ...]
    spare: bool = False
    """The sum may do without it."""

    tag: str = ""
    """What it is said of, where several things are told apart."""
    holds: bool = False
    """It is of what there is, against which what is needed is held."""
    bound: bool = False
    """So many of what the value right behind it is said of: four 450 W cards."""
    last: bool = False
    """A share with which a sentence ends: it is of what was said before it."""
    whole: bool = False
    """A share of all that was said before it."""

    @property
    def amount(self) -> Powers:
        """The measured unit of what it most likely is; () for a rate and for what merely counts."""
        units = (one.unit for one in self.atoms)
        return next((one for one in units if len(one) == 1 and one[0][1] > 0 and one[0][0] in _AMOUNTS), ())


class Expressed(NamedTuple):
    """A whole sum: its value in the unit that is asked for, hours for times."""

    value: float
    cost: float
    tree: Tree
    conversion: float


def expressed(goal: Goal, said: Sequence[Said], dearest: float = _DEAREST) -> Expressed | None:
    """The one value that everything that was said comes to in the unit that is asked for; None where there is none.

    Args:
        goal: what is asked for.
        said: the values in the order of the text, two to eight.
        dearest: so much may be taken for granted.
    """
    if not 2 <= len(said) <= MOST:
        return None
    ways = sorted(_all_ways(goal, said, dearest + _APART), key=lambda one: one.cost)
    if not ways or ways[0].cost > dearest:
        return None
    best = ways[0]
    rivals = [one for one in ways if one.cost - best.cost < _APART]
    return best if all(digits(one.value) == digits(best.value) for one in rivals) else None


def _all_ways(goal: Goal, said: Sequence[Said], dearest: float) -> list[Expressed]:
    """Every sum of the values in their order, and with those brought together that are said of one thing or are alike."""
    found: list[Expressed] = []
    for at, order in enumerate(one for one in dict.fromkeys(orders(said)) if _keeps_shares(said, one)):
        sums = Sums(goal, in_order(said, order), dearest)
        moved = _MOVED * bool(at)
        found += [one._replace(tree=placed(one.tree, order), cost=one.cost + moved) for one in sums.whole()]
    return found


def _keeps_shares(said: Sequence[Said], order: Sequence[int]) -> bool:
    """Whether nothing comes before a share that is of what was said before it."""
    shares = [at for at, one in enumerate(said) if one.last or one.whole]
    return all(max(order[: order.index(at)], default=-1) < at for at in shares)


def orders(said: Sequence[Said]) -> Iterator[tuple[int, ...]]:
    """The order of the text; what is said of one thing together; amounts in one unit together."""
    plain = tuple(range(len(said)))
    yield plain
    yield _together(plain, [one.tag for one in said])
    yield _together(plain, [one.amount for one in said])
    yield _beside_what_is_left(said)


def _beside_what_is_left(said: Sequence[Said]) -> tuple[int, ...]:
    """The places, what is taken off a time right behind the time that it is taken off."""
    found = list(range(len(said)))
    for at, one in enumerate(said):
        units = {atom.unit for atom in one.atoms if atom.sign == "-" and TIMES.issuperset(atom.unit)}
        whole = next((to for to, two in enumerate(said) if to != at and two.atoms[0].unit in units), None)
        if units and whole is not None:
            found.remove(at)
            found.insert(found.index(whole) + 1, at)
    return tuple(found)


def in_order(said: Sequence[Said], order: Sequence[int]) -> tuple[Said, ...]:
    """The values in an order; what is counted stays bound to what stands right behind it in the text alone."""
    behind = (*order[1:], -1)
    return tuple(
        said[at]._replace(bound=said[at].bound and then == at + 1, last=said[at].last and then == at + 1)
        for at, then in zip(order, behind, strict=True)
    )


def _together(places: Sequence[int], groups: Sequence[object]) -> tuple[int, ...]:
    """The places, those of one group right behind its first."""
    firsts = {group: at for at, group in reversed(list(enumerate(groups))) if group}
    return tuple(sorted(places, key=lambda at: (firsts.get(groups[at], at), at)))


def placed(tree: Tree, order: Sequence[int]) -> Tree:
    """A tree with the places of the text."""
    if not isinstance(tree, tuple):
        return order[tree] if isinstance(tree, int) else tree
    return tree[0], placed(tree[1], order), placed(tree[2], order)


def digits(value: float) -> str:
    """A value as it is compared with others."""
    return f"{value:.{_DIGITS}g}"


@dataclass(frozen=True)
class Sums:
    """All sums over neighbours."""

    goal: Goal
    said: tuple[Said, ...]
    dearest: float
    """What takes more for granted is not followed up."""

    @cached_property
    def _putting(self) -> Putting:
        return Putting(self.goal)

    def whole(self) -> Iterator[Expressed]:
        """Every sum of all values that comes out in what is asked for."""
        for made in self.span(0, len(self.said)):
            found = self._as_asked(made)
            if found is not None:
                yield found

    def span(self, start: int, end: int) -> list[Made]:
        """What the values from one place up to another come to, the likeliest ways."""
        known = self._known.get((start, end))
        if known is None:
            known = self._known[start, end] = self._put(start, end)
        return known

    @cached_property
    def _known(self) -> dict[tuple[int, int], list[Made]]:
        return {}

    def _put(self, start: int, end: int) -> list[Made]:
        if end - start == 1:
            return [Made(one.value, one.unit, one.cost, start, one.sign) for one in self.said[start].atoms]
        best: dict[tuple[Powers, str], Made] = {}
        for one in self._ways(start, end):
            key = (one.unit, digits(one.value))
            if key not in best or one.cost < best[key].cost:
                best[key] = one
        return sorted(best.values(), key=lambda one: one.cost)[:_KEPT]

    def _ways(self, start: int, end: int) -> Iterator[Made]:
        """Every way to put two neighbouring parts together."""
        for middle in range(start + 1, end):
            torn = _TORN * self._is_torn(start, middle, end)
            for left, right in product(self.span(start, middle), self.span(middle, end)):
                yield from self._of_two(left, right, torn)
        if self.said[start].spare:
            yield from (one._replace(cost=one.cost + _SKIPPED) for one in self.span(start + 1, end))
        if self.said[end - 1].spare:
            yield from (one._replace(cost=one.cost + _SKIPPED) for one in self.span(start, end - 1))

    def _is_torn(self, start: int, middle: int, end: int) -> bool:
        """Whether two neighbours tear apart what is counted from its value, or take a share of something else."""
        ends = middle == start + 1 and self.said[start].last
        parts = start > 0 and middle == end - 1 and self.said[middle].whole
        return ends or parts or (self.said[middle - 1].bound and end - start > 2)

    def _of_two(self, left: Made, right: Made, cost: float) -> Iterator[Made]:
        """Every way to put these two together that is not too dear."""
        if left.cost + right.cost + cost <= self.dearest:
            ways = (one._replace(cost=one.cost + cost) for one in self._putting.ways(left, right))
            yield from (one for one in ways if one.cost <= self.dearest)

    def _as_asked(self, made: Made) -> Expressed | None:
        """A sum in the unit that is asked for; None where something is left over that cannot be."""
        if made.sign == "-" or not isinstance(made.tree, tuple):
            return None
        spans, nouns, others = sorted_out(over(made.unit, self.goal.wanted))
        even = self._turned(spans) or self._of_period(spans)
        left = self._of_nouns(nouns) if not others else None
        if even is None or left is None or not self.goal.least <= made.value * even[0] <= self.goal.most:
            return None
        return Expressed(made.value * even[0], made.cost + even[1] + left, made.tree, even[0])

    def _turned(self, spans: Mapping[str, int]) -> tuple[float, float] | None:
        """What turns the units of time that are left over into one another; a time that was said is left over of nothing."""
        if any(power < 0 and name in self._times and sum(spans.values()) < 0 for name, power in spans.items()):
            return None
        found = turned(spans)
        unused = any(power < 0 and name in self._times_by_the_way for name, power in spans.items())
        return found if found is None else (found[0], found[1] + _UNUSED * unused)

    @cached_property
    def _times_by_the_way(self) -> frozenset[str]:
        """The units of the times that a sum may do without."""
        return frozenset(
            name for one in self.said for atom in one.atoms for name, power in atom.unit if power > 0 and one.spare
        )

    @cached_property
    def _times(self) -> frozenset[str]:
        """The units of the times that were said."""
        return frozenset(
            name for one in self.said for atom in one.atoms for name, power in atom.unit if power > 0 and not one.spare
        )

    def _of_period(self, spans: Mapping[str, int]) -> tuple[float, float] | None:
        """What comes out for all of the time for which it is asked."""
        told = [
            name for name, power in spans.items() if power == 1 and name != HOUR and self.goal.wanted.get(name, 0) < 0
        ]
        return (1.0, _OF_PERIOD) if len(spans) == len(told) == 1 else None

    def _of_nouns(self, nouns: Mapping[str, int]) -> float | None:
        """What nouns take for granted that are left over, and of each of which something is."""
        left, under = listed(nouns, 1), listed(nouns, -1)
        if not self.goal.wanted:
            return of_number([*left, *under])
        if len(under) == 1 and self._is_by_the_hour(left) and (self.goal.each or under == [self.goal.noun]):
            return sum(map(self._of_over, left)) + (0.0 if self.goal.each else _ALONE)
        summed, left = self._summed(left)
        cost = _SUMMED * len(summed) + paired(left, under, SAME if self.goal.timed else inf) + _OVER * self.goal.each
        if any(self.goal.wanted.get(name, 0) < 0 for name in left):
            return None
        return cost + sum(map(self._of_under, under)) + sum(map(self._of_over, left))

    def _is_by_the_hour(self, left: Sequence[str]) -> bool:
        """Whether nothing is left over but what works side by side and is paid by the hour, of no number that was said."""
        return SIDE_BY_SIDE.issuperset(left) and self._numbered.isdisjoint(left)

    def _of_under(self, name: str) -> float:
        """What it takes for granted that something is left over for each of these: a time is for what works at once."""
        if self.goal.timed and name in SIDE_BY_SIDE:
            return ONE_AT_ONCE
        return _ALONE if name in self._told_twice else of_under(name)

    @cached_property
    def _told_twice(self) -> frozenset[str]:
        """The nouns of each of which two values are said at least, and so many counted."""
        units = [dict(one.atoms[0].unit) for one in self.said]
        counted = {name for unit in units for name, power in unit.items() if power > 0}
        return frozenset(name for name in counted if sum(unit.get(name, 0) < 0 for unit in units) > 1)

    @cached_property
    def _counted_twice(self) -> frozenset[str]:
        """The open nouns of which two values count so many: of one of them nothing can be left over beside the other."""
        firsts = [one.atoms[0].unit for one in self.said]
        counted = [name for unit in firsts for name, power in unit if power > 0]
        return frozenset(
            name for name in counted if counted.count(name) > 1 and name not in UNITS | SIDE_BY_SIDE | {ANY}
        )

    @cached_property
    def _numbered(self) -> frozenset[str]:
        """The nouns of which it is said how many there are: hours paid by the card are those of one where no number is said."""
        return frozenset(name for one in self.said for atom in one.atoms for name, power in atom.unit if power > 0)

    def _summed(self, left: list[str]) -> tuple[list[str], list[str]]:
        """Of nouns that are left over those that a time is summed up over, and the others."""
        at_once = SIDE_BY_SIDE & self._numbered if self.goal.timed else frozenset[str]()
        return [name for name in left if name in at_once], [name for name in left if name not in at_once]

    def _of_over(self, name: str) -> float:
        """What it takes for granted that so many of something are left over."""
        if (self.goal.timed and name in AT_ONCE & self._numbered) or name in self._counted_twice:
            return _SUMMED
        if name in WORKED_OFF or name in _PEOPLE:
            return _SUMMED
        if self.goal.timed and name in _WORK:
            return _ALONE
        return ONE_AT_ONCE if name in SIDE_BY_SIDE else _OVER


__all__ = [
    "MOST",
    "Atom",
    "Expressed",
    "Goal",
    "Powers",
    "Said",
    "Sums",
    "Tree",
    "digits",
    "expressed",
    "in_order",
    "orders",
    "placed",
]
