"""Reads quantities: a number (`numerals.py`) with its unit (`units.py`), limits and range.

`read_quantities` gives every number of a message once; the grammars of money, time, memory and counts choose among
them by unit and by what stands around. No number is read twice and none out of a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bot.core.languages import Bounds, LanguageWords
from bot.core.numbers import is_readable
from bot.understand.slots.context import WordEnds, WordStarts, longest_first
from bot.understand.slots.currency import CURRENCY
from bot.understand.slots.found import Reading
from bot.understand.slots.fractions import AND_A_HALF, TIME_UNITS, Fractions
from bot.understand.slots.numerals import Number, Numerals
from bot.understand.slots.units import Unit, Units
from bot.understand.tokens import Token

_MOST = 24
"""Quantities of one message; who lists more asks nothing that their sum would answer."""
_COUNTED = frozenset({"", "card", "machine", "core"})
_SPACED_UNITS = frozenset({"s", "d", "m", "b", "a"})
"""Letters that are a unit only right behind their number."""
_SHAPES = frozenset({2.0, 3.0})
"""Dimensions: "3d" and "2d" are no days."""
_MILLION = "million"
_DATA = frozenset({"image", "sample"})
"""What is trained on, by its piece."""
_LEAST_LARGE = 100
"""A number in words without a unit is said for its own sake from here on."""
_MOST_D = 100
"""More than that is the width of a vector ("768d")."""
_LEAST_VAGUE = 10
"""From here on a word for more or less may stand between a number and its unit."""
_AND, _BETWEEN, _NEAR = "and", "between", 6
"""Two amounts of one unit are two ("16GB and 32GB"), unless this word stands so many tokens before."""
_JOINING, _LOOSE = frozenset({"or", _AND}), frozenset({"or", _AND, "to"})
"""Words that join two amounts of one unit only; those that join two numbers in words only behind a unit."""
PAIR = "pair"
"""Magnitude of two digits beside each other in words: some number between them."""
_DASHES = frozenset({"-", "~"})
_MOST_UNSCALED, _LEAST_SCALED, _OUT_OF_SCALE = 100, 1000, 100
"""A lower end below the first takes the scale of an upper end from the second on, where they lie so far apart."""
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


class _Upper(NamedTuple):
    """The upper end of a range, with the unit behind it."""

    value: float
    unit: Unit


class QuantityGrammar:
    """Number words and units of all languages, ready for look-up."""

    def __init__(self, languages: Iterable[LanguageWords], even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        listed = tuple(languages)

        def words_of(choose: Callable[[LanguageWords], Iterable[str]]) -> Iterator[str]:
            """The words of one class, of all languages."""
            return (even(word) for words in listed for word in choose(words))

        self._units = Units(listed, even)
        self._numerals = Numerals(listed, self._units, even)
        self._fractions = Fractions(listed, self._units, self._numerals, even)
        self._named_before: dict[str, tuple[tuple[str, str], ...]] = {}
        for spelling, kind in _before_numbers(listed, even):
            self._named_before[spelling[-1]] = (*self._named_before.get(spelling[-1], ()), (spelling, kind))
        self._measures = frozenset(words_of(lambda words: words.measure_words))
        self._count_only = frozenset(words_of(lambda words: words.count_only))
        self._no_numbers = tuple(words_of(lambda words: words.no_numbers))
        self._range = frozenset(words_of(lambda words: words.range_words))
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
            return self._behind_name(reading, index)
        number = self._numerals.scan(reading, index) if reading.is_free(token.start, token.end) else None
        if number is None:
            return index + 1
        quantity = self._with_unit(reading, index, number) if number.is_readable else None
        if quantity is None or not self._is_meant(token, quantity):
            return max(number.end, index + 1)
        if (
            self._stands_for_itself(quantity)
            or self._is_about(reading, quantity)
            or self._before_name(reading, quantity.last)
        ):
            self._limits(reading, quantity)
            found.append(quantity)
        return max(quantity.last, index + 1)

    def _behind_name(self, reading: Reading, index: int) -> int:
        """The token behind the name of a day or the like that begins like a number."""
        start = reading.tokens[index].start
        word = next(word for word in self._no_numbers if reading.text.startswith(word, start))
        covered = reading.tokens[index : index + len(word)]
        return index + sum(1 for one in covered if one.start < start + len(word))

    def _is_meant(self, token: Token, quantity: Quantity) -> bool:
        """Whether an amount can be counted with, and a word that only counts things counts some."""
        counts = token.text not in self._count_only or quantity.unit in _COUNTED
        return counts and is_readable(quantity.value)

    @staticmethod
    def _stands_for_itself(quantity: Quantity) -> bool:
        """Whether a number says something without a name behind it: in figures, with a unit, or a large one."""
        return bool(quantity.unit) or not quantity.words or quantity.value >= _LEAST_LARGE

    def _is_about(self, reading: Reading, quantity: Quantity) -> bool:
        """Whether two digits in words tell roughly how many things there are."""
        behind = reading.tokens[quantity.last].text if quantity.last < len(reading.tokens) else ""
        return quantity.magnitude == PAIR and behind in self._measures

    def _before_name(self, reading: Reading, index: int) -> bool:
        """Whether a claimed name or a size follows: "two 4090", "four 24GB cards"."""
        tokens = reading.tokens
        if index < len(tokens) and tokens[index].kind == "n":
            return True
        if index < len(tokens) and not reading.is_free(tokens[index].start, tokens[index].end):
            return True
        return reading.names_several(index)

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
        """A number with the unit behind it, what is said of both, and the upper end of a range."""
        tokens = reading.tokens
        at = number.end
        plus = at + 1 < len(tokens) and tokens[at].text == "+" and tokens[at + 1].kind == "w"
        at += plus
        approximate = self._is_vague(tokens, at, number)
        at += approximate
        more = self._and_more(tokens, at)
        approximate = approximate or more
        half = self._and_a_half(tokens, at)
        unit = self._unit_of(reading, number, at + (half or 2 * more))
        number, unit = self._in_millions(reading, number, unit)
        value = number.value + 0.5 if half and unit.kind in TIME_UNITS else number.value
        fraction, unit = self._fractions.behind(reading, value, unit, words=number.words)
        low = (value - _place(value) if number.magnitude == PAIR else value) + fraction
        low, value, unit = self._ranged(reading, number, low, value + fraction, unit)
        return Quantity(
            value=value,
            low=low,
            unit=unit.kind,
            start=tokens[index].start,
            end=tokens[max(unit.end - 1, index)].end,
            number_end=tokens[number.end - 1].end,
            first=index,
            last=max(unit.end, number.end),
            words=number.words,
            magnitude=number.magnitude,
            approximate=approximate,
            bound="min" if plus else "",
            unit_text=unit.text,
        )

    def _in_millions(self, reading: Reading, number: Number, unit: Unit) -> tuple[Number, Unit]:
        """Millions of pictures or samples as so many of them: "1.2M images"."""
        if unit.kind != _MILLION or unit.end >= len(reading.tokens):
            return number, unit
        counted = self._units.at(reading, unit.end)
        if counted.kind not in _DATA:
            return number, unit
        return number._replace(value=number.value * 1e6), counted

    def _is_vague(self, tokens: list[Token], at: int, number: Number) -> bool:
        """Whether a word for more or less stands right behind a number of two figures or more."""
        if at >= len(tokens) or number.value < _LEAST_VAGUE:
            return False
        return tokens[at].kind == "h" and tokens[at].text in self._more_or_less

    def _unit_of(self, reading: Reading, number: Number, at: int) -> Unit:
        """The unit of a number that stands at a token, a hyphen before it or not."""
        tokens = reading.tokens
        if at >= len(tokens):
            return Unit("", at, "")
        token = tokens[at]
        hyphen = token.text == "-" and at + 1 < len(tokens) and tokens[at + 1].kind == "w"
        if not hyphen and not token.glued and token.text in _SPACED_UNITS:
            return Unit("", at, "")
        unit = self._units.at(reading, at + 1 if hyphen else at)
        return Unit("", at, "") if not unit.kind or _is_shape(unit, number) else unit

    def _and_a_half(self, tokens: list[Token], at: int) -> int:
        """How many words for "and a half" stand between a number and its unit, as in six and a half hours."""
        if tuple(token.text for token in tokens[at : at + 3]) == AND_A_HALF:
            return 3
        measured = at + 2 < len(tokens) and tokens[at].text in self._measures
        return 2 if measured and self._numerals.han_digits.get(tokens[at + 1].text) == 0.5 else 0

    def _and_more(self, tokens: list[Token], at: int) -> bool:
        """Whether a measure word and "more" stand between a number and its unit, as in two hours and more."""
        between = at + 2 < len(tokens) and tokens[at].text in self._measures
        return between and tokens[at + 1].text in self._more_or_less

    # --- ranges ---

    def _ranged(
        self, reading: Reading, number: Number, low: float, value: float, unit: Unit
    ) -> tuple[float, float, Unit]:
        """Both ends of what was said and their unit; a lower end takes the scale of the upper ("3 to 5 thousand")."""
        upper = self._range_end(reading, number, unit)
        if upper is None or upper.value < value:
            return low, value, unit
        scaled = 0 < value < _MOST_UNSCALED and upper.value >= _LEAST_SCALED and not number.magnitude
        if scaled and upper.value / value > _OUT_OF_SCALE:
            value *= _place(upper.value) / _place(value)
        return value, upper.value, Unit(upper.unit.kind or unit.kind, upper.unit.end, upper.unit.text or unit.text)

    def _range_end(self, reading: Reading, number: Number, unit: Unit) -> _Upper | None:
        """The upper end of a range: "8k~1w", "3-4 hours", "one to two ten-thousand"."""
        at = unit.end
        if at + 1 >= len(reading.words) or not self._joins(reading, at):
            return None
        word = reading.words[at]
        second = self._numerals.at(reading, at + 1)
        if second is None or (second.words and word in _LOOSE and not unit.kind):
            return None
        own = self._units.at(reading, second.end)
        if word in _JOINING:
            joined = unit.kind != "" and own.kind == unit.kind
        else:
            joined = _scales_both(number, second) or _fit(unit.kind, own.kind, word)
        return _Upper(second.value, own) if joined else None

    def _joins(self, reading: Reading, at: int) -> bool:
        """Whether a word joins both ends of a range."""
        is_two = reading.words[at] == _AND and _BETWEEN not in reading.words[max(0, at - _NEAR) : at]
        return reading.words[at] in self._range and not is_two

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


def _is_shape(unit: Unit, number: Number) -> bool:
    """Whether a d is no day: of "3d", "768d", "2.5d"."""
    if unit.text != "d":
        return False
    return number.value in _SHAPES or number.value != int(number.value) or number.value > _MOST_D


def _scales_both(number: Number, second: Number) -> bool:
    """Whether only the upper end is scaled and so far above the lower that both are meant by its scale."""
    if number.magnitude or not second.magnitude or number.value >= _MOST_UNSCALED:
        return False
    return second.value / max(number.value, 1e-9) > _OUT_OF_SCALE


def _fit(kind: str, of_second: str, word: str) -> bool:
    """Whether the units of two ends make one range; without any, only a dash does."""
    if kind and of_second:
        return kind == of_second
    return bool(kind or of_second) or word in _DASHES


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
