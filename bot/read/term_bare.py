"""What a number without a unit may be: a size that a word before it names, so many of a noun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from advisor.calculators.expression import Atom
from bot.read.term_units import powers, put

OWNED: Final = frozenset({"card", "machine", "item", "run"})
"""What a price said beside it may be of as a whole."""
PER_DROPPED: Final = 0.1
"""To leave out what an amount is for each of."""
CUED: Final = -0.05
"""What is named by a word is rather that than anything else."""
_SIZE_ALONE: Final = 0.1
"""To take a size for so many, whatever it is the size of."""


def as_size(value: float, unit: Mapping[str, int], sign: str) -> Iterator[Atom]:
    """A number as the size that a word before it names, and as so many of whatever that is the size of."""
    if unit:
        yield Atom(value, powers(unit), CUED, sign)
        yield Atom(value, powers({name: power for name, power in unit.items() if power > 0}), _SIZE_ALONE, sign)


def counted(value: float, noun: str, per: Mapping[str, int], sign: str) -> Iterator[Atom]:
    """A number of things, for what it is said to be for each of, and in all."""
    if not noun:
        return
    yield Atom(value, put({noun: 1}, per), 0.0, sign)
    loose = {name: power for name, power in per.items() if name not in OWNED}
    if loose != per:
        yield Atom(value, put({noun: 1}, loose), PER_DROPPED, sign)


__all__ = ["CUED", "OWNED", "PER_DROPPED", "as_size", "counted"]
