"""Finds the sum that gives what is asked from what was said: formulas are chained backwards from the unknown.

Of several ways the one is taken that uses most of what was said; then the one with the fewest values that nobody said. A stated
value is never computed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite
from typing import Final

from advisor.calculators.quantities import QUANTITIES
from advisor.calculators.registry import BY_RESULT, DECISIVE, FORMULAS, Formula
from advisor.models import Step, step_of

_DEEPEST: Final = 8
"""Formulas one behind the other; the longest sum has five."""


_COUNTED: Final = frozenset(
    {
        "item",
        "token",
        "request",
        "user",
        "process",
        "copy",
        "layer",
        "machine",
        "card",
        "core",
        "stream",
        "run",
        "round",
    }
)


@dataclass(frozen=True, slots=True)
class Given:
    """A value that was said, in the unit of its quantity. `id` names the mention it came from."""

    name: str
    value: float
    id: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a sum: said, taken for granted, or given by a formula from others."""

    name: str
    value: float
    formula: Formula | None = None
    inputs: tuple[Node, ...] = ()
    said: frozenset[str] = frozenset()
    """Names of the stated quantities below."""
    assumed: frozenset[str] = frozenset()
    """Names of the quantities that took their default."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """More of what was said is better; then fewer defaults, then fewer steps."""
        return (len(self.said), -len(self.assumed), -self.steps)

    @property
    def steps(self) -> int:
        """How many formulas stand behind it."""
        return 0 if self.formula is None else 1 + sum(node.steps for node in self.inputs)


@dataclass(frozen=True)
class Solution:
    """The sum for one unknown."""

    node: Node

    @property
    def name(self) -> str:
        """The unknown."""
        return self.node.name

    @property
    def value(self) -> float:
        """Its value, in the unit of its quantity."""
        return self.node.value

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Every value of the sum by name, the unknown included."""
        found: dict[str, Node] = {}

        def walk(node: Node) -> None:
            found.setdefault(node.name, node)
            for part in node.inputs:
                walk(part)

        walk(self.node)
        return found

    def step(self) -> Step:
        """The trail: formula by formula down to what was said."""
        return _step(self.node)


def _step(node: Node) -> Step:
    unit = QUANTITIES[node.name].unit
    value = node.value if isfinite(node.value) else None
    if node.formula is None:
        how = "assumption" if node.assumed else "given"
        return step_of(name=node.name, value=value, unit=unit, how=how)
    inputs = tuple(_step(part) for part in node.inputs)
    return step_of(
        name=node.name, value=value, unit=unit, how=node.formula.working, inputs=inputs, rows=node.formula.rows
    )


def solve(unknown: str, given: Sequence[Given]) -> Solution | None:
    """The sum that gives `unknown`; None when what was said does not reach it.

    Args:
        unknown: name of a quantity in QUANTITIES.
        given: what was said; of two values of one quantity the later counts.
    """
    known = {one.name: one.value for one in given}
    reachable = reached_from(frozenset(known))
    if unknown in known or unknown not in reachable:
        return None
    node = _derive(unknown, known, reachable, frozenset())
    return Solution(node) if node is not None else None


@lru_cache(maxsize=64)
def reached_from(known: frozenset[str]) -> frozenset[str]:
    """All quantities that some formula gives from these, directly or in steps."""
    found, waiting = set(known), list(known)
    lacking = list(_NEEDS)
    while waiting:
        for place in _NEEDING.get(waiting.pop(), ()):
            lacking[place] -= 1
            gives = FORMULAS[place].gives
            if not lacking[place] and gives not in found:
                found.add(gives)
                waiting.append(gives)
    return frozenset(found)


def _by_need() -> dict[str, tuple[int, ...]]:
    """Places of the formulas that need a quantity, by the quantity: a value that is found leads to these alone."""
    places: dict[str, tuple[int, ...]] = {}
    for place, formula in enumerate(FORMULAS):
        for need in set(formula.needs):
            places[need] = (*places.get(need, ()), place)
    return places


_NEEDING: Final = _by_need()
_NEEDS: Final = tuple(len(set(formula.needs)) for formula in FORMULAS)


def _derive(name: str, known: Mapping[str, float], reachable: frozenset[str], above: frozenset[str]) -> Node | None:
    if name in known:
        return Node(name, known[name], said=frozenset({name}))
    if name not in reachable or len(above) > _DEEPEST:
        return None
    best: Node | None = None
    for formula in BY_RESULT.get(name, ()):
        if not above.isdisjoint(formula.needs) or not reachable.issuperset(formula.needs):
            continue
        node = _applied(formula, known, reachable, above | {name})
        if node is not None and not DECISIVE.isdisjoint(known.keys() & set(formula.needs)):
            return node
        best = max((one for one in (best, node) if one is not None), key=lambda one: one.rank, default=None)
    return best


def _applied(
    formula: Formula, known: Mapping[str, float], reachable: frozenset[str], above: frozenset[str]
) -> Node | None:
    inputs: list[Node] = []
    for need in (*formula.needs, *formula.optional):
        node = _derive(need, known, reachable, above)
        if node is None and need in formula.optional:
            node = _default(need)
        if node is None:
            return None
        inputs.append(node)
    try:
        value = float(formula.apply(*(node.value for node in inputs)))
    except (ZeroDivisionError, OverflowError, KeyError, ValueError):
        return None
    if value < 0 and QUANTITIES[formula.gives].unit in _COUNTED:
        value = 0.0  # where there is no room for one, none fits
    said = frozenset().union(*(node.said for node in inputs))
    assumed = frozenset().union(*(node.assumed for node in inputs))
    return Node(formula.gives, value, formula, tuple(inputs), said, assumed)


def _default(name: str) -> Node | None:
    value = QUANTITIES[name].default
    return None if value is None else Node(name, value, assumed=frozenset({name}))
