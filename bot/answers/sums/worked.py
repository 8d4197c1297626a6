"""The arithmetic of a sum as people write it: the values as they were typed, their signs, no needless bracket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product
from math import isclose
from typing import Final

from advisor.calculators.expression import Tree
from bot.answers.sums.ways import TURNS
from bot.read.terms import Term

_SIGNS: Final = {
    "*": "\N{MULTIPLICATION SIGN}",
    "/": "\N{DIVISION SIGN}",
    "\\": "\N{DIVISION SIGN}",
    "+": "+",
    "-": "\N{MINUS SIGN}",
}
_TURNS: Final = "\N{LEFT CEILING}{}\N{RIGHT CEILING}"
_LOOSE: Final = frozenset("+-")
"""Signs that bind less than the others."""
_ORDERED: Final = frozenset("-/\\")
"""Signs behind which a sum of the same rank stands in brackets."""
_SHARE: Final = "share"
_NEAR: Final = 1e-9
_MOST: Final = 256
"""Readings of the values that are tried for the one that was counted with."""


def shown(tree: Tree, terms: Sequence[Term], factors: Mapping[int, str], outer: float = 0.0) -> str:
    """A tree as people write it, with no more brackets than it needs.

    Args:
        tree: signs between places of values.
        terms: the values.
        factors: how those are written that are not counted with as they were typed.
        outer: how much the sign binds that stands outside.
    """
    if isinstance(tree, tuple) and tree[0] == TURNS:
        return _TURNS.format(shown(("/", *tree[1:]), terms, factors))
    if not isinstance(tree, tuple):
        return factors.get(tree, _typed(terms[tree])) if isinstance(tree, int) else f"{tree:.4g}"
    sign, left, right = tree
    rank = 1.0 if sign in _LOOSE else 2.0
    first = shown(left, terms, factors, rank)
    second = shown(right, terms, factors, rank + (0.5 if sign in _ORDERED else 0.0))
    text = f"{first} {_SIGNS[sign]} {second}"
    return f"({text})" if rank < outer else text


def factors_of(tree: Tree, terms: Sequence[Term], value: float) -> dict[int, str]:
    """How shares are written that come on top or are taken off: 1 + 7 %.

    Args:
        tree: the sum.
        terms: the values, each by all it may be.
        value: what the sum comes to.
    """
    places = sorted(_places(tree))
    if not any(_is_share(terms[at]) for at in places):
        return {}
    options = [[*dict.fromkeys(atom.value for atom in terms[at].said.atoms)] for at in places]
    ways = (dict(zip(places, way, strict=True)) for way in islice(product(*options), _MOST))
    used = next((way for way in ways if isclose(_value(tree, way), value, rel_tol=_NEAR)), {})
    return {at: told for at, one in used.items() if (told := _as_factor(terms[at], one))}


def _is_share(term: Term) -> bool:
    return bool(term.measures) and term.measures[0].kind == _SHARE


def _as_factor(term: Term, used: float) -> str:
    """A share with what it was counted with; "" where that is the share itself."""
    share = term.measures[0].value if _is_share(term) else used
    if isclose(used, share, rel_tol=_NEAR):
        return ""
    return f"(1 {_SIGNS['+'] if used > 1 else _SIGNS['-']} {_typed(term)})"


def _places(tree: Tree) -> set[int]:
    """The places of the values of a sum."""
    if isinstance(tree, tuple):
        return _places(tree[1]) | _places(tree[2])
    return {tree} if isinstance(tree, int) else set()


def _value(tree: Tree, values: Mapping[int, float]) -> float:
    """What a sum comes to."""
    if not isinstance(tree, tuple):
        return values[tree] if isinstance(tree, int) else float(tree)
    first, second = _value(tree[1], values), _value(tree[2], values)
    if tree[0] == "*":
        return first * second
    if tree[0] in "/\\":
        return first / second if second else float("inf")
    return first + second if tree[0] == "+" else abs(first - second)


def _typed(term: Term) -> str:
    return term.text.replace("{", "").replace("}", "").strip()


__all__ = ["factors_of", "shown"]
