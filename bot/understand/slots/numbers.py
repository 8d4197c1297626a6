"""Reads quantities: a number (`numerals.py`) with its unit (`units.py`), limits and range.

`read_quantities` gives every number of a message once; the grammars of money, time, memory and counts choose among
them by unit and by what stands around. No number is read twice and none out of a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.core.languages import Bounds, LanguageWords
from bot.core.numbers import is_readable
from bot.understand.slots.context import WordEnds, WordStarts, longest_first
from bot.understand.slots.currency import CURRENCY
from bot.understand.slots.found import Reading
from bot.understand.slots.numerals import Number, Numerals
from bot.understand.slots.units import Units
from bot.understand.tokens import Token

_MOST = 48
"""Quantities of one message; who lists more asks nothing that their sum would answer."""
_COUNTED = frozenset({"", "card", "machine", "core"})
_TIME_UNITS = frozenset({"hour", "day", "week", "month", "year"})
_SPACED_UNITS = frozenset({"s", "d", "m", "b", "a"})
"""Letters that are a unit only right behind their number."""
_SHAPES = frozenset({2.0, 3.0})
"""Dimensions: "3d" and "2d" are no days."""
_MOST_D = 100
"""More than that is the width of a vector ("768d")."""
_LEAST_NAME = 2
"""Characters that the name of a currency before its amount has at least."""
_BEFORE, _AFTER = 16, 20
"""Characters in which a limit is looked for."""


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


class QuantityGrammar:
    """Number words and units of all languages, ready for look-up."""

    def __init__(self, languages: Iterable[LanguageWords], even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        listed = tuple(languages)
        self._units = Units(listed, even)
        self._numerals = Numerals(listed, self._units, even)
        self._named_before: dict[str, tuple[tuple[str, str], ...]] = {}
        for spelling, kind in _before_numbers(listed, even):
            self._named_before[spelling[-1]] = (*self._named_before.get(spelling[-1], ()), (spelling, kind))
        self._measures = frozenset(even(word) for words in listed for word in words.measure_words)
        self._count_only = frozenset(even(word) for words in listed for word in words.count_only)
        self._no_numbers = tuple(even(word) for words in listed for word in words.no_numbers)
        self._coins = frozenset(even(word) for words in listed for word in words.coins)
        self._no_coin_digit = tuple(even(word) for words in listed for word in words.no_coin_digit)
        self._range = frozenset(even(word) for words in listed for word in words.range_words)
        at_most = [words.at_most for words in listed]
        at_least = [words.at_least for words in listed]
        approximate = [words.approximate for words in listed]
        self._at_most, self._at_least = _Bounds(at_most, even), _Bounds(at_least, even)
        self._approximate = _Bounds(approximate, even)
        self._bounds = _Bounds([*at_most, *at_least, *approximate], even)
        self._more_or_less = frozenset(even(word) for one in approximate for word in one.after)

    def read(self, reading: Reading) -> list[Quantity]:
        """Every quantity of the message, in order."""
        found: list[Quantity] = []
        starts, shape = self._numerals.starts, reading.shape
        # most tokens begin no number
        places = reading.numbers
        if not starts.isdisjoint(reading.words):
            places = [index for index, word in enumerate(reading.words) if word in starts or shape[index] == "n"]
        done = 0
        for index in places:
            if len(found) >= _MOST:
                break
            if index >= done:
                done = self._read_at(reading, index, found)
        return found

    def _read_at(self, reading: Reading, index: int, found: list[Quantity]) -> int:
        """Add the quantity that starts at a token; gives the token to go on with."""
        token = reading.tokens[index]
        if reading.text.startswith(self._no_numbers, token.start):
            word = next(word for word in self._no_numbers if reading.text.startswith(word, token.start))
            end = token.start + len(word)
            return index + sum(1 for one in reading.tokens[index : index + len(word)] if one.start < end)
        number = self._numerals.scan(reading, index) if reading.is_free(token.start, token.end) else None
        if number is None:
            return index + 1
        quantity = self._with_unit(reading, index, number) if number.is_readable else None
        if quantity is None or not is_readable(quantity.value):
            return max(number.end, index + 1)
        if token.text in self._count_only and quantity.unit not in _COUNTED:
            return max(number.end, index + 1)
        if quantity.unit or not quantity.words or quantity.value >= 1000 or self._before_name(reading, quantity.last):
            self._limits(reading, quantity)
            found.append(quantity)
        return max(quantity.last, index + 1)

    def _before_name(self, reading: Reading, index: int) -> bool:
        """Whether a claimed name or a size follows: "two 4090", "four 24GB cards"."""
        tokens = reading.tokens
        if index < len(tokens) and tokens[index].kind == "n":
            return True
        return index < len(tokens) and not reading.is_free(tokens[index].start, tokens[index].end)

    def unit_before(self, before: str) -> str:
        """Kind of the unit whose name ends what stands before a number ("euros 300"), of those that may; else ""."""
        for spelling, kind in self._named_before.get(before[-1:], ()):
            if before.endswith(spelling):
                return kind
        return ""

    def lone_unit(self, reading: Reading, kinds: frozenset[str]) -> tuple[str, int, int] | None:
        """Kind and place of the first unit of these kinds that stands without a number."""
        for index, token in enumerate(reading.tokens):
            if token.kind in "wh" and not (
                token.glued and index and reading.tokens[index - 1].kind == token.kind == "w"
            ):
                kind, end, _ = self._units.at(reading, index)
                if kind in kinds:
                    return kind, token.start, reading.tokens[end - 1].end
        return None

    def _with_unit(self, reading: Reading, index: int, number: Number) -> Quantity:
        tokens = reading.tokens
        at = number.end
        approximate = plus = False
        if at + 1 < len(tokens) and tokens[at].text == "+" and tokens[at + 1].kind == "w":
            plus, at = True, at + 1
        if at < len(tokens) and tokens[at].kind == "h" and tokens[at].text in self._more_or_less and number.value >= 10:
            approximate = True
            at += 1
        half = self._and_a_half(tokens, at)
        at = at + 2 if half else at
        spaced_single = at < len(tokens) and not tokens[at].glued and tokens[at].text in _SPACED_UNITS
        if at < len(tokens) and tokens[at].text == "-" and at + 1 < len(tokens) and tokens[at + 1].kind == "w":
            kind, end, spelling = self._units.at(reading, at + 1)
            if not kind:
                kind, end, spelling = "", at, ""
        elif spaced_single:
            kind, end, spelling = "", at, ""
        else:
            kind, end, spelling = self._units.at(reading, at)
        if spelling == "d" and (number.value in _SHAPES or number.value != int(number.value) or number.value > _MOST_D):
            kind, end, spelling = "", at, ""
        low = value = number.value + 0.5 if half and kind in _TIME_UNITS else number.value
        if number.magnitude == "pair":
            low = value - _place(value)
        fraction, kind, end = self._fraction(reading, value, kind, end, spelling)
        value, low = value + fraction, low + fraction
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

    def _and_a_half(self, tokens: list[Token], at: int) -> bool:
        """Whether a measure word and "half" stand between a number and its unit, as in six and a half hours."""
        return (
            at + 2 < len(tokens)
            and tokens[at].text in self._measures
            and self._numerals.han_digits.get(tokens[at + 1].text) == 0.5
        )

    def _fraction(self, reading: Reading, value: float, kind: str, end: int, spelling: str) -> tuple[float, str, int]:
        """What is said behind the unit: a tenth of a coin or half a time; the unit and the token behind it."""
        tokens = reading.tokens
        if value < 100 and spelling in self._coins and (tenth := self._tenth(reading, end)):
            return tenth[0], "cny" if kind == "card" else kind, tenth[1]
        half = (
            kind in _TIME_UNITS
            and end < len(tokens)
            and self._numerals.han_digits.get(tokens[end].text) == 0.5
            and not self._units.at(reading, end + 1)[0]
        )
        return (0.5, kind, end + 1) if half else (0.0, kind, end)

    def _tenth(self, reading: Reading, at: int) -> tuple[float, int] | None:
        """The single digit behind a unit of money, as its tenth ("two yuan two"), and the token behind it."""
        tokens = reading.tokens
        if at >= len(tokens) or not tokens[at].glued or not reading.is_free(tokens[at].start, tokens[at].end):
            return None
        token = tokens[at]
        digit = self._numerals.han_digits.get(token.text, 0.0) if token.kind == "h" else 0.0
        if token.kind == "n" and len(token.text) == 1:
            digit = float(token.text)
        if digit < 1 or reading.text.startswith(self._no_coin_digit, token.end):
            return None
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and following.glued:
            if self._units.at(reading, at + 1)[0] == "cent":
                return digit / 10, at + 2
            # "one" may begin the rate: "two yuan two an hour"
            if following.kind in "nw" or self._numerals.han_digits.get(following.text, 1.0) != 1:
                return None
            if digit == 1:
                return None
        return digit / 10, at + 1

    def _range_end(self, reading: Reading, number: Number, at: int, kind: str) -> tuple[float, str, int, str] | None:
        """The upper end of a range: "8k~1w", "3-4 hours", "one to two ten-thousand"."""
        tokens = reading.tokens
        if at + 1 >= len(tokens) or tokens[at].text not in self._range:
            return None
        second = self._numerals.at(reading, at + 1)
        if (
            second is None
            or not second.is_readable
            or (second.words and tokens[at].text in {"or", "and", "to"} and not kind)
        ):
            return None
        kind2, end2, spelling = self._units.at(reading, second.end)
        if tokens[at].text in {"or", "and"} and (not kind or kind2 != kind):
            return None
        value = second.value
        if (
            not number.magnitude
            and second.magnitude
            and number.value < 100
            and second.value / max(number.value, 1e-9) > 100
        ):
            return value, kind2, end2, spelling
        if kind and kind2 and kind != kind2:
            return None
        if not kind and not kind2 and tokens[at].text not in {"-", "~"}:
            return None
        return value, kind2, end2, spelling

    def _limits(self, reading: Reading, quantity: Quantity) -> None:
        """Words before or after that make the number a limit or an approximation."""
        if quantity.bound:
            return
        text = reading.text
        before = text[max(0, quantity.start - _BEFORE) : quantity.start].rstrip(" $\uffe5\u20ac\u00a3:")
        after = text[quantity.end : quantity.end + _AFTER].lstrip()
        if not self._bounds.stand(before, after):
            return
        if self._at_most.stand(before, after):
            quantity.bound = "max"
        elif self._at_least.stand(before, after):
            quantity.bound = "min"
        if self._approximate.stand(before, after):
            quantity.approximate = True


class _Bounds:
    """Words of one kind of limit, of all languages."""

    def __init__(self, listed: list[Bounds], even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        self._before = WordEnds(longest_first(even(word) for one in listed for word in one.before))
        self._after = WordStarts(longest_first(even(word) for one in listed for word in one.after))

    def stand(self, before: str, after: str) -> bool:
        """Whether one of the words ends what stands before, or begins what stands after."""
        return self._before(before) or self._after(after)


def _place(value: float) -> float:
    """The place of the leading digit: 2000 -> 1000."""
    return 10.0 ** math.floor(math.log10(value)) if value >= 1 else 1.0


def _before_numbers(languages: Iterable[LanguageWords], even: Callable[[str], str]) -> list[tuple[str, str]]:
    """Names of currencies, in scripts without spaces, that may stand before their amount; the longer ones first."""
    named = {
        even(spelling): kind
        for words in languages
        for kind, spellings in words.units.items()
        if kind in CURRENCY
        for spelling in spellings
        if len(spelling) >= _LEAST_NAME and not spelling.isascii()
    }
    return sorted(named.items(), key=lambda pair: (-len(pair[0]), pair[0]))
