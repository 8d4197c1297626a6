"""Which quantity each measure of a message is, and which one is asked for.

Both are decided by a table of words (`lexicon/measures.yaml`): of all rows that a measure's unit allows, the one whose words stand nearest wins;
each quantity is taken by one measure, the best first. What no row claims is left unplaced and said so later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from advisor.calculators import QUANTITIES, Given
from bot.read.measures import Measure
from bot.read.units import in_unit_of

_SIGNS: Final = ",;.?!:\uff0c\u3002\uff1b\uff1f\uff01"
_BREAK: Final = re.compile(r"[;?!()]|(?<!\d)[,:]|[,:](?!\d)|\.(?=\s|$)")
_NEAR: Final = 24.0
"""Characters beyond which a word no longer says what a number is."""
_SCOPE: Final = 1.2
_LABELLED: Final = 6
"""Characters between a label and its number: "batch size of 64"."""
_ELSEWHERE: Final = 0.35
"""What a word of another part of the sentence is worth."""
_LEAST: Final = 0.5
PAST: Final = "-"
"""A row that reads what is no longer: "from an 11 GB card"."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way to read a measure."""

    quantity: str
    kind: str
    per: str
    scope: str
    prior: float
    needs: str
    """"cue": one of its words or its scope must be said; "own": one of its words."""
    cues: tuple[str, ...]
    label: tuple[str, ...]
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A quantity that the message may ask for."""

    name: str
    score: float
    start: int
    """Where its words stand."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A measure and the quantity that it is."""

    measure: Measure
    quantity: str
    value: float
    score: float
    adds: bool = False
    """ "And another 2 hours": added to what is there."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a message gives and asks for, in quantities."""

    placed: tuple[Placed, ...] = ()
    unplaced: tuple[Measure, ...] = ()
    asked: tuple[Asked, ...] = ()
    implied: tuple[Given, ...] = ()
    """Values that words stand for: "one-day rule", "weekdays", "FP16 cache"."""
    currency: str = ""
    currencies: frozenset[str] = frozenset()
    odd: tuple[Placed, ...] = ()
    """Values that make no sense: 31 hours a day."""
    flags: frozenset[str] = field(default_factory=frozenset)
    """linear, nonstop: how the sum is meant."""
    adding: frozenset[str] = frozenset()
    """Quantities that come on top of what was said before: "another 11 hours"."""

    @property
    def given(self) -> tuple[Given, ...]:
        """Everything that counts, stated values over implied ones; values of one kind that add up are one."""
        values: dict[str, float] = {one.name: one.value for one in self.implied}
        stated: dict[str, float] = {}
        for one in self.placed:
            stated[one.quantity] = stated.get(one.quantity, 0.0) + one.value
        return tuple(Given(name, value) for name, value in (values | stated).items())


class QuantityTable:
    """The words of lexicon/measures.yaml, ready for look-up."""

    def __init__(self, content: Mapping[str, Any], even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are. Raises KeyError for a quantity that no formula knows."""
        self._rows = tuple(_row(entry, even) for entry in content["rows"])
        for row in self._rows:
            QUANTITIES[row.quantity if row.quantity != PAST else "cards"]
        self._adds = _evened(content["adds"], even)
        self._formats = {even(str(word)): float(size) for word, size in content["formats"].items()}
        self._cache_words = _evened(content["cache_words"], even)
        self._disks = {even(word): float(rate) for word, rate in content["disks"].items()}
        self._words = {kind: _evened(content[kind], even) for kind in ("linear", "one_day", "nonstop", "weekdays", "weekends")}
        self._asks = {
            name: (frozenset(entry["blank"]), _evened(entry["cues"], even), _evened(entry.get("also", ()), even))
            for name, entry in content["asks"].items()
        }
        for name in self._asks:
            QUANTITIES[name]

    # --- what is given ----------------------------------------------------------------------------------------------

    def place(self, text: str, measures: Iterable[Measure]) -> tuple[tuple[Placed, ...], tuple[Measure, ...]]:
        """The quantity of each measure; the measures that are none."""
        listed = list(measures)
        parts = _parts(text)
        scored: list[tuple[float, int, Row]] = []
        for index, measure in enumerate(listed):
            for row in self._rows:
                score = self._score(text, parts, measure, row)
                if score >= _LEAST:
                    scored.append((score, index, row))
        scored.sort(key=lambda entry: (-entry[0], entry[1], entry[2].quantity))
        taken: dict[int, Placed] = {}
        names: dict[str, Measure] = {}
        for score, index, row in scored:
            measure = listed[index]
            if index in taken:
                continue
            first = names.get(row.quantity)
            adds = first is not None and self._adds_to(text, first, measure)
            if first is not None and not adds and not _same(first, measure):
                continue
            if first is not None and _same(first, measure):
                taken[index] = Placed(measure, "", 0.0, score)  # said twice
                continue
            names.setdefault(row.quantity, measure)
            value = 0.0 if row.quantity == PAST else in_unit_of(measure, row.quantity)
            taken[index] = Placed(measure, row.quantity, value, score, adds)
        placed = tuple(taken[index] for index in sorted(taken) if taken[index].quantity not in {"", PAST})
        return placed, tuple(measure for index, measure in enumerate(listed) if index not in taken)

    def _adds_to(self, text: str, first: Measure, second: Measure) -> bool:
        """Whether the later of two says that it comes on top."""
        later = max(first, second, key=lambda one: one.start)
        return any(word in text[max(0, later.start - 12) : later.start] for word in self._adds) and first.kind == second.kind

    def adds(self, text: str, measure: Measure) -> bool:
        """Whether a measure comes on top of what was said before."""
        return any(word in text[max(0, measure.start - 12) : measure.start] for word in self._adds)

    def _score(self, text: str, parts: list[tuple[int, int]], measure: Measure, row: Row) -> float:
        if row.kind != measure.kind or not _counted(row.per, measure):
            return 0.0
        if row.label:
            return row.prior + 1.5 if _labelled(text, measure.start, row.label) else 0.0
        if not row.least <= measure.value <= row.most:
            return 0.0
        scoped = bool(row.scope) and row.scope in measure.per
        near = _nearest(text, parts, measure, row.cues)
        if row.needs and not near and not (scoped and row.needs == "cue"):
            return 0.0
        return row.prior + near + (_SCOPE if scoped else 0.0)

    def phrases(self, text: str) -> list[tuple[int, int]]:
        """Places of the phrases that hold a number and are no measure: "24 hours a day", "within one day"."""
        found: list[tuple[int, int]] = []
        for kind in ("one_day", "nonstop"):
            for word in self._words[kind]:
                at = _find(text, word, 0, len(text))
                if at >= 0:
                    found.append((at, at + len(word)))
        return found

    def implied(self, text: str, measures: Iterable[Measure]) -> tuple[Given, ...]:
        """Values that words stand for, outside the measures that were read."""
        for one in measures:
            text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
        found: list[Given] = []
        if _any(text, self._words["one_day"]):
            found.append(Given("deadline_hours", 24.0))
        if _any(text, self._words["weekdays"]):
            found.append(Given("days_week", 5.0))
        elif _any(text, self._words["weekends"]):
            found.append(Given("days_week", 2.0))
        if _any(text, self._cache_words):
            size = next((size for word, size in self._formats.items() if _holds(text, word)), None)
            found += [Given("kv_bytes", size)] if size else []
        disk = next((rate for word, rate in self._disks.items() if _holds(text, word)), None)
        found += [Given("disk_mb_s", disk)] if disk else []
        return tuple(found)

    def flags(self, text: str) -> frozenset[str]:
        """How the sum is meant."""
        return frozenset(kind for kind in ("linear", "nonstop") if _any(text, self._words[kind]))

    # --- what is asked ----------------------------------------------------------------------------------------------

    def asked(self, text: str, blanks: frozenset[str], asking: list[tuple[int, int]]) -> tuple[Asked, ...]:
        """The quantities that may be asked for, likeliest first.

        Args:
            text: the even text.
            blanks: kinds that would fill the blank of the question: "money", "day", "yes" ...
            asking: the parts of the text that ask.
        """
        found: list[Asked] = []
        for name, (wanted, cues, also) in self._asks.items():
            blank = bool(wanted & blanks)
            if also and not _any(text, also):
                continue
            score, at = 0.0, len(text)
            for start, end in asking:
                for cue in cues:
                    place = _find(text, cue, start, end)
                    if place >= 0:
                        score += 1.0 + min(len(cue), 12) / 12
                        at = min(at, place)
            elsewhere = 0.0 if score else _ELSEWHERE * sum(_holds(text, cue) for cue in cues)
            total = score + min(elsewhere, 1.0) + (1.0 if blank else 0.0)
            if (score or elsewhere) and (blank or score >= 1.5):
                found.append(Asked(name, total, at))
        return tuple(sorted(found, key=lambda one: (-one.score, one.start, one.name)))


# --- places in the text -----------------------------------------------------------------------------------------------


def _parts(text: str) -> list[tuple[int, int]]:
    """The text cut at its signs."""
    cuts = [0, *(found.end() for found in _BREAK.finditer(text)), len(text)]
    return [(start, end) for start, end in zip(cuts, cuts[1:], strict=False) if end > start]


def _nearest(text: str, parts: list[tuple[int, int]], measure: Measure, cues: tuple[str, ...]) -> float:
    """What the nearest of these words is worth: right beside the number most, in its own part of the sentence more than elsewhere."""
    best = 0.0
    start, end = next(((a, b) for a, b in parts if a <= measure.start < b), (0, len(text)))
    for cue in cues:
        at = _find(text, cue, 0, len(text))
        while at >= 0:
            gap = _gap(text, at, at + len(cue), measure)
            if gap <= _NEAR:
                inside = start <= at < end
                worth = (2.0 / (1.0 + gap / 4.0) + min(len(cue), 8) / 20) * (1.0 if inside else _ELSEWHERE)
                best = max(best, worth)
            at = _find(text, cue, at + 1, len(text))
    return best


def _gap(text: str, start: int, end: int, measure: Measure) -> float:
    """Characters between a word and a number; a Han character counts as two Latin ones; other numbers between cost more."""
    if end <= measure.start:
        between = text[end : measure.start]
    elif start >= measure.end:
        between = text[measure.end : start]
    else:
        return 0.0
    wide = sum(not character.isascii() for character in between)
    digits = len(re.findall(r"\d+", between))
    return len(between) * 0.6 + wide * 0.6 + digits * 6.0


def _labelled(text: str, start: int, labels: tuple[str, ...]) -> bool:
    """Whether a label stands right before a number, small words between."""
    for label in labels:
        at = text.rfind(label, 0, start)
        if at >= 0 and (not label[0].isascii() or not at or not (text[at - 1].isascii() and text[at - 1].isalpha())):
            between = text[at + len(label) : start].strip(" =:")
            if len(between) <= _LABELLED and not any(c.isdigit() or c in _SIGNS for c in between) and (label != "x" or not between):
                return True
    return False


def _counted(per: str, measure: Measure) -> bool:
    times = [kind for kind in measure.per if kind in {"time", "day", "week", "month", "year"}]
    if per == "-":
        return not times and not any(kind in {"energy", "token", "parameter"} for kind in measure.per)
    return per in measure.per


def _same(one: Measure, other: Measure) -> bool:
    """The same value again ("2 cards ... on both of the 2 cards")."""
    return one.kind == other.kind and one.value == other.value and one.kind in {"card", "machine", "core"}


def _find(text: str, word: str, start: int, end: int) -> int:
    """Where a word stands, not inside a longer Latin word."""
    at = text.find(word, start, end)
    while at >= 0:
        left = at and word[0].isascii() and word[0].isalpha() and text[at - 1].isascii() and text[at - 1].isalpha()
        tail = at + len(word)
        right = tail < len(text) and word[-1].isascii() and word[-1].isalpha() and text[tail].isascii() and text[tail].isalpha()
        if not left and not right:
            return at
        at = text.find(word, at + 1, end)
    return -1


def _holds(text: str, word: str) -> bool:
    return _find(text, word, 0, len(text)) >= 0


def _any(text: str, words: Iterable[str]) -> bool:
    return any(_holds(text, word) for word in words)


def _evened(words: Iterable[Any], even: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(sorted({even(str(word)) for word in words}, key=lambda word: (-len(word), word)))


def _row(entry: Mapping[str, Any], even: Callable[[str], str]) -> Row:
    return Row(
        quantity=entry["quantity"],
        kind=entry["kind"],
        per=entry["per"],
        scope=entry.get("scope", ""),
        prior=float(entry["prior"]),
        needs=entry.get("needs", ""),
        cues=_evened(entry.get("cues", ()), even),
        label=_evened(entry.get("label", ()), even),
        least=float(entry.get("least", 0.0)),
        most=float(entry.get("most", 1e30)),
    )
