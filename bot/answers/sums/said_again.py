"""A sum as it was said, once more with other values: what is said now takes the place of what was said in its unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf, log
from typing import Final

from advisor.calculators.expression import Atom, Goal, Powers, Said
from bot.answers.sums.opened import key_of
from bot.core.sums import SaidAtom, SaidSum, SaidTerm
from bot.read.placed import Amounts
from bot.read.targets import Target
from bot.read.terms import Term

_FAR: Final = log(60.0)
"""A value changes one before by less than so much."""
_OTHER_NUMBER: Final = 0.5
"""To take a number without a unit for another value of one that had a unit."""
_FACTORS: Final = frozenset({"share", "share?", "speed"})


def kept(target: Target, terms: Sequence[Term]) -> SaidSum:
    """What is kept of a sum; nouns that no table knows as digests, no word of a user.

    Args:
        target: what was asked.
        terms: the values that it is of.
    """
    goal = target.goal
    return SaidSum(
        unit=_keyed(goal.unit),
        noun=key_of(goal.noun),
        each=goal.each,
        kind=goal.kind,
        least=goal.least,
        most=goal.most if goal.most < inf else None,
        whole=target.whole,
        days=target.days,
        times=target.times,
        terms=tuple(map(_term_kept, terms)),
    )


def changed(before: SaidSum, amounts: Amounts) -> tuple[Target, list[Term]] | None:
    """What was asked, and the values with those of a message in their places; None where one of these has none.

    Args:
        before: the sum of the last answer.
        amounts: the message after it.
    """
    terms, targets = amounts.terms()
    said = [term for term in terms if term.measures and not term.said.spare]
    another = any(_keyed(one.goal.unit) != before.unit for one in targets)
    if another or not 0 < len(said) < len(before.terms):
        return None
    values: list[Term] = [_term_of(one) for one in before.terms]
    taken: set[int] = set()
    for new in said:
        at = _seat(before, new, taken)
        if at is None:
            return None
        taken.add(at)
        values[at] = _in_place_of(before.terms[at], values[at], new)
    return _target_of(before), values


def _seat(before: SaidSum, new: Term, taken: Iterable[int]) -> int | None:
    """The place of the value that a new one takes: in its unit, the nearest of several; None where two are as near."""
    apart = sorted((_apart(one, new), at) for at, one in enumerate(before.terms) if at not in set(taken))
    if not apart or apart[0][0] >= _FAR or (len(apart) > 1 and apart[0][0] == apart[1][0]):
        return None
    return apart[0][1]


def _apart(old: SaidTerm, new: Term) -> float:
    """By how much a value would change, as a logarithm; without end where it is of another unit."""
    return min((_of_pair(one, other, old, new) for one in old.atoms for other in new.said.atoms), default=inf)


def _of_pair(old: SaidAtom, atom: Atom, term: SaidTerm, new: Term) -> float:
    """By how much one reading of a value would change another."""
    factor = {old.sign, atom.sign} & _FACTORS
    if old.unit == _keyed(atom.unit) and (not factor or {old.sign, atom.sign} <= _FACTORS):
        return _change(old.value, atom.value)
    bare = not atom.unit and not factor and not new.measures[0].kind
    return _change(term.number, new.measures[0].number) + _OTHER_NUMBER if bare else inf


def _change(old: float, new: float) -> float:
    return abs(log(new / old)) if old > 0 and new > 0 else inf


def _in_place_of(old: SaidTerm, term: Term, new: Term) -> Term:
    """A value that was said before with the number that is said now, in each unit that it may have had."""
    same = {(_keyed(one.unit), one.sign): one.value for one in new.said.atoms}
    by = new.measures[0].number / old.number if old.number else 1.0
    atoms = [one._replace(value=same.get((one.unit, one.sign), one.value * by)) for one in term.said.atoms]
    return replace(new, said=term.said._replace(atoms=tuple(atoms)))


def _term_kept(term: Term) -> SaidTerm:
    number = term.measures[0].number if term.measures else 0.0
    atoms = [SaidAtom(value=one.value, unit=_keyed(one.unit), cost=one.cost, sign=one.sign) for one in term.said.atoms]
    return SaidTerm(atoms=tuple(atoms), spare=term.said.spare, tag=key_of(term.said.tag), number=number)


def _term_of(one: SaidTerm) -> Term:
    atoms = tuple(Atom(atom.value, atom.unit, atom.cost, atom.sign) for atom in one.atoms)
    return Term(Said(atoms, one.spare, one.tag), (), f"{one.number or one.atoms[0].value:,.10g}")


def _target_of(before: SaidSum) -> Target:
    most = inf if before.most is None else before.most
    goal = Goal(before.unit, before.noun, before.each, before.kind, before.least, most)
    return Target(goal, 0, 0, before.whole, before.days, before.times)


def _keyed(unit: Powers | Mapping[str, int]) -> Powers:
    """A unit with its nouns as they are kept."""
    listed = unit.items() if isinstance(unit, Mapping) else unit
    return tuple(sorted((key_of(name), power) for name, power in listed))


__all__ = ["changed", "kept"]
