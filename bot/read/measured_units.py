"""Units by their spellings, and a number in its unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: its kind, how much of the kind's own unit it is, and for money the currency."""

    name: str
    kind: str
    times: float = 1.0
    currency: str = ""
    mark: str = ""


NO_UNIT: Final = Unit("", "")


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of the message in the unit of its kind."""

    value: float
    kind: str
    """time | day | money | power | data | card ... ; "" for a bare number."""
    unit: str
    """The unit as named: hour, minute, gib, cny ..."""
    start: int
    end: int
    """Place in the even text, number and unit."""
    per: tuple[str, ...] = ()
    """Kinds that it is counted for: ("card", "time")."""
    currency: str = ""
    words: bool = False
    per_units: tuple[str, ...] = ()
    number: float = 0.0
    """As written, before it was turned into the kind's own unit."""
    text: str = ""
    """As typed, to be named when nothing uses it. Never stored."""
    rated: str = ""
    """As typed, with the rate behind it. Never stored."""
    instead: bool = False
    """The other end of a range, or the other of two values: what the measure before it is, too."""
    side: str = ""
    """in | out: what is fed to a model and what it writes."""


class UnitTable:
    """Spellings of units, the longer first."""

    def __init__(self, content: Mapping[str, Any], even: Callable[[str], str]) -> None:
        """`content` is lexicon/units.yaml; `even` normalises a spelling as messages are."""
        self.units: dict[str, Unit] = {}
        self._spelt: dict[str, Unit] = {}
        for name, row in content.items():
            unit = Unit(name, row["kind"], float(row.get("times", 1.0)), row.get("currency", ""), row.get("mark", ""))
            self.units[name] = unit
            for spelling in (*row.get("zh", ()), *row.get("en", ())):
                self._spelt.setdefault(even(spelling), unit)
        lengths: dict[str, set[int]] = {}
        for spelling in self._spelt:
            lengths.setdefault(spelling[0], set()).add(len(spelling))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def at(self, text: str, start: int) -> tuple[Unit, int] | None:
        """The unit that begins at a place, and where it ends."""
        first = text[start : start + 1]
        if first not in self._lengths:
            return None
        for length in self._lengths[first]:
            spelling, end = text[start : start + length], start + length
            if spelling not in self._spelt or len(spelling) < length or goes_on(text, end):
                continue
            unit = self._spelt[spelling]
            if not (_before_its_number(unit, spelling) and text[end : end + 1].isdigit()):
                return unit, end
        return None


def _before_its_number(unit: Unit, spelling: str) -> bool:
    """Whether a unit so spelt may stand before a number of its own: a sign of money, or an x."""
    return unit.kind == "times" or (unit.kind == "money" and not spelling.isalnum())


def goes_on(text: str, end: int) -> bool:
    """Whether a Latin word does not end here."""
    pair = text[end - 1 : end + 1]
    return len(pair) == 2 and pair.isascii() and pair.isalpha()
