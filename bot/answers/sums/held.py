"""Whether what there is suffices for everything that was said to be needed (`advisor/calculators/held.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution
from advisor.calculators.held import Held, Side, held
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from bot.answers.sums.choose import PLAIN, Chosen
from bot.answers.sums.expressed import name_of
from bot.answers.sums.left import left_out
from bot.answers.sums.worked import factors_of, shown
from bot.read.placed import Amounts
from bot.read.terms import Term

ENOUGH: Final = "held_enough"
_DEAREST: Final = 0.5
"""How much a verdict may take for granted."""
_ALIKE: Final = 5e-3
_SEVERAL, _MANY = 3, 4
"""Values of a verdict that nothing of the records is needed for, where a size is named; where a model's weights are."""


def held_sum(chosen: Chosen | None, amounts: Amounts, *, of_records: bool = False) -> Chosen | None:
    """The verdict of all that was said, where the one found so far is none, or leaves something out; else that one.

    Args:
        chosen: the sum found by other ways, if any.
        amounts: what the message gives and asks for.
        of_records: what is asked may be of a size of the records: then more must be said than that.
    """
    if not amounts.whether or amounts.odd or not _may_be_wrong(chosen):
        return chosen
    terms = _terms(amounts, of_records=of_records)
    found = held([term.said for term in terms], _DEAREST)
    told = found is None or (chosen is not None and _is_told(found, chosen, amounts, terms))
    return chosen if found is None or told else _as_chosen(found, terms, amounts)


def _terms(amounts: Amounts, *, of_records: bool) -> Sequence[Term]:
    """The values of a verdict; () where one of them counts nothing, or too few stand beside a size of the records."""
    terms = [term for term in amounts.terms()[0] if not term.gone]
    weights = any("parameter" in term.nouns for term in terms)
    few = of_records and len(terms) < (_MANY if weights else _SEVERAL)
    return () if few or any(map(_is_bare, terms)) else terms


def _is_bare(term: Term) -> bool:
    """Whether a number without a unit counts nothing, and is no money: what it is like may be a guess."""
    counts = {*term.nouns, *(name for name, power in term.said.atoms[0].unit if name == "money" and power > 0)}
    return bool(term.measures) and not term.measures[0].kind and not counts and not term.said.atoms[0].sign


def _may_be_wrong(chosen: Chosen | None) -> bool:
    """Whether there is no sum so far, or a verdict of this message alone."""
    if chosen is None:
        return True
    plain = not (chosen.follows or chosen.added or chosen.versus is not None)
    return plain and QUANTITIES[chosen.solutions[0].name].unit == "yes"


def _is_told(found: Held, chosen: Chosen, amounts: Amounts, terms: Sequence[Term]) -> bool:
    """Whether the verdict by name uses everything; one that comes to the same by less does, too."""
    margin = any(term.said.holds and not term.said.atoms[0].unit for term in terms)
    whole = not left_out(chosen, amounts, frozenset(), ())
    if bool(chosen.solutions[0].value) == found.is_enough and _holds(chosen, found):
        return whole or not margin
    return whole and not margin


def _holds(chosen: Chosen, found: Held) -> bool:
    """Whether a sum comes to the same need, in whatever size of its unit."""
    need = found.need.value * name_of(found.unit)[1]
    nodes = [node.value for one in chosen.solutions for node in one.nodes.values()]
    return any(isclose(value, need * size, rel_tol=_ALIKE) for value in nodes for size in (1e-3, 1.0, 1e3))


def _as_chosen(found: Held, terms: Sequence[Term], amounts: Amounts) -> Chosen:
    """The verdict, with both sides as they were worked out."""
    sides = tuple(_node(side, found, terms) for side in (found.need, found.limit))
    verdict = Node(ENOUGH, float(found.is_enough), Formula(ENOUGH, (), "", float), inputs=sides)
    return Chosen(
        (Solution(verdict),),
        tuple(Given(name, value) for name, value in amounts.values.items()),
        score=PLAIN,
        counted=tuple(measure for term in terms for measure in term.measures),
    )


def _node(side: Side, found: Held, terms: Sequence[Term]) -> Node:
    """One side under the name of its unit."""
    name, times = name_of(found.unit)
    if not isinstance(side.tree, tuple):
        return Node(name, side.value * times, None)
    worked = shown(side.tree, terms, factors_of(side.tree, terms, side.value))
    return Node(name, side.value * times, Formula(name, (), worked, float))


def both_sides(verdict: Solution) -> dict[str, Node]:
    """What is needed, what there is, and what lies between the two, of a verdict."""
    need, limit = verdict.node.inputs
    return {"need": need, "limit": limit, "left": replace(limit, value=abs(limit.value - need.value), formula=None)}


__all__ = ["ENOUGH", "both_sides", "held_sum"]
