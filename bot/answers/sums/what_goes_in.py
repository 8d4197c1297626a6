"""How many go into what there is: what else is in it is taken off first, and each takes what is said of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.calculators.expression import Powers
from advisor.calculators.powers import UNITS
from bot.read.targets import Target
from bot.read.terms import Term

_GAP: Final = "gap"
_STUFF: Final = frozenset({"gigabyte", "kwh", "money"})
"""What there may be so much of."""


def taken_off(target: Target, said: Sequence[Term]) -> tuple[Target, Sequence[Term]]:
    """What is asked for, and the values as they are said of what there is.

    Args:
        target: what is asked for.
        said: the values of the message.
    """
    there = _there(said) if target.goal.noun and target.whole != "up" else None
    if there is None or not _is_most(there, _beside(there, said)):
        return target, said
    beside = _beside(there, said)
    told = [_taken(term) if term in beside else _for_each(term, target.goal.noun) for term in said]
    return replace(target, goal=replace(target.goal, kind=_GAP)), told


def _there(said: Sequence[Term]) -> Term | None:
    """The one amount of what there is; None where none is, or several are."""
    there = [term for term in said if term.said.holds and _is_amount(term)]
    return there[0] if len(there) == 1 else None


def _is_amount(term: Term) -> bool:
    """Whether a value is so much of what is measured, and for each of nothing."""
    unit = _unit(term)
    return any(power > 0 and name in _STUFF for name, power in unit) and all(name in UNITS for name, _ in unit)


def _beside(there: Term, said: Sequence[Term]) -> list[Term]:
    """The other amounts in its unit."""
    return [term for term in said if term is not there and _unit(term) == _unit(there) and not term.gone]


def _is_most(there: Term, beside: Sequence[Term]) -> bool:
    """Whether others stand beside it, and each is less."""
    return bool(beside) and all(term.said.atoms[0].value <= there.said.atoms[0].value for term in beside)


def _unit(term: Term) -> Powers:
    return term.said.atoms[0].unit


def _taken(term: Term) -> Term:
    """What would come on top of others as one that is taken off what there is."""
    atoms = tuple(one._replace(sign="-") if one.sign == "+" else one for one in term.said.atoms)
    return replace(term, said=term.said._replace(atoms=atoms))


def _for_each(term: Term, noun: str) -> Term:
    """A value that may be what each of those takes which are counted as nothing else."""
    atoms = tuple(one for one in term.said.atoms if (noun, -1) in one.unit)
    return replace(term, said=term.said._replace(atoms=atoms)) if atoms else term


__all__ = ["taken_off"]
