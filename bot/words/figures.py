"""How numbers with units are written in a language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from math import isfinite
from typing import Final

from bot.core.line import Figure, Single, Sum

_SYMBOLS: Final = {
    "CNY": "\u00a5",
    "USD": "$",
    "EUR": "\u20ac",
    "GBP": "\u00a3",
    "HKD": "HK$",
    "TWD": "NT$",
    "JPY": "JP\u00a5",
    "INR": "\u20b9",
}
_SMALLER: Final = {
    "GB": ("MB", 1000.0),
    "MB": ("KB", 1000.0),
    "GiB": ("MiB", 1024.0),
    "kWh": ("Wh", 1000.0),
    "GB/s": ("MB/s", 1000.0),
}
"""The unit that a figure below 1 is told in."""
_LARGER: Final = {"MB/s": ("GB/s", 1000.0), "KB": ("MB", 1000.0), "GB": ("TB", 1000.0), "kg": ("t", 1000.0)}
_WHOLE: Final = frozenset(
    {
        "card",
        "machine",
        "core",
        "request",
        "token",
        "process",
        "layer",
        "head",
        "psu",
        "item",
        "round",
        "step",
        "run",
        "lane",
        "frame",
        "stream",
        "matrix",
        "user",
        "copy",
    }
)
_LARGE: Final = 10_000.0
"""From here on the larger unit is told."""
_SHORT: Final = 2.0
"""Hours below which minutes are told, minutes below which seconds are."""
_BRIEF: Final = 0.1
"""Seconds below which milliseconds are told."""
_EXACT: Final = 4
"""Digits of a sum, so that whoever adds it up again finds the same."""
_LEAST: Final = 9
_ADDED: Final = (" × ", " + ", " − ", " ÷ ")


def number(value: float, digits: int = 4) -> str:
    """About `digits` significant digits, thousands grouped, no trailing zeros."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    decimals = digits - 1
    while size < 1 and decimals < _LEAST:
        size *= 10
        decimals += 1
    while size >= 10 and decimals > 0:
        size /= 10
        decimals -= 1
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(value: float, currency: str) -> str:
    """Whole units from 1,000 on; below two decimals, more where they carry the amount."""
    size = abs(value)
    text = f"{size:,.0f}" if size >= 1000 else f"{size:,.2f}" if size >= 0.1 else number(size, 3)
    text = text.removesuffix(".00")
    sign = "\u2212" if value < 0 else ""
    symbol = _SYMBOLS.get(currency)
    return f"{sign}{symbol}{text}" if symbol else f"{sign}{text} {currency}".strip()


class Figures:
    """Labels of units in one language: "{n} hours", with a form for one where the language has it."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """Keys are units; `unit.one` is the singular."""
        self._labels = labels
        self._ways: Mapping[str, Callable[[Figure], str]] = {
            "": self.figure,
            "band": self._banded,
            "range": self._ranged,
            "bare": self._bare,
        }

    def say(self, value: Sum | date | int | None) -> str:
        """A value without markup of its own as text."""
        if isinstance(value, Sum):
            return self.sum(value)
        return value.isoformat() if isinstance(value, date) else str(value)

    def between(self, values: tuple[Single, ...]) -> str:
        """What stands between values that are told one after another."""
        return self._labels["then" if values and isinstance(values[0], Sum) else "and"]

    def shown(self, figure: Figure, way: str = "") -> str:
        """A figure in the way that its place asks for: alone, with its band, from low to high, without its unit."""
        return self._ways[way](figure)

    def _banded(self, figure: Figure) -> str:
        ends = _ends(figure)
        if ends is None:
            return self.figure(figure)
        return self._labels["banded"].format(n=self.figure(figure), span=self._span(figure.unit, ends, figure.value))

    def _ranged(self, figure: Figure) -> str:
        ends = _ends(figure)
        if ends is None:
            return self.figure(figure)
        base, _, per = figure.unit.partition("/")
        if base == "money":
            low, high = (money(end, figure.currency) for end in ends)
            symbol = _SYMBOLS.get(figure.currency, "")
            low = low if symbol else low.removesuffix(figure.currency).strip()
            return f"{low}\u2013{high.removeprefix(symbol)}{self._labels[f'per.{per}'] if per else ''}"
        return self._with_unit(self._span(figure.unit, ends, ends[1]), readable(ends[1], figure.unit)[1])

    def _span(self, unit: str, ends: tuple[float, float], beside: float) -> str:
        """Both ends in the unit that reads best for the value beside them, without it."""
        scale = _scaled(beside, unit) / beside if beside else 1.0
        return "\u2013".join(_digits(end * scale, readable(beside, unit)[1]) for end in ends)

    def _bare(self, figure: Figure) -> str:
        """The number in the unit that is shown for the figure, without that unit."""
        return _digits(_scaled(figure.value, figure.unit), readable(figure.value, figure.unit)[1])

    def _with_unit(self, shown: str, unit: str) -> str:
        if unit == "share":
            return f"{shown}%"
        label = self._labels.get(f"{unit}.one") if shown == "1" else None
        return (label or self._labels.get(unit, "{n} " + unit)).format(n=shown).strip()

    def figure(self, figure: Figure, digits: int = 3) -> str:
        """A number with its unit, in the unit that reads best."""
        value, unit = figure.value, figure.unit
        if not isfinite(value):
            return "\u221e"
        base, _, per = unit.partition("/")
        if base == "money":
            text = money(value, figure.currency)
            return f"{text}{self._labels[f'per.{per}']}" if per else text
        if unit == "share":
            return f"{number(value * 100, 3)}%"
        large = self._labels.get(f"{unit}.large_from")
        if large is not None and abs(value) >= float(large):
            return self._labels[f"{unit}.large"].format(n=number(value / float(large), 3))
        value, unit = readable(value, unit)
        return self._with_unit(_digits(value, unit, digits), unit)

    def sum(self, line: Sum) -> str:
        """Arithmetic with its values, and the result behind an equals sign."""
        text = line.pattern
        for name in sorted(line.values, key=len, reverse=True):
            text = text.replace("{" + name + "}", self.figure(line.values[name], _EXACT))
        return f"{text} = {self.figure(line.result, _EXACT)}" if line.result is not None else text


def _ends(figure: Figure) -> tuple[float, float] | None:
    if figure.low is None or figure.high is None or figure.low == figure.high:
        return None
    return figure.low, figure.high


def _scaled(value: float, unit: str) -> float:
    return value * 100 if unit == "share" else readable(value, unit)[0]


def _digits(value: float, unit: str, digits: int = 3) -> str:
    return f"{value:,.0f}" if unit in _WHOLE else number(value, digits)


def readable(value: float, unit: str) -> tuple[float, str]:
    """The same amount in the unit that people would say."""
    size = abs(value)
    if unit == "hour" and 0 < size < _SHORT:
        return (value * 60, "minute") if size * 60 >= _SHORT else (value * 3600, "second")
    if unit == "second" and 0 < size < _BRIEF:
        return value * 1000, "ms"
    while unit in _SMALLER and 0 < abs(value) < 1:
        unit, factor = _SMALLER[unit]
        value *= factor
    while unit in _LARGER and abs(value) >= _LARGE:
        unit, factor = _LARGER[unit]
        value /= factor
    return value, unit


def without(pattern: str, names: frozenset[str]) -> str:
    """A pattern without the values that nobody said and that change nothing ("x 1")."""
    for name in names:
        for sign in _ADDED:
            pattern = pattern.replace(f"{sign}{{{name}}}", "")
        pattern = pattern.replace(f"{{{name}}} × ", "")
    return pattern.replace("()", "").replace("( ", "(")
