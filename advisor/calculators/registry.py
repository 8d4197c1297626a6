"""The formulas, each with what it gives and what it needs. Found by what is unknown and what is given; inverses are formulas, too.

A formula is one line of arithmetic. `working` is how it is written with its values, without words, so that it reads in any language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from advisor.calculators import deals, machine, memory, money, numbers, pieces, runs, storage, tariffs, trade, work


@dataclass(frozen=True, slots=True)
class Formula:
    """One step of a sum."""

    gives: str
    needs: tuple[str, ...]
    working: str
    """With a place for each need: "{cards} x {hours_total}"."""
    apply: Callable[..., float]
    """Takes the needs and then the optional ones, by place."""
    optional: tuple[str, ...] = ()
    """Needs that have a default, taken when they were not said."""
    rows: tuple[str, ...] = ()
    """Rows of the fact list that state the rule."""


def _all() -> tuple[Formula, ...]:
    rooms = (
        work.TABLE,
        money.TABLE,
        pieces.TABLE,
        machine.TABLE,
        memory.TABLE,
        storage.TABLE,
        numbers.TABLE,
        deals.TABLE,
        trade.TABLE,
        tariffs.TABLE,
        runs.TABLE,
    )
    return tuple(Formula(*entry) for table in rooms for entry in table)


FORMULAS: Final = _all()


def _by_result() -> Mapping[str, tuple[Formula, ...]]:
    found: dict[str, tuple[Formula, ...]] = {}
    for formula in FORMULAS:
        found[formula.gives] = (*found.get(formula.gives, ()), formula)
    return found


BY_RESULT: Final = _by_result()

DECISIVE: Final = frozenset({"wall_w", "kwh_metered", "kwh_hour"})
"""Readings of a meter: where one was said, a formula that takes it is taken and nothing is put together from parts."""
