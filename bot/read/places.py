"""Places in a text around a number: what stands right behind, before the next sign, or inside a longer word."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Final

from bot.read.measured_units import Unit, UnitTable, goes_on
from bot.understand.slots.currency import stated_before
from bot.understand.slots.found import Reading
from bot.understand.tokens import Token

BREAKS: Final = frozenset(",;.?!:()[]\uff0c\u3002\uff1b\uff1f\uff01\n")
_TIMES: Final = frozenset({"time", "day", "week", "month", "year"})
_LONG_TIMES: Final = frozenset({"month", "year"})
_ROUNDS: Final = frozenset({"round", "step", "run", "card", "machine", "layer", "item"})
_FEW: Final = 10.0
_UNRATED: Final = frozenset({"card", "machine", "person"})
"""Kinds that are counted for nothing: what is said behind them is of the next number."""
_PACES: Final = frozenset({"second", "minute"})
"""For these even such pieces are counted: so many sheets a second."""
_PER: Final = "per"
_ASKED: Final = re.compile(r"\b(?:for|do|does|did|can|could|will|would|should|if|when|with|to)\b")
_YEAR: Final = re.compile(r"(?:19[89]|20\d)\d")
_BEFORE_YEAR: Final = re.compile(
    r"(?<!\bput )(?<!\bputs )(?<!\bchip )(?<!\bchipped )\b(?:in|since|until|by|from|for|late|early|mid)[ -]$"
)
_YEAR_BEHIND: Final = re.compile(r" ?\u5e74(?![\u591a\u5185\u540e\u91cc\u5185])")
_YEAR_ENDS: Final = re.compile(r"(?! ?[\d%x\u00d7]| ?[a-z]+/)(?=\W|$)")
"""A year by its date, the words before it, what stands behind it."""
_SIGN: Final = 5
"""Characters before a number in which the sign of a currency stands."""
_WORD: Final = re.compile(r"[a-z]")


def _is_of_next(kind: str, value: float, unit: Unit) -> bool:
    """Whether a time behind a number is said of what follows: watts are drawn, not spent by the day.

    Nor does anybody pay a few coins without a currency for months, or count rounds by the round.
    """
    return (
        (kind == unit.kind and kind in _ROUNDS)
        or (kind == "power" and unit.kind in _TIMES)
        or (not kind and value < _FEW and unit.kind in _LONG_TIMES)
    )


def is_no_rate(kind: str, unit: Unit, *, said: bool, value: float) -> bool:
    """Whether a unit behind "per" is none that such a kind is counted for.

    A time behind watts is said of what follows; cards are counted for seconds alone; so many hours of sound a day are
    no hours a day where it is said of what.
    """
    if _is_of_next(kind, value, unit) or (kind in _UNRATED and unit.name not in _PACES):
        return True
    return kind == "time" and said and unit.kind != kind


def is_of_what_is_asked(piece: str, word: str, end: int) -> bool:
    """Whether a rate before a number is that of what is asked for: a verb, or what a thing is for, stands between."""
    return word == _PER and _ASKED.search(piece, end) is not None


def token_at(reading: Reading, end: int, first: int = 0) -> int:
    """The first token from `first` on that stands at a place or behind it."""
    size = len(reading.tokens)
    return next((number for number in range(first, size) if reading.tokens[number].start >= end), size)


def breaks(token: Token) -> bool:
    """Whether a sign ends a part of the text; brackets do not."""
    return token.text in BREAKS and token.text not in "()"


def behind_spaces(text: str, at: int) -> int:
    """The first place from here on that is no space."""
    while at < len(text) and text[at] == " ":
        at += 1
    return at


def behind_one(text: str, at: int, words: Iterable[str]) -> int:
    """The place behind the word of these that stands here, spaces before it aside; the place itself where none does."""
    start = behind_spaces(text, at)
    found = (start + len(word) for word in words if text.startswith(word, start))
    return next((end for end in found if not goes_on(text, end)), at)


def holds(text: str, word: str) -> bool:
    """Whether a text holds a word, not as part of a longer one."""
    at = text.find(word)
    return at >= 0 and not inside(text, at, word) and not goes_on(text, at + len(word))


def inside(text: str, at: int, word: str) -> bool:
    """Whether a Latin word stands in the middle of a longer one."""
    return bool(at and _WORD.match(word[0]) and text[at - 1].isascii() and text[at - 1].isalpha())


def is_led(text: str, at: int, words: tuple[str, ...]) -> bool:
    """Whether a word stands right before a place, not as the end of a longer one."""
    before = text[:at].rstrip()
    return any(before.endswith(word) and not inside(before, len(before) - len(word), word) for word in words)


def next_word(text: str, at: int) -> int | None:
    """Where the next Latin word or Han character ends; None where a sign or a number stands."""
    if at >= len(text) or text[at] in BREAKS or text[at].isdigit():
        return None
    if not text[at].isascii():
        return at + 1
    end = at
    while end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] in "-'"):
        end += 1
    return end if end > at else None


def longest_first(words: Iterable[str]) -> tuple[str, ...]:
    """Words, each once, the longer before the shorter."""
    return tuple(sorted(set(words), key=lambda word: (-len(word), word)))


def begins_name(text: str, start: int, end: int) -> bool:
    """Whether a single Latin letter is the head of a name and no unit, as in "an A100"."""
    letter = text[start:end]
    return len(letter) == 1 and letter.isascii() and letter.isalpha() and text[end : end + 1].isdigit()


def is_pace(kind: str, value: float) -> bool:
    """Whether hours may be those of what is got through in an hour, and no share of it."""
    return kind == "time" and value > 1


def counted_name(reading: Reading, at: int, units: UnitTable, *, near: bool) -> str:
    """What is counted of the name that a token belongs to: its hours where their word stands behind, itself if near."""
    token = next((one for one in reading.tokens[at:] if reading.is_free(one.start, one.end)), None)
    unit = units.at(reading.text, token.start) if token is not None else None
    if unit is not None and unit[0].name == "hour":
        return "card_hour"
    return "card" if near else ""


def is_weekday(text: str, token: Token, weeks: tuple[str, ...], digits: Container[str], units: UnitTable) -> bool:
    """Whether a numeral is that of a day of the week: it stands behind the word and counts nothing itself."""
    behind = token.text in digits and text[: token.start].endswith(weeks)
    counted = units.at(text, token.end) if behind else None
    return behind and (counted is None or counted[0].kind == "week")


def is_calendar_year(text: str, start: int, end: int) -> bool:
    """Whether the figures of a number are those of a year by its date: "in 2026", 2026 and the word for a year."""
    if not _YEAR.fullmatch(text, start, end):
        return False
    return bool(_YEAR_BEHIND.match(text, end)) or bool(
        _BEFORE_YEAR.search(text[:start]) and _YEAR_ENDS.match(text, end)
    )


def sign_before(text: str, start: int) -> str:
    """The currency whose sign or name stands right before a number; the end of a sentence before it names none."""
    before = text[max(0, start - _SIGN) : start].rstrip()
    if not before or text[:start].endswith(". ") or (before[-1].isalnum() and not before[-1].isascii()):
        return ""
    return stated_before(before)


def typed_in(reading: Reading, start: int, end: int) -> str:
    """What stands between two places, as it was typed."""
    return reading.raw[reading.offsets[start] : reading.offsets[end - 1] + 1]
