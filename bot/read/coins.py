"""Small coins said without a unit: a digit behind one coin is a tenth of it, two Han digits tenths and hundredths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.read.measured_units import Unit, UnitTable
from bot.understand.slots.found import Reading
from bot.understand.slots.numerals import Numerals
from bot.understand.tokens import Token

COUNTED: Final = frozenset({"card", "machine"})
_SIZES: Final = frozenset({"data", "data_rate", "power", "bit", "byte", "rack", "mass"})
"""Kinds of a size: the digit before one is no tenth of a coin, whose word counts things as well."""
_COINS: Final = frozenset({"cny", "mao"})
_TENTH: Final = "mao"
_PAIR: Final = 2


class Coins:
    """Reads what is left out between coins. Holds no state."""

    def __init__(self, units: UnitTable, numerals: Numerals, words: Iterable[str]) -> None:
        """`words`: the spoken names of coins."""
        self._units, self._numerals, self._words = units, numerals, frozenset(words)

    def with_tenths(self, reading: Reading, value: float, unit: Unit | None, end: int) -> tuple[float, int]:
        """The single digit behind a coin is a tenth of it."""
        if unit is None or unit.name not in _COINS or reading.text[end - 1 : end] not in self._words:
            return value, end
        at = next((i for i, token in enumerate(reading.tokens) if token.start == end), None)
        digit = self._tenths(reading, at) if at is not None else 0.0
        if at is None or not digit:
            return value, end
        value, end = value + digit / 10, reading.tokens[at].end
        smaller = self._units.at(reading.text, end)
        if smaller is None or smaller[0].name != _TENTH:
            return value, end
        hundredths = self._digit_at(reading, smaller[1])
        return value + hundredths / 100, smaller[1] + bool(hundredths)

    def _digit_at(self, reading: Reading, place: int) -> float:
        """The single digit that stands at a place and counts nothing."""
        at = next((i for i, token in enumerate(reading.tokens) if token.start == place), None)
        return self._tenths(reading, at) if at is not None else 0.0

    def two_digits(self, text: str, start: int, value: float, unit: Unit | None) -> float:
        """Tenths and hundredths of a price that are said without a word between."""
        if unit is None or unit.kind != "fold":
            return value
        digits = [self._numerals.han_digits.get(character, 0.0) for character in text[start : start + _PAIR]]
        return 10.0 * digits[0] + digits[1] if all(digits) and len(digits) == _PAIR else value

    def _digit(self, token: Token) -> float:
        """The value of a single digit in figures or in words, 0 of everything else."""
        if token.kind == "n" and len(token.text) == 1:
            return float(token.text)
        return float(self._numerals.han_digits.get(token.text, 0.0))

    def _tenths(self, reading: Reading, at: int) -> float:
        """The digit at a token, 0 where it counts something else or is part of a longer number."""
        token, digits = reading.tokens[at], self._numerals.han_digits
        digit = self._digit(token)
        if digit < 1:
            return 0.0
        behind = next((one for one in reading.tokens[at + 1 : at + 2] if one.glued), None)
        if behind is not None and (behind.kind == "n" or behind.text in digits):
            return digit if self._units.at(reading.text, behind.end) is not None else 0.0
        counted = self._units.at(reading.text, token.end)
        return 0.0 if counted is not None and (digit == 1 or counted[0].kind in COUNTED | _SIZES) else digit
