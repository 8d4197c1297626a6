"""Reads the number itself: figures with a magnitude, Chinese numerals, English number words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from bot.core.languages import LanguageWords
from bot.core.numbers import LARGEST
from bot.understand.slots.found import Reading, holds
from bot.understand.slots.units import Units
from bot.understand.tokens import Token

_BEFORE_FIGURES = frozenset(
    [
        "x",
        "rtx",
        "v",
        "rmb",
        "usd",
        "cny",
        "eur",
        "gbp",
        "inr",
        "rs",
        "bs",
        "batch",
        "ctx",
        "batchsize",
        "seq",
        "len",
        "gpu",
        "py",
        "torch",
        "cuda",
        "cu",
    ]
)
"""Latin words that a figure may be glued to; after any other it is part of a name."""
_MOST_FIGURES: Final = 16
_MOST_WORDS: Final = 32
"""Tokens of one number in words; what goes on behind them is none that anybody counts with."""
_YEARLY = frozenset({"emit", "emits", "produce", "produces", "cause", "causes", "burn", "burns", "consume", "consumes"})
"""Verbs before "a year" that leave it the time asked about, not the rate of an amount."""
_LASTING = frozenset({"for", "in", "over", "during", "within", "of", "about", "after"}) | _YEARLY
"""Words before an article that make it the number of a time ("for a week")."""
_WHOLE = frozenset({"whole", "full", "entire", "solid"})
_POWER = frozenset({"psu", "power_draw", "power_limit", "electricity"})
"""Where these are spoken of, a w is watts."""
_TIME_UNITS = frozenset({"hour", "day", "week", "month", "year"})


class Number(NamedTuple):
    """A number that ends before token `end`; `words`: not written in figures."""

    value: float
    end: int
    words: bool
    magnitude: str = ""

    @property
    def is_readable(self) -> bool:
        """Whether it lies in the range of numbers that are counted with; of others only the place is of use."""
        return 0 <= self.value <= LARGEST


class Numerals:
    """Number words of all languages, ready for look-up."""

    def __init__(self, languages: Iterable[LanguageWords], units: Units, even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        self._units = units
        self.han_digits: dict[str, float] = {}
        self._han_scales: dict[str, float] = {}
        self._digits: dict[str, float] = {}
        self._scales: dict[str, float] = {}
        self._vague = frozenset(even(word) for words in languages for word in words.vague)
        money: set[str] = set()
        counted: set[str] = set()
        for words in languages:
            for word, value in words.digits.items():
                (self._digits if word.isascii() else self.han_digits)[even(word)] = value
            for word, value in words.scales.items():
                (self._scales if word.isascii() else self._han_scales)[even(word)] = value
            money.update(map(even, words.money_after))
            counted.update(map(even, words.measure_words))
        self._watts_near = tuple(even(word) for words in languages for word in words.watts_near)
        self._money = frozenset(money)
        self._measures = frozenset(counted)
        self.starts = frozenset({*self.han_digits, *self._han_scales, *self._digits, "a", "an"})
        """What a number in words may begin with."""

    def at(self, reading: Reading, index: int) -> Number | None:
        """The number that starts at a token, if one does that is counted with."""
        number = self.scan(reading, index)
        return number if number is not None and number.is_readable else None

    def scan(self, reading: Reading, index: int) -> Number | None:
        """What is written as a number from a token on, readable or not: for going on behind it."""
        token = reading.tokens[index]
        if token.kind == "n":
            before = reading.tokens[index - 1] if index else None
            if before is not None and token.glued and before.kind == "w" and before.text not in _BEFORE_FIGURES:
                return None
            return self._figures(reading, index)
        if token.kind == "h":
            return self._han_number(reading, index)
        if token.kind == "w":
            return self._english_number(reading, index)
        return None

    def _figures(self, reading: Reading, index: int) -> Number | None:
        tokens = reading.tokens
        text = tokens[index].text.replace(",", "")
        if text.count(".") > 1 or len(text) > _MOST_FIGURES:
            return None
        at = index + 1
        if len(text) <= 3 and at < len(tokens) and tokens[at].text == "000" and "." not in text:
            text, at = text + "000", at + 1
        value = float(text)
        magnitude = ""
        if at < len(tokens):
            after = tokens[at]
            further = tokens[at + 1] if at + 1 < len(tokens) else None
            if after.text == "k" and value < 1000 and (after.glued or self._is_money(further)):
                value, at, magnitude = value * 1000, at + 1, "k"
                if further is not None and further.kind == "n" and further.glued and len(further.text) == 1:
                    value, at = value + float(further.text) * 100, at + 1
            elif after.text == "e" and after.glued and further is not None and _is_power(further):
                value, at, magnitude = value * 10.0 ** int(further.text), at + 2, "e"
            elif after.text == "w" and self._is_ten_thousand(reading, value, after, further):
                value, at, magnitude = value * 10000, at + 1, "w"
                if further is not None and further.kind == "n" and further.glued and len(further.text) == 1:
                    value, at = value + float(further.text) * 1000, at + 1
            elif after.kind == "h" and after.text in self._han_scales and after.glued:
                value, at, magnitude = self._han_magnitude(reading, value, at)
            elif after.kind == "w" and after.text in self._scales and not _part_of_size(tokens, at):
                value, at, magnitude = value * self._scales[after.text], at + 1, after.text
        return Number(value, at, False, magnitude)

    def _is_money(self, token: Token | None) -> bool:
        return token is not None and token.text in self._money

    def _unit_follows(self, tokens: list[Token], at: int) -> bool:
        return at < len(tokens) and tokens[at].glued and tokens[at].text in self._measures

    def _is_ten_thousand(self, reading: Reading, value: float, after: Token, further: Token | None) -> bool:
        """In Chinese chat a w after a small figure is ten thousand; 850w is watts, and so is every w in English."""
        if not after.glued or (further is not None and further.glued and further.kind == "w"):
            return False
        if reading.language != "zh" or value >= 100 or reading.concepts & _POWER:
            return False
        return not holds(reading.text, self._watts_near)

    def _han_magnitude(self, reading: Reading, value: float, at: int) -> tuple[float, int, str]:
        """Figures with a Chinese magnitude, and a digit after it for the next lower place (1 ten-thousand 5)."""
        tokens = reading.tokens
        scale = self._han_scales[tokens[at].text]
        magnitude = tokens[at].text
        value *= scale
        at += 1
        while at < len(tokens) and tokens[at].kind == "h" and tokens[at].text in self._han_scales and tokens[at].glued:
            value *= self._han_scales[tokens[at].text]
            scale *= self._han_scales[tokens[at].text]
            at += 1
        if at < len(tokens) and tokens[at].glued:
            token = tokens[at]
            if token.kind == "n" and len(token.text) == 1 and not self._unit_follows(tokens, at + 1):
                return value + float(token.text) * scale / 10, at + 1, magnitude
            if token.kind == "h" and token.text in self.han_digits and self.han_digits[token.text] >= 1:
                following = tokens[at + 1].text if at + 1 < len(tokens) else ""
                if following in self._han_scales:
                    rest = self._han_number(reading, at)
                    if rest is not None and rest.value < scale:
                        return value + rest.value, rest.end, magnitude
                elif self._units.at(reading, at) == ("", at, "") and not (
                    self.han_digits[token.text] == 1 and self._begins_measure(reading, at + 1)
                ):
                    return value + self.han_digits[token.text] * scale / 10, at + 1, magnitude
            if token.kind == "h" and self.han_digits.get(token.text) == 0.5 and scale >= 100:
                return value + scale / 2, at + 1, magnitude
        return value, at, magnitude

    def _han_number(self, reading: Reading, index: int) -> Number | None:
        """Chinese numerals: digits and scales, "one and a half" forms, pairs such as two-three for a range."""
        tokens = reading.tokens
        total = section = 0.0
        digit: float | None = None
        last_scale = 1.0
        at = index
        seen = False
        pair_low: float | None = None
        end = min(len(tokens), index + _MOST_WORDS)
        while at < end and tokens[at].kind == "h" and (at == index or tokens[at].glued):
            word = tokens[at].text
            if word in self.han_digits:
                value = self.han_digits[word]
                if value == 0.5 and seen:
                    break
                if digit is not None and value == digit + 1 and pair_low is None and digit >= 1:
                    pair_low = digit
                digit = value
                seen = True
            elif word in self._han_scales:
                scale = self._han_scales[word]
                if not seen and scale != 10 and not self._round_sum(reading, at):
                    return None
                if scale >= 10000:
                    total = (total + section + (digit or 0)) * scale if (total or section or digit) else scale
                    section = 0
                else:
                    section += (1 if digit is None else digit) * scale
                digit, last_scale, seen = None, scale, True
            else:
                break
            at += 1
        if not seen:
            return None
        scaled = at - 2 >= index and tokens[at - 2].text in self._han_scales
        if digit == 1 and scaled and self._begins_measure(reading, at):
            # "eight thousand a piece": the one belongs to the piece
            digit, at = None, at - 1
        if digit is not None:
            section += digit * (
                last_scale / 10 if last_scale >= 100 and tokens[at - 2].text in self._han_scales and digit != 0.5 else 1
            )
        value = total + section
        if pair_low is not None:
            return Number(value, at, True, "pair")
        return Number(value or math.nan, at, True)

    def _round_sum(self, reading: Reading, at: int) -> bool:
        """Whether a scale alone is one of it in money ("within ten thousand yuan"), not the end of a vague number."""
        tokens = reading.tokens
        if at + 1 >= len(tokens) or tokens[at + 1].text not in self._money or not tokens[at + 1].glued:
            return False
        before = tokens[at - 1] if at else None
        return before is None or (before.kind != "n" and before.text not in self._vague)

    def _begins_measure(self, reading: Reading, at: int) -> bool:
        """Whether a measure word or a unit that prices are said of stands at a token."""
        tokens = reading.tokens
        return at < len(tokens) and (
            tokens[at].text in self._measures or self._units.at(reading, at)[0] in {*_TIME_UNITS, "kwh"}
        )

    def _english_number(self, reading: Reading, index: int) -> Number | None:
        tokens = reading.tokens
        word = tokens[index].text
        if word in {"a", "an"}:
            return self._one(reading, index)
        if word not in self._digits or (tokens[index].glued and index and tokens[index - 1].kind == "w"):
            return None
        value = self._digits[word]
        at = index + 1
        if (
            at < len(tokens)
            and tokens[at].text == "-"
            and at + 1 < len(tokens)
            and tokens[at + 1].text in self._digits
            and value >= 20
        ):
            value += self._digits[tokens[at + 1].text]
            at += 2
        if word == "half" and at < len(tokens) and tokens[at].text in {"a", "an"}:
            at += 1
        if word in {"couple", "pair", "dozen"} and at < len(tokens) and tokens[at].text == "of":
            at += 1
        while at < min(len(tokens), index + _MOST_WORDS) and tokens[at].text in self._scales:
            value *= self._scales[tokens[at].text]
            at += 1
        return Number(value, at, True)

    def _one(self, reading: Reading, index: int) -> Number | None:
        """The article as a number: "for a week", "over a whole month", but not the rate of "8 hours a day"."""
        tokens = reading.tokens
        at = index + 1
        whole = at < len(tokens) and tokens[at].text in _WHOLE
        # at the head of a message nothing stands before it that it could be the rate of
        if not whole and index and tokens[index - 1].text not in _LASTING:
            return None
        at += whole
        return Number(1.0, at, True) if self._units.at(reading, at)[0] in _TIME_UNITS else None


def _is_power(token: Token) -> bool:
    """Whether a figure may be a power of ten: "1e9", not "2e5.5"."""
    return token.kind == "n" and token.glued and token.text.isdigit() and len(token.text) < 3


def _part_of_size(tokens: list[Token], at: int) -> bool:
    """Whether "billion" after a number means parameters of a model (left to the model grammar)."""
    return tokens[at].text in {"billion"}
