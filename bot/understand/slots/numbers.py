"""Reads quantities: a number in figures, Chinese or English words, with its magnitude, unit, limits and range.

`read_quantities` gives every number of a message once; the grammars of money, time, memory and counts choose among
them by unit and by what stands around. No number is read twice and none out of a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.core.languages import Bounds, LanguageWords
from bot.understand.slots.found import Reading
from bot.understand.tokens import Token

_LARGEST = 1e15
_BEFORE_FIGURES = frozenset(
    [
        "x",
        "rtx",
        "v",
        "rmb",
        "usd",
        "cny",
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
_YEARLY = frozenset({"emit", "emits", "produce", "produces", "cause", "causes", "burn", "burns", "consume", "consumes"})
"""Verbs before "a year" that leave it the time asked about, not the rate of an amount."""
_POWER = frozenset({"psu", "power_draw", "power_limit", "electricity"})
"""Where these are spoken of, a w is watts."""
_COUNTED = frozenset({"", "card", "machine", "core"})
_TIME_UNITS = frozenset({"hour", "day", "week", "month", "year"})


@dataclass(slots=True)
class Quantity:
    """A number with what belongs to it. `low` equals `value` unless a range was said ("8-10k")."""

    value: float
    low: float
    unit: str
    """Kind of unit: hour, cny, gib, card ...; "" when none follows."""
    start: int
    end: int
    """Characters from the number to the end of its unit."""
    number_end: int
    first: int
    last: int
    """Token range, half open, of number and unit."""
    words: bool = False
    """Written in words, not figures."""
    magnitude: str = ""
    """The k, w or Chinese ten-thousand that scaled it."""
    approximate: bool = False
    bound: str = ""
    unit_text: str = ""


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    end: int
    words: bool
    magnitude: str = ""
    vague: bool = False


class QuantityGrammar:
    """Number words and units of all languages, ready for look-up."""

    def __init__(self, languages: Iterable[LanguageWords], even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        self._han_digits: dict[str, float] = {}
        self._han_scales: dict[str, float] = {}
        self._digits: dict[str, float] = {}
        self._scales: dict[str, float] = {}
        self._vague: set[str] = set()
        self._count_only: set[str] = set()
        self._units: dict[str, str] = {}
        bounds: list[tuple[str, LanguageWords]] = []
        for words in languages:
            for word, value in words.digits.items():
                (self._digits if word.isascii() else self._han_digits)[even(word)] = value
            for word, value in words.scales.items():
                (self._scales if word.isascii() else self._han_scales)[even(word)] = value
            self._count_only |= {even(word) for word in words.count_only}
            self._vague |= {even(word) for word in words.vague}
            for kind, spellings in words.units.items():
                for spelling in spellings:
                    self._units.setdefault(even(spelling), kind)
            bounds.append((words.code, words))
        self._starts = frozenset({*self._han_digits, *self._han_scales, *self._digits, "a", "an"})
        self._longest_unit = max(map(len, self._units), default=0)
        self._range = frozenset(even(word) for _, words in bounds for word in words.range_words)
        self._approximate = _merge((words.approximate for _, words in bounds), even)
        self._at_most = _merge((words.at_most for _, words in bounds), even)
        self._at_least = _merge((words.at_least for _, words in bounds), even)

    def read(self, reading: Reading) -> list[Quantity]:
        """Every quantity of the message, in order."""
        tokens = reading.tokens
        found: list[Quantity] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.kind == "s" or (token.kind != "n" and token.text not in self._starts):
                index += 1
                continue
            if not reading.is_free(token.start, token.end):
                index += 1
                continue
            number = self._number_at(reading, index)
            if number is None:
                index += 1
                continue
            quantity = self._with_unit(reading, index, number)
            if quantity is None or (token.text in self._count_only and quantity.unit not in _COUNTED):
                index = max(number.end, index + 1)
                continue
            if (
                quantity.unit
                or not quantity.words
                or quantity.value >= 1000
                or self._before_name(reading, quantity.last)
            ):
                self._limits(reading, quantity)
                found.append(quantity)
            index = max(quantity.last, index + 1)
        return found

    def _before_name(self, reading: Reading, index: int) -> bool:
        """Whether a claimed name or a size follows: "two 4090", "four 24GB cards"."""
        tokens = reading.tokens
        if index < len(tokens) and tokens[index].kind == "n":
            return True
        return index < len(tokens) and not reading.is_free(tokens[index].start, tokens[index].end)

    def lone_unit(self, reading: Reading, kinds: frozenset[str]) -> tuple[str, int, int] | None:
        """Kind and place of the first unit of these kinds that stands without a number."""
        for index, token in enumerate(reading.tokens):
            if token.kind in "wh" and not (
                token.glued and index and reading.tokens[index - 1].kind == token.kind == "w"
            ):
                kind, end, _ = self._unit_at(reading, index)
                if kind in kinds:
                    return kind, token.start, reading.tokens[end - 1].end
        return None

    # --- the number itself ---

    def _number_at(self, reading: Reading, index: int) -> _Number | None:
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

    def _figures(self, reading: Reading, index: int) -> _Number | None:
        tokens = reading.tokens
        text = tokens[index].text.replace(",", "")
        if text.count(".") > 1 or len(text) > 16:
            return None
        at = index + 1
        if len(text) <= 3 and at < len(tokens) and tokens[at].text == "000" and "." not in text:
            text, at = text + "000", at + 1
        value = float(text)
        magnitude = ""
        if at < len(tokens):
            after = tokens[at]
            further = tokens[at + 1] if at + 1 < len(tokens) else None
            if after.text == "k" and (after.glued or _money_after(further)):
                value, at, magnitude = value * 1000, at + 1, "k"
                if further is not None and further.kind == "n" and further.glued and len(further.text) == 1:
                    value, at = value + float(further.text) * 100, at + 1
            elif after.text == "w" and self._is_ten_thousand(reading, value, after, further):
                value, at, magnitude = value * 10000, at + 1, "w"
                if further is not None and further.kind == "n" and further.glued and len(further.text) == 1:
                    value, at = value + float(further.text) * 1000, at + 1
            elif after.kind == "h" and after.text in self._han_scales and after.glued:
                value, at, magnitude = self._han_magnitude(reading, value, at)
            elif after.kind == "w" and after.text in self._scales and not _part_of_size(tokens, at):
                value, at, magnitude = value * self._scales[after.text], at + 1, after.text
        return _Number(value, at, False, magnitude) if value <= _LARGEST else None

    @staticmethod
    def _is_ten_thousand(reading: Reading, value: float, after: Token, further: Token | None) -> bool:
        """In Chinese chat a w after a small figure is ten thousand; 850w is watts, and so is every w in English."""
        if not after.glued or (further is not None and further.glued and further.kind == "w"):
            return False
        return reading.language == "zh" and value < 100 and not reading.concepts & _POWER

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
            if token.kind == "n" and len(token.text) == 1 and not _unit_follows(tokens, at + 1):
                return value + float(token.text) * scale / 10, at + 1, magnitude
            if token.kind == "h" and token.text in self._han_digits and self._han_digits[token.text] >= 1:
                following = tokens[at + 1].text if at + 1 < len(tokens) else ""
                if following in self._han_scales:
                    rest = self._han_number(reading, at)
                    if rest is not None and rest.value < scale:
                        return value + rest.value, rest.end, magnitude
                elif self._unit_at(reading, at) == ("", at, ""):
                    return value + self._han_digits[token.text] * scale / 10, at + 1, magnitude
            if token.kind == "h" and self._han_digits.get(token.text) == 0.5 and scale >= 100:
                return value + scale / 2, at + 1, magnitude
        return value, at, magnitude

    def _han_number(self, reading: Reading, index: int) -> _Number | None:
        """Chinese numerals: digits and scales, "one and a half" forms, pairs such as two-three for a range."""
        tokens = reading.tokens
        total = section = 0.0
        digit: float | None = None
        last_scale = 1.0
        at = index
        seen = False
        pair_low: float | None = None
        while at < len(tokens) and tokens[at].kind == "h" and (at == index or tokens[at].glued):
            word = tokens[at].text
            if word in self._han_digits:
                value = self._han_digits[word]
                if value == 0.5 and seen:
                    break
                if digit is not None and value == digit + 1 and pair_low is None and digit >= 1:
                    pair_low = digit
                digit = value
                seen = True
            elif word in self._han_scales:
                scale = self._han_scales[word]
                if not seen and scale != 10:
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
        if digit is not None:
            section += digit * (
                last_scale / 10 if last_scale >= 100 and tokens[at - 2].text in self._han_scales and digit != 0.5 else 1
            )
        value = total + section
        if pair_low is not None:
            return _Number(value, at, True, "pair")
        return _Number(value, at, True) if 0 < value <= _LARGEST else None

    def _english_number(self, reading: Reading, index: int) -> _Number | None:
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
        while at < len(tokens) and tokens[at].text in self._scales:
            value *= self._scales[tokens[at].text]
            at += 1
        return _Number(value, at, True)

    def _one(self, reading: Reading, index: int) -> _Number | None:
        """The article as a number: "for a week", "over a whole month", but not the rate of "8 hours a day"."""
        tokens = reading.tokens
        if index == 0 or tokens[index - 1].text not in {
            "for",
            "in",
            "over",
            "during",
            "within",
            "of",
            "about",
            "after",
            *_YEARLY,
        }:
            return None
        at = index + 1
        if at < len(tokens) and tokens[at].text in {"whole", "full", "entire"}:
            at += 1
        return _Number(1.0, at, True) if self._unit_at(reading, at)[0] in _TIME_UNITS else None

    # --- unit, range, limits ---

    def _unit_at(self, reading: Reading, at: int) -> tuple[str, int, str]:
        """Kind of the unit that starts at a token, the token after it, and its spelling."""
        tokens = reading.tokens
        if at >= len(tokens):
            return "", at, ""
        start = tokens[at].start
        text = reading.text
        for length in range(min(self._longest_unit, len(text) - start), 0, -1):
            piece = text[start : start + length]
            kind = self._units.get(piece)
            if kind is None:
                continue
            end = start + length
            if (
                piece[-1].isascii()
                and piece[-1].isalpha()
                and end < len(text)
                and text[end].isascii()
                and text[end].isalpha()
            ):
                continue
            stop = at
            while stop < len(tokens) and tokens[stop].start < end:
                stop += 1
            if tokens[stop - 1].end == end:
                return kind, stop, piece
        return "", at, ""

    def _with_unit(self, reading: Reading, index: int, number: _Number) -> Quantity | None:
        tokens = reading.tokens
        at = number.end
        approximate = plus = False
        if at + 1 < len(tokens) and tokens[at].text == "+" and tokens[at + 1].kind == "w":
            plus, at = True, at + 1
        if (
            at < len(tokens)
            and tokens[at].kind == "h"
            and tokens[at].text in self._approximate.after
            and number.value >= 10
        ):
            approximate = True
            at += 1
        spaced_single = (
            at < len(tokens)
            and not tokens[at].glued
            and len(tokens[at].text) == 1
            and tokens[at].text in {"s", "d", "m", "b", "a"}
        )
        if at < len(tokens) and tokens[at].text == "-" and at + 1 < len(tokens) and tokens[at + 1].kind == "w":
            kind, end, spelling = self._unit_at(reading, at + 1)
            if not kind:
                kind, end, spelling = "", at, ""
        elif spaced_single:
            kind, end, spelling = "", at, ""
        else:
            kind, end, spelling = self._unit_at(reading, at)
        if not kind and number.words and number.value < 1:
            kind, end, spelling = self._unit_at(reading, at)
        low = value = number.value
        if number.magnitude == "pair":
            low = value - _place(value)
        half = (
            end < len(tokens)
            and self._han_digits.get(tokens[end].text) == 0.5
            and not self._unit_at(reading, end + 1)[0]
        )
        if half and kind in {"day", "hour", "year", "month", "week"}:
            value = low = value + 0.5
            end += 1
        ranged = self._range_end(reading, number, end, kind)
        if ranged is not None:
            second, kind2, end2, spelling2 = ranged
            if second >= value:
                if 0 < value < 100 and second >= 1000 and not number.magnitude:
                    value *= _place(second) / max(_place(value), 1) if second / value > 100 else 1
                low, value = value, second
                kind, end, spelling = kind2 or kind, end2, spelling2 or spelling
        first = tokens[index]
        return Quantity(
            value=value,
            low=low,
            unit=kind,
            start=first.start,
            end=tokens[max(end - 1, index)].end,
            number_end=tokens[number.end - 1].end,
            first=index,
            last=max(end, number.end),
            words=number.words,
            magnitude=number.magnitude,
            approximate=approximate,
            bound="min" if plus else "",
            unit_text=spelling,
        )

    def _range_end(self, reading: Reading, number: _Number, at: int, kind: str) -> tuple[float, str, int, str] | None:
        """The upper end of a range: "8k~1w", "3-4 hours", "one to two ten-thousand"."""
        tokens = reading.tokens
        if at + 1 >= len(tokens) or tokens[at].text not in self._range:
            return None
        second = self._number_at(reading, at + 1)
        if second is None or (second.words and tokens[at].text in {"or", "and", "to"} and not kind):
            return None
        kind2, end2, spelling = self._unit_at(reading, second.end)
        if tokens[at].text in {"or", "and"} and (not kind or kind2 != kind):
            return None
        value = second.value
        if (
            not number.magnitude
            and second.magnitude
            and number.value < 100
            and second.value / max(number.value, 1e-9) > 100
        ):
            scale = second.value / max(_leading(second.value), 1e-9)
            return (value, kind2, end2, spelling) if scale else None
        if kind and kind2 and kind != kind2:
            return None
        if not kind and not kind2 and tokens[at].text not in {"-", "~"}:
            return None
        return value, kind2, end2, spelling

    def _limits(self, reading: Reading, quantity: Quantity) -> None:
        """Words before or after that make the number a limit or an approximation."""
        text = reading.text
        before = text[max(0, quantity.start - 16) : quantity.start].rstrip(" $\uffe5\u20ac\u00a3:")
        after = text[quantity.end : quantity.end + 12].lstrip()
        if quantity.bound:
            return
        if _ends_with(before, self._at_most.before) or _starts_with(after, self._at_most.after):
            quantity.bound = "max"
        elif _ends_with(before, self._at_least.before) or _starts_with(after, self._at_least.after):
            quantity.bound = "min"
        if _ends_with(before, self._approximate.before) or _starts_with(after, self._approximate.after):
            quantity.approximate = True


def _merge(bounds: Iterable[Bounds], even: Callable[[str], str]) -> Bounds:
    listed = list(bounds)
    return Bounds(
        before=tuple(sorted({even(word) for one in listed for word in one.before}, key=lambda w: (-len(w), w))),
        after=tuple(sorted({even(word) for one in listed for word in one.after}, key=lambda w: (-len(w), w))),
    )


def _ends_with(text: str, words: tuple[str, ...]) -> bool:
    if not text.endswith(words):
        return False
    for word in words:
        if text.endswith(word):
            rest = text[: len(text) - len(word)]
            if not (word[0].isascii() and word[0].isalpha() and rest and rest[-1].isascii() and rest[-1].isalpha()):
                return True
    return False


def _starts_with(text: str, words: tuple[str, ...]) -> bool:
    if not text.startswith(words):
        return False
    for word in words:
        if text.startswith(word):
            rest = text[len(word) :]
            if not (word[-1].isascii() and word[-1].isalpha() and rest and rest[0].isascii() and rest[0].isalpha()):
                return True
    return False


def _money_after(token: Token | None) -> bool:
    return token is not None and token.text in {"usd", "dollars", "rmb", "bucks", "yuan", "\u5200", "\u5143", "\u5757"}


def _part_of_size(tokens: list[Token], at: int) -> bool:
    """Whether "billion" after a number means parameters of a model (left to the model grammar)."""
    return tokens[at].text in {"billion"}


def _unit_follows(tokens: list[Token], at: int) -> bool:
    return (
        at < len(tokens)
        and tokens[at].kind == "h"
        and tokens[at].glued
        and tokens[at].text in "\u5f20\u5757\u5361\u4e2a\u53f0"
    )


def _place(value: float) -> float:
    """The place of the leading digit: 2000 -> 1000."""
    place = 1.0
    while value >= place * 10:
        place *= 10
    return place


def _leading(value: float) -> float:
    return value / _place(value)
