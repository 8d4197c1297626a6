"""What of a card's name was not read: a suffix, a memory size, a laptop that no record has.

A name is read whole or it is not that card: "5080 Super" is no 5080. What stays unread behind a name that was read is
given back as it was said, so that the reply can say which card is not in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from bot.understand.files import Cards
from bot.understand.slots.card_names import CardNames
from bot.understand.slots.card_tree import Entry
from bot.understand.slots.found import Reading, holds
from bot.understand.slots.names import squeeze
from bot.understand.tokens import Token

_SAME_SIZE: Final = 0.01
"""Relative difference up to which a memory size is the one of the card, measured or rounded."""
_BESIDE: Final = 14
"""Characters around a name in which a word for several cards makes an amount their sum."""
_JOINERS: Final = frozenset({"-", "_", "+"})


class Unread(NamedTuple):
    """The parts of a name that no card of its base has, as they are shown, and the token behind them."""

    parts: tuple[str, ...]
    end: int


class CardRest:
    """Looks for what is left of a name behind the part that was read."""

    def __init__(self, names: CardNames, grammar: Cards, even: Callable[[str], str]) -> None:
        """`grammar` is `languages/names/cards.yaml`, `unread`; `even` normalises a surface."""
        words = grammar["unread"]
        self._names = names
        self._apart = words["apart"]
        self._glued = {**words["apart"], **words["glued"]}
        self._several = tuple(map(even, words["several"]))
        self._machine = tuple(map(even, words["machine"]))
        self._sizes = frozenset(map(float, words["board_sizes"]))
        self._in_laptops = tuple(words["in_laptops"])

    def behind(self, reading: Reading, entry: Entry, end: int) -> Unread:
        """Suffix words right behind a name that were not read as a part of it."""
        tokens = reading.tokens
        parts: list[str] = []
        at = end
        while at < len(tokens):
            step = at + 1 if tokens[at].text in _JOINERS and tokens[at].glued and at + 1 < len(tokens) else at
            word = self._suffix_at(tokens, step, glued=step > at)
            if not word or self._names.says(entry, tokens[step].text) or _is_plural(reading, tokens[step]):
                break
            parts.append(word)
            at = end = step + 1
        return Unread(tuple(parts), end)

    def memory(self, reading: Reading, entry: Entry, memory: float | None, place: tuple[int, int] | None) -> str:
        """A memory size beside a name that no card of its base has, as it is shown; "" where it is no part of it."""
        if memory is None or place is None or memory not in self._sizes:
            return ""
        sizes = self._names.all_sizes(entry)
        if not sizes or any(abs(memory - size) <= _SAME_SIZE * size for size in sizes):
            return ""
        if holds(reading.text, self._machine) or (
            any(memory % size == 0 for size in sizes) and self._counts(reading, place)
        ):
            return ""
        return f"{memory:g}GB"

    def laptop(self, entry: Entry, laptop: bool) -> str:
        """The word for a laptop where no card of this base is one and cards of its kind are; else ""."""
        if not laptop or entry.base in self._names.laptops or not entry.known:
            return ""
        family = self._names.family(entry)
        return "Laptop" if family.startswith(self._in_laptops) and "laptop" not in squeeze(entry.fixed) else ""

    def _suffix_at(self, tokens: list[Token], at: int, *, glued: bool) -> str:
        """The suffix that stands here, as it is shown, else ""."""
        if at >= len(tokens) or tokens[at].kind != "w":
            return ""
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and following.glued and following.kind in "nw":
            return ""  # the beginning of something longer
        return (self._glued if glued or token.glued else self._apart).get(token.text, "")

    def _counts(self, reading: Reading, place: tuple[int, int]) -> bool:
        """Whether words beside an amount speak of several cards, whose sum it may be."""
        around = reading.text[max(0, place[0] - 2 * _BESIDE) : place[1] + _BESIDE]
        return holds(around, self._several)


def _is_plural(reading: Reading, token: Token) -> bool:
    """Whether an s is that of several cards ("3090s"), not the one of an S card."""
    return token.text == "s" and reading.raw_at(token.start) == "s"
