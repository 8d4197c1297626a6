"""In which part of a message each value stands, and what joins that part to the one before: "plus", "and", nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.read.thing_words import CUT, any_of
from bot.read.things import Thing

PLUS, AND = "+", "&"
_MONEY: Final = "money"


class Joins:
    """Words between values, lexicon/things.yaml. Holds no state."""

    def __init__(self, words: Mapping[str, Iterable[object]], even: Callable[[str], str]) -> None:
        """Take the lists.

        Args:
            words: `plus` adds what stands behind it, `no_plus` only seems to; `also` joins one more; `fee` stands right
                before money.
            even: normalises a word as messages are.
        """
        self._plus, self._no_plus, self._also = (re.compile(any_of(words[kind], even)) for kind in _KINDS)
        self._fee = re.compile(rf"(?:{any_of(words['fee'], even)})\s*(?:of |is |=|:)?\s*$")

    def read(self, text: str, things: Sequence[Thing]) -> tuple[Thing, ...]:
        """The values, each with its part of the text and what joins that to the part before."""
        found: list[Thing] = []
        part, behind = 0, 0
        for one in things:
            if not one.measures:
                found.append(one)
                continue
            gap = text[behind : one.measures[0].start]
            join = self._join(gap) if behind else ""
            part += bool(join) or bool(behind and CUT.search(gap))
            paid = self._paid(one, gap)
            found.append(replace(paid, part=part, join=join) if (part, join) != (paid.part, paid.join) else paid)
            behind = one.measures[-1].end
        return tuple(found)

    def _paid(self, one: Thing, gap: str) -> Thing:
        """A bare number behind the word of a fee as money."""
        return _as_money(one) if one.stated.bare and self._fee.search(gap) else one

    def _join(self, gap: str) -> str:
        """What joins the text behind a gap to that before it."""
        if self._plus.search(self._no_plus.sub(" ", gap)):
            return PLUS
        return AND if self._also.search(gap) else ""


_KINDS: Final = ("plus", "no_plus", "also")


def with_coins(things: Sequence[Thing], paid: Collection[int]) -> tuple[Thing, ...]:
    """The values, a bare number for each of a time as money where another one of these is.

    Args:
        things: the values.
        paid: where numbers stand that were read as money.
    """
    rated = [one for one in things if is_unnamed_rate(one) or len(one.stated.unit) > 1]
    money = any(one.stated.unit.get(_MONEY) == 1 or one.measures[0].start in paid for one in rated if one.measures)
    return tuple(_as_money(one) if money and is_unnamed_rate(one) else one for one in things)


def _as_money(one: Thing) -> Thing:
    return replace(one, stated=replace(one.stated, unit={_MONEY: 1, **one.stated.unit}, bare=False))


def is_unnamed_rate(one: Thing) -> bool:
    """Whether a number of nothing is said for each of something measured: mostly money without its coin."""
    plain = bool(one.measures) and not one.measures[0].kind
    return plain and bool(one.stated.unit) and max(one.stated.unit.values()) < 0


__all__ = ["AND", "PLUS", "Joins", "is_unnamed_rate", "with_coins"]
