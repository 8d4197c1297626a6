"""Reads what stands beside a card name: memory, form factor, words for a laptop, a desktop or a modified card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from bot.core.numbers import figure
from bot.understand.slots.card_names import MEMORY_UNITS, CardNames, Entry
from bot.understand.slots.context import longest_first
from bot.understand.slots.found import Reading, holds


class Tail(NamedTuple):
    """Memory, form factor, whether a laptop is meant, the token behind all that, where the memory stands."""

    memory: float | None
    form: str
    laptop: bool
    end: int
    span: tuple[int, int] | None


class CardTails:
    """The words that may stand around a card name."""

    def __init__(self, names: CardNames, grammar: Mapping[str, Any], even: Callable[[str], str]) -> None:
        """`grammar` is `languages/names/cards.yaml`; `even` normalises a surface."""
        self._names = names
        self._laptop = tuple(word for word in map(even, grammar["laptop"]) if len(word) > 1)
        self._desktop = tuple(map(even, grammar["desktop"]))
        self._after_bare_memory = tuple(grammar["after_bare_memory"])
        self._modified = longest_first(map(even, grammar["modified"]))
        self._modified_words = tuple(word for word in self._modified if len(word) > 1)
        self._between_memory = frozenset(map(even, grammar["between_memory"]))
        self._system_memory = tuple(map(even, grammar["system_memory"]))

    def behind(self, reading: Reading, end: int) -> Tail:
        """Memory, form factor and laptop words right after a name."""
        tokens, forms = reading.tokens, self._names.forms
        memory: float | None = None
        form, laptop, last, span = "", False, end, None
        index = end
        for _ in range(6):
            if index < len(tokens) and tokens[index].text in {"-", "_", "(", ",", "/"}:
                index += 1
            if index >= len(tokens):
                break
            token = tokens[index]
            following = tokens[index + 1].text if index + 1 < len(tokens) else ""
            if (
                memory is None
                and token.kind == "n"
                and following in MEMORY_UNITS
                and not self._is_ram(reading, index + 2)
            ):
                memory, span = figure(token.text), (token.start, tokens[index + 1].end)
                index += 2
            elif token.text in forms or (token.text + following) in forms:
                wide = bool(following) and (token.text + following) in forms
                form = forms[token.text + following if wide else token.text]
                index += 2 if wide else 1
            elif reading.text.startswith(self._modified, token.start):
                index += len(_which(self._modified, reading.text, token.start)) if token.kind == "h" else 1
            elif word := self._laptop_at(reading.text, token.start):
                laptop = True
                index += len(word) if token.kind == "h" else (3 if "-" in word else 1)
            else:
                break
            last = index
        if last < len(tokens) and last > end and tokens[last].text == ")":
            last += 1
        return Tail(memory, form, laptop, last, span)

    def bare_memory(self, reading: Reading, entry: Entry, end: int) -> float | None:
        """A number right behind a name that is one of its memory sizes, without a unit ("a100 80", "4060ti 16")."""
        tokens = reading.tokens
        at = end + 1 if end < len(tokens) and tokens[end].text in "-_" and tokens[end].glued else end
        if at != end or at >= len(tokens) or tokens[at].kind != "n" or not tokens[at].text.isdecimal():
            return None
        size = figure(tokens[at].text)
        if size is None or size not in self._names.sizes(entry):
            return None
        stop = tokens[at].end
        ends = stop >= len(reading.text) or reading.text.startswith(self._after_bare_memory, stop)
        return size if ends else None

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
        return any(text.endswith(word, 0, len(text[:start].rstrip())) for word in self._laptop)

    def says_laptop(self, reading: Reading) -> bool:
        """Whether a portable computer is spoken of anywhere."""
        return holds(reading.text, self._laptop)

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


def _which(words: Iterable[str], text: str, start: int) -> str:
    """The first of the words that stands here."""
    return next(word for word in words if text.startswith(word, start))


def _starts_word(text: str, word: str, start: int) -> bool:
    if not text.startswith(word, start):
        return False
    end = start + len(word)
    return not (word.isascii() and end < len(text) and text[end].isalpha() and text[end].isascii())
