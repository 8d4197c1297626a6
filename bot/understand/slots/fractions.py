"""Reads what is said behind a unit: tenths and hundredths of a coin, tenths of a tenth, half of a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from bot.core.languages import LanguageWords
from bot.understand.slots.found import Reading
from bot.understand.slots.numerals import Numerals
from bot.understand.slots.units import Unit, Units
from bot.understand.tokens import Token

TIME_UNITS: Final = frozenset({"hour", "day", "week", "month", "year"})
AND_A_HALF: Final = ("and", "a", "half")
_LEAST_WHOLE_COINS: Final = 100
"""Of so many coins nobody says the tenths."""
_IN_FIGURES: Final = 2
"""Figures that stand for tenths and hundredths ("1 yuan 98")."""


class Fractions:
    """The words of all languages behind a unit, ready for look-up."""

    def __init__(
        self, languages: Iterable[LanguageWords], units: Units, numerals: Numerals, even: Callable[[str], str]
    ) -> None:
        """`even` normalises a surface as messages are."""
        listed = tuple(languages)
        self._units, self._numerals = units, numerals
        self._coins = frozenset(even(word) for words in listed for word in words.coins)
        self._no_digit = tuple(even(word) for words in listed for word in words.no_coin_digit)

    def behind(self, reading: Reading, value: float, unit: Unit, *, words: bool) -> tuple[float, Unit]:
        """What a number gains by what stands behind its unit, and the unit with the token behind it.

        Args:
            reading: the message.
            value: the number.
            unit: its unit.
            words: it is written in words, so that no figures go on with it.
        """
        coin = value < _LEAST_WHOLE_COINS and unit.text in self._coins
        part = self._of_coin(reading, unit, words=words) if coin else None
        if part is not None:
            return part[0], Unit("cny" if unit.kind == "card" else unit.kind, part[1], unit.text)
        if unit.kind == "tenth" and (digit := self._single(reading, unit.end)):
            return digit / 10, unit._replace(end=unit.end + 1)
        if unit.kind not in TIME_UNITS:
            return 0.0, unit
        if tuple(token.text for token in reading.tokens[unit.end : unit.end + 3]) == AND_A_HALF:
            return 0.5, unit._replace(end=unit.end + 3)
        return (0.5, unit._replace(end=unit.end + 1)) if self._is_half(reading, unit.end) else (0.0, unit)

    def _is_half(self, reading: Reading, at: int) -> bool:
        """Whether a Chinese half stands at a token that begins no time of its own."""
        tokens = reading.tokens
        half = at < len(tokens) and self._numerals.han_digits.get(tokens[at].text) == 0.5
        return half and not self._units.at(reading, at + 1).kind

    def _of_coin(self, reading: Reading, unit: Unit, *, words: bool) -> tuple[float, int] | None:
        """Tenths and hundredths of a coin, and the token behind them."""
        cents = self._two_digits(reading, unit.end) if words else self._figures(reading, unit.end)
        if cents is not None:
            return cents
        tenth = self._tenth(reading, unit.end)
        if tenth is None or tenth[1] != unit.end + 2 or unit.kind == "cent":
            return tenth
        hundredth = self._single(reading, tenth[1])
        return (round(tenth[0] + hundredth / 100, 2), tenth[1] + 1) if hundredth else tenth

    def _figures(self, reading: Reading, at: int) -> tuple[float, int] | None:
        """Two figures behind a coin, before nothing that they could count."""
        tokens = reading.tokens
        if not self._is_glued(reading, at) or tokens[at].kind != "n" or len(tokens[at].text) != _IN_FIGURES:
            return None
        counts = not self._is_last(tokens, at) and tokens[at + 1].text not in self._numerals.han_digits
        if counts or not tokens[at].text.isdigit():
            return None
        return float(tokens[at].text) / 100, at + 1

    def _two_digits(self, reading: Reading, at: int) -> tuple[float, int] | None:
        """Two Chinese digits behind a coin ("one yuan nine-eight")."""
        first = self._at(reading, at)
        second = self._single(reading, at + 1) if first and reading.tokens[at].kind == "h" else 0.0
        return (round(first / 10 + second / 100, 2), at + 2) if second else None

    def _tenth(self, reading: Reading, at: int) -> tuple[float, int] | None:
        """The single digit behind a unit of money, as its tenth ("two yuan two"), and the token behind it."""
        tokens, digit = reading.tokens, self._at(reading, at)
        if not digit:
            return None
        if self._is_last(tokens, at):
            return digit / 10, at + 1
        if self._units.at(reading, at + 1).kind == "cent":
            return digit / 10, at + 2
        # "one" may begin the rate: "two yuan two an hour"
        return None if digit == 1 or self._goes_on(tokens[at + 1]) else (digit / 10, at + 1)

    def _single(self, reading: Reading, at: int) -> float:
        """A single digit that is no "one" of a rate and begins no other number, else nothing."""
        digit = self._at(reading, at)
        if not digit or self._is_last(reading.tokens, at):
            return digit
        return 0.0 if digit == 1 or self._goes_on(reading.tokens[at + 1]) else digit

    def _at(self, reading: Reading, at: int) -> float:
        """The digit that is written on to a unit at a token and counts nothing, else nothing."""
        if not self._is_glued(reading, at):
            return 0.0
        token = reading.tokens[at]
        digit = self._digit(token)
        return 0.0 if digit < 1 or reading.text.startswith(self._no_digit, token.end) else digit

    def _is_glued(self, reading: Reading, at: int) -> bool:
        """Whether a token is written on to the one before and belongs to no name."""
        tokens = reading.tokens
        return at < len(tokens) and tokens[at].glued and reading.is_free(tokens[at].start, tokens[at].end)

    def _goes_on(self, token: Token) -> bool:
        """Whether a number or a word goes on with this token."""
        return token.kind in "nw" or self._numerals.han_digits.get(token.text, 1.0) != 1

    def _digit(self, token: Token) -> float:
        """The value of a single digit in figures or Chinese, else nothing."""
        if token.kind == "n" and len(token.text) == 1:
            return float(token.text)
        return self._numerals.han_digits.get(token.text, 0.0) if token.kind == "h" else 0.0

    @staticmethod
    def _is_last(tokens: list[Token], at: int) -> bool:
        """Whether a token ends what is written together, a sign aside."""
        return at + 1 >= len(tokens) or not tokens[at + 1].glued or tokens[at + 1].kind == "s"
