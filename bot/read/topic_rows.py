"""The files of bot/topics: what each topic is known by, how its numbers are read, what it asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from advisor.calculators import QUANTITIES
from advisor.files import Contents
from bot.read.hints import evened

NOTHING: Final = "-"
"""A row that reads what says the same again, or is no number of the sum."""
_SEAM: Final = re.compile(r"(?<=[\u3400-\u9fff])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\u3400-\u9fff])")
_PRIOR: Final = 0.6
_FLAGS: Final = ("plain", "needs", "counted", "adds", "as_written", "multiplies", "marked")


@dataclass(frozen=True, slots=True)
class TopicRow:
    """One way to read a measure within a topic."""

    quantity: str
    kinds: frozenset[str]
    per: frozenset[str]
    """It is counted for one of these; none: for anything."""
    plain: bool
    """It is counted for nothing."""
    needs: bool
    """One of its words must be said, whatever its unit; of a bare number, always where it has any."""
    prior: float
    cues: frozenset[str]
    label: tuple[str, ...]
    behind: tuple[str, ...]
    least: float
    most: float
    counted: bool
    """A number right before it says how many of them there are."""
    adds: bool
    """Several of them add up."""
    as_written: bool
    """The number counts as it was written, whatever its unit."""
    multiplies: bool
    """Several of them are multiplied."""
    unit: str
    """The only unit that it is read in; "" for any."""
    unit_not: str
    """The one unit that it is not read in."""
    marked: bool
    """One of the words right behind it must be said."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a kind of sum is known by, and how its numbers are read."""

    name: str
    words: tuple[frozenset[str], ...]
    """One of each must be said."""
    without: frozenset[str]
    """Where one of these is said it is another topic."""
    rows: tuple[TopicRow, ...]
    asks: Mapping[str, frozenset[str]]
    """Unknown -> words that ask for it; the first is meant where none is said."""
    formats: tuple[str, ...]
    """The quantities that the names of number formats state, the first that is named that of the first."""
    counts: Mapping[str, tuple[str, tuple[frozenset[str], ...]]]
    """Quantity -> the one of which a single value is said, and things of which so many are named as it is."""
    implied: Mapping[str, tuple[tuple[frozenset[str], float], ...]]
    """Quantity -> words that state a value of it."""
    usual: Mapping[str, float]
    """What holds of a topic where nothing else is said."""

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of the numbers that it reads."""
        return frozenset().union(*(row.kinds for row in self.rows))


def words_of(topic: Topic) -> Iterable[str]:
    """Every word of a topic."""
    things = (words for _, listed in topic.counts.values() for words in listed)
    implied = (words for entries in topic.implied.values() for words, _ in entries)
    rows = (words for row in topic.rows for words in (row.cues, row.label))
    return chain.from_iterable(chain(topic.words, (topic.without,), topic.asks.values(), rows, things, implied))


def spelt(words: Iterable[object], even: Callable[[str], str]) -> tuple[str, ...]:
    """Words as messages have them, those of two scripts with a space between as well; the longer first."""
    listed = evened(words, even)
    spaced = (_SEAM.sub(" ", word) for word in listed)
    return tuple(sorted({*listed, *spaced}, key=lambda word: (-len(word), word)))


def topic_of(name: str, entry: Contents, even: Callable[[str], str]) -> Topic:
    """A topic as its file has it. Raises KeyError for a quantity that no formula knows."""

    def words(listed: Iterable[object]) -> frozenset[str]:
        return frozenset(spelt(listed, even))

    for quantity in (*entry["asks"], *entry.get("usual", ()), *entry.get("counts", ()), *entry.get("implied", ())):
        QUANTITIES[quantity]
    return Topic(
        name=name,
        words=tuple(words(group) for group in entry["words"]),
        without=words(entry.get("without", ())),
        rows=tuple(_row(row, even) for row in entry["rows"]),
        asks={unknown: words(listed) for unknown, listed in entry["asks"].items()},
        formats=tuple(entry.get("formats", ())),
        counts={
            quantity: (_key(told, "each"), tuple(map(words, told["things"])))
            for quantity, told in entry.get("counts", {}).items()
        },
        implied={
            quantity: tuple((words(listed), float(value)) for value, listed in entries.items())
            for quantity, entries in entry.get("implied", {}).items()
        },
        usual={quantity: float(value) for quantity, value in entry.get("usual", {}).items()},
    )


def _row(entry: Contents, even: Callable[[str], str]) -> TopicRow:
    quantity = _key(entry, "is")
    if quantity != NOTHING:
        QUANTITIES[quantity]
    flags = {name: bool(entry.get(name)) for name in _FLAGS}
    return TopicRow(
        quantity=quantity,
        kinds=frozenset(entry["of"]),
        per=frozenset(entry.get("per", ())),
        prior=float(entry.get("prior", _PRIOR)),
        cues=frozenset(spelt(entry.get("cues", ()), even)),
        label=spelt(entry.get("label", ()), even),
        behind=spelt(entry.get("behind", ()), even),
        least=float(entry.get("least", 0.0)),
        most=float(entry.get("most", 1e30)),
        unit=_key(entry, "unit"),
        unit_not=_key(entry, "unit_not"),
        **flags,
    )


def _key(entry: Contents, name: str) -> str:
    """The name that stands there as a key, so that it is no word of a message; "" where none does."""
    return next(iter(entry.get(name, ())), "")
