"""A pace told by what was done in a time: so many pages in so many minutes, asked about for another number of pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.calculators.reckon import HOUR, MEASURED, SIDE_BY_SIDE, Stated
from bot.read.things import Thing

_OVER: Final = " \N{DIVISION SIGN} "


def paced(things: Sequence[Thing]) -> tuple[Thing, ...]:
    """The values; a time beside a number of things, of which another number stands in another part, as that of each."""
    for at, one in enumerate(things[:-1]):
        noun = _noun(one)
        other = things[at + 1]
        again = [each for each in things if each is not one and each.part != one.part and _noun(each) == noun]
        if noun and other.stated.unit == {HOUR: 1} and other.part == one.part and len(again) == 1:
            return (*things[:at], _of_each(one, other, noun), *things[at + 2 :])
    return tuple(things)


def _noun(one: Thing) -> str:
    """The noun that a value counts, and nothing else; "" where it is no such value."""
    names = list(one.stated.unit.items())
    if len(names) != 1 or names[0][1] != 1 or names[0][0] in MEASURED | SIDE_BY_SIDE:
        return ""
    return names[0][0]


def _of_each(counted: Thing, time: Thing, noun: str) -> Thing:
    """The time of one of so many."""
    stated = Stated(time.stated.value / counted.stated.value, {HOUR: 1, noun: -1})
    return replace(
        time,
        stated=stated,
        measures=(*counted.measures, *time.measures),
        text=f"{time.text}{_OVER}{counted.text}",
    )


__all__ = ["paced"]
