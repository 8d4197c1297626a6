"""Which parts of a text ask, and what kind of thing would fill each blank: money, days, cards, yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from bot.read.measured_units import Unit, UnitTable
from bot.read.spotting import Spotted, WordFinder

_CUT: Final = re.compile(r"[;?!()]|(?<!\d)[,:]|[,:](?!\d)|\.(?=\s|$)")
_AMOUNT: Final = 4
"""Characters behind a word in which an amount begins that it states."""
_ARTICLE: Final = "ampere"
"""Kind of the unit that is spelt as the article is: so much a month."""
_CHOSEN: Final = frozenset({"card", "machine"})
"""Kinds of which one is chosen by "which" and not counted."""
_LAST: Final = re.compile(r"(?<!\d )(?<!\d\. )(?<![\d.])(?<![-/])\b((?:gpu |card )?[a-z]{3,})\s*\?")
"""The last word before a question mark, no number and no word for a rate before it."""
_VAGUE: Final = frozenset({"money", "any"})
"""Kinds of what is asked for that a unit says more surely."""
_HEADS: Final = 3
"""Words with which a part begins of which one may be the unit that is asked for."""
_WORDS: Final = re.compile(r"[a-z$\u20ac\u00a3][a-z-]*")
_GOES_ON: Final = re.compile(r" ?(?:(?:per|for|to|left|needed|each|apiece|in total|total|altogether)\b|\W*$)")
"""Behind a unit that a part asks for by its name alone."""
_GIVEN: Final = re.compile(r"^[a-z]+ per (?:[a-z-]+ ){1,3}(?:if|when|with|given|at|for)\b")
"""What a text asks for that begins with it: "tokens per update if the batch is 24"."""
_PAID: Final = re.compile(
    r"[$\u20ac\u00a3\u00a5]\s?\d.*(?:\beach\b|\bapiece\b|\bplus\b|[+\u00d7*]|\d ?x ?\d).*\?\W*$", re.DOTALL
)
"""Asks with nothing but amounts: "5 cards at $1,899 each + 7% tax?"."""
_FOR_EACH: Final = re.compile(r"(?:\b(?:per|an?|each|every|of|in|by)|/|\d) ?$")
"""Before a unit: what is asked for is that of each of it, or so many of it."""
_EACH_OF_IT: Final = re.compile(r"\b(?:(?:per|each) (?:[a-z-]+ )?|an? )$")
_CLOCK: Final = frozenset({"hour", "minute", "second"})
_SHEET: Final = "sheet"
"""The unit that counts cards and pictures."""
_PACED: Final = frozenset({"data", "token", "item"})
"""What is counted by the second."""
_SIGNS: Final = " ,;.?!"
_MARK: Final = "?"
_REACH: Final = 18
"""Characters behind "how many" in which its unit stands."""


class Blank(NamedTuple):
    """A part of the text that asks, and what would fill it."""

    start: int
    end: int
    kinds: frozenset[str]
    currency: str = ""
    """Of the money that is asked for, where its unit stands behind "how many"."""
    time: str = ""
    """hour | minute | second: the unit that a time is asked for in."""


NAMED_ONLY: Final = "named"
"""Kind of a blank that only what is named there fills."""


def is_named_only(blanks: Iterable[Blank]) -> bool:
    """Whether all that asks is the name of what is worked out."""
    return all(one.kinds == {NAMED_ONLY} for one in blanks)


_FOR: Final = " for"
"""Behind these words stands what takes the time."""


class Blanks:
    """Words of asking, lexicon/asking.yaml."""

    def __init__(self, content: Mapping[str, Any], units: UnitTable, even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are."""
        self._units = units
        self._which = frozenset(_evened(content["how_many"], even))
        self._choosing = frozenset(_evened(content["choosing"], even))
        self._counting = _evened(content["counting"], even)
        self._kinds = {word: frozenset({"verdict"}) for word in _evened(content["whether"], even)}
        for kind, words in content["kinds"].items():
            for word in _evened(words, even):
                self._kinds[word] = self._kinds.get(word, frozenset()) | {kind}
        self._limits = frozenset(_evened(content["limits"], even))
        self._closers = _evened(content["closers"], even)
        self._each_second = _evened(content["each_second"], even)
        self._turned_into = _evened(content["turned_into"], even)
        self._finder = WordFinder((*self._which, *self._kinds, *self._limits, *self._turned_into))
        self._opens = re.compile(
            r"^\W*(?:" + "|".join(content["openers"]) + r")?\s*(?:" + "|".join(content["auxiliaries"]) + r")\b"
        )
        self._last: tuple[str, tuple[Blank, ...]] | None = None

    def read(self, text: str) -> list[Blank]:
        """The parts of a text that ask, each with the kinds that fill its blank. Those of the last text are known."""
        last = self._last
        if last is None or last[0] != text:
            self._last = last = (text, tuple(self._read(text)))
        return list(last[1])

    def _read(self, text: str) -> list[Blank]:
        """The parts that ask; all of what asks with nothing but amounts of money."""
        return self._parts(text) or [Blank(0, len(text), frozenset({"money"}))] * bool(_PAID.search(text))

    def _parts(self, text: str) -> list[Blank]:
        """The parts that ask in words or by a unit."""
        parts: list[Blank] = []
        spotted = self._finder.spot(text)
        start = 0
        for end in [*(found.end() for found in _CUT.finditer(text)), len(text)]:
            found = self._of(spotted, start, end) | self._named_last(text, start, end)
            found = (self._named_first(text, start, end) if found <= _VAGUE else set()) or found
            if found and not self._limited(spotted, start, end):
                units = self._units_asked(spotted, start, end, self._which)
                told = (*units, *self._units_asked(spotted, start, end, self._turned_into))
                currency = next((one.currency for one in told if one.currency), "")
                time = next((one.name for one in units if one.name in _CLOCK), "")
                parts.append(Blank(start, end, frozenset(found), currency, time))
            start = end
        return parts

    def _limited(self, spotted: Spotted, start: int, end: int) -> bool:
        """Whether a part sets a limit and asks for no number."""
        if not any(spotted.within(word, start, end) for word in spotted.among(self._limits)):
            return False
        return not any(spotted.within(word, start, end) for word in spotted.among(self._which))

    def counted(self, text: str, cards: Sequence[int]) -> list[int]:
        """Of the places of cards' names those right behind "how many"."""
        return [at for at in cards if text[:at].rstrip().endswith(self._counting)]

    def _of(self, spotted: Spotted, start: int, end: int) -> set[str]:
        found = self._whether(spotted.text[start:end])
        for word in spotted.words:
            if not spotted.within(word, start, end):
                continue
            if any(start <= at < end and not self._states(spotted.text, at, word) for at in spotted.of(word)):
                found |= self._kinds.get(word, frozenset())
            if word in self._which:
                for at in spotted.of(word):
                    if start <= at < end:
                        behind = self._unit_behind(spotted.text[:end], at + len(word))
                        found |= behind - _CHOSEN if word in self._choosing else behind
        return found

    def _whether(self, part: str) -> set[str]:
        """Whether a part begins or ends as what asks for yes or no."""
        asks = self._opens.match(part) or part.rstrip(_SIGNS).endswith(self._closers)
        return {"verdict"} if asks else set()

    def _named_last(self, text: str, start: int, end: int) -> set[str]:
        """The kind of the unit that a question ends with and that is of no number: "want 2 epochs, days?"."""
        last = _LAST.search(text, start, end)
        last = last if last is not None and not _EACH_OF_IT.search(text[start : last.start(1)]) else None
        unit = self._units.at(text, last.start(1)) if last is not None else None
        whole = last is not None and unit is not None and unit[1] == last.end(1)
        return {unit[0].kind} if unit is not None and whole else set()

    def _named_first(self, text: str, start: int, end: int) -> set[str]:
        """The kind of the unit with which a part begins that ends the text or a question: "hours for all of it?"."""
        closes = text[end - 1 : end] == _MARK or (_MARK not in text and not text[end:].strip(_SIGNS))
        closes |= not text[:start].strip() and _GIVEN.search(text, start, end) is not None
        words = list(_WORDS.finditer(text, start, end))[:_HEADS] if closes else []
        for word in words:
            unit = self._units.at(text, word.start())
            if unit is None or unit[0].kind in _CHOSEN or _FOR_EACH.search(text[start : word.start()]):
                continue
            if _GOES_ON.match(text[unit[1] : end]) and not any(map(str.isdigit, text[start : unit[1]])):
                return {unit[0].kind}
        return set()

    def _states(self, text: str, at: int, word: str) -> bool:
        """Whether a word names an amount that is given: the number stands behind it, or it is the number's unit."""
        is_unit = text[:at].rstrip()[-1:].isdigit() and self._units.at(text, at) is not None
        return is_unit or (not word.endswith(_FOR) and _has_amount(text, at + len(word)))

    def _units_asked(self, spotted: Spotted, start: int, end: int, words: Iterable[str]) -> list[Unit]:
        """The units right behind some words in a part: of how many, or of what money is turned into."""
        places = [at + len(word) for word in words for at in spotted.of(word) if start <= at < end]
        units = [self._units.at(spotted.text, place + (spotted.text[place : place + 1] == " ")) for place in places]
        return [unit[0] for unit in units if unit is not None]

    def _unit_behind(self, part: str, at: int) -> set[str]:
        """The kind of the first unit behind "how many"; "any" where none is named."""
        for place in range(at, min(len(part), at + _REACH)):
            if (place > at and _in_word(part, place)) or _counted(part, place):
                continue
            unit = self._units.at(part, place)
            if unit is not None:
                return self._kind_of(part, at, place, unit)
        return {"any"}

    def _kind_of(self, part: str, at: int, place: int, found: tuple[Unit, int]) -> set[str]:
        """What is asked for by a unit that stands behind "how many"."""
        unit, end = found
        if part[:place].endswith(("per ", "each ", "/")):
            return {"any"}
        if unit.kind == _ARTICLE and part[at:place] == " " == part[place + 1 : place + 2]:
            return {"any", "money"}
        kinds = {unit.kind, "item"} if unit.name == _SHEET else {unit.kind}
        if self._rate(part, end):
            return {f"{kind}_rate" if kind in _PACED else kind for kind in kinds}
        ahead = any(word in part[:at] for word in self._each_second)
        return kinds | {f"{kind}_rate" for kind in kinds & _PACED} if ahead else kinds

    @staticmethod
    def _rate(part: str, end: int) -> bool:
        return part[end : end + 2] in {"/s", "ps"} or part[end:].lstrip().startswith(
            ("per second", "a second", "each second")
        )


def _has_amount(text: str, at: int) -> bool:
    """Whether an amount stands right behind a word: it states what it names."""
    behind = text[at : at + _AMOUNT].lstrip(" $\u20ac\u00a3\u00a5")
    return behind[:1].isdigit()


def _counted(part: str, place: int) -> bool:
    """Whether a number stands right before a place: what stands there is the unit of a size, as in "24 GB cards"."""
    return part[:place].rstrip()[-1:].isdigit()


def _in_word(text: str, place: int) -> bool:
    """Whether a place is inside a Latin word."""
    pair = text[place - 1 : place + 1]
    return pair.isascii() and pair.isalpha()


def _evened(words: Any, even: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(sorted({even(str(word)) for word in words}, key=lambda word: (-len(word), word)))
