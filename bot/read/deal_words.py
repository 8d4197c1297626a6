"""The words of sums of money of a kind of their own, as `lexicon/deals.yaml` lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypedDict

from advisor.calculators import QUANTITIES

ANY: Final = "*"
"""Stands for any sum before."""
_ALL: Final = 1e30


class PlaceEntry(TypedDict, total=False):
    """One place as it is listed."""

    at: str
    near: str
    must: bool
    per: Mapping[str, None]
    rated: bool
    of: Mapping[str, None]
    low: float
    high: float


class DealEntry(TypedDict, total=False):
    """One kind as it is listed."""

    asked: list[str]
    never: str
    after: Mapping[str, None]
    only_after: Mapping[str, None]
    free: bool
    worth: float
    places: Mapping[str, PlaceEntry | None]


@dataclass(frozen=True)
class Said:
    """Words of a kind. Made ready with the first text that they are looked for in: a message is of few of all kinds."""

    pattern: str

    @cached_property
    def ready(self) -> re.Pattern[str]:
        """What finds them. Raises re.error where they are no pattern."""
        return re.compile(self.pattern)


@dataclass(frozen=True, slots=True)
class Place:
    """One number of a kind."""

    quantity: str
    at: Said | None
    """Words around the number, which stands as #."""
    near: Said | None
    """Words not far from it."""
    must: bool
    """Its words have to be said."""
    optional: bool
    idle: bool
    """The number is told and changes nothing."""
    per: frozenset[str]
    """Kinds that the number is counted for, and may be said without."""
    rated: bool
    """It may not be said without."""
    of: frozenset[str]
    """Kinds of measures, where they are others than its unit says."""
    low: float
    high: float

    @property
    def alike(self) -> tuple[object, ...]:
        """What tells it from other places."""
        return (self.at, self.near, self.per, self.of, self.idle, QUANTITIES[self.quantity].unit)


@dataclass(frozen=True, slots=True)
class Deal:
    """One kind of sum."""

    unknown: str
    asked: tuple[Said, ...]
    """All of them have to be said; behind another sum the first is enough."""
    never: Said | None
    after: frozenset[str]
    """Sums behind which it goes on."""
    alone: bool
    """It is asked for behind no other sum as well."""
    free: bool
    """Behind another sum no word has to be said."""
    places: tuple[Place, ...]
    worth: float

    def is_asked(self, text: str) -> bool:
        """Whether all of its words are said, and none that speaks against it."""
        said = all(one.ready.search(text) for one in self.asked)
        return said and not (self.never and self.never.ready.search(text))

    def is_behind(self, last: frozenset[str]) -> bool:
        """Whether the sum before is one behind which it goes on."""
        return bool(last) and (ANY in self.after or not last.isdisjoint(self.after))

    def is_led(self, text: str, last: frozenset[str]) -> bool:
        """Whether it goes on with the sum before by its first word alone."""
        return self.alone and self.is_behind(last) and (self.free or bool(self.asked[0].ready.search(text)))


def deals(content: Mapping[str, Iterable[DealEntry]]) -> Iterator[Deal]:
    """Every kind, by what it gives. Raises KeyError for a quantity that no formula knows."""
    for unknown, entries in content.items():
        for entry in entries:
            places = tuple(_place(name, told or {}) for name, told in entry["places"].items())
            for name in (unknown, *(one.quantity for one in places)):
                QUANTITIES[name]
            yield Deal(
                unknown,
                tuple(map(Said, entry["asked"])),
                _said(entry.get("never")),
                frozenset((*entry.get("after", ()), *entry.get("only_after", ()))),
                "only_after" not in entry,
                bool(entry.get("free")),
                places,
                float(entry.get("worth", 0.0)),
            )


def _place(name: str, told: PlaceEntry) -> Place:
    return Place(
        quantity=name.strip("_?"),
        at=_said(told.get("at")),
        near=_said(told.get("near")),
        must=bool(told.get("must")),
        optional=name.endswith("?"),
        idle=name.startswith("_"),
        per=frozenset(told.get("per", ())),
        rated=bool(told.get("rated")),
        of=frozenset(told.get("of", ())),
        low=float(told.get("low", 0.0)),
        high=float(told.get("high", _ALL)),
    )


def _said(pattern: str | None) -> Said | None:
    return Said(pattern) if pattern else None
