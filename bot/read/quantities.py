"""Which quantity each measure of a message is, and which one is asked for.

Both are decided by a table of words (`lexicon/measures.yaml`): of all rows that a measure's unit allows, the one whose
words stand nearest wins; each quantity is taken by one measure, the best first. What no row claims is left unplaced and
said so later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, Final, TypeVar

from advisor.calculators import QUANTITIES
from bot.read.blanks import NAMED_ONLY, Blank
from bot.read.hints import Hints, evened
from bot.read.measured_units import Measure
from bot.read.nearness import governed, labelled, nearest, parts
from bot.read.placed import Asked, Placed, Places
from bot.read.spotting import Spotted, WordFinder
from bot.read.units import in_unit_of

_Key = TypeVar("_Key")
_Named = TypeVar("_Named")
_SCOPE: Final = 1.2
_ELSEWHERE: Final = 0.35
"""What a word from another part than the one that asks is worth."""
_GOVERNED: Final = 1.6
"""What it is worth that the verb before a number is one of its quantity."""
_NAMED: Final = 1.5
"""What a machine's name is worth for a price, wherever in the message it stands."""
_CLEARLY: Final = 0.9
"""By so much likelier to be another value of one quantity than the first of the next."""
_LEAST: Final = 0.5
_FILLS: Final = 1.5
"""What it is worth that a quantity is of the kind that is asked for."""
_ALSO: Final = 1.0
"""What it is worth that a word without which nobody asks for a quantity stands in the part that asks."""
_LONG: Final = 12
"""Characters from which on a word says no more by being longer."""
CARD_NAME: Final = "<card>"
"""Stands in a row for the name of any card."""
MACHINE_NAME: Final = "<machine>"
"""Stands in a row for the name under which a cloud lets a whole machine."""
WATTS: Final = "<watts>"
"""Stands in a row for any number of watts."""
COUNTED_CARD: Final = f"how many {CARD_NAME}"
"""Stands among the words of an unknown for "how many" before the name of any card."""
_ANY: Final = frozenset({"any", NAMED_ONLY})
_PART_ENDS: Final = re.compile(r"[,;.?!:\n\uff0c\uff1b\u3002\uff1f\uff01\uff1a]\s*(?!\d)")
_CLOSING: Final = " .?!\u3002\uff1f\uff01"
_LONGEST_NAME: Final = 48
PAST: Final = "-"
"""A row that reads what is no longer: "from an 11 GB card"."""


_COUNTING: Final = frozenset({"energy", "token", "parameter"})
"""What is counted for one of these is no amount in itself."""
_PAIRED: Final = frozenset({"hours_day"})
"""Times of which two values are often said: by day and at night."""
_TIMES: Final = frozenset({"time", "day", "week", "month", "year"})
_PIECES: Final = frozenset({"step", "item", "token"})
"""What takes a time each, which is no time of use."""
_OTHER: Final = {"card": "machine", "machine": "card"}
"""What a number is said of each of that is not of each of the other."""
_NONE: Final = frozenset({"", PAST})
"""What is no quantity: said twice, or past."""


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
    cues: frozenset[str]
    label: tuple[str, ...]
    unit: str
    """The only unit that it is read in; "" for any of its kind."""
    only: frozenset[str]
    """One of these must stand somewhere in the message."""
    least: float
    most: float
    per_unit: str
    """The only unit that it is counted for in; "" for any of its kind."""
    side: str
    """What goes in or comes out; "" for what is said of neither."""


class QuantityTable:
    """The words of lexicon/measures.yaml, ready for look-up."""

    def __init__(self, content: Mapping[str, Any], even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are. Raises KeyError for a quantity that no formula knows."""
        self._rows = tuple(_row(entry, even) for entry in content["rows"])
        for row in self._rows:
            QUANTITIES[row.quantity if row.quantity != PAST else "cards"]
        self._by_kind = _grouped(((row.kind, row.side), row) for row in self._rows)
        self._adds = evened(content["adds"], even)
        self._no_adds = evened(content["no_adds"], even)
        self.hints = Hints(content, content["formats"], content["disks"], even)
        self._verbs = {quantity: frozenset(evened(words, even)) for quantity, words in content["verbs"].items()}
        self._read_asks(content["asks"], even)
        self._finder = WordFinder(chain.from_iterable(self._all_words()))

    def _all_words(self) -> list[Iterable[str]]:
        """Every list of words of this table."""
        listed: list[Iterable[str]] = [
            self._adds,
            *self.hints.words(),
        ]
        listed += [words for row in self._rows for words in (row.cues, row.label, row.only)]
        listed += self._verbs.values()
        listed += [tuple(self._asked_by), *self._also.values()]
        return listed

    def _read_asks(self, asks: Mapping[str, Any], even: Callable[[str], str]) -> None:
        """What each unknown is asked by, and what fills its blank."""
        for name in asks:
            QUANTITIES[name]
        self._filling = _grouped((kind, name) for name, entry in asks.items() for kind in entry["blank"])
        self._asked_by = _grouped((word, name) for name, entry in asks.items() for word in evened(entry["cues"], even))
        self._also = {name: frozenset(evened(entry.get("also", ()), even)) for name, entry in asks.items()}

    def spot(self, text: str) -> Spotted:
        """The words of this table in a text."""
        return self._finder.spot(text)

    # --- what is given ----------------------------------------------------------------------------------------------

    def place(self, spotted: Spotted, measures: Iterable[Measure]) -> Places:
        """The quantity of each measure, further values of the same, and the measures that are none."""
        listed = list(measures)
        taken: dict[int, Placed] = {}
        again: dict[int, Placed] = {}
        names: dict[str, Measure] = {}
        for score, index, row in self._scored(spotted, listed):
            if index in taken or _is_clear(again.get(index), score):
                continue
            found = self._placed(spotted.text, listed[index], row, score, names)
            if found is not None:
                taken[index] = found
            elif index not in again:
                again[index] = _as(listed[index], row.quantity, score)
        again |= _instead(listed, taken)
        others = (again[index] for index in sorted(again.keys() - taken.keys()))
        rest = tuple(one for index, one in enumerate(listed) if index not in taken)
        return Places(_valued(taken[index] for index in sorted(taken)), _valued(others), rest)

    def _scored(self, spotted: Spotted, measures: Sequence[Measure]) -> list[tuple[float, int, Row]]:
        """Every quantity that a measure may be, with its score and the place of the measure, likeliest first."""
        cut = parts(spotted.text)
        alone = [(at, measure) for at, measure in enumerate(measures) if not measure.instead]
        may_be = [self._rows_of(spotted, measure) for _, measure in alone]
        rows = [(at, measure, row) for (at, measure), listed in zip(alone, may_be, strict=True) for row in listed]
        scored = [(self._score(spotted, cut, measure, row), at, row) for at, measure, row in rows]
        return sorted(
            (entry for entry in scored if entry[0] >= _LEAST),
            key=lambda entry: (-entry[0], entry[1], entry[2].quantity),
        )

    def _rows_of(self, spotted: Spotted, measure: Measure) -> list[Row]:
        """The quantities that one measure may be: rows of its unit, side and range whose words stand somewhere."""
        per, counted, timed = measure.per, _is_counted_for(measure), _is_time_of_a_piece(measure)
        return [
            row
            for row in self._in_unit(measure)
            if (row.per in per if row.per != "-" else not counted and (bool(row.scope) or not timed))
            and (not row.only or spotted.any(row.only))
        ]

    def _in_unit(self, measure: Measure) -> list[Row]:
        """The rows of one measure's unit, side and range."""
        value, unit, per_units = measure.value, measure.unit, measure.per_units
        return [
            row
            for row in self._by_kind.get((measure.kind, measure.side), ())
            if row.least <= value <= row.most
            and (not row.unit or row.unit == unit)
            and (not row.per_unit or row.per_unit in per_units)
        ]

    def _placed(self, text: str, measure: Measure, row: Row, score: float, names: dict[str, Measure]) -> Placed | None:
        """A measure as a quantity, unless another one is that already and this comes not on top; `names` is kept."""
        first = names.get(row.quantity)
        if first is not None and _same(first, measure):
            # what adds to itself was said twice too
            return Placed(measure, "", 0.0, score)
        adds = first is not None and self._adds_to(text, first, measure)
        if first is not None and not adds:
            return None
        names.setdefault(row.quantity, measure)
        return replace(_as(measure, row.quantity, score), adds=adds)

    def _adds_to(self, text: str, first: Measure, second: Measure) -> bool:
        """Whether the later of two says that it comes on top."""
        later = max(first, second, key=lambda one: one.start)
        return (
            any(word in text[max(0, later.start - 12) : later.start] for word in self._adds)
            and first.kind == second.kind
        )

    def adds(self, text: str, measure: Measure) -> bool:
        """Whether a measure comes on top of what was said before."""
        before = text[max(0, measure.start - 12) : measure.start]
        return any(word in before for word in self._adds) and not any(word in before for word in self._no_adds)

    def _score(self, spotted: Spotted, cut: list[tuple[int, int]], measure: Measure, row: Row) -> float:
        if row.label:
            told = labelled(spotted, measure.start, row.label, strictly=row.quantity == PAST)
            return (row.prior + 1.5) * told
        scoped = bool(row.scope) and row.scope in measure.per
        near = max(
            nearest(spotted, cut, measure, row.cues), _of_machine(spotted, row), self._led(spotted, cut, measure, row)
        )
        if row.needs and not near and not (scoped and row.needs == "cue"):
            return 0.0
        worth = row.prior + near + (_SCOPE if scoped else 0.0)
        return worth * _of_card(spotted, row, scoped) * _of_other(row, measure)

    def likely(self, spotted: Spotted, cut: list[tuple[int, int]], measure: Measure) -> Iterator[tuple[float, str]]:
        """Every quantity that a measure may be by its unit, with what its words are worth; 0 where they are unsaid.

        A bare number is nothing without a word.
        """
        for row in self._rows_of(spotted, measure):
            worth = self._score(spotted, cut, measure, row)
            if row.quantity not in _NONE and (worth or measure.kind):
                yield worth, row.quantity

    def _led(self, spotted: Spotted, cut: list[tuple[int, int]], measure: Measure, row: Row) -> float:
        """What it is worth for a sum of money that the verb before it is one of what it is taken for."""
        if row.per != "-" or row.quantity not in self._verbs:
            return 0.0
        return _GOVERNED if governed(spotted, cut, measure, self._verbs) == row.quantity else 0.0

    # --- what is asked ----------------------------------------------------------------------------------------------

    def asked(self, spotted: Spotted, blanks: Iterable[Blank]) -> tuple[Asked, ...]:
        """The quantities that each asking part may ask for, likeliest first within a part.

        A word of the part counts in full, one from elsewhere little; a blank that the quantity fills counts as a word.
        """
        told = [word for word in spotted.words if word in self._asked_by]
        parts = [self._asked_in(spotted, told, place, blank) for place, blank in enumerate(blanks)]
        return tuple(chain.from_iterable(parts))

    def named_at_the_end(self, text: str) -> list[Blank]:
        """The last part of a message, or a question in it, that holds no number and names what is worked out."""
        ends = [found.end() for found in _PART_ENDS.finditer(text.rstrip(_CLOSING))]
        cuts = [0, *ends, len(text)]
        last = cuts[-2] if ends else len(text)
        parts = [(a, b) for a, b in pairwise(cuts) if a == last or (ends and text[:b].rstrip().endswith("?"))]
        return [Blank(start, end, frozenset({NAMED_ONLY})) for start, end in parts if self._names(text[start:end])]

    def _names(self, part: str) -> bool:
        """Whether a short part without a number names what is worked out."""
        if len(part) > _LONGEST_NAME or any(map(str.isdigit, part)):
            return False
        return any(word in self._asked_by for word in self.spot(part).words)

    def _asked_in(self, spotted: Spotted, told: Sequence[str], place: int, blank: Blank) -> list[Asked]:
        """The quantities that one part may ask for."""
        near = [word for word in told if spotted.within(word, blank.start, blank.end)]
        inside = self._weights(near, lambda word: 1.0 + min(len(word), _LONG) / _LONG)
        outside = self._weights([word for word in told if word not in near], lambda _: _ELSEWHERE)
        filling = set(chain.from_iterable(self._filling.get(kind, ()) for kind in blank.kinds))
        if not blank.kinds.isdisjoint(_ANY):
            filling |= inside.keys()
        scores = {
            name: _ask_score(inside.get(name, 0.0), outside.get(name, 0.0), name in filling)
            + self._plainly(spotted, name, blank)
            for name in self._may_be_asked(spotted, {*inside, *filling})
        }
        listed = [Asked(name, score, place, name in filling) for name, score in scores.items() if score]
        return sorted(listed, key=lambda one: (-one.score, one.name))

    def _may_be_asked(self, spotted: Spotted, names: Iterable[str]) -> list[str]:
        """Those of which the words are there without which nobody asks for them."""
        said, also = frozenset(spotted.words), self._also
        return [name for name in names if not also[name] or also[name] & said]

    def _plainly(self, spotted: Spotted, name: str, blank: Blank) -> float:
        """What the words without which nobody asks for a quantity say where they stand in the part that asks."""
        if not self._also[name]:
            return 0.0
        return _ALSO * any(spotted.within(one, blank.start, blank.end) for one in spotted.among(self._also[name]))

    def _weights(self, words: Iterable[str], weigh: Callable[[str], float]) -> dict[str, float]:
        """What some words say for each unknown."""
        found: dict[str, float] = {}
        for word in words:
            for name in self._asked_by[word]:
                found[name] = found.get(name, 0.0) + weigh(word)
        return found


def _is_clear(other: Placed | None, score: float) -> bool:
    """Whether an amount is so surely another value of one quantity that it is none of the next."""
    paired = other is not None and (other.measure.kind == "money" or other.quantity in _PAIRED)
    return paired and other is not None and other.score - score > _CLEARLY


def _as(measure: Measure, quantity: str, score: float) -> Placed:
    """A measure as a quantity; the past has no value."""
    value = 0.0 if quantity in _NONE else in_unit_of(measure, quantity)
    return Placed(measure, quantity, value, score)


def _instead(measures: Sequence[Measure], taken: Mapping[int, Placed]) -> dict[int, Placed]:
    """The other ends of ranges, and the other of two values, as the quantity of the measure before them."""
    others = [(at, one) for at, one in enumerate(measures) if one.instead and at - 1 in taken]
    return {at: _as(one, taken[at - 1].quantity, taken[at - 1].score) for at, one in others}


def _valued(placed: Iterable[Placed]) -> tuple[Placed, ...]:
    """Those that are a quantity."""
    return tuple(one for one in placed if one.quantity not in _NONE)


def _of_card(spotted: Spotted, row: Row, scoped: bool) -> float:
    """Nothing for the price of a card that nobody called one where a whole machine is named, else all."""
    whole = row.kind == "money" and row.scope == "card" and spotted.holds(MACHINE_NAME)
    return 0.0 if whole and not scoped else 1.0


def _of_other(row: Row, measure: Measure) -> float:
    """Less for what a card takes where it is said of each machine, and the other way round; else all."""
    other = _OTHER.get(row.scope, "")
    return _ELSEWHERE if other in measure.per and row.scope not in measure.per else 1.0


def _of_machine(spotted: Spotted, row: Row) -> float:
    """What it is worth for a price that a whole machine is named anywhere."""
    return _NAMED if MACHINE_NAME in row.cues and spotted.holds(MACHINE_NAME) else 0.0


def _grouped(pairs: Iterable[tuple[_Key, _Named]]) -> dict[_Key, tuple[_Named, ...]]:
    """Values by their key, in the order in which they come."""
    found: dict[_Key, list[_Named]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}


def _ask_score(inside: float, outside: float, fills: bool) -> float:
    """What speaks for an unknown; 0 where neither its blank nor a telling word of it stands in the part."""
    if not fills and inside < _FILLS:
        return 0.0
    return inside + (0.0 if inside else min(outside, 1.0)) + (_FILLS if fills else 0.0)


def _is_counted_for(measure: Measure) -> bool:
    """Whether a measure is counted for a time or for what makes it no amount in itself."""
    per = measure.per
    return bool(per) and (
        not _TIMES.isdisjoint(per) or not _COUNTING.isdisjoint(per) or (measure.kind == "money" and "item" in per)
    )


def _is_time_of_a_piece(measure: Measure) -> bool:
    """Whether a measure is the time that each of many pieces takes."""
    return measure.kind == "time" and not _PIECES.isdisjoint(measure.per)


def _same(one: Measure, other: Measure) -> bool:
    """The same value again ("2 cards ... on both of the 2 cards")."""
    return one.kind == other.kind and one.value == other.value


def _row(entry: Mapping[str, Any], even: Callable[[str], str]) -> Row:
    return Row(
        quantity=entry["quantity"],
        kind=entry["kind"],
        per=entry["per"],
        scope=entry.get("scope", ""),
        prior=float(entry["prior"]),
        needs=entry.get("needs", ""),
        cues=frozenset(evened(entry.get("cues", ()), even)),
        label=evened(entry.get("label", ()), even),
        unit=entry.get("unit", ""),
        only=frozenset(evened(entry.get("only", ()), even)),
        least=float(entry.get("least", 0.0)),
        most=float(entry.get("most", 1e30)),
        per_unit=entry.get("per_unit", ""),
        side=entry.get("side", ""),
    )
