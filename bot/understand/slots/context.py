"""Looks at the words beside a number: does one of these cues stand before or after it?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from bot.understand.files import Cue
from bot.understand.lexicon import flatten
from bot.understand.slots.found import Reading, holds
from bot.understand.tokens import tokenise

_WINDOW = 26
_CLAUSE = 60
"""Characters of a clause before a number."""
_CLAUSE_ENDS = re.compile(r"[,;:?!.\d]")
_RATE_WINDOW = 16
_LONGEST_DEED = 14
"""Letters between "every day" and the hours of it."""
_MOST_GLUE = 3
_SIGNS_OF_MONEY = " $\uffe5\u20ac\u00a3"


_PLURAL: Final = re.compile(r"s(?![a-z])")
_FEWEST_IN_THOUSANDS: Final = 1024
MOST_SHEETS: Final = 64
"""More sheets than that are pictures: without a card beside them, or where a model learns from pictures."""


_TAUGHT: Final = frozenset({"training", "finetuning", "time_question"})
_LARGE: Final = frozenset({"cluster", "pretraining"})


def of_pictures(reading: Reading, cues: Cues, value: float, unit: str) -> bool:
    """Whether so many sheets are pictures that a model which sees or draws is to learn from, and no cards.

    Args:
        reading: the message, its models found.
        cues: words beside numbers.
        value: the number.
        unit: the measure word behind it.
    """
    if value <= MOST_SHEETS or unit not in cues.words["sheet"] or unit in cues.words["piece"]:
        return False
    taught = bool(reading.concepts & _TAUGHT) and reading.concepts.isdisjoint(_LARGE)
    models = [flatten(str(one.value).lower()) for one in reading.values if one.slot == "model"] if taught else []
    return any(name.startswith(cues.words["sized_models"]) for name in models)


def counts_cluster(reading: Reading, value: float, end: int) -> bool:
    """Whether a bare number beyond a thousand counts the card right behind it.

    Clusters are told in powers of two or with the card in the plural; prices are neither.

    Args:
        reading: the message, its cards found.
        value: the number.
        end: where it ends.
    """
    if value <= _FEWEST_IN_THOUSANDS or value != int(value):
        return False
    behind = [one for one in reading.values if one.slot == "gpu" and 0 <= one.start - end <= 1]
    power = int(value) & (int(value) - 1) == 0
    return any(power or reading.text[one.end - 1] == "s" or _PLURAL.match(reading.text, one.end) for one in behind)


class WordStarts:
    """Words looked up by their first character: does a text start with one of them?"""

    def __init__(self, words: Iterable[str]) -> None:
        """`words` in the order in which they are tried."""
        self._words: dict[str, tuple[str, ...]] = {}
        for word in words:
            self._words[word[0]] = (*self._words.get(word[0], ()), word)

    def __call__(self, text: str) -> bool:
        """Whether a text starts with one of the words, not in the middle of a longer Latin word."""
        words = self._words.get(text[:1])
        return words is not None and text.startswith(words) and _first_word(words, text) != ""

    def which(self, text: str) -> str:
        """The first of the words that the text starts with, else ""."""
        words = self._words.get(text[:1])
        return _first_word(words, text) if words is not None and text.startswith(words) else ""


class WordEnds:
    """Words looked up by their last character: does a text end with one of them?"""

    def __init__(self, words: Iterable[str]) -> None:
        """`words` in the order in which they are tried."""
        self._words: dict[str, tuple[str, ...]] = {}
        for word in words:
            self._words[word[-1]] = (*self._words.get(word[-1], ()), word)

    def __call__(self, text: str) -> bool:
        """Whether a text ends with one of the words, not in the middle of a longer Latin word."""
        words = self._words.get(text[-1:])
        return words is not None and text.endswith(words) and _last_word(words, text) != ""

    def which(self, text: str) -> str:
        """The first of the words that the text ends with, else ""."""
        words = self._words.get(text[-1:])
        return _last_word(words, text) if words is not None and text.endswith(words) else ""


def asks_why_not(text: str, word: str, asked: tuple[str, ...]) -> bool:
    """Whether a text that ends with a word of denial asks for a reason and denies nothing.

    Args:
        text: what stands before a value.
        word: the word of denial that it ends with.
        asked: phrases that ask; one of them may end within the word, as where Chinese asks why something is not taken.
    """
    return text.endswith(asked) or (not word.isascii() and (text[: -len(word)] + word[:1]).endswith(asked))


def _first_word(words: Iterable[str], text: str) -> str:
    """The first of the words that the text starts with and that is no part of a longer one, else ""."""
    return next((word for word in words if text.startswith(word) and _ends_word(text, len(word))), "")


def _last_word(words: Iterable[str], text: str) -> str:
    """The first of the words that the text ends with and that is no part of a longer one, else ""."""
    return next((word for word in words if text.endswith(word) and _starts_word(text, len(text) - len(word))), "")


class Cues:
    """Cue words by kind, and the glue that may stand between a cue and its number."""

    def __init__(self, content: Mapping[str, Cue], even: Callable[[str], str]) -> None:
        """`content` is `languages/names/cues.yaml`; `even` normalises a surface."""
        self._before: dict[str, WordEnds] = {}
        self._after: dict[str, WordStarts] = {}
        self.words: dict[str, tuple[str, ...]] = {}
        self._per_before: dict[str, WordEnds] = {}
        self._per_after: dict[str, WordStarts] = {}
        for kind, value in content.items():
            if not isinstance(value, Mapping):
                self.words[kind] = _longest_first(value, even)
            elif kind == "per":
                for unit, listed in value.items():
                    words = [word for word in _longest_first(listed, even) if len(word) > 1]
                    self._per_before[unit], self._per_after[unit] = WordEnds(words), WordStarts(words)
            else:
                self._before[kind] = WordEnds(_longest_first(value.get("before", ()), even))
                self._after[kind] = WordStarts(_longest_first(value.get("after", ()), even))
        self.all_day = frozenset(tokenise(word).words[0] for word in self.words["all_day"])
        """What the words for day and night begin with: where none of it stands, none of them does."""
        self.second_card = frozenset(tokenise(phrase).words[0] for phrase in self.words["second_card"])
        self.starting = {kind: WordStarts(words) for kind, words in self.words.items()}
        self.ending = {kind: WordEnds(words) for kind, words in self.words.items()}

    def before(self, kind: str, reading: Reading, start: int) -> bool:
        """Whether a cue of this kind ends right before `start`, glue aside."""
        return any(map(self._before[kind], self._pieces_before(reading, start)))

    def word_before(self, kind: str, text: str) -> str:
        """The cue of this kind that a piece of text ends with, else ""."""
        return self._before[kind].which(text)

    def after(self, kind: str, reading: Reading, end: int) -> bool:
        """Whether a cue of this kind starts right after `end`."""
        return any(map(self._after[kind], self._pieces_after(reading, end)))

    def in_clause(self, kind: str, reading: Reading, start: int) -> tuple[str, str]:
        """The last cue of this kind before `start` in its clause with no number between, and what stands before it."""
        piece = _CLAUSE_ENDS.split(reading.flat[max(0, start - _CLAUSE) : start])[-1].rstrip()
        which = self._before[kind].which
        for at in range(len(piece), 0, -1):
            if word := which(piece[:at]):
                return word, piece[: at - len(word)].rstrip()
        return "", ""

    def labels_next(self, kind: str, reading: Reading, end: int) -> bool:
        """Whether the cue right after `end` stands before a number of its own ("RAM 16g VRAM 8g")."""
        for piece in self._pieces_after(reading, end):
            word = self._after[kind].which(piece)
            if word:
                return piece[len(word) :].lstrip(" :=")[:1].isdigit()
        return False

    def either(self, kind: str, reading: Reading, start: int, end: int) -> bool:
        """Whether a cue stands on one of the two sides."""
        return self.after(kind, reading, end) or self.before(kind, reading, start)

    def owned(self, reading: Reading, start: int) -> bool:
        """Whether the words right before say that something is there already ("I have", "my")."""
        return any(map(self.ending["own"], self._pieces_before(reading, start)))

    def starts(self, kind: str, text: str) -> bool:
        """Whether one of the listed words stands anywhere in a short piece of text."""
        return holds(text, self.words[kind])

    def period(self, reading: Reading, start: int, end: int) -> str:
        """hour, day, week, month or year when the number is a rate ("3 yuan an hour", "monthly 500")."""
        behind = self.period_behind(reading, end)
        if behind:
            return behind
        if _begins_clause(reading.flat, start):
            return ""
        pieces = self._pieces_before(reading, start)
        for unit, ends in self._per_before.items():
            if any(map(ends, pieces)):
                return unit
        return ""

    def period_ahead(self, reading: Reading, start: int) -> str:
        """The period that stands right before a number, nothing in between."""
        piece = self._pieces_before(reading, start)[0]
        return next((unit for unit, ends in self._per_before.items() if ends(piece)), "")

    def period_behind(self, reading: Reading, end: int) -> str:
        """The period that stands right behind a number ("8 hours a day")."""
        # behind a comma begins what is asked: "10 hours a day, a month costs what"
        after = reading.flat[end : end + _RATE_WINDOW].lstrip(" (")
        return next((unit for unit, starts in self._per_after.items() if starts(after)), "")

    def period_of_clause(self, reading: Reading, start: int) -> str:
        """The period that opens the clause of a number, what is done in between ("every day I render 6 hours")."""
        piece = self._pieces_before(reading, start)[-1]
        for cut in range(min(len(piece), _LONGEST_DEED)):
            if cut and not (piece[-cut].isalpha() or piece[-cut] == " "):
                break
            rest = piece[: len(piece) - cut]
            unit = next((unit for unit, ends in self._per_before.items() if ends(rest)), "")
            if unit:
                return unit
        return ""

    def right_before(self, kind: str, reading: Reading, start: int) -> bool:
        """Whether a cue of this kind ends right before `start`, nothing but signs and "set to" between."""
        piece = self._pieces_before(reading, start)[0].rstrip("=: ")
        setting = self.ending["assigned"].which(piece)
        return self._before[kind](piece[: len(piece) - len(setting)].rstrip() if setting else piece)

    def hourly_after(self, reading: Reading, end: int) -> bool:
        """Whether a number is said to be of one hour by what stands right behind it."""
        return self._per_after["hour"](reading.flat[end : end + _RATE_WINDOW].lstrip(" ("))

    def _pieces_before(self, reading: Reading, start: int) -> list[str]:
        """What stands before a place, then the same with up to three pieces of glue taken off its end."""
        pieces = reading.before.get(start)
        if pieces is None:
            piece = reading.flat[max(0, start - _WINDOW) : start].rstrip(f"{_SIGNS_OF_MONEY},")
            pieces = reading.before[start] = [piece]
            for _ in range(_MOST_GLUE):
                glue = self.ending["glue"].which(piece)
                if not glue:
                    break
                piece = piece[: len(piece) - len(glue)].rstrip(" ,")
                pieces.append(piece)
        return pieces

    def _pieces_after(self, reading: Reading, end: int) -> list[str]:
        """What stands after a place, then the same without the glue at its start."""
        pieces = reading.after.get(end)
        if pieces is None:
            piece = reading.flat[end : end + _WINDOW].lstrip(" ()")
            pieces = reading.after[end] = [piece]
            if piece.startswith(self.words["after_glue"]):
                glue = next(word for word in self.words["after_glue"] if piece.startswith(word))
                pieces.append(piece[len(glue) :].lstrip())
        return pieces


def _begins_clause(text: str, start: int) -> bool:
    """Whether a comma stands right before a number: what precedes it was said of another."""
    return text[max(0, start - _WINDOW) : start].rstrip(_SIGNS_OF_MONEY).endswith(",")


def longest_first(words: Iterable[str]) -> tuple[str, ...]:
    """Each word once, the longer ones first."""
    return tuple(sorted(set(words), key=lambda word: (-len(word), word)))


def _longest_first(words: Iterable[str], even: Callable[[str], str]) -> tuple[str, ...]:
    return longest_first(flatten(even(str(word))) or str(word) for word in words)


def _ends_word(text: str, end: int) -> bool:
    """Whether a word that ends here is no part of a longer Latin word."""
    return not (end < len(text) and _is_letter(text[end - 1]) and _is_letter(text[end]))


def _starts_word(text: str, start: int) -> bool:
    """Whether a word that starts here is no part of a longer Latin word."""
    return not (start and _is_letter(text[start]) and _is_letter(text[start - 1]))


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def plain_number(value: float) -> int | float:
    """An int where the value, which passed the gate of `bot.core.numbers`, is whole."""
    return int(value) if value == int(value) else round(value, 4)
