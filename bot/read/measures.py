"""Measures: each number of a message with its unit and what it is counted for.

A measure knows nothing of its part in the question; that is for `quantities.py`. Rates are put together from a unit
and what stands behind "per", or before the number ("each card", "a day").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from bot.core.languages import LanguageWords
from bot.read.coins import COUNTED, Coins
from bot.read.counted import of_each
from bot.read.measured_units import NO_UNIT, Measure, Unit, UnitTable, goes_on
from bot.read.nouns import Nouns, shared
from bot.read.places import (
    BREAKS,
    begins_name,
    behind_one,
    behind_spaces,
    breaks,
    counted_name,
    holds,
    inside,
    is_calendar_year,
    is_led,
    is_no_rate,
    is_of_what_is_asked,
    is_pace,
    is_weekday,
    longest_first,
    next_word,
    sign_before,
    token_at,
    typed_in,
)
from bot.read.ranges import Ranges
from bot.understand.slots.currency import CURRENCY
from bot.understand.slots.found import Reading
from bot.understand.slots.numerals import Number, Numerals
from bot.understand.slots.units import Units
from bot.understand.tokens import Token

MOST: Final = 24
"""Measures of a sum; more make a table or a log. Of 6,400 turns that people wrote none has more than 11."""
_GAP: Final = 3
"""Words between a unit and its "per": "1.2 GB of gradients per step"."""
_STUFF: Final = frozenset({"data", "mass"})
"""Kinds of which something is named before the "per"."""
_OF: Final = " of "
"""Behind a time: what it is a time of stands before the rate, "25 hours of audio per hour"."""
_WEIGHTS: Final = "parameter"
_PRICES: Final = frozenset({"", "money"})
_BY_BILLIONS: Final = frozenset({"token", "request", "item"})
_NEXT_NUMBER: Final = re.compile(r"[^\d,;.?!:\uff0c\u3002\uff1b\uff1f\uff01]{0,6}\d[\d,.]*")
"""The number behind a few words of one part."""
_LETTERED: Final = frozenset({"ampere"})
"""Kinds whose unit is spelt like an article."""
_COUNTABLE: Final = frozenset({"card", "machine", "psu"})
_SIZES: Final = frozenset({"data", "power"})
"""Kinds of the size that stands between a number and what it counts: two 24 GB cards."""
_MOST_COUNTED: Final = 512
_AHEAD: Final = 28
"""Characters in which what is counted stands behind its number."""
_LEAST_IN_WORDS: Final = 20
"""A smaller number in words without a unit counts nothing."""
_SMALLER: Final = {"hour": 1 / 60}  # what a bare number behind a unit is of it
_PART_SIGNS: Final = ",;.?!:(\uff0c\u3002\uff1b\uff1f\uff01"
_TO_NEXT: Final = 6
"""Tokens between "an hour" and the number that it is the rate of."""


class MeasureReader:
    """Reads every measure of a text."""

    def __init__(
        self, units: UnitTable, words: Mapping[str, Any], languages: Iterable[LanguageWords], even: Callable[[str], str]
    ) -> None:
        """`words`: the words for "each" and "per", lexicon/measures.yaml."""
        listed = tuple(languages)
        self._units = units
        self._numerals = Numerals(listed, Units(listed, even), even)
        self._per = longest_first(map(even, words["per"]))
        self._ranges = Ranges(units, map(even, words["either"]))
        self._and_a_half = longest_first(map(even, words["and_a_half"]))
        self._scales = {even(word): float(times) for word, times in words["billions"].items()}
        self._no_rate, self._led = (tuple(map(even, words[kind])) for kind in ("no_rate", "led_times"))
        self._nouns = Nouns(units, words["small_words"], even)
        self._joins = tuple(map(even, words["joins"]))
        self._coins = Coins(units, self._numerals, map(even, words["coins"]))
        self._each = longest_first(map(even, words["each"]))
        self._apiece = longest_first(map(even, words["apiece"]))
        self._ahead = longest_first(map(even, words["ahead"]))
        self._weeks = tuple(map(even, words["week_words"]))
        self._sides = longest_first(map(even, (*words["fed_words"], *words["made_words"])))
        self._scopes = [(kind, longest_first(map(even, listed))) for kind, listed in words["scopes"].items()]

    def read(self, reading: Reading) -> tuple[Measure, ...]:
        """All measures in order. Nothing is read out of the names that are claimed."""
        found: list[Measure] = []
        at = behind = 0
        for place in self._openings(reading):
            number = self._number_at(reading, place, behind) if place >= at and len(found) <= MOST else None
            if number is None:
                continue
            at = place
            value, end = self._with_half(reading, number)
            measure = self._measure(reading, reading.tokens[at], value, end, number.words, behind)
            at = token_at(reading, end, at + 1)
            if measure is None or (found and self._continues(found, measure, reading.text)):
                continue
            measure = of_each(found, measure, reading.text, self._apiece)
            if not self._is_rate(reading, measure, at):
                if found and self._ranges.joins(reading.text, found[-1], measure):
                    found[-1], measure = self._ranges.alike(found[-1], measure)
                found.append(measure)
                behind = measure.end
        return tuple(shared(found, reading.text, self._joins))

    def _openings(self, reading: Reading) -> list[int]:
        """The tokens that a number may begin with."""
        starts = self._numerals.starts
        return [place for place, one in enumerate(reading.tokens) if one.kind == "n" or one.text in starts]

    def _number_at(self, reading: Reading, at: int, done: int) -> Number | None:
        """The number that begins at a token which no name and no measure before has taken."""
        token = reading.tokens[at]
        free = token.start >= done and reading.is_free(token.start, token.end)
        if free and is_calendar_year(reading.text, token.start, token.end):
            return None
        day = free and is_weekday(reading.text, token, self._weeks, self._numerals.han_digits, self._units)
        return self._numerals.at(reading, at) if free and not day else None

    def _with_half(self, reading: Reading, number: Number) -> tuple[float, int]:
        """A number with the half that is said behind it, and where it ends."""
        end = reading.tokens[number.end - 1].end
        half = next((word for word in self._and_a_half if reading.text.startswith(word, end)), "")
        return number.value + (0.5 if half else 0.0), end + len(half)

    def _continues(self, found: list[Measure], measure: Measure, text: str) -> bool:
        """Whether a number is the smaller part of the one before, as minutes behind hours; it is added there."""
        last = found[-1]
        between = text[last.end : measure.start].strip()
        smaller = _SMALLER.get(last.unit, 0.0)
        if between or not smaller or measure.number not in range(60) or measure.unit not in {"", "minute"} or last.per:
            return False
        value = last.value + measure.number * smaller
        found[-1] = replace(last, value=value, number=value, end=measure.end)
        return True

    def _is_rate(self, reading: Reading, measure: Measure, at: int) -> bool:
        """Whether one of a unit is what another number is counted for, or one card as such."""
        if not measure.words or measure.number != 1:
            return False
        if measure.kind in COUNTED:
            return True
        text = reading.text
        if text[measure.end :].lstrip().startswith(self._no_rate) or is_led(text, measure.start, self._led):
            return False
        for index in range(at, min(len(reading.tokens), at + _TO_NEXT)):
            token = reading.tokens[index]
            if token.text in BREAKS:
                return False
            if token.start >= measure.end and self._numerals.at(reading, index) is not None:
                return True
        return False

    def _measure(
        self, reading: Reading, first: Token, value: float, end: int, words: bool, behind: int
    ) -> Measure | None:
        text, start = reading.text, first.start
        currency = sign_before(text, start)
        times, behind_number = self._billions(text, end) if self._unit(text, end)[0] is None else (1.0, end)
        value *= times
        unit, unit_end = self._free_unit(reading, behind_number, words=words)
        if currency:
            # what follows an amount with its sign is the rate, not the unit
            told = unit is not None and unit.kind in {"money", "energy"}
            unit, unit_end = Unit(currency.lower(), "money", 1.0, currency), unit_end if told else behind_number
        elif unit is None:
            unit, unit_end = self._counted_unit(reading, value, behind_number)
            if unit is None and words and value < _LEAST_IN_WORDS:
                return None  # an article and the like, counting nothing
        value, end = self._coins.with_tenths(reading, value, unit, unit_end)
        value = self._coins.two_digits(text, start, value, unit)
        unit = self._before_name(reading, unit, end) or NO_UNIT
        typed = typed_in(reading, start, end)
        per, per_units, end = self._rates(text, end, text[behind:start], unit.kind, value)
        of = (unit.kind, unit.name, start, end, per, unit.currency, words, per_units)
        return Measure(value * unit.times, *of, value, typed, typed_in(reading, start, end))

    def _counted_unit(self, reading: Reading, value: float, end: int) -> tuple[Unit | None, int]:
        """What a whole number without a unit counts, and where that ends; cards are counted by small ones."""
        if value != int(value) or value <= 0:
            return None, end
        counted = self._counts(reading, end) if value <= _MOST_COUNTED else None
        return (counted, end) if counted is not None else self._nouns.behind(reading, end)

    def _before_name(self, reading: Reading, unit: Unit | None, end: int) -> Unit | None:
        """The unit; an x before a name counts cards, one before a size what stands behind that: 3x 350 W GPUs."""
        if unit is None or unit.kind != "times":
            return unit
        named = not reading.is_free(end, min(len(reading.text), end + 2))
        return self._units.units["card"] if named else self._counts(reading, end) or unit

    def _counts(self, reading: Reading, end: int) -> Unit | None:
        """What a bare number counts behind a size of it: cards of so many GB, supplies of some watts, named cards."""
        sizes = 0
        at = token_at(reading, end)
        while at < len(reading.tokens) and sizes <= 1:
            token = reading.tokens[at]
            if token.start - end > _AHEAD or breaks(token):
                return None
            if not reading.is_free(token.start, token.end):
                name = counted_name(reading, at, self._units, near=not sizes and token.start - end <= 1)
                return self._units.units.get(name)
            behind = self._behind_size(reading, at)
            unit = None if behind else self._countable(reading.text, token.start)
            if unit is not None:
                return unit if sizes else None
            sizes += bool(behind)
            at = behind or at + 1
        return None

    def _countable(self, text: str, at: int) -> Unit | None:
        """The thing that is counted, if its word stands at a place."""
        unit = self._units.at(text, at)
        return unit[0] if unit is not None and unit[0].kind in _COUNTABLE else None

    def _behind_size(self, reading: Reading, at: int) -> int:
        """The token behind a number and its unit that begin at a token; 0 where no number begins."""
        number = self._numerals.at(reading, at) if reading.tokens[at].kind == "n" else None
        if number is None:
            return 0
        unit, end = self._unit(reading.text, reading.tokens[number.end - 1].end)
        return token_at(reading, end) if unit is not None and unit.kind in _SIZES else 0

    def _unit(self, text: str, end: int) -> tuple[Unit | None, int]:
        """The unit right behind a number, one space or hyphen between at the most."""
        at = end
        found = self._units.at(text, at)
        if found is None and text[at : at + 1] in {" ", "-"}:
            found = self._units.at(text, at + 1)
        return found if found is not None else (None, end)

    def _free_unit(self, reading: Reading, end: int, *, words: bool = False) -> tuple[Unit | None, int]:
        """The unit right behind a number; the first letter of a name is none, nor one behind a number in words."""
        unit, unit_end = self._unit(reading.text, end)
        if words and _is_letter(reading.text, unit, end, unit_end):
            return NO_UNIT, end
        article = unit is not None and unit.kind in _LETTERED and self._is_article(reading.text, end, unit_end)
        if unit is not None and unit.kind == _WEIGHTS:
            unit, unit_end = self._billions_of(reading.text, unit, unit_end)
        return (unit, unit_end) if reading.is_free(end, unit_end) and not article else (None, end)

    def _is_article(self, text: str, start: int, end: int) -> bool:
        """Whether the letter behind a number is the word of a rate: "40 million a month"."""
        rate = self._per_at(text, behind_spaces(text, start))
        return bool(rate) and self._units.at(text, behind_spaces(text, end)) is not None

    def sized(self, text: str, end: int) -> bool:
        """Whether a unit that no card's number has stands right behind, as bytes and rates do behind no card."""
        found, behind = self._unit(text, end)
        if found is None:
            return False
        return found.kind in {"data", "power", "money", "energy"} or self._per_behind(text, behind, 0) is not None

    def _billions_of(self, text: str, billion: Unit, end: int) -> tuple[Unit, int]:
        """The letter that counts weights by the billion counts tokens by it, too, where that is the word behind."""
        unit, unit_end = self._unit(text, end)
        if unit is None or unit.kind not in _BY_BILLIONS:
            return billion, end
        return replace(unit, times=unit.times * billion.times), unit_end

    def _billions(self, text: str, end: int) -> tuple[float, int]:
        """A word of billions between a number and its unit, which the number's own grammar leaves to models."""
        for word, times in self._scales.items():
            at = end + (text[end : end + 1] == " ")
            if text.startswith(word, at) and self._units.at(text, at + len(word) + 1) is not None:
                return times, at + len(word)
        return 1.0, end

    def _rates(
        self, text: str, end: int, before: str, kind: str, value: float
    ) -> tuple[tuple[str, ...], tuple[str, ...], int]:
        """What a number is counted for: said behind its unit, else before it since the last number."""
        per, end = self._rates_behind(text, end, kind, value)
        if kind in _PRICES:
            per, end = self._apiece_behind(text, end, value, per, money=kind == "money")
        for unit in self._each_before(before):
            if unit.kind not in {one.kind for one in per} and (unit.kind != kind or is_pace(kind, value)):
                per.append(unit)
        return tuple(one.kind for one in per), tuple(one.name for one in per), end

    def _apiece_behind(
        self, text: str, end: int, value: float, per: list[Unit], *, money: bool
    ) -> tuple[list[Unit], int]:
        """The rates with that of one of several where its word stands behind; a bare number has one of time, too."""
        each = behind_spaces(text, end)
        word = next((one for one in self._apiece if text.startswith(one, each)), "")
        if not word:
            return per, end
        more, after = self._rates_behind(text, each + len(word), "money", value)
        if not (money or more):
            return per, end
        return [*per, Unit("card", "card"), *more], after if more else end

    def _rates_behind(self, text: str, end: int, kind: str, value: float) -> tuple[list[Unit], int]:
        """The units that a number is counted for behind its own, and where they end."""
        per: list[Unit] = []
        at = behind_one(text, end, self._sides if kind in _PRICES else ())
        gap = _GAP * (kind in _STUFF or (kind == "time" and text.startswith(_OF, end)))
        while (found := self._per_behind(text, at, gap)) is not None:
            unit, at = found
            if is_no_rate(kind, unit, said=bool(gap), value=value) or self._leads(text, end, at, kind, unit.kind):
                break
            per.append(unit)
            end = at
        return per, end

    def _leads(self, text: str, end: int, at: int, kind: str, rate: str) -> bool:
        """Whether a rate behind a number is that of the next one: it stands right behind, or is of the same unit."""
        if not text.startswith(self._ahead, behind_spaces(text, end)):
            return False
        found = _NEXT_NUMBER.match(text, at)
        unit = self._unit(text, found.end())[0] if found is not None else None
        if unit is not None and unit.kind == rate:
            return False  # no hours are so many an hour
        # a bare amount is hardly one for each day where hours of use follow
        return text[at : at + 1].isdigit() or (unit is not None and unit.kind == (kind or "time"))

    def _per_behind(self, text: str, at: int, most: int) -> tuple[Unit, int] | None:
        """The unit that is counted for, right behind, or behind a few words of what is measured."""
        place: int | None = at
        for _ in range(most + 1):
            if place is None:
                return None
            place = behind_spaces(text, place)
            word = self._per_at(text, place)
            if word:
                start = place + len(word)
                spaced = not (word[-1].isalpha() and word[-1].isascii()) or text[start : start + 1] == " "
                return self._rate_at(text, behind_spaces(text, start), word) if spaced else None
            place = next_word(text, place)
        return None

    def _rate_at(self, text: str, start: int, word: str) -> tuple[Unit, int] | None:
        """The unit at a place behind a word for a rate; the first letter of a name is none."""
        unit = self._units.at(text, start) or self._nouns.counted_for(text, start, word)
        return None if unit is None or begins_name(text, start, unit[1]) else unit

    def _per_at(self, text: str, place: int) -> str:
        """The word for a rate that stands at a place, "" where none does."""
        found = (one for one in self._per if text.startswith(one, place) and not inside(text, place, one))
        return next((one for one in found if not goes_on(text, place + len(one))), "")

    def _each_before(self, before: str) -> list[Unit]:
        """Rates in what stands before a number, back to the sign that ends the part before."""
        piece = before[max(map(before.rfind, _PART_SIGNS)) + 1 :]
        if not piece.strip():
            return []
        found: list[Unit] = []
        for word in filter(piece.__contains__, self._each):
            at = piece.find(word)
            while at >= 0:
                unit = self._each_at(piece, at, word)
                if unit is not None:
                    found.append(unit)
                at = piece.find(word, at + 1)
        return [*found, *(Unit(kind, kind) for kind, words in self._scopes if _holds_any(piece, words))]

    def _each_at(self, piece: str, at: int, word: str) -> Unit | None:
        """What a word for each, at this place, counts for."""
        start = at + len(word)
        spaced = not word[-1].isascii() or piece[start : start + 1] == " "
        unit = self._rate_at(piece, behind_spaces(piece, start), word) if spaced else None
        if unit is None or piece[unit[1] :].lstrip().startswith(self._no_rate) or is_led(piece, at, self._led):
            return None
        return None if inside(piece, at, word) or is_of_what_is_asked(piece, word, unit[1]) else unit[0]


def _is_letter(text: str, unit: Unit | None, start: int, end: int) -> bool:
    """Whether a unit is no more than a letter: "two A" names things, and no current; an x counts."""
    spelt = text[start:end].strip(" -")
    return unit is not None and len(spelt) == 1 and spelt.isascii() and spelt.isalpha() and unit.kind != "times"


def _holds_any(piece: str, words: Iterable[str]) -> bool:
    """Whether one of these words stands in a part of a text."""
    return any(holds(piece, word) for word in filter(piece.__contains__, words))


__all__ = ["CURRENCY", "Measure", "MeasureReader", "Unit", "UnitTable"]
