"""Whether a message may ask for a sum at all. What reads numbers and knows formulas is loaded with the first one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Final

from bot.core.answers import Answer
from bot.core.conversation import Conversation
from bot.core.sums import SumFrame
from bot.core.understanding import SlotValue, Understanding

if TYPE_CHECKING:
    from bot.answers.sums.road import SumRoad
    from bot.read.placed import Amounts
    from bot.understand.normalise import NormalisedText

WORK: Final = frozenset({"sound_hours", "requests_total", "tokens_in", "tokens_out"})
"""Amounts of sound and of requests that wait to be got through; a conversation goes on with them."""
_FEWEST: Final = 2
"""Numerals of a message that may ask for a sum."""
_NAMES: Final = frozenset({"gpu", "model"})
_BY_SIZE: Final = "llm-"
"""How a model is written of which only a size was said, which is a number."""


@dataclass(frozen=True, slots=True)
class Found:
    """An answer by sum, the need it serves, and what to go on with."""

    answer: Answer
    need: str
    frame: SumFrame | None


class Sums:
    """The sums that messages ask for; most ask for none."""

    def __init__(
        self, make: Callable[[], SumRoad], even: Callable[[str], NormalisedText], words: Iterable[str]
    ) -> None:
        """Take what is needed to tell that a message asks for none.

        Args:
            make: makes what finds them, when a message first may ask for one.
            even: brings a message into the form in which it is read.
            words: number words, in that form.
        """
        self._make, self._even = make, even
        listed = sorted((one for one in words if not one.isnumeric()), key=len, reverse=True)
        self._words = re.compile("|".join(rf"\b{one}\b" if one.isascii() else one for one in listed))

    @cached_property
    def _road(self) -> SumRoad:
        return self._make()

    def read(self, text: str, understanding: Understanding, state: Conversation) -> Amounts | None:
        """What a message states and asks for in numbers; None where it is not about any."""
        follows = goes_on_with(state) is not None or not WORK.isdisjoint(state.slots)
        if not follows and not self._may_hold(text, understanding):
            return None
        return self._road.amounts(text, understanding, follows=follows)

    def told(
        self, text: str, amounts: Amounts | None, understanding: Understanding, state: Conversation, on: date
    ) -> Found | None:
        """The sum that a message asks for, by its own numbers or by its money and the bill right before.

        Args:
            text: the message.
            amounts: what `read` found in it.
            understanding: the message.
            state: with the sum or the bill of the last answer.
            on: prices and rates of record are those of the day.
        """
        if amounts is None and right_before(state) is None and not self._may_hold(text, understanding):
            return None
        return self._road.told(text, amounts, understanding, state, on)

    def _may_hold(self, text: str, understanding: Understanding) -> bool:
        """Whether there are numbers enough, and one that is no part of a name. Cheap: most messages pay no more."""
        numerals = [at for at, is_numeral in enumerate(map(str.isnumeric, text)) if is_numeral]
        if len(numerals) < _FEWEST or "%" in text:
            return "%" in text
        named = {at for one in understanding.slots if _is_name(one) for at in range(*one.span)}
        return not named.issuperset(numerals) or self._words.search(self._even(text).text) is not None


def goes_on_with(state: Conversation) -> SumFrame | None:
    """The sum of the answer right before, unless a question is open."""
    sums = right_before(state)
    return sums if sums is not None and not sums.of_record else None


def right_before(state: Conversation) -> SumFrame | None:
    """What the answer right before left to be gone on with, unless a question is open."""
    sums = state.sums
    return sums if sums is not None and sums.turn == state.turn and state.pending is None else None


def _is_name(slot: SlotValue) -> bool:
    return slot.slot in _NAMES and slot.known and not str(slot.value).startswith(_BY_SIZE)
