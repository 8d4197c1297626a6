"""What of a card's name was not read: a suffix, a memory size, a laptop that no record has.

A name is read whole or it is not that card: "5080 Super" is no 5080. What stays unread behind a name that was read is
given back as it was said, so that the reply can say which card is not in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from bot.understand.files import Cards
from bot.understand.slots.card_names import CardNames
from bot.understand.slots.card_tree import Entry
from bot.understand.slots.card_words import MEMORY_UNITS, counting_words
from bot.understand.slots.found import Reading, holds, holds_whole
from bot.understand.slots.names import squeeze
from bot.understand.tokens import Token

_SAME_SIZE: Final = 0.01
"""Relative difference up to which a memory size is the one of the card, measured or rounded."""
_BESIDE: Final = 14
"""Characters around a name in which a word for several cards makes an amount their sum."""
_WRITTEN: Final = frozenset("nws")
"""Kinds of tokens that a name is written with: numbers, words, single letters."""
_WHOLE: Final = " "
"""Head of a name that its parts hold whole."""
_PLURAL: Final = "s"
"""In English the end of a word for several things: "Trainium 8 chips"."""
_JOINERS: Final = frozenset({"-", "_", "+"})


class Unread(NamedTuple):
    """The parts of a name that no card of its base has, as they are shown, and the token behind them."""

    parts: tuple[str, ...]
    end: int
    head: str = ""
    """What is shown before the parts, where that is not the name of the base."""
    laptop: bool = False
    """The card of portable computers is meant."""


class CardRest:
    """Looks for what is left of a name behind the part that was read."""

    def __init__(self, names: CardNames, grammar: Cards, even: Callable[[str], str]) -> None:
        """`grammar` is `languages/names/cards.yaml`, `unread`; `even` normalises a surface."""
        words = grammar["unread"]
        self._names = names
        self._apart = words["apart"]
        self._glued = {**words["apart"], **words["glued"]}
        self._told_forms = frozenset(words["told_forms"])
        self._cores = frozenset(words["cores"])
        self._several = tuple(map(even, words["several"]))
        self._single = tuple(map(even, words["single"]))
        self._machine = tuple(map(even, words["machine"]))
        self._counted = counting_words(grammar)
        self._sizes = frozenset(map(float, words["board_sizes"]))
        self._in_laptops = tuple(words["in_laptops"])

    def behind(self, reading: Reading, entry: Entry, end: int) -> Unread:
        """Suffix words and numbers right behind a name that were not read as a part of it."""
        tokens = reading.tokens
        numbered = self._number_behind(tokens, entry, end)
        parts = list(numbered.parts)
        at = end = numbered.end
        while at < len(tokens):
            step = at + 1 if tokens[at].text in _JOINERS and tokens[at].glued and at + 1 < len(tokens) else at
            word = self._suffix_at(tokens, step, glued=step > at)
            if not word or self._names.says(entry, tokens[step].text) or _is_plural(reading, tokens[step]):
                break
            parts.append(word)
            at = end = step + 1
        return Unread(tuple(parts), end, numbered.head)

    def form(self, entry: Entry, form: str) -> str:
        """The form that was said, where cards of this base are told apart by their form and none has it; else ""."""
        names = self._names.variants(entry, None, "")
        word = form.upper()
        return word if word in self._told_forms and names and not any(word in name for name in names) else ""

    def memory(
        self, reading: Reading, entry: Entry, memory: float | None, place: tuple[int, int] | None, *, laptop: bool
    ) -> str:
        """A memory size beside a name that no card of its base has, as it is shown; "" where it is no part of it."""
        if memory is None or place is None or memory not in self._sizes:
            return ""
        sizes = self._names.all_sizes(entry, laptop=laptop)
        known = not sizes or any(abs(memory - size) <= _SAME_SIZE * size for size in sizes)
        if known or (not entry.fixed and self._names.only_in_laptops(entry.base, memory)):
            return ""
        return "" if self._is_anothers(reading, memory, place, sizes) else f"{memory:g}GB"

    def _is_anothers(self, reading: Reading, memory: float, place: tuple[int, int], sizes: Collection[float]) -> bool:
        """Whether an amount may be the computer's, or the sum of several cards."""
        summed = any(memory % size == 0 for size in sizes) and self._counts(reading, place)
        return summed or holds_whole(reading.text, self._machine)

    def laptop(self, entry: Entry, laptop: bool) -> str:
        """The word for a laptop where no card of this base is one and cards of its kind are; else ""."""
        if not laptop or not entry.known or self._names.is_portable(entry):
            return ""
        family = self._names.family(entry)
        return "Laptop" if family.startswith(self._in_laptops) and "laptop" not in squeeze(entry.fixed) else ""

    def _number_behind(self, tokens: list[Token], entry: Entry, end: int) -> Unread:
        """The rest of a name of which the head alone was read ("P106-110", "Trainium 4"), and a count of cut cores."""
        if end + 1 >= len(tokens) and not (end < len(tokens) and tokens[end].kind == "n"):
            return Unread((), end)
        whole = entry.fixed or self._names.plain_name(entry.base)
        if tokens[end].text in _JOINERS:
            return _joined(tokens, whole, end)
        if _is_next(tokens, whole, end, self._counted):
            return _named(f"{whole.rpartition(' ')[0]} {_said(tokens, end)}", _glued_end(tokens, end))
        cut = self._cut_at(tokens, end)
        return Unread((_said(tokens, end),), _glued_end(tokens, end)) if cut else Unread((), end)

    def _cut_at(self, tokens: list[Token], at: int) -> bool:
        """Whether a number of cores stands here, which names a card with fewer of them ("580 2048SP")."""
        return tokens[at].kind == "n" and at + 1 < len(tokens) and tokens[at + 1].text in self._cores

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
        for word in self._single:
            around = around.replace(word, "")
        return holds(around, self._several)


def _is_written(token: Token) -> bool:
    """Whether a token goes on with what stands before it, as letters or numbers of a name."""
    return token.glued and token.kind in _WRITTEN


def _said(tokens: list[Token], at: int) -> str:
    """What is written without a space from here on."""
    return "".join(token.text for token in tokens[at : _glued_end(tokens, at)]).upper()


def _joined(tokens: list[Token], whole: str, end: int) -> Unread:
    """What stands behind a hyphen, where the full name has one, too."""
    goes_on = tokens[end].glued and "-" in whole and _is_written(tokens[end + 1])
    named = f"{whole.partition('-')[0]}-{_said(tokens, end + 1)}"
    return _named(named, _glued_end(tokens, end + 1)) if goes_on else Unread((), end)


def _named(name: str, end: int) -> Unread:
    """A name that is shown whole."""
    return Unread((name,), end, _WHOLE)


def _is_next(tokens: list[Token], whole: str, at: int, counted: Collection[str]) -> bool:
    """Whether another number stands where the full name has its own, and nothing is counted by it."""
    own = whole.rpartition(" ")[2]
    if (
        tokens[at].kind != "n"
        or tokens[at - 1].kind == "n"
        or tokens[at - 1].text in {*MEMORY_UNITS, _PLURAL}  # "4080s 850 W"
        or not own.isdecimal()
        or tokens[at].text == own
    ):
        return False
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if behind is None or behind.kind == "h":
        return behind is None or behind.text not in counted
    return not (behind.glued or behind.text.endswith(_PLURAL))


def _glued_end(tokens: list[Token], at: int) -> int:
    """The token behind all that is written without a space from here on."""
    last = at + 1
    while last < len(tokens) and _is_written(tokens[last]):
        last += 1
    return last


def _is_plural(reading: Reading, token: Token) -> bool:
    """Whether an s is that of several cards ("3090s"), not the one of an S card."""
    return token.text == "s" and reading.raw_at(token.start) == "s"
