"""What is kept of a sum of open nouns. A noun that no table knows is kept as a digest: no word of a user is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final

from advisor.calculators.reckon import ANY, KNOWN, MEASURED, Stated
from bot.core.sums import OpenSum, OpenValue
from bot.read.things import Thing

_OWN: Final = frozenset({"request", "sample", "micro", "flop", "ampere", "token in", "token out"})
"""Nouns and units of the tables themselves."""
_PLAIN: Final = KNOWN | MEASURED | _OWN | {ANY}
_BYTES: Final = 6


def key_of(noun: str) -> str:
    """A noun as it is kept: as it is where a table knows it, else as its digest."""
    return noun if noun in _PLAIN or not noun else f"#{blake2b(noun.encode(), digest_size=_BYTES).hexdigest()}"


def keyed(unit: Mapping[str, int]) -> dict[str, int]:
    """A unit with its nouns as they are kept."""
    return {key_of(name): power for name, power in unit.items()}


def value_of(thing: Thing) -> OpenValue:
    """A value as it is kept."""
    one = thing.stated
    return OpenValue(
        value=one.value,
        unit=keyed(one.unit),
        share=one.share,
        helps=one.helps,
        bare=one.bare,
        free=one.free,
        mark=one.mark,
        part=thing.part,
        join=thing.join,
    )


def stated_of(one: OpenValue) -> Stated:
    """A value that was kept, to count with."""
    return Stated(one.value, one.unit, one.helps, one.share, one.bare, one.free, one.mark)


def open_of(
    kind: str,
    unit: Mapping[str, int],
    things: Sequence[Thing],
    *,
    noun: str = "",
    whole: str = "",
    days: bool = False,
) -> OpenSum:
    """What is kept of a sum.

    Args:
        kind: product | total.
        unit: of what was asked for.
        things: its values.
        noun: of what is counted.
        whole: how it is rounded.
        days: a time is told in days.
    """
    values = tuple(map(value_of, things))
    return OpenSum(kind=kind, unit=keyed(unit), noun=key_of(noun), whole=whole, days=days, values=values)


__all__ = ["key_of", "keyed", "open_of", "stated_of", "value_of"]
