"""Reads what stands beside a card name: memory, form factor, words for a laptop, a desktop or a modified card."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from bot.core.numbers import figure
from bot.understand.files import Cards
from bot.understand.slots.card_names import CardNames
from bot.understand.slots.card_tree import Entry
from bot.understand.slots.card_words import MEMORY_UNITS, counting_words
from bot.understand.slots.context import longest_first
from bot.understand.slots.found import Reading, holds
from bot.understand.slots.links import is_slot
from bot.understand.tokens import Token

_SIGNS: Final = frozenset({"-", "_", "(", ",", "/"})
"""What may stand between the parts behind a name."""
_MOST_PARTS: Final = 6
_WRITTEN: Final = "nw"
"""Kinds of tokens that a number goes on with."""


class Tail(NamedTuple):
    """Memory, form factor, whether a laptop is meant, the token behind all that, where the memory stands."""

    memory: float | None
    form: str
    laptop: bool
    end: int
    span: tuple[int, int] | None


class CardTails:
    """The words that may stand around a card name."""

    def __init__(self, names: CardNames, grammar: Cards, even: Callable[[str], str]) -> None:
        """`grammar` is `languages/names/cards.yaml`; `even` normalises a surface."""
        self._names = names
        self._laptop = tuple(word for word in map(even, grammar["laptop"]) if len(word) > 1)
        self._desktop = tuple(map(even, grammar["desktop"]))
        self._no_laptop = tuple(map(even, grammar["no_laptop"]))
        self._counted = counting_words(grammar)
        self._modified = longest_first(map(even, grammar["modified"]))
        self._passed = longest_first((*self._modified, *map(even, grammar["built"])))
        self._modified_words = tuple(word for word in self._modified if len(word) > 1)
        self._between_memory = frozenset(map(even, grammar["between_memory"]))
        self._together = tuple(map(even, grammar["together"]))
        self._system_memory = tuple(map(even, grammar["system_memory"]))
        self._parts = (self._memory_part, self._form_part, self._modified_part, self._laptop_part)

    # --- behind a name ---

    def behind(self, reading: Reading, end: int) -> Tail:
        """Memory, form factor and laptop words right after a name."""
        tokens = reading.tokens
        tail = Tail(None, "", False, end, None)
        for _ in range(_MOST_PARTS):
            at = tail.end
            if at < len(tokens) and tokens[at].text in _SIGNS:
                at += 1
            longer = self._longer(reading, at, tail) if at < len(tokens) else None
            if longer is None:
                break
            tail = longer
        closes = end < tail.end < len(tokens) and tokens[tail.end].text == ")"
        return tail._replace(end=tail.end + 1) if closes else tail

    def _longer(self, reading: Reading, at: int, tail: Tail) -> Tail | None:
        """A tail with the part that stands at a token, None where none does."""
        for part in self._parts:
            longer = part(reading, at, tail)
            if longer is not None:
                return longer
        return None

    def _memory_part(self, reading: Reading, at: int, tail: Tail) -> Tail | None:
        tokens = reading.tokens
        if tail.memory is not None or tokens[at].kind != "n" or at + 1 >= len(tokens):
            return None
        if tokens[at + 1].text not in MEMORY_UNITS or self._is_ram(reading, at + 2) or self._of_all(reading, at):
            return None
        return tail._replace(memory=figure(tokens[at].text), span=(tokens[at].start, tokens[at + 1].end), end=at + 2)

    def _form_part(self, reading: Reading, at: int, tail: Tail) -> Tail | None:
        tokens, forms = reading.tokens, self._names.forms
        wide = tokens[at].text + tokens[at + 1].text if at + 1 < len(tokens) else ""
        if wide in forms:
            return tail._replace(form=forms[wide], end=at + 2)
        if tokens[at].text not in forms or is_slot(reading.text, tokens[at].start):
            return None
        return tail._replace(form=forms[tokens[at].text], end=at + 1)

    def _modified_part(self, reading: Reading, at: int, tail: Tail) -> Tail | None:
        """A word for a modified board, or for how a board is built: the memory may stand behind it."""
        token = reading.tokens[at]
        if not reading.text.startswith(self._passed, token.start):
            return None
        size = len(_which(self._passed, reading.text, token.start)) if token.kind == "h" else 1
        return tail._replace(end=at + size)

    def _laptop_part(self, reading: Reading, at: int, tail: Tail) -> Tail | None:
        token = reading.tokens[at]
        word = self._laptop_at(reading.text, token.start)
        if not word:
            return None
        if token.kind == "h":
            return tail._replace(laptop=True, end=at + len(word))
        return tail._replace(laptop=True, end=at + (3 if "-" in word else 1))

    def bare_memory(self, reading: Reading, entry: Entry, end: int) -> float | None:
        """A number right behind a name that is one of its memory sizes, without a unit ("a100 80", "4060ti 16")."""
        tokens = reading.tokens
        if end >= len(tokens) or tokens[end].kind != "n" or not tokens[end].text.isdecimal():
            return None
        size = figure(tokens[end].text)
        if size is None or size not in self._names.sizes(entry):
            return None
        return size if end + 1 == len(tokens) or not self._is_counted(tokens[end + 1]) else None

    def _is_counted(self, behind: Token) -> bool:
        """Whether what stands behind a number makes it no memory: a unit, what it counts, more of the same number."""
        return behind.text in self._counted or (behind.glued and behind.kind in _WRITTEN)

    def _laptop_at(self, text: str, start: int) -> str:
        """The word for a portable computer that stands here, else ""."""
        if not text.startswith(self._laptop, start):
            return ""
        return next((word for word in self._laptop if _starts_word(text, word, start)), "")

    def _is_ram(self, reading: Reading, index: int) -> bool:
        """Whether what follows says that an amount is system memory."""
        if index >= len(reading.tokens):
            return False
        text, start = reading.text, reading.tokens[index].start
        word = next((word for word in self._system_memory if text.startswith(word, start)), "")
        # "48g RAM 64": the word belongs to the number behind it
        return bool(word) and not text[start + len(word) :].lstrip(" :=")[:1].isdigit()

    def _of_all(self, reading: Reading, index: int) -> bool:
        """Whether an amount is said to be that of all cards together, by the word behind or before it."""
        text, number, unit = reading.text, reading.tokens[index], reading.tokens[index + 1]
        if text[: number.start].rstrip().endswith(self._together):
            return True
        return text[unit.end :].lstrip(" ,").startswith(self._together)

    # --- before a name, or on both sides ---

    def memory_before(self, reading: Reading, index: int) -> tuple[float | None, tuple[int, int] | None]:
        """Memory right before a name: "the 80G A100", "12 GiB version of ..."."""
        tokens = reading.tokens
        at = index - 1
        for _ in range(3):
            if at >= 0 and tokens[at].text in self._between_memory:
                at -= 1
        if at >= 1 and tokens[at].text in MEMORY_UNITS and tokens[at - 1].kind == "n":
            return figure(tokens[at - 1].text), (tokens[at - 1].start, tokens[at].end)
        return None, None

    def says_modified(self, reading: Reading, index: int, *ends: int) -> bool:
        """A word for a modified card right before its name, or right behind one of the places where it may end."""
        tokens, text = reading.tokens, reading.text
        before = tokens[index].start
        while before and text[before - 1] == " ":
            before -= 1
        return text.endswith(self._modified_words, 0, before) or any(
            end < len(tokens) and text.startswith(self._modified_words, tokens[end].start) for end in ends
        )

    def says_desktop(self, reading: Reading, index: int, end: int) -> bool:
        """A word for a desktop computer right before or right after a name."""
        tokens, text = reading.tokens, reading.text
        return text.endswith(self._desktop, 0, len(text[: tokens[index].start].rstrip())) or (
            end < len(tokens) and text.startswith(self._desktop, tokens[end].start)
        )

    def laptop_before(self, reading: Reading, index: int) -> bool:
        """A word for a portable computer right before a name."""
        text, start = reading.text, reading.tokens[index].start
        return text.endswith(self._laptop, 0, len(text[:start].rstrip()))

    def says_laptop(self, reading: Reading) -> bool:
        """Whether a portable computer is spoken of anywhere."""
        if not holds(reading.text, self._laptop):
            return False
        text = reading.text
        for word in self._no_laptop:
            text = text.replace(word, "")
        return holds(text, self._laptop)


def _which(words: Iterable[str], text: str, start: int) -> str:
    """The first of the words that stands here."""
    return next(word for word in words if text.startswith(word, start))


def _starts_word(text: str, word: str, start: int) -> bool:
    if not text.startswith(word, start):
        return False
    end = start + len(word)
    return not (word.isascii() and end < len(text) and text[end].isalpha() and text[end].isascii())
