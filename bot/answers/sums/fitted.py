"""All numbers of a message read at once: the sum that is asked for says what each of them is.

A word beside a number tells what it is, but people leave such words out, and another word may stand nearer. Where the
numbers as they were placed one by one make no sum, or one that leaves some out, every sum that would fill the blank is
tried with everything that the numbers may be by their units. The one is taken that uses all of them and that most of
their words speak for; where two come to different values and are as likely, none is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.registry import BY_RESULT, Formula
from advisor.calculators.solve import reached_from
from bot.answers.sums.choose import PLAIN, Chosen
from bot.answers.sums.left import left_out
from bot.answers.sums.versus import GAPS
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Asked, Placed, Readings

_FEWEST, _MOST = 2, 8
"""Numbers that are read together; more are a table."""
_DEEPEST: Final = 6
_SETS: Final = 200
"""Ways to one value that are tried."""
_LEFT: Final = 1.5
"""What it costs to leave a number out."""
_APART: Final = 0.3
"""So much likelier is one sum than the next that comes to another value."""
_SAID: Final = 0.3
"""A number below this is taken for something by its unit alone."""
_TO_EACH: Final = 3
"""One of so many numbers may be taken by its unit alone, and one more for each as many again."""
_MONEY: Final = "money"


@dataclass(frozen=True, slots=True)
class _Way:
    """One sum, and what each number is in it."""

    asked: Asked
    solution: Solution
    taken: Mapping[int, Placed]
    """By the place of a number among those of the message."""
    worth: float


def fitted(chosen: Chosen | None, amounts: Amounts) -> tuple[Chosen, Amounts] | None:
    """The sum that uses more of what was said than the one found so far, and what the numbers are in it.

    Args:
        chosen: the sum of the numbers as they were placed one by one, if any.
        amounts: what the message gives and asks for.

    Returns:
        None where there is none, or nothing is wanting.
    """
    if not _is_wanting(chosen, amounts):
        return None
    readings = amounts.readings()
    if not _FEWEST <= len(readings) <= _MOST:
        return None
    ways = _ways(amounts, readings)
    taken = {at: one for way in ways for at, one in way.taken.items()}
    if not ways or not _is_enough(taken, readings):
        return None
    read = _with(amounts, taken)
    found = Chosen(_told(ways), read.given, score=max(one.asked.score for one in ways))
    return (found, read) if chosen is None or _left(found, read) < _left(chosen, amounts) else None


def _left(chosen: Chosen, amounts: Amounts) -> int:
    """How many numbers a sum leaves out."""
    return len(left_out(chosen, amounts, frozenset(), ()))


def _is_wanting(chosen: Chosen | None, amounts: Amounts) -> bool:
    """Whether a sum is asked for and the numbers as they stand make none of all of them."""
    if amounts.odd or not any(one.fills for one in amounts.asked):
        return False
    if chosen is None:
        return not any(one.name in GAPS and one.fills for one in amounts.asked)
    plain = not (chosen.follows or chosen.added or chosen.versus is not None)
    return plain and bool(_left(chosen, amounts))


def _ways(amounts: Amounts, readings: Readings) -> list[_Way]:
    """The likeliest sum of each part that asks; what a number is in one it is in the next."""
    pinned: dict[int, Placed] = {}
    found: dict[str, _Way] = {}
    filling = [one for one in amounts.asked if one.fills]
    for part in sorted({one.part for one in filling}):
        best = _of_part([one for one in filling if one.part == part], readings, pinned, amounts)
        if best is not None:
            found.setdefault(best.solution.name, best)
            pinned |= best.taken
    return list(found.values())


def _of_part(asked: Sequence[Asked], readings: Readings, pinned: Mapping[int, Placed], amounts: Amounts) -> _Way | None:
    """The likeliest sum that one part asks for, numbers that are something already as what they are."""
    listed = [[pinned[at]] if at in pinned else list(each) for at, each in enumerate(readings)]
    implied = {one.name: one.value for one in amounts.implied}
    return _best([way for one in asked for way in _of(one, listed, implied)])


def _best(ways: list[_Way]) -> _Way | None:
    """The likeliest sum; None where another value is as likely."""
    ways.sort(key=lambda one: -one.worth)
    if not ways:
        return None
    first = ways[0]
    rivals = [one for one in ways if first.worth - one.worth < _APART]
    same = all(one.asked.name == first.asked.name and one.solution.value == first.solution.value for one in rivals)
    return first if same else None


def _of(asked: Asked, listed: Sequence[Sequence[Placed]], implied: Mapping[str, float]) -> Iterator[_Way]:
    """Every sum for one unknown."""
    said = frozenset({*implied, *(one.quantity for each in listed for one in each)}) - {asked.name}
    if asked.name not in reached_from(said):
        return
    for needed in _leaves(asked.name, said, frozenset(), len(listed) + len(implied)):
        taken = _matched(sorted(needed - implied.keys()), listed) or {}
        way = _way(asked, taken, {name: implied[name] for name in needed & implied.keys()}, len(listed))
        if way is not None:
            yield way


def _way(asked: Asked, taken: Mapping[int, Placed], implied: Mapping[str, float], most: int) -> _Way | None:
    """The sum of some numbers, of all that are there `most`; None where it does not rest on all of these."""
    if len(taken) < _FEWEST or not _is_spoken_for(asked, taken):
        return None
    given = (*_as_given(taken.values()), *(Given(name, value) for name, value in implied.items()))
    solution = solve(asked.name, given)
    if solution is None or not solution.node.said >= {one.name for one in given}:
        return None
    worth = asked.score + sum(one.score for one in taken.values()) - _LEFT * (most - len(taken))
    return _Way(asked, solution, taken, worth)


def _as_given(taken: Iterable[Placed]) -> Iterator[Given]:
    return (Given(one.quantity, one.value) for one in taken)


def _is_spoken_for(asked: Asked, taken: Mapping[int, Placed]) -> bool:
    """Whether words say what most of the numbers are; one of two will do where a figure is asked for by its name."""
    unsaid = sum(one.score < _SAID for one in taken.values())
    named = asked.score >= PLAIN and QUANTITIES[asked.name].unit != "yes"
    return unsaid * (_FEWEST if named else _TO_EACH) <= len(taken)


def _leaves(name: str, possible: frozenset[str], above: frozenset[str], most: int) -> set[frozenset[str]]:
    """Every set of stated values that a quantity is worked out from."""
    found: set[frozenset[str]] = {frozenset({name})} if name in possible else set()
    formulas = BY_RESULT.get(name, ()) if len(above) <= _DEEPEST else ()
    for formula in formulas:
        if above.isdisjoint(formula.needs) and reached_from(possible).issuperset(formula.needs) and len(found) <= _SETS:
            found |= _of_formula(formula, possible, above | {name}, most)
    return found


def _of_formula(formula: Formula, possible: frozenset[str], above: frozenset[str], most: int) -> set[frozenset[str]]:
    """Every set of stated values from which a formula gives its result, with and without what it may take besides."""
    sets: set[frozenset[str]] = {frozenset()}
    for need in formula.needs:
        sets = _joined(sets, _leaves(need, possible, above, most), most) if sets else sets
    for need in formula.optional:
        if sets and need not in above:
            sets |= _joined(sets, _leaves(need, possible, above, most), most)
    return sets


def _joined(one: set[frozenset[str]], other: set[frozenset[str]], most: int) -> set[frozenset[str]]:
    """Each set of the one with each of the other, where that is no more than there are values."""
    joined = {first | second for first in one for second in other}
    return {each for each in joined if len(each) <= most} if len(joined) <= _SETS else set()


def _matched(needed: Sequence[str], listed: Sequence[Sequence[Placed]]) -> dict[int, Placed] | None:
    """The numbers that are these quantities, each another one, as likely as can be; None where one is lacking."""
    if not needed:
        return {}
    best: dict[int, Placed] | None = None
    for at, each in enumerate(listed):
        found = next(({at: one} for one in each if one.quantity == needed[0]), None)
        rest = [() if place == at else other for place, other in enumerate(listed)]
        others = _matched(needed[1:], rest) if found else None
        if found and others is not None:
            best = max(best or found | others, found | others, key=_likely)
    return best


def _likely(taken: Mapping[int, Placed]) -> float:
    """What the words near some numbers say for what they were taken for."""
    return sum(one.score for one in taken.values())


def _is_enough(taken: Mapping[int, Placed], readings: Readings) -> bool:
    """Whether the numbers that are left out are of other kinds than those that are used, and fewer, and no money."""
    used = {one.measure.kind for one in taken.values()}
    left = [each[0].measure for at, each in enumerate(readings) if at not in taken and each and _says(each[0].measure)]
    return len(left) < len(taken) and not any(one.kind in used | {_MONEY} for one in left)


def _says(measure: Measure) -> bool:
    """A bare one or an article says nothing that could be left out."""
    return bool(measure.text) and not (measure.words and measure.number <= 1)


def _with(amounts: Amounts, taken: Mapping[int, Placed]) -> Amounts:
    """The amounts with every number as what it was taken for."""
    starts = {one.measure.start for one in taken.values()}
    kept = [one for one in amounts.placed if one.measure.start not in starts]
    names = {one.quantity for one in taken.values()}
    placed = [*(one for one in kept if one.quantity not in names), *taken.values()]
    placed.sort(key=lambda one: one.measure.start)
    loose = [one for one in amounts.unplaced if one.start not in starts]
    loose += [one.measure for one in kept if one.quantity in names]
    return replace(amounts, placed=tuple(placed), others=(), unplaced=tuple(loose))


def _told(ways: Sequence[_Way]) -> tuple[Solution, ...]:
    """The sums in the order in which they were asked, without a figure that the sentence of a verdict tells anyway."""
    found = [one.solution for one in ways]
    verdicts = [one for one in found if QUANTITIES[one.name].unit == "yes"]
    return tuple(
        one for one in found if not any(one is not verdict and one.name in verdict.nodes for verdict in verdicts)
    )


__all__ = ["fitted"]
