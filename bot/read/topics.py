"""Sums of a trade: a rack, an MFU, an adapter. Each topic has words by which it is known and rows of its own.

Where the words of a topic are said, its own rows alone say what each number is, so that a word of another trade cannot
take it. What a topic asks for and by which words stands beside its rows, bot/topics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Final

from advisor.calculators import QUANTITIES, Given
from advisor.files import Contents
from bot.read.measured_units import Measure, goes_on
from bot.read.nearness import SIGNS, nearest, parts
from bot.read.placed import Amounts, Asked, Placed
from bot.read.spotting import Spotted, WordFinder
from bot.read.topic_rows import NOTHING, Topic, TopicRow, topic_of, words_of
from bot.read.units import in_unit_of
from bot.understand.slots.found import Reading

SHAPE, SIDES, DONE, ALL = "shape", "sides", "bar_done", "bar_all"
"""Kinds of what is so many by so many: its values, the sum of its sides; and of what is done of how many."""
_SHAPE: Final = re.compile(r"(?<![\d.])\d+k?(?: ?[x*\u00d7] ?\d+k?)+(?!\d|\.\d|[a-z]|\s?(?:gb?|w|kw)\b)")
_TINY: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?e-?\d+(?![\w.])")
_BITS: Final = 8.0
_SIDE: Final = re.compile(r"(\d+)(k?)")
_LEAST_SIDE: Final = 8
_BAR: Final = re.compile(r"(?<![\d./])(\d{2,})\s?/\s?(\d{3,})(?![\d./a-z])")
_LABELLED, _BEHIND, _RATED, _AHEAD = 2.2, 2.0, 0.8, 1.0
_LEAST: Final = 0.5
_SMALL: Final = 6
"""Characters of small words between a label and its number."""
NAMED: Final = 4.0
_MEANT: Final = 2.0
"""What it is worth that an unknown is named, and that it may be what is asked for."""
WORDED: Final = 1.5
"""From here on a word says what a number is, and not its unit alone."""
_WHOLE: Final = 4.0
"""What is so many by so many is one thing, and no number of it another."""
_FORMS: Final = frozenset({SHAPE, SIDES, DONE, ALL})
_FILLERS: Final = " -"
_FIGURE: Final = re.compile(r"(?<![\d.])(\d{1,2}) ?[x*\u00d7]? ?$")


class Topics:
    """The topics of bot/topics, ready for look-up. Keeps nothing but the words of the last text."""

    def __init__(self, content: Contents, trades: Iterable[Contents], even: Callable[[str], str]) -> None:
        """Take the files of bot/topics.

        Args:
            content: what all topics share.
            trades: the topics by name, those of each trade.
            even: normalises a word as messages are.

        Raises:
            KeyError: a quantity that no formula knows.
        """
        self._formats = {even(str(word)): float(size) for word, size in content["formats"].items()}
        self._topics = {name: topic_of(name, entry, even) for trade in trades for name, entry in trade.items()}
        self._listed = tuple(self._topics.values())
        self._by_word: dict[str, list[int]] = {}
        for place, topic in enumerate(self._listed):
            for word in topic.words[0]:
                self._by_word.setdefault(word, []).append(place)
        few = ((even(word), int(count)) for word, count in content["few"].items())
        self._few = sorted(few, key=lambda one: -len(one[0]))
        self._finder = WordFinder(word for topic in self._topics.values() for word in words_of(topic))
        self._format_finder = WordFinder(self._formats)
        self._last: tuple[str, Spotted] | None = None

    def said(self, text: str) -> tuple[str, ...]:
        """The topics that a text is about by its words."""
        spotted = self._spotted(text)
        begun = {place for word in spotted.words for place in self._by_word.get(word, ())}
        listed = (self._listed[place] for place in sorted(begun))
        return tuple([one.name for one in listed if _is_said(one, spotted)])

    def asks(self, name: str, text: str, *, asking: bool) -> bool:
        """Whether a text asks for a sum of a topic; `asking` where a part of it asks for a number."""
        return bool(_asked(self._topics[name], self._spotted(text), asking=asking))

    def _spotted(self, text: str) -> Spotted:
        """The words of topics in a text; those of the last one are kept for all topics that it speaks of."""
        last = self._last
        if last is None or last[0] != text:
            self._last = last = (text, self._finder.spot(text))
        return last[1]

    def read(
        self, name: str, reading: Reading, measures: Sequence[Measure], *, asking: bool, follows: bool = False
    ) -> Amounts | None:
        """What a message gives and asks for within a topic.

        Args:
            name: of the topic.
            reading: the message with the places of names.
            measures: its numbers.
            asking: whether a part of it asks for a number.
            follows: whether it goes on with a sum of the topic, so that a unit alone says what a number is.

        Returns:
            None where nothing is asked for, or a number that could be one of the topic is none: it may change the sum.
        """
        topic, text = self._topics[name], reading.text
        spotted = self._spotted(text)
        asked = _asked(topic, spotted, asking=asking)
        if not asked and not follows:
            return None
        listed = [*_forms(reading), *measures]
        placed, left = _placed(topic, spotted, listed, self._how_many, follows=follows)
        implied = [*self._implied(topic, spotted, text), *_counted(topic, spotted, placed)]
        if any(one.kind in topic.kinds for one in left):
            return None
        known = {one.quantity for one in placed}
        usual = [] if follows else [Given(quantity, value) for quantity, value in topic.usual.items()]
        return Amounts(
            placed=tuple(placed),
            unplaced=tuple(left),
            asked=asked,
            implied=tuple(one for one in (*usual, *implied) if one.name not in known),
        )

    def knows(self, name: str) -> bool:
        """Whether there is such a topic."""
        return name in self._topics

    def _implied(self, topic: Topic, spotted: Spotted, text: str) -> Iterator[Given]:
        """The values that words stand for."""
        for quantity, entries in topic.implied.items():
            value = next((value for words, value in entries if spotted.any(words)), None)
            if value is not None:
                yield Given(quantity, value)
        for quantity, size in zip(topic.formats, self._sizes(text), strict=False):
            yield Given(quantity, size * (_BITS if QUANTITIES[quantity].unit == "bit" else 1.0))

    def _sizes(self, text: str) -> list[float]:
        """Bytes of the number formats that are named, in their order."""
        told = self._format_finder.spot(text)
        places = {at: word for word in sorted(told.words, key=len) for at in told.of(word)}
        return [self._formats[places[at]] for at in sorted(places)]

    def _how_many(self, before: str) -> int:
        """How many of what stands behind are named right before it."""
        figure = _FIGURE.search(before)
        if figure is not None:
            return int(figure[1])
        return next((count for word, count in self._few if before.rstrip().endswith(word)), 1)


def _forms(reading: Reading) -> Iterator[Measure]:
    """The measures in forms of their own; what they are made of is claimed."""
    for match in _SHAPE.finditer(reading.text):
        sides = [float(side) * (1000.0 if kilo else 1.0) for side, kilo in _SIDE.findall(match.group())]
        if min(sides[-2:]) < _LEAST_SIDE or not reading.is_free(*match.span()):
            continue
        for kind, value in ((SHAPE, prod(sides)), (SIDES, sum(sides))):
            yield Measure(value, kind, kind, *match.span(), number=value, text=match.group())
    for tiny in _TINY.finditer(reading.text):
        value = float(tiny.group())
        yield Measure(value, "", "", *tiny.span(), number=value, text=tiny.group())
    bar = _BAR.search(reading.text)
    if bar is not None and reading.is_free(*bar.span()):
        for kind, at in ((DONE, 1), (ALL, 2)):
            value = float(bar.group(at))
            yield Measure(value, kind, kind, bar.start(at), bar.end(at), number=value, text=bar.group(at))


# --- what is asked ---------------------------------------------------------------------------------------------------


def _first(spotted: Spotted, words: frozenset[str]) -> tuple[int, int]:
    """Where the first of some words stands, and how long it is: of two at one place the longer says more."""
    return min((at, -len(word)) for word in spotted.among(words) for at in spotted.of(word))


def _asked(topic: Topic, spotted: Spotted, *, asking: bool) -> tuple[Asked, ...]:
    """The unknowns that are named, in the order of the text; the first of the topic where none is."""
    order = list(topic.asks)
    named = [
        (*_first(spotted, words), order.index(name), name) for name, words in topic.asks.items() if spotted.any(words)
    ]
    told = {name for *_, name in named}
    found = [Asked(name, NAMED, at, fills=True) for at, _, _, name in sorted(named)]
    rest = [name for name in order if name not in told] if asking else []
    return (*found, *(Asked(name, _MEANT, len(spotted.text), fills=True) for name in rest))


# --- what is given ---------------------------------------------------------------------------------------------------


def _placed(
    topic: Topic,
    spotted: Spotted,
    measures: Sequence[Measure],
    how_many: Callable[[str], int],
    *,
    follows: bool,
) -> tuple[list[Placed], list[Measure]]:
    """The quantity of each measure, and those that are none."""
    cut = parts(spotted.text)
    pairs = product(range(len(measures)), topic.rows)
    scored = [(_score(spotted, cut, measures[at], row, follows=follows), at, row) for at, row in pairs]
    taken: dict[int, Placed] = {}
    for score, at, row in sorted(scored, key=lambda entry: (-entry[0], entry[1])):
        if score >= _LEAST and _is_free(measures[at], row, taken):
            times = how_many(spotted.text[: measures[at].start]) if row.counted else 1
            taken[at] = Placed(measures[at], row.quantity, _value(measures[at], row) * times, score, row.adds)
    found = [taken[at] for at in sorted(taken)]
    return _multiplied(topic, found), _left_over(measures, [one.measure for one in found])


def _is_free(measure: Measure, row: TopicRow, taken: Mapping[int, Placed]) -> bool:
    """Whether nothing was read out of a measure, and its quantity is not another one's."""
    several = row.adds or row.multiplies or row.quantity == NOTHING
    return not any(
        _overlaps(measure, one.measure) or (not several and one.quantity == row.quantity) for one in taken.values()
    )


def _left_over(measures: Iterable[Measure], placed: Sequence[Measure]) -> list[Measure]:
    """The numbers in figures that are no quantity, but for those that say the same again."""
    worth = {one.number for one in placed}
    rest = (one for one in measures if one.kind not in _FORMS and one.number not in worth)
    return [one for one in rest if any(map(str.isdigit, one.text)) and not _within(one, placed)]


def _within(one: Measure, placed: Iterable[Measure]) -> bool:
    return any(_overlaps(one, other) for other in placed)


def _multiplied(topic: Topic, placed: Iterable[Placed]) -> list[Placed]:
    """The values, of those that are multiplied each as one product: the first holds it, the rest add none."""
    quantities = frozenset(row.quantity for row in topic.rows if row.multiplies)
    firsts: dict[str, int] = {}
    found: list[Placed] = []
    for one in (one for one in placed if one.quantity != NOTHING):
        at = firsts.get(one.quantity)
        if one.quantity in quantities and at is not None:
            found[at] = replace(found[at], value=found[at].value * one.value)
            found.append(replace(one, value=0.0))
        else:
            firsts.setdefault(one.quantity, len(found))
            found.append(one)
    return found


def _overlaps(one: Measure, other: Measure) -> bool:
    return one.start < other.end and other.start < one.end


def _score(spotted: Spotted, cut: list[tuple[int, int]], measure: Measure, row: TopicRow, *, follows: bool) -> float:
    """What speaks for a measure being what a row reads; 0 where it cannot be."""
    if not (_is_counted_so(measure, row) and _is_in_unit(measure, row)):
        return 0.0
    told = nearest(spotted, cut, measure, row.cues)
    told += _AHEAD * (told > 0 and _labelled(spotted, measure.start, row.cues, row.behind, 0))
    told += _LABELLED * _labelled(spotted, measure.start, row.label, row.behind, _SMALL)
    marked = _is_marked(spotted.text, measure.end, row.behind)
    told += _BEHIND * marked
    if row.marked and not marked:
        return 0.0
    # a bare number is nothing without a word
    if not told and (not measure.kind or (row.needs and not follows)):
        return 0.0
    return row.prior + told + _RATED * bool(row.per) + _WHOLE * (measure.kind in _FORMS)


def _is_marked(text: str, end: int, words: Iterable[str]) -> bool:
    """Whether one of these words stands right behind a number."""
    at = end + len(text[end:]) - len(text[end:].lstrip(_FILLERS))
    return any(text.startswith(word, at) and not goes_on(text, at + len(word)) for word in words)


def _is_counted_so(measure: Measure, row: TopicRow) -> bool:
    """Whether a measure is of a row's kind and range, and counted for what it is counted for."""
    if measure.kind not in row.kinds or (row.plain and measure.per):
        return False
    if row.per and row.per.isdisjoint(measure.per):
        return False
    as_written = row.as_written or row.quantity == NOTHING
    return row.least <= (measure.number if as_written else in_unit_of(measure, row.quantity)) <= row.most


def _labelled(spotted: Spotted, start: int, labels: Iterable[str], behind: Iterable[str], most: int) -> bool:
    """Whether a label stands right before a number, and is not what stands behind the number before it."""
    text, units = spotted.text, frozenset(behind)
    places = ((at, label) for label in labels for at in spotted.of(label) if at < start)
    free = ((at, label) for at, label in places if label not in units or not _is_of_number(text, at))
    return any(_leads(text[at + len(label) : start], most) for at, label in free)


def _is_of_number(text: str, at: int) -> bool:
    return text[:at].rstrip(_FILLERS)[-1:].isdigit()


def _leads(between: str, most: int) -> bool:
    """Whether no more than small words stand between a label and its number."""
    between = between.strip(" =:")
    return len(between) <= most and not any(one.isdigit() or one in SIGNS for one in between)


def _is_in_unit(measure: Measure, row: TopicRow) -> bool:
    return row.unit in {"", measure.unit} and (not row.unit_not or row.unit_not != measure.unit)


def _value(measure: Measure, row: TopicRow) -> float:
    """The value of a measure as a quantity."""
    if row.quantity == NOTHING:
        return 0.0
    return measure.number if row.as_written else in_unit_of(measure, row.quantity)


def _counted(topic: Topic, spotted: Spotted, placed: Sequence[Placed]) -> Iterator[Given]:
    """How many things of a list are named beside a single value of each."""
    for quantity, (each, things) in topic.counts.items():
        named = sum(spotted.any(words) for words in things)
        if named and sum(one.quantity == each for one in placed) == 1:
            yield Given(quantity, float(named))


def _is_said(topic: Topic, spotted: Spotted) -> bool:
    return all(spotted.any(words) for words in topic.words) and not spotted.any(topic.without)
