"""Parts that all results share: figures with their ends, sources with their days, what was assumed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from advisor.named.shown import Cell, Row

_FOUR_DIGITS: Final = 1000


@dataclass(frozen=True, slots=True)
class Range:
    """A figure with its 90 % band, or a price with its ends."""

    value: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure comes from."""

    id: str
    title: str
    url: str | None = None
    as_of: date | None = None
    """Day of its figures, where it names one; else the day it was read."""
    title_zh: str = ""


@dataclass(frozen=True, slots=True)
class Assumed:
    """A value that the caller left open."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What a figure rests on, every open value filled in."""

    method: str
    precision: str | None
    quant: str | None
    """Format of the weights, where it is another."""
    batch: int | None
    seq_len: int | None


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One price, or one bill."""

    kind: str
    """rent | new | used | launch | machine | record"""
    provider: str
    terms: str
    amount: Range
    """Of one card: for an hour (rent) or outright."""
    as_of: date | None
    age: str
    """fresh | ageing | stale | expired"""
    source: str
    total: Range | None = None
    """Of all cards and hours, in a bill."""
    cards: int | None = None
    """That are billed: more than asked for where only whole nodes are let."""


def counted(name: str, n: int) -> str:
    """A card with how many of it."""
    return name if n == 1 else f"{n} x {name}"


def band(one: Range) -> str:
    """A figure with its ends, where it has any."""
    if one.low == one.high:
        return f"{one.value:.4g} {one.unit}"
    return f"{one.value:.4g} ({_end(one.low)} to {_end(one.high)}) {one.unit}"


def _end(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= _FOUR_DIGITS else f"{value:.3g}"


def day_text(day: date | None) -> str:
    """A day as it is written; nothing for none."""
    return "" if day is None else day.isoformat()


def record(**cells: Cell) -> Row:
    """A row of a table."""
    return cells
