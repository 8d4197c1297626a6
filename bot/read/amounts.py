"""From a text to its amounts: measures, the quantities they are, and what is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Final, Protocol

from advisor.calculators import QUANTITIES, Given
from advisor.errors import BadData, Problem
from bot.core.languages import LanguageWords
from bot.core.understanding import Understanding
from bot.lexicons import load_lexicons
from bot.read.alternatives import alternatives
from bot.read.apiece import ApieceReader
from bot.read.as_one import as_one
from bot.read.asides import by_the_day, said_once, without_defined
from bot.read.blanks import Blank, Blanks
from bot.read.bytewise import Bytewise
from bot.read.called import Called
from bot.read.clock_spans import ClockSpans
from bot.read.corrected import corrected
from bot.read.counted import Behind
from bot.read.deals import Deals
from bot.read.elliptic import Elliptic
from bot.read.forms import Forms
from bot.read.gratis import Gratis
from bot.read.joins import Joins, is_unnamed_rate, with_coins
from bot.read.measured_units import Measure, UnitTable
from bot.read.measures import MOST, MeasureReader
from bot.read.paced import paced
from bot.read.pairs import Pairs
from bot.read.pauses import Pauses
from bot.read.placed import TIMED_TOGETHER, Amounts, Apiece, Placed
from bot.read.quantities import CARD_NAME, COUNTED_CARD, MACHINE_NAME, WATTS, QuantityTable
from bot.read.readings import paired
from bot.read.relative import Change, Relative
from bot.read.settled import is_odd, settled
from bot.read.targets import Target, Targets
from bot.read.terms import Term, Terms
from bot.read.thing_words import any_of
from bot.read.things import Thing, Things
from bot.read.topics import NAMED, WORDED, Topics
from bot.read.uncounted import Uncounted, without
from bot.read.wants import Want, Wants
from bot.read.weekdays import Weekdays
from bot.read.whole_hours import WholeHours
from bot.resources import lexicon_directory, topics_directory
from bot.understand.normalise import NormalisedText
from bot.understand.slots.found import Reading

_OF_A_RUN: Final = frozenset({"epoch_hours", "measured_hours", "run_hours"})
_APART: Final = re.compile(r"[,;.?!:](?:\s|$|[^\d])")
"""Ends a breath: no point or comma within a number."""
_CLAIMED: Final = re.compile(rb"[^\0]+")
_DIGIT: Final = re.compile(r"\d")
_NAMES: Final = frozenset({"gpu", "model", "provider", "gpu_family", "cuda_version", "framework"})
_SIDES: Final = frozenset({"gpu", "provider"})
_FEWEST: Final = 1
_SPANS: Final = frozenset({"week", "month", "year"})
_GRATIS: Final = frozenset({"gratis"})
_MONEY, _ANY = "money", "any"
_DAYS_A_WEEK: Final = "days_week"
_GENERAL: Final = "general"
"""The file of what all topics share."""


class Namer(Protocol):
    """Knows the names of cards, models and providers."""

    def even(self, text: str) -> NormalisedText:
        """A text in the form in which it is read."""
        ...

    def named(self, normalised: NormalisedText) -> Reading:
        """A reading of nothing but the names in a text."""
        ...


class AmountReader:
    """Reads amounts. Keeps nothing but what was read last."""

    def __init__(self, languages: Iterable[LanguageWords], namer: Namer) -> None:
        """`namer` knows names and brings texts into the form in which they are read.

        Raises:
            BadData: the lexicon is faulty; all faults at once.
        """
        self._namer = namer

        def even(spelling: str) -> str:
            return namer.even(spelling).text

        problems: list[Problem] = []
        names = ("units.yaml", "measures.yaml", "asking.yaml", "things.yaml", "deals.yaml", "terms.yaml")
        paths = [lexicon_directory() / name for name in names]
        trades = sorted(topics_directory().glob("*.yaml"))
        loaded = load_lexicons([*paths, *trades], problems, salt="lexicon")
        if problems:
            raise BadData(problems)
        units, measures, asking, things, deals, terms = (loaded[str(path)] for path in paths)
        table = UnitTable(units, even)
        self._deals = Deals(deals)
        self._measures = MeasureReader(table, measures, languages, even)
        self._table = QuantityTable(measures, even)
        self._instances = re.compile("|".join(rf"(?<![\w.])(?:{one})(?![\w])" for one in measures["instances"]))
        self._forms = Forms(measures, even)
        self._clock_spans = ClockSpans(measures, even)
        self._apiece = ApieceReader(measures["apiece_asked"], table, even)
        self._called = Called(measures["called"], even)
        self._weekdays = Weekdays(measures["weekdays_named"], even)
        self._blanks = Blanks(asking, table, even)
        self._things = Things(things, measures, even)
        self._whole_hours = WholeHours(things["full_hours"], even)
        self._terms = Terms(terms, measures, self._things, even)
        self._targets = Targets(terms, things, table, even, self._things.noun_at)
        self._wants = Wants(things, self._things, even)
        self._replaced = re.compile(any_of(measures["replaced"], even))
        self._joins = Joins(things["joins"], even)
        self._elliptic = Elliptic(things["same_unit"], even)
        self._pauses = Pauses(asking, measures["glued"], even)
        self._pairs = Pairs(measures, even)
        self._bytewise = Bytewise(measures["byte_parts"], measures["of_each_part"], even)
        self._gratis = Gratis(measures["gratis"], even)
        self._uncounted = Uncounted(measures["uncounted"], even)
        self._behind = Behind(measures, table, even)
        told = {path.stem: loaded[str(path)] for path in trades}
        general = told.pop(_GENERAL)
        self._topics = Topics(general, told.values(), even)
        self._relative = Relative(general["relative"], even)

    def asks(self, normalised: NormalisedText) -> bool:
        """Whether the words of a message tell a kind of sum of its own."""
        return self._deals.asks(self._pauses.written(normalised).text)

    def blanks(self, normalised: NormalisedText) -> list[Blank]:
        """The parts of a message that ask for what a number could fill: a fraction of the time of `read`."""
        text = self._pauses.written(normalised).text
        return self._blanks.read(text) or self._table.named_at_the_end(text) or self._wants.asked(text)

    def read(
        self,
        normalised: NormalisedText,
        understanding: Understanding,
        blanks: Sequence[Blank],
        *,
        follows: bool = True,
    ) -> Amounts | None:
        """What a message gives and asks for.

        Args:
            normalised: the even text with the places of the raw one.
            understanding: the same message as read for names: nothing is read out of a name.
            blanks: its parts that ask.
            follows: whether there was a sum before; without one a message with no number of its own asks for none.

        Returns:
            None where there is no number, and nothing to go on with; or so many that it is a table or a log.
        """
        normalised = self._pauses.written(normalised)
        text = normalised.text
        reading = self._namer.named(normalised)
        reading.concepts = frozenset(understanding.concepts)
        days = self._weekdays.named(reading)
        machines = self._machines(reading)
        cards = self._claim(reading)
        spotted = without(self._table.spot(_masked(text, reading.claimed)), self._uncounted.parts(text))
        spotted.add(CARD_NAME, cards)
        spotted.add(MACHINE_NAME, machines)
        spotted.add(COUNTED_CARD, self._blanks.counted(text, cards))
        for start, end in self._table.hints.phrases(spotted):
            reading.claim(start, end)
        shapes = (*self._forms.shapes(reading), *self._forms.steps_done(reading))
        measures, told, flags = self._measured(reading)
        if len(measures) > MOST or not any((measures, shapes, follows)):
            return None
        spotted.add(WATTS, [one.start for one in measures if one.kind == "power"])
        apiece = self._apiece.asked(reading, blanks, measures)
        measures = _besides(measures, apiece)
        placed, others, unplaced = self._table.place(spotted, measures)
        placed = settled(placed, several=not others, each_day=bool(days))
        odd = tuple(one for one in placed if is_odd(one))
        amounts = Amounts(
            placed=placed,
            unplaced=unplaced,
            others=others,
            asked=self._table.asked(spotted, _of_money(blanks, measures)),
            wanted=_wanted(blanks),
            span=_span(blanks),
            implied=(
                *self._table.hints.implied(spotted, measures, follows=follows),
                *days,
                *self._forms.sparsity(text),
                *shapes,
            ),
            currency=_currency(placed),
            currencies=_currencies(placed),
            odd=odd,
            flags=self._table.hints.flags(spotted) | flags | _timed_together(text, placed),
            named=_sides(reading),
            called=self._called.named(reading, measures),
            apiece=apiece,
            adding=self._adding(text, placed, unplaced),
            readings=partial(alternatives, self._table, spotted, measures),
            things=cache(partial(self._counted, text, measures, blanks, _paid(placed))),
            change=partial(self._relative.factor, text, measures),
            terms=cache(partial(self._in_order, text, measures, blanks, days)),
            whether=any("verdict" in one.kinds for one in blanks),
            deals=partial(self._deals.read, text, told),
        )
        return self._bytewise.added(paired(amounts), text, measures)

    def _counted(
        self, text: str, measures: Sequence[Measure], blanks: Sequence[Blank], paid: Collection[int]
    ) -> tuple[tuple[Thing, ...], tuple[Want, ...]]:
        """What is counted and measured, of whatever, and what of it is asked for."""
        things = paced(with_coins(self._joins.read(text, self._things.read(text, measures)), paid))
        return () if any(map(is_unnamed_rate, things)) else things, self._wants.read(text, blanks)

    def _in_order(
        self, text: str, measures: Sequence[Measure], blanks: Sequence[Blank], days: Sequence[Given]
    ) -> tuple[tuple[Term, ...], tuple[Target, ...]]:
        """Each value by all that it may be, and what the parts ask for."""
        paid = self._terms.is_paid(text, measures)
        named = sum(one.value for one in days if one.name == _DAYS_A_WEEK)
        return self._terms.read(text, measures, named, paid=paid), self._targets.read(text, measures, blanks, paid=paid)

    def on_topics(self, normalised: NormalisedText) -> list[tuple[str, Amounts]]:
        """The topics that a message speaks of, and what it gives and asks for in each."""
        normalised = self._pauses.written(normalised)
        topics = self._topics.said(normalised.text)
        if not topics:
            return []
        asking = "?" in normalised.text or bool(self._blanks.read(normalised.text))
        topics = tuple(one for one in topics if self._topics.asks(one, normalised.text, asking=asking))
        reading, measures = self._numbers(normalised) if topics else (None, ())
        if reading is None or len(measures) > MOST:
            return []
        found = [(one, self._topics.read(one, reading, measures, asking=asking)) for one in topics]
        return [(topic, amounts) for topic, amounts in found if amounts is not None]

    def after_topic(
        self, normalised: NormalisedText, topic: str, known: Collection[str]
    ) -> tuple[Amounts, list[Change]] | None:
        """What a message adds to a sum or changes of it; None where a number of it is neither.

        Args:
            normalised: the message.
            topic: of the sum before; "" for one of none.
            known: the quantities of that sum.
        """
        normalised = self._pauses.written(normalised)
        reading, measures = self._numbers(normalised)
        many = len(measures) > MOST or not self._topics.knows(topic)
        found = None if many else self._topics.read(topic, reading, measures, asking=False, follows=True)
        amounts = self._worded(normalised.text, found or Amounts(unplaced=measures))
        adding = self._adding(normalised.text, amounts.placed, ())
        changes, taken = self._relative.read(normalised.text, amounts.unplaced, known)
        left = tuple(one for one in amounts.unplaced if one.start not in taken)
        told = any(any(map(str.isdigit, one.text)) for one in left)
        return None if told else (replace(amounts, unplaced=left, adding=adding), changes)

    def _worded(self, text: str, amounts: Amounts) -> Amounts:
        """The amounts; where something else is asked, a unit alone makes no number one of the sum before."""
        if not self._blanks.read(text) or any(one.score >= NAMED for one in amounts.asked):
            return amounts
        loose = tuple(one.measure for one in amounts.placed if one.score < WORDED)
        return replace(amounts, unplaced=(*amounts.unplaced, *loose))

    def _numbers(self, normalised: NormalisedText) -> tuple[Reading, tuple[Measure, ...]]:
        """A message with the places of its names, and its numbers."""
        reading = self._namer.named(normalised)
        self._claim(reading)
        return reading, self._measured(reading)[0]

    def _adding(self, text: str, placed: Iterable[Placed], unplaced: Iterable[Measure]) -> frozenset[str]:
        """The quantities that come on top of what was said before, "" for a number that is none."""
        if self._replaced.search(text):
            return frozenset()
        named = [*((one.quantity, one.measure) for one in placed), *(("", one) for one in unplaced)]
        return frozenset(name for name, measure in named if self._table.adds(text, measure))

    def _measured(self, reading: Reading) -> tuple[tuple[Measure, ...], tuple[Measure, ...], frozenset[str]]:
        """The measures of a message without what is free, all of them, and how they are meant."""
        clock = (*self._clock_spans.read(reading), *self._forms.clock_ranges(reading))
        once = said_once(reading.text, without_defined(reading.text, self._measures.read(reading)))
        once = as_one(reading.text, by_the_day(reading.text, corrected(reading.text, once)))
        typed = self._whole_hours.rounded(reading.text, once)
        whole = self._pairs.told(reading.text, self._behind.read(reading.text, typed))
        whole = self._elliptic.read(reading.text, whole)
        read = self._gratis.taken_off(reading.text, whole)
        return (*clock, *read), (*clock, *whole), _GRATIS if len(read) < len(whole) else frozenset()

    def _machines(self, reading: Reading) -> list[int]:
        """Where a cloud's name of a whole machine stands, whose numbers are kept from being read."""
        places = [found.span() for found in self._instances.finditer(reading.text)]
        for start, end in places:
            reading.claim(start, end)
        return [start for start, _ in places]

    def _claim(self, reading: Reading) -> list[int]:
        """Keep numbers of names from being read; gives where names of cards stand."""
        cards: list[int] = []
        for name in reading.names:
            size = reading.text[name.start : name.end].isdigit() and self._measures.sized(reading.text, name.end)
            if name.slot in _NAMES and not size and _is_name(name.slot, name.value):
                reading.claim(name.start, name.end)
                cards += [name.start] if name.slot == "gpu" else []
        return cards


def _paid(placed: Iterable[Placed]) -> frozenset[int]:
    """Where the numbers stand that were read as money."""
    return frozenset(one.measure.start for one in placed if QUANTITIES[one.quantity].unit.startswith(_MONEY))


def _of_money(blanks: Sequence[Blank], measures: Iterable[Measure]) -> list[Blank]:
    """The parts that ask, a bare "how much" as one for money where a rate of money was said."""
    rated = any(one.kind == _MONEY and one.per for one in measures)
    return [one._replace(kinds=one.kinds | {_MONEY}) if rated and one.kinds == {_ANY} else one for one in blanks]


def _masked(text: str, claimed: bytearray) -> str:
    """The text with the digits of names gone, so that they do not stand between a number and its word."""
    parts, end = [], 0
    for found in _CLAIMED.finditer(claimed):
        parts += [text[end : found.start()], _DIGIT.sub("x", text[found.start() : found.end()])]
        end = found.end()
    return "".join([*parts, text[end:]])


def _is_name(slot: str, value: object) -> bool:
    """Whether a slot's words are a name and not a bare size ("34B")."""
    return slot != "model" or not str(value).startswith("llm-")


def _currencies(placed: tuple[Placed, ...]) -> frozenset[str]:
    """All currencies that were named."""
    return frozenset(one.measure.currency for one in placed) - {""}


def _sides(reading: Reading) -> tuple[tuple[int, str], ...]:
    """Cards and providers with the places of their names."""
    return tuple((one.start, str(one.value)) for one in reading.names if one.slot in _SIDES)


def _wanted(blanks: Iterable[Blank]) -> str:
    """The currency that an amount is asked for in."""
    return next((one.currency for one in blanks if one.currency), "")


def _span(blanks: Iterable[Blank]) -> str:
    """The unit that a time is asked for in, where just one is."""
    asked = [kind for one in blanks for kind in (*(one.kinds & _SPANS), one.time) if kind]
    return asked[0] if len(asked) == 1 else ""


def _besides(measures: Iterable[Measure], parts: Iterable[Apiece]) -> tuple[Measure, ...]:
    """The measures that are amounts, and not how many have a part."""
    listed = tuple(parts)
    return tuple(one for one in measures if not any(part.holds(one) for part in listed))


def _timed_together(text: str, placed: Iterable[Placed]) -> frozenset[str]:
    """The flag of cards that are named in one breath with the time of a run or a round."""
    listed = list(placed)
    cards = [one.measure for one in listed if one.quantity == "cards"]
    times = [one.measure for one in listed if one.quantity in _OF_A_RUN]
    for card, time in product(cards, times):
        first, second = sorted((card, time), key=lambda one: one.start)
        # cards that a run is told of before its time are those that it ran on
        if (first is card and "card" not in time.per) or not _APART.search(text, first.end, second.start):
            return frozenset({TIMED_TOGETHER})
    return frozenset()


def _currency(placed: tuple[Placed, ...]) -> str:
    named = Counter(one.measure.currency for one in placed if one.measure.currency)
    return named.most_common(1)[0][0] if named else ""


__all__ = ["AmountReader", "Measure"]
