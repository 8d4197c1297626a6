"""Reads the number itself: figures with a magnitude, Chinese numerals, English number words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Final, NamedTuple

from bot.core.languages import LanguageWords
from bot.core.numbers import LARGEST
from bot.understand.slots.found import Reading, holds
from bot.understand.slots.units import Units
from bot.understand.tokens import Token

_BEFORE_FIGURES = frozenset(
    {
        "x", "rtx", "v", "rmb", "usd", "cny", "eur", "gbp", "inr", "rs", "bs", "batch", "ctx", "batchsize", "seq",
        "len", "gpu", "py", "torch", "cuda", "cu",
    }
)  # fmt: skip
"""Latin words that a figure may be glued to; after any other it is part of a name."""
_MOST_FIGURES: Final = 16
_CARD: Final = "card"
_MOST_WORDS: Final = 32
"""Tokens of one number in words; what goes on behind them is none that anybody counts with."""
_YEARLY = frozenset({"emit", "emits", "produce", "produces", "cause", "causes", "burn", "burns", "consume", "consumes"})
"""Verbs before "a year" that leave it the time asked about, not the rate of an amount."""
_LASTING = (
    frozenset(
        {
            "have",
            "has",
            "got",
            "takes",
            "took",
            "gives",
            "for",
            "in",
            "over",
            "during",
            "within",
            "of",
            "about",
            "after",
        }
    )
    | _YEARLY
)
"""Words before an article that make it the number of a time ("for a week")."""
_WHOLE = frozenset({"whole", "full", "entire", "solid"})
_POWER = frozenset({"psu", "power_draw", "power_limit", "electricity"})
"""Where these are spoken of, a w is watts."""
_TIME_UNITS = frozenset({"hour", "day", "week", "month", "year"})
_PRICED_BY = _TIME_UNITS | {"kwh"}
_ARTICLES = frozenset({"a", "an"})
_OF = frozenset({"of"})
_LINKS = {"half": _ARTICLES, "couple": _OF, "pair": _OF, "dozen": _OF}
"""What may stand between a number word and what it counts."""
_HUNDRED, _AND = "hundred", "and"
"""A hundred may go on: "two hundred and fifty"."""
_LEAST_TENS = 20
"""From here on a hyphen and a digit may follow a number word ("thirty-five")."""
_MOST_K = 1000
"""A number with a k behind it is less than this."""
_MOST_TEN_THOUSANDS = 100
"""A number with a w for ten thousand behind it is less than this."""
_OF_MODELS = "billion"
"""A scale that means the parameters of a model (left to the model grammar)."""


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


class _HanSum:
    """A Chinese numeral while it is read: what is summed up so far, and the digit whose scale is still to come."""

    __slots__ = ("digit", "last_scale", "paired", "section", "seen", "total")

    def __init__(self) -> None:
        """Nothing is read yet."""
        self.total = self.section = 0.0
        self.digit: float | None = None
        self.last_scale = 1.0
        self.seen = self.paired = False
        """Two digits that follow each other were said, for a range ("two-three hundred")."""

    def add_digit(self, value: float) -> bool:
        """Take a digit; False for what ends a number: a half, or a further digit behind one that ended it."""
        again = self.digit is not None and self.digit >= 1 and self.last_scale > 1 and value != self.digit + 1
        if (value == 0.5 and self.seen) or again:
            return False
        if self.digit is not None and self.digit >= 1 and value == self.digit + 1:
            self.paired = True
        self.digit, self.seen = value, True
        return True

    def add_scale(self, scale: float) -> None:
        """Take a scale: ten thousand and more scale all that was said, less only the digit before."""
        if scale >= 10000:
            said = self.total + self.section + (self.digit or 0)
            self.total, self.section = (said or 1) * scale, 0
        else:
            self.section += (1 if self.digit is None else self.digit) * scale
        self.digit, self.last_scale, self.seen = None, scale, True

    def number(self, end: int, behind_scale: bool) -> Number:
        """The numeral that ends before a token; nothing is no number that is counted with."""
        value = self._value(behind_scale)
        return Number(value, end, True, "pair") if self.paired else Number(value or math.nan, end, True)

    def _value(self, behind_scale: bool) -> float:
        """What was said. A last digit right behind a scale of a hundred or more is of the next lower place."""
        digit = self.digit or 0.0
        lower = behind_scale and self.last_scale >= 100 and digit != 0.5
        return self.total + self.section + digit * (self.last_scale / 10 if lower else 1)


class Numerals:
    """Number words of all languages, ready for look-up."""

    def __init__(self, languages: Iterable[LanguageWords], units: Units, even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        listed = tuple(languages)
        self._units = units
        self.han_digits: dict[str, float] = {}
        self._han_scales: dict[str, float] = {}
        self._digits: dict[str, float] = {}
        self._scales: dict[str, float] = {}
        for words in listed:
            _sort_by_script(words.digits, self._digits, self.han_digits, even)
            _sort_by_script(words.scales, self._scales, self._han_scales, even)
        self._vague = frozenset(map(even, chain.from_iterable(words.vague for words in listed)))
        self._watts_near = tuple(even(word) for words in listed for word in words.watts_near)
        self._money = frozenset(map(even, chain.from_iterable(words.money_after for words in listed)))
        self._measures = frozenset(map(even, chain.from_iterable(words.measure_words for words in listed)))
        self._of_digits = {even(w): tuple(map(even, no)) for words in listed for w, no in words.digit_words.items()}
        self.starts = frozenset({*self.han_digits, *self._han_scales, *self._digits, *_ARTICLES})
        """What a number in words may begin with."""
        self._by_letter = {"k": self._thousands, "e": self._powers, "w": self._ten_thousands}
        self._by_kind = {"n": self._figures, "h": self._han_number, "w": self._english_number}

    def at(self, reading: Reading, index: int) -> Number | None:
        """The number that starts at a token, if one does that is counted with."""
        number = self.scan(reading, index)
        return number if number is not None and number.is_readable else None

    def scan(self, reading: Reading, index: int) -> Number | None:
        """What is written as a number from a token on, readable or not: for going on behind it."""
        read = self._by_kind.get(reading.tokens[index].kind)
        return read(reading, index) if read is not None else None

    # --- figures ---

    def _figures(self, reading: Reading, index: int) -> Number | None:
        """A number in figures with what scales it; None for a part of a name, a version or a serial number."""
        tokens = reading.tokens
        text = tokens[index].text.replace(",", "")
        if _in_name(tokens, index) or text.count(".") > 1 or len(text) > _MOST_FIGURES:
            return None
        at = index + 1
        if at >= len(tokens):
            return Number(float(text), at, False)
        if len(text) <= 3 and tokens[at].text == "000" and "." not in text:
            text, at = text + "000", at + 1
        return self._scaled(reading, float(text), at) or Number(float(text), at, False)

    def _scaled(self, reading: Reading, value: float, at: int) -> Number | None:
        """Figures with the letter or the word behind them that scales them, if one does."""
        if at >= len(reading.tokens):
            return None
        after = reading.tokens[at]
        by_letter = self._by_letter.get(after.text)
        scaled = by_letter(reading, value, at) if by_letter is not None else None
        if scaled is not None:
            return scaled
        if after.kind == "h" and after.glued and after.text in self._han_scales:
            return self._han_magnitude(reading, value, at)
        if after.kind == "w" and after.text in self._scales and after.text != _OF_MODELS:
            return Number(value * self._scales[after.text], at + 1, False, after.text)
        return None

    def _thousands(self, reading: Reading, value: float, at: int) -> Number | None:
        """A k, with the hundreds behind it ("3k5")."""
        further = _token(reading.tokens, at + 1)
        money = further is not None and further.text in self._money
        if value >= _MOST_K or not (reading.tokens[at].glued or money):
            return None
        return _with_next_place(value, 1000, further, at + 1, "k")

    def _powers(self, reading: Reading, value: float, at: int) -> Number | None:
        """A power of ten: "1e9", not "2e5.5"."""
        further = _token(reading.tokens, at + 1)
        if not reading.tokens[at].glued or further is None or not _is_power(further):
            return None
        return Number(value * 10.0 ** int(further.text), at + 2, False, "e")

    def _ten_thousands(self, reading: Reading, value: float, at: int) -> Number | None:
        """A w of Chinese chat, with the thousands behind it ("1w5")."""
        further = _token(reading.tokens, at + 1)
        if not self._is_ten_thousand(reading, value, reading.tokens[at], further):
            return None
        return _with_next_place(value, 10000, further, at + 1, "w")

    def _is_ten_thousand(self, reading: Reading, value: float, after: Token, further: Token | None) -> bool:
        """In Chinese chat a w after a small figure is ten thousand; 850w is watts, and so is every w in English."""
        if not after.glued or (further is not None and further.glued and further.kind == "w"):
            return False
        if reading.language != "zh" or value >= _MOST_TEN_THOUSANDS or reading.concepts & _POWER:
            return False
        return not holds(reading.text, self._watts_near)

    def _han_magnitude(self, reading: Reading, value: float, at: int) -> Number:
        """Figures with a Chinese magnitude, and a digit after it for the next lower place (1 ten-thousand 5)."""
        tokens = reading.tokens
        magnitude, scale = tokens[at].text, self._han_scales[tokens[at].text]
        value *= scale
        at += 1
        while at < len(tokens) and tokens[at].kind == "h" and tokens[at].glued and tokens[at].text in self._han_scales:
            further = self._han_scales[tokens[at].text]
            value, scale = value * further, scale * further
            at += 1
        lower = self._lower_place(reading, at, scale) if at < len(tokens) and tokens[at].glued else None
        if lower is None:
            return Number(value, at, False, magnitude)
        return Number(value + lower[0], lower[1], False, magnitude)

    def _lower_place(self, reading: Reading, at: int, scale: float) -> tuple[float, int] | None:
        """What is said below a magnitude in figures or Chinese ("1 ten-thousand 5"), and the token behind it."""
        token = reading.tokens[at]
        if reading.is_apart(at) and not reading.is_apart(at - 1):
            return None  # "60 thousand two people"
        if token.kind == "n":
            counted = len(token.text) > 1 or self._counts_on(reading.tokens, at + 1)
            return None if counted else (float(token.text) * scale / 10, at + 1)
        digit = self.han_digits.get(token.text, 0.0) if token.kind == "h" else 0.0
        if digit >= 1:
            return self._lower_digit(reading, at, digit, scale)
        return (scale / 2, at + 1) if digit == 0.5 and scale >= 100 else None

    def _lower_digit(self, reading: Reading, at: int, digit: float, scale: float) -> tuple[float, int] | None:
        """The value of a Chinese digit behind a magnitude: with its own scale, or of the next lower place."""
        following = _token(reading.tokens, at + 1)
        if following is not None and following.text in self._han_scales:
            rest = self._han_number(reading, at)
            return (rest.value, rest.end) if rest is not None and rest.value < scale else None
        if self._units.at(reading, at).kind or self._goes_on(reading, digit, at + 1):
            return None
        return digit * scale / 10, at + 1

    def _counts_on(self, tokens: list[Token], at: int) -> bool:
        """Whether a measure word stands right here, so that the figure before it counts things of its own."""
        return at < len(tokens) and tokens[at].glued and tokens[at].text in self._measures

    def _goes_on(self, reading: Reading, digit: float | None, at: int) -> bool:
        """Whether the last digit belongs to what follows: "eight thousand a piece", "ten thousand, second-hand"."""
        of_piece, behind = digit == 1 and self._begins_measure(reading, at), _token(reading.tokens, at)
        barred = self._of_digits.get(behind.text) if digit and behind else None
        return of_piece or bool(barred and behind and not reading.text.startswith(barred, behind.start))

    # --- Chinese ---

    def _han_number(self, reading: Reading, index: int) -> Number | None:
        """Chinese numerals: digits and scales, "one and a half" forms, pairs such as two-three for a range."""
        tokens, said = reading.tokens, _HanSum()
        at, end = index, min(len(tokens), index + _MOST_WORDS)
        while at < end and (at == index or tokens[at].glued) and self._add_han(said, reading, at):
            at += 1
        if not said.seen:
            return None
        last = at - 2 - said.paired  # "three thousand five-six": both digits stand behind the scale
        behind_scale = last >= index and tokens[last].text in self._han_scales
        if behind_scale and self._goes_on(reading, said.digit, at):
            said.digit, at = None, at - 1
        return said.number(at, behind_scale)

    def _add_han(self, said: _HanSum, reading: Reading, at: int) -> bool:
        """Take the next character into a numeral; False where it is no part of it."""
        word = reading.tokens[at].text
        if word in self.han_digits:
            return said.add_digit(self.han_digits[word])
        scale = self._han_scales.get(word)
        # of the scales only ten begins a numeral, and one of money
        if scale is None or not (said.seen or scale == 10 or self._round_sum(reading, at)):
            return False
        said.add_scale(scale)
        return True

    def _round_sum(self, reading: Reading, at: int) -> bool:
        """Whether a scale alone is one of it in money or cards ("ten thousand yuan"), not the end of a vague number."""
        tokens = reading.tokens
        if at + 1 >= len(tokens) or not tokens[at + 1].glued:
            return False
        if tokens[at + 1].text not in self._money and self._units.at(reading, at + 1).kind != _CARD:
            return False
        before = tokens[at - 1] if at else None
        return before is None or (before.kind != "n" and before.text not in self._vague)

    def _begins_measure(self, reading: Reading, at: int) -> bool:
        """Whether a measure word or a unit that prices are said of stands at a token."""
        tokens = reading.tokens
        return at < len(tokens) and (
            tokens[at].text in self._measures or self._units.at(reading, at).kind in _PRICED_BY
        )

    # --- English ---

    def _english_number(self, reading: Reading, index: int) -> Number | None:
        """English number words: "thirty-five", "half a", "a couple of", "two hundred thousand"."""
        tokens = reading.tokens
        word = tokens[index].text
        if word in _ARTICLES:
            return self._one(reading, index)
        if word not in self._digits or (tokens[index].glued and index and tokens[index - 1].kind == "w"):
            return None
        value, at = self._with_ones(tokens, index)
        if at < len(tokens) and tokens[at].text in _LINKS.get(word, ()):
            at += 1
        return self._scaled_by_words(tokens, value, at)

    def _scaled_by_words(self, tokens: list[Token], value: float, at: int) -> Number:
        """A number with the words behind it that scale it: "two hundred thousand", "a hundred"."""
        end = min(len(tokens), at + _MOST_WORDS)
        while at < end and tokens[at].text in self._scales:
            value *= self._scales[tokens[at].text]
            at += 1
        rest = _token(tokens, at + 1)
        joined = rest is not None and (tokens[at - 1].text, tokens[at].text) == (_HUNDRED, _AND)
        if rest is not None and joined and rest.text in self._digits:
            ones, at = self._with_ones(tokens, at + 1)
            value += ones
        return Number(value, at, True)

    def _with_ones(self, tokens: list[Token], index: int) -> tuple[float, int]:
        """A number word with the ones behind its hyphen, and the token behind them."""
        value = self._digits[tokens[index].text]
        ones = _token(tokens, index + 2) if value >= _LEAST_TENS and tokens[index + 1 : index + 2] else None
        if ones is None or tokens[index + 1].text != "-" or ones.text not in self._digits:
            return value, index + 1
        return value + self._digits[ones.text], index + 3

    def _one(self, reading: Reading, index: int) -> Number | None:
        """The article as a number: "for a week", "a hundred", "over a whole month", not the rate of "8 hours a day"."""
        tokens = reading.tokens
        at = index + 1
        if at < len(tokens) and tokens[at].text in self._scales:
            return self._scaled_by_words(tokens, 1.0, at)
        whole = at < len(tokens) and tokens[at].text in _WHOLE
        # at the head of a message nothing stands before it that it could be the rate of
        if not whole and index and tokens[index - 1].text not in _LASTING:
            return None
        at += whole
        return Number(1.0, at, True) if self._units.at(reading, at).kind in _TIME_UNITS else None


def _sort_by_script(
    words: Mapping[str, float], latin: dict[str, float], han: dict[str, float], even: Callable[[str], str]
) -> None:
    """Put number words into the table of their script."""
    for word, value in words.items():
        (latin if word.isascii() else han)[even(word)] = value


def _token(tokens: list[Token], at: int) -> Token | None:
    """The token at a place, None behind the last."""
    return tokens[at] if at < len(tokens) else None


def _in_name(tokens: list[Token], index: int) -> bool:
    """Whether figures are written on to a word that is no code of money and the like."""
    if not index or not tokens[index].glued:
        return False
    return tokens[index - 1].kind == "w" and tokens[index - 1].text not in _BEFORE_FIGURES


def _with_next_place(value: float, scale: int, further: Token | None, at: int, magnitude: str) -> Number:
    """Figures that a letter scales, and a single figure glued behind it for the next lower place."""
    if further is not None and further.kind == "n" and further.glued and len(further.text) == 1:
        return Number(value * scale + float(further.text) * scale / 10, at + 1, False, magnitude)
    return Number(value * scale, at, False, magnitude)


def _is_power(token: Token) -> bool:
    """Whether a figure may be a power of ten: "1e9", not "2e5.5"."""
    return token.kind == "n" and token.glued and token.text.isdigit() and len(token.text) < 3
