"""Ways to put the values of a message together as they are said: all, all but one of no use, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import ceil
from typing import Final

from advisor.calculators.expression import Expressed, Tree, digits, expressed, placed
from advisor.calculators.powers import UNITS, WORKED_OFF
from advisor.calculators.reckon import SIDE_BY_SIDE
from bot.answers.sums.what_goes_in import taken_off
from bot.read.targets import Target
from bot.read.terms import Term

_GAP: Final = "gap"
TURNS: Final = "turns"
"""Sign of so many pieces of work over so many that work side by side, in whole turns."""
_FEWEST: Final = 3
"""Values of which one may be of no use."""
_SURELY, _WITHOUT = 0.3, 0.2
"""How much a sum may take for granted that leaves a value out, and what that costs."""
_MANY: Final = 500
"""From so many pieces of work on the last turn changes nothing."""


@dataclass(frozen=True, slots=True)
class Way:
    """One sum: what was asked, and what it is made of."""

    target: Target
    found: Expressed
    terms: Sequence[Term]
    turns: Tree = 0
    """The sum in whole turns, where work is done in turns by several; 0 where it is not."""
    rounded: float = 1.0
    """By how much longer that takes."""


def ways_of(terms: Sequence[Term], targets: Sequence[Target], dearest: float, *, whole: bool) -> list[Way]:
    """What each part asks for, where everything that was said gives it; nothing where the first part gets no answer.

    Args:
        terms: the values of the message.
        targets: what its parts may ask for.
        dearest: so much may be taken for granted.
        whole: no value may be left out.
    """
    parts = sorted({one.part for one in targets})
    asked = [(part == parts[-1], [one for one in targets if one.part == part]) for part in parts]
    ways = [
        _best(terms, some, last, dearest) or _least(terms, some, last and not whole, dearest) for last, some in asked
    ]
    return [way for way in takewhile(lambda one: one is not None, ways) if way is not None]


def _best(terms: Sequence[Term], targets: Sequence[Target], last: bool, dearest: float) -> Way | None:
    """What one part asks for, of what was said up to it, or of everything for the last."""
    said = [term for term in terms if last or term.stands_before(targets[0].end)]
    # of one or the other of two values nothing but what lies between them is a sum
    either = any(one.instead for term in said for one in term.measures)
    ways = (way_of(one, said, dearest) for one in targets if not either or one.goal.kind == _GAP)
    return min((way for way in ways if way is not None), key=lambda way: way.found.cost, default=None)


def _least(terms: Sequence[Term], targets: Sequence[Target], may: bool, dearest: float) -> Way | None:
    """What the last part asks for of all but one value."""
    return next(_without_one(targets, terms, min(dearest, _SURELY)), None) if may else None


def way_of(target: Target, said: Sequence[Term], dearest: float) -> Way | None:
    """What gives one thing that is asked for.

    Args:
        target: what is asked for.
        said: the values.
        dearest: so much may be taken for granted.
    """
    target, said = taken_off(target, said)
    before = _what_it_was(target, said)
    found = _between(target, said, before, dearest) if before is not None else _of(target, said, dearest)
    worked = found is not None and (target.goal.kind or _is_product(found.tree) or _is_added(found.tree, said))
    return _in_turns(Way(target, found, said)) if found is not None and worked else None


def _of(target: Target, said: Sequence[Term], dearest: float) -> Expressed | None:
    return expressed(target.goal, [term.said for term in said], dearest)


def _what_it_was(target: Target, said: Sequence[Term]) -> int | None:
    """Where a value stands that became the next one, where it is asked what lies between the two."""
    gone = [at for at, term in enumerate(said[:-1]) if term.gone and not said[at + 1].gone]
    return gone[0] if target.goal.kind == _GAP and target.goal.wanted and len(gone) == 1 else None


def _between(target: Target, said: Sequence[Term], before: int, dearest: float) -> Expressed | None:
    """What lies between all with a value as it was and as it is now."""
    plain = replace(target, goal=replace(target.goal, kind=""))
    old = replace(said[before], said=said[before].said._replace(spare=False))
    sides = []
    for term, left in ((old, before + 1), (said[before + 1], before)):
        order = tuple(at for at in range(len(said)) if at != left)
        found = _of(plain, [term if at in {before, before + 1} else said[at] for at in order], dearest)
        if found is None:
            return None
        sides.append(found._replace(tree=placed(found.tree, order)))
    less, more = sorted(sides, key=lambda one: one.value)
    if less.conversion != more.conversion or digits(less.value) == digits(more.value):
        return None
    cost = max(less.cost, more.cost)
    return Expressed(more.value - less.value, cost, ("-", more.tree, less.tree), more.conversion)


def _without_one(targets: Sequence[Target], said: Sequence[Term], dearest: float) -> Iterator[Way]:
    """The sums that leave out the one value that nothing else has to do with; none where they differ."""
    if len(said) < _FEWEST:
        return
    told = [(target, rest) for target in targets for rest in _rests(target, said)]
    ways = [way for target, rest in told if (way := way_of(target, rest, dearest)) is not None]
    if len({digits(way.found.value) for way in ways}) == 1:
        way = ways[0]
        yield replace(way, found=way.found._replace(cost=way.found.cost + _WITHOUT))


def _rests(target: Target, said: Sequence[Term]) -> Iterator[list[Term]]:
    """The values without one of no use."""
    for at, term in enumerate(said):
        rest = [*said[:at], *said[at + 1 :]]
        if term.measures and not term.said.holds and _is_alien(term, rest, target):
            yield rest


def _is_alien(term: Term, others: Sequence[Term], target: Target) -> bool:
    """Whether a value is in a unit, or counts a thing, that neither another value nor what is asked for has."""
    own = {name for name, _ in term.said.atoms[0].unit}
    known = {name for one in others for atom in one.said.atoms for name, _ in atom.unit} | {*target.goal.wanted}
    return own.isdisjoint(known) and not term.said.atoms[0].sign


def _in_turns(way: Way) -> Way:
    """A time that several work side by side for, in whole turns where each piece of work is one's alone."""
    found = _factors(way.found.tree) if way.target.goal.timed else None
    if found is None or len(found[1]) != 1 or not _counts(way.terms[found[1][0]], SIDE_BY_SIDE):
        return way
    times, (side,) = found
    work = [at for at in times if _is_work(way.terms[at])]
    return _in_whole_turns(way, times, work[0], side) if len(work) == 1 else way


def _in_whole_turns(way: Way, times: Sequence[int], work: int, side: int) -> Way:
    """A time with so many pieces of work over so many that work side by side, rounded up."""
    many, by = (way.terms[at].said.atoms[0].value for at in (work, side))
    turns = ceil(many / by - 1e-9)
    if not by < many < _MANY or turns * by == many:
        return way
    tree: Tree = (TURNS, work, side)
    for at in times:
        tree = ("*", tree, at) if at != work else tree
    return replace(way, turns=tree, rounded=turns * by / many)


def _factors(tree: Tree) -> tuple[list[int], list[int]] | None:
    """The places of the values that are multiplied and of those divided by; None where anything is added, too."""
    if isinstance(tree, int):
        return [tree], []
    if not isinstance(tree, tuple) or tree[0] in "+-":
        return None
    first, second = _factors(tree[1]), _factors(tree[2])
    if first is None or second is None:
        return None
    (times, over), (other, under) = first, second
    return ([*times, *other], [*over, *under]) if tree[0] == "*" else ([*times, *under], [*over, *other])


def _counts(term: Term, nouns: frozenset[str]) -> bool:
    """Whether a value is so many of some things, whole ones."""
    atom = term.said.atoms[0]
    return [name in nouns for name, power in atom.unit if power] == [True] and atom.value == int(atom.value)


def _is_work(term: Term) -> bool:
    """Whether a value counts pieces of work."""
    unit = term.said.atoms[0].unit
    known = SIDE_BY_SIDE | WORKED_OFF | UNITS
    return (
        len(unit) == 1 and unit[0][1] > 0 and unit[0][0] not in known and float(term.said.atoms[0].value).is_integer()
    )


def _is_product(tree: Tree) -> bool:
    """Whether anything is multiplied or divided: what merely stands side by side is no sum unless one is asked for."""
    return isinstance(tree, tuple) and (tree[0] not in "+-" or _is_product(tree[1]) or _is_product(tree[2]))


def _is_added(tree: Tree, said: Sequence[Term]) -> bool:
    """Whether a value of a sum is said to come on top."""
    if isinstance(tree, tuple):
        return _is_added(tree[1], said) or _is_added(tree[2], said)
    return isinstance(tree, int) and any(atom.sign == "+" for atom in said[tree].said.atoms)


__all__ = ["TURNS", "Way", "way_of", "ways_of"]
