"""Sums of money of a kind of its own: which numbers of a message are its parts.

A ladder of prices, a commission, a warranty or a deposit is told by words of its own, and each of its numbers has a
place in it. `lexicon/deals.yaml` holds the words of each kind and of each place; here all numbers of a message are
given to the places of a kind at once. A kind is read only where every number that could belong to it has a place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypedDict

from bot.read.deal_places import SPARE, is_sound, unit_worth, value_of, worth
from bot.read.deal_words import Deal, DealEntry, Place, deals
from bot.read.measured_units import Measure
from bot.read.pattern_index import PatternIndex
from bot.read.placed import Framed, Placed
from bot.read.said_forms import FormEntries, SaidForms

_MOST: Final = 12
"""Numbers of one message that are given places; more are a table."""
_UNFILLED: Final = 0.05
"""What it costs to leave a place empty."""
_FORGOTTEN: Final = 0.3
"""What it costs each value of before that a kind has no place for: the same sum goes on with all of them."""
_AGAIN: Final = 0.5
"""What it is worth that the same is asked for as before."""
_SPANS: Final = frozenset({"day", "week", "month", "year"})
"""Of which one that is said in words may have a place, and need not."""
_FIGURES: Final = re.compile(r"[\d.,]+")
_Taken: TypeAlias = tuple[float, tuple[int, ...]]
"""What a way to fill places is worth, and which number is in each, -1 for none."""
_Pair: TypeAlias = tuple[Place, Measure, float]
"""A place, the number in it, and what speaks for it."""


class Words(TypedDict):
    """The content of the lexicon."""

    deals: Mapping[str, Iterable[DealEntry]]
    forms: FormEntries
    ignored: str
    spare: str
    dropped: str


class Deals:
    """The words of lexicon/deals.yaml. Holds no state."""

    def __init__(self, content: Words) -> None:
        """`content` of the lexicon. Raises KeyError for a quantity that no formula knows."""
        self._deals = tuple(deals(content["deals"]))
        self._told_by = PatternIndex([one.asked[0].pattern for one in self._deals])
        self._forms = SaidForms(content["forms"])
        self._ignored = re.compile(content["ignored"])
        self._spare = re.compile(content["spare"])
        self._dropped = re.compile(content["dropped"])

    def asks(self, text: str) -> bool:
        """Whether a message asks for a sum of any of these kinds."""
        return any(one.alone and one.is_asked(text) for one in self._spoken_of(text))

    def read(
        self, text: str, measures: Iterable[Measure], before: Mapping[str, float], asked: Iterable[str]
    ) -> Iterator[Framed]:
        """The kinds of a message, likeliest first, each with its numbers.

        Args:
            text: in its even form.
            measures: its numbers.
            before: values of the sum before, by quantity; {} where there is none.
            asked: what that sum gave.
        """
        last = frozenset(asked) if before else frozenset()
        kinds = self._deals if last else tuple(self._spoken_of(text))
        listed = self._numbers(text, measures) if kinds else []
        if len(listed) <= _MOST and (listed or before):
            made = (self._made(deal, text, listed, before, last) for deal in kinds)
            yield from sorted((one for one in made if one is not None), key=lambda one: -one.worth)

    def _spoken_of(self, text: str) -> Iterator[Deal]:
        """The kinds of which a message may say the first words; without a sum before no other is meant."""
        return (self._deals[place] for place in self._told_by.may_match(text))

    def _made(
        self, deal: Deal, text: str, listed: Sequence[Measure], before: Mapping[str, float], last: frozenset[str]
    ) -> Framed | None:
        """A message as a sum of one kind, alone or behind the sum before; None where it is none."""
        told, led = deal.is_asked(text), deal.is_led(text, last)
        again = deal.unknown in last
        if not any((again, led, told and deal.alone, told and deal.is_behind(last))):
            return None
        known = self._kept(deal, text, before)
        alone = _filled(deal, text, listed, {}) if all((told, listed, deal.alone)) else None
        made = alone or _behind(deal, text, listed, known)
        if made is None or not any((made.placed, told, led, known.keys() != before.keys())):
            return None
        return made._replace(worth=made.worth + deal.worth + (len(deal.asked) if told else _AGAIN * again))

    def _numbers(self, text: str, measures: Iterable[Measure]) -> list[Measure]:
        """The numbers that say something, those in forms of their own among them."""
        told = self._forms.told(text, sorted(measures, key=lambda one: one.start))
        spare, ignored = _places_of(self._spare, text), _places_of(self._ignored, text)
        listed = [_as_spare(_as_typed(one)) if _stands_in(one, spare) else _as_typed(one) for one in told]
        free = (one for one in listed if not _stands_in(one, ignored))
        return [one for one in free if one.text and one.value and not (_is_article(one) and one.kind not in _SPANS)]

    def _kept(self, deal: Deal, text: str, before: Mapping[str, float]) -> Mapping[str, float]:
        """What was said before, without what the message says to leave out."""
        if not self._dropped.search(text):
            return before
        near = ((one.quantity, one.near) for one in deal.places if one.optional)
        gone = {name for name, words in near if words is not None and words.ready.search(text)}
        return {name: value for name, value in before.items() if name not in gone}


def _places_of(words: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [one.span() for one in words.finditer(text)]


def _stands_in(measure: Measure, places: Iterable[tuple[int, int]]) -> bool:
    """Whether a number is a part of words that stand at these places."""
    return any(start <= measure.start < end for start, end in places)


def _as_spare(measure: Measure) -> Measure:
    """A number that may be passed over: so many cards of a machine."""
    return replace(measure, side=SPARE)


def _is_article(measure: Measure) -> bool:
    """Whether a number is no more than "a" or "one" of something."""
    return measure.words and measure.number <= 1 and measure.kind not in {"share", "money"}


def _as_typed(measure: Measure) -> Measure:
    """A number that took its unit from one beside it, without that unit."""
    bare = measure.kind and not measure.currency and not measure.per and _FIGURES.fullmatch(measure.text)
    return replace(measure, kind="", unit="", value=measure.number) if bare else measure


def _behind(deal: Deal, text: str, listed: Sequence[Measure], known: Mapping[str, float]) -> Framed | None:
    """A message that goes on with the values of before; None where there are none."""
    return _filled(deal, text, listed, known) if known else None


def _filled(deal: Deal, text: str, numbers: Sequence[Measure], known: Mapping[str, float]) -> Framed | None:
    """The numbers in the places of a kind; None where one has none, or a place that is needed is empty."""
    places = deal.places
    listed = [one for one in numbers if not _is_of_before(one, places, known)]
    ranks = list(enumerate(listed))
    gains = [[worth(at - rank, one, place, text, known) for at, one in ranks] for rank, place in enumerate(places)]
    best = _best(places, gains, list(map(_counts, listed)), known)
    if best is None:
        return None
    taken = _in_order(places, best[1], listed)
    pairs = [(place, listed[at], row[at]) for place, at, row in zip(places, taken, gains, strict=True) if at >= 0]
    loose = [one for at, one in ranks if at not in taken]
    return _framed(deal, pairs, known, best[0]) if _is_all(pairs, loose, known) else None


def _is_all(pairs: Sequence[_Pair], loose: Iterable[Measure], known: Mapping[str, float]) -> bool:
    """Whether every number is between the ends of its place, and what has none is said again or says nothing."""
    used = [measure for _, measure, _ in pairs]
    return _are_sound(pairs) and all(_is_known(one, used, known) for one in loose if _counts(one))


def _counts(measure: Measure) -> bool:
    """Whether a number may not be passed over."""
    return not (_is_article(measure) or measure.side == SPARE)


def _are_sound(pairs: Iterable[_Pair]) -> bool:
    """Whether every number is between the ends of its place."""
    return all(is_sound(place, value_of(measure, place.quantity)) for place, measure, _ in pairs)


def _framed(deal: Deal, pairs: Sequence[_Pair], known: Mapping[str, float], score: float) -> Framed:
    """The numbers of a kind under their names."""
    told = [(place.quantity, measure, gain) for place, measure, gain in pairs if not place.idle]
    placed = tuple(Placed(measure, name, value_of(measure, name), gain) for name, measure, gain in told)
    idle = tuple(measure for place, measure, _ in pairs if place.idle)
    fresh = {one.quantity for one in placed}
    names = {place.quantity for place in deal.places if not place.idle} - fresh
    kept = {name: value for name, value in known.items() if name in names}
    forgotten = known.keys() - names - fresh
    return Framed(deal.unknown, placed, idle, kept, score - _FORGOTTEN * len(forgotten), follows=bool(known))


def _in_order(places: Sequence[Place], taken: Sequence[int], listed: Sequence[Measure]) -> list[int]:
    """Numbers of places that nothing tells apart, in the order of the text."""
    ordered = list(taken)
    for kind in dict.fromkeys(one.alike for one in places):
        same = [rank for rank, at in enumerate(taken) if at >= 0 and places[rank].alike == kind]
        for rank, at in zip(same, sorted(taken[one] for one in same), strict=True):
            ordered[rank] = at
    fits = all(unit_worth(places[rank], listed[at]) for rank, at in enumerate(ordered) if at >= 0)
    return ordered if fits else [*taken]


def _is_of_before(one: Measure, places: Iterable[Place], known: Mapping[str, float]) -> bool:
    """Whether a number names a value of before and is no new one."""
    same = (place for place in places if known.get(place.quantity) == value_of(one, place.quantity))
    return any(unit_worth(place, one) for place in same)


def _is_known(one: Measure, used: Iterable[Measure], known: Mapping[str, float]) -> bool:
    """Whether a number is one that has a place or that was told before, said again."""
    again = any(other.value == one.value and one.kind in {other.kind, ""} for other in used)
    return again or one.value in known.values()


def _best(
    places: Sequence[Place], gains: Sequence[Sequence[float]], counts: Sequence[bool], known: Mapping[str, float]
) -> _Taken | None:
    """The likeliest way to give numbers to places; the more of those that count have one the better."""
    counted = sum(1 << at for at, counts_too in enumerate(counts) if counts_too)
    states: dict[int, _Taken] = {0: (0.0, ())}
    for place, row in zip(places, gains, strict=True):
        may_be_empty = place.optional or place.quantity in known
        states = _with_place([(gain, at) for at, gain in enumerate(row) if gain > 0], states, may_be_empty=may_be_empty)
    return max(states.items(), key=lambda one: ((one[0] & counted).bit_count(), one[1][0]))[1] if states else None


def _with_place(
    gains: Iterable[tuple[float, int]], states: Mapping[int, _Taken], *, may_be_empty: bool
) -> dict[int, _Taken]:
    """Every way to fill one place more: for each set of numbers that have a place the likeliest."""
    options = [*gains, (-_UNFILLED, -1)] if may_be_empty else list(gains)
    new: dict[int, _Taken] = {}
    for mask, (score, taken) in states.items():
        for gain, at in options:
            key = mask | 1 << at if at >= 0 else mask
            if at < 0 or key != mask:
                new[key] = max(new.get(key, (score + gain, (*taken, at))), (score + gain, (*taken, at)))
    return new


__all__ = ["Deals", "Words"]
