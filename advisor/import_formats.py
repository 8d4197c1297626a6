"""Formats in which prices come: columns of foreign catalogues and of vendors' lists, and a line typed by hand.

Each row becomes `Asked`: what is named, on which terms, at which price for one unit. Which card is meant is not decided
here. Columns as gpuhunt and SkyPilot publish them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

_SKYPILOT: Final = frozenset({"InstanceType", "AcceleratorName", "AcceleratorCount", "Price"})
_GPUHUNT: Final = frozenset({"instance_name", "price", "gpu_count", "gpu_name"})
_VENDOR: Final = frozenset({"gpu", "price", "currency", "unit", "terms"})
_DAYS: Final = ("as_of", "day", "date")
"""Columns of a vendor's list that say when a price held."""
_MIB: Final = re.compile(r"""SizeInMiB['"]?\s*:\s*(\d+)""")
_RANGE: Final = re.compile(r"^\s*([\d.,]+)\s*(?:[-\u2013]\s*([\d.,]+))?\s*$")
_THOUSANDS: Final = re.compile(r"^\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_CARD_COUNT_MOST: Final = 32
_SPOT_SAID: Final = {"true": "spot", "1": "spot", "false": "on_demand", "0": "on_demand", "": "on_demand"}
"""What gpuhunt's column says; anything else names no terms and is left out."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One price as a row states it."""

    name: str
    terms: str
    """A PricingModel's value."""
    low: Decimal | None
    high: Decimal | None
    currency: str = "USD"
    unit: str = "gpu_hour"
    region: str = ""
    memory_gib: float | None = None
    """Memory of one card, where the row states it: a name alone may fit several cards."""
    tier: str = ""
    note: str = ""
    day: str = ""
    """Day of the price, where the row states one; without it the file's."""


Split = Callable[[Mapping[str, str]], Iterable[Asked]]


def decimal_of(text: str | None) -> Decimal | None:
    """A positive, finite number; None for anything else. A comma parts thousands: of "0,5" nobody knows what it is."""
    said = (text or "").strip()
    if "," in said and not _THOUSANDS.match(said):
        return None
    try:
        value = Decimal(said.replace(",", ""))
    except InvalidOperation:
        return None
    return value if value.is_finite() and value > 0 else None


def format_of(columns: Iterable[str]) -> Split | None:
    """How rows with these columns are read; None for a format that is not known."""
    held = frozenset(columns)
    for wanted, split in ((_SKYPILOT, _skypilot), (_GPUHUNT, _gpuhunt), (_VENDOR, _vendor)):
        if held >= wanted:
            return split
    return None


def _per_card(price: str | None, count: str | None) -> Decimal | None:
    amount, cards = decimal_of(price), decimal_of(count)
    if amount is None or cards is None or not 1 <= cards <= _CARD_COUNT_MOST or cards % 1:
        return None  # a part of a card is no card
    return amount / cards


def _skypilot(row: Mapping[str, str]) -> Iterable[Asked]:
    name, count, region = row["AcceleratorName"], row["AcceleratorCount"], row.get("Region") or ""
    told = _MIB.search(row.get("GpuInfo") or row.get("GPUInfo") or "")
    memory = int(told[1]) / 1024 if told else None
    price = _per_card(row["Price"], count)
    yield Asked(name, "on_demand", price, price, region=region, memory_gib=memory)
    if row.get("SpotPrice"):
        spot = _per_card(row["SpotPrice"], count)
        yield Asked(name, "spot", spot, spot, region=region, memory_gib=memory)


def _gpuhunt(row: Mapping[str, str]) -> Iterable[Asked]:
    said = (row.get("spot") or "").strip().casefold()
    terms = _SPOT_SAID.get(said, said)
    memory = decimal_of(row.get("gpu_memory"))
    price = _per_card(row["price"], row["gpu_count"])
    where = row.get("location") or ""
    yield Asked(row["gpu_name"], terms, price, price, region=where, memory_gib=float(memory) if memory else None)


def _vendor(row: Mapping[str, str]) -> Iterable[Asked]:
    low, high = span_of(row["price"])
    memory = decimal_of(row.get("memory_gib"))
    yield Asked(
        row["gpu"],
        (row["terms"] or "").strip(),
        low,
        high,
        currency=(row["currency"] or "").strip().upper(),
        unit=(row["unit"] or "").strip(),
        region=row.get("region") or "",
        memory_gib=float(memory) if memory else None,
        tier=row.get("tier") or "",
        note=row.get("note") or "",
        day=next((row[name].strip() for name in _DAYS if row.get(name)), ""),
    )


def span_of(text: str | None) -> tuple[Decimal | None, Decimal | None]:
    """ "5200" or "5000-5400" as its ends; none for anything else."""
    found = _RANGE.match(text or "")
    if found is None:
        return None, None
    low = decimal_of(found[1])
    high = decimal_of(found[2]) if found[2] else low
    return low, high


_LINE: Final = re.compile(
    r"^(?P<gpu>[^;]+);(?P<terms>[^;]+);(?P<price>[^;]+?)\s*(?P<currency>[A-Za-z]{3})\s*;(?P<unit>[^;]+);"
    r"(?P<provider>[^;]+);(?P<day>[^;]+);(?P<source>[^;]+)$"
)
LINE_FORM: Final = "card; terms; price CUR; unit; provider; YYYY-MM-DD; source id"
"""How a line is typed: `RTX 3090; purchase_used; 5200 CNY; card; xianyu; 2026-11-20; xianyu-listing`."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A line typed by hand."""

    asked: Asked
    provider: str
    day: str
    source: str


def typed_line(text: str) -> Typed | None:
    """A line in `LINE_FORM`; None when it has another form."""
    found = _LINE.match(text.strip())
    if found is None:
        return None
    low, high = span_of(found["price"])
    asked = Asked(
        found["gpu"].strip(), found["terms"].strip(), low, high, found["currency"].upper(), found["unit"].strip()
    )
    return Typed(asked, found["provider"].strip(), found["day"].strip(), found["source"].strip())
