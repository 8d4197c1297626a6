"""What goes in and what comes out: two numbers that are told apart by two words, and share their unit and their rate.

Prices per million and amounts by the month come in such pairs. Both words stand behind their numbers, or both before
them; what only one of a pair has of unit and rate holds for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, TypeAlias

from bot.read.measured_units import Measure
from bot.read.places import BREAKS
from bot.read.spotting import WordFinder

FED, MADE = "in", "out"
_NEAR: Final = 7
"""Characters between a number and its word."""
_KINDS: Final = frozenset({"", "money", "token"})
_APART: Final = 48
"""Characters between the two numbers of a pair."""
_FEW: Final = 10.0
"""Beside an amount of tokens a bare number from here on is one as well."""
_TOKENS: Final = 1000.0
"""A bare number from which on it counts tokens; smaller ones are their price."""


_Label: TypeAlias = tuple[int, int, str]
"""Where a word begins and ends, and its side."""


class Pairs:
    """The words of both sides, lexicon/measures.yaml. Holds no state."""

    def __init__(self, content: Mapping[str, Iterable[object]], even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are."""
        self._sides = {even(str(word)): FED for word in content["fed_words"]}
        self._sides |= {even(str(word)): MADE for word in content["made_words"]}
        self._finder = WordFinder(self._sides)

    def told(self, text: str, measures: Sequence[Measure]) -> tuple[Measure, ...]:
        """The measures, those of a pair with their side and with what they share."""
        spotted = self._finder.spot(text)
        labels = sorted((at, at + len(word), self._sides[word]) for word in spotted.words for at in spotted.of(word))
        found: dict[int, str] = {}
        for one, other in pairwise(labels):
            if one[2] != other[2]:
                found |= _pair(text, measures, (one, other))
        if not found:
            return tuple(measures)
        sided = [replace(one, side=found.get(at, "")) for at, one in enumerate(measures)]
        return tuple(_shared([_token(one) for one in sided]))


def _pair(text: str, measures: Sequence[Measure], labels: tuple[_Label, _Label]) -> dict[int, str]:
    """The sides of two numbers with two words: both words stand before their numbers, or both behind them."""
    for ahead in (True, False):
        places = [_beside(text, measures, start, end, ahead=ahead) for start, end, _ in labels]
        if None not in places and places[0] != places[1]:
            return {place: side for place, (_, _, side) in zip(places, labels, strict=True) if place is not None}
    return {}


def _beside(text: str, measures: Sequence[Measure], start: int, end: int, *, ahead: bool) -> int | None:
    """The number that a word stands with: right behind the word, else right before it or with it in its unit."""
    for place, one in enumerate(measures):
        if one.kind not in _KINDS:
            continue
        between = text[end : one.start] if ahead else text[one.end : start]
        apart = one.start - end if ahead else start - one.end
        within = not ahead and one.start < start and end <= one.end
        if within or (0 <= apart <= _NEAR and BREAKS.isdisjoint(between)):
            return place
    return None


def _token(one: Measure) -> Measure:
    """A bare number of a side that is too large for a price, as tokens."""
    counts = one.side and not one.kind and one.value >= _TOKENS
    return replace(one, kind="token", unit="token") if counts else one


def _shared(measures: list[Measure]) -> list[Measure]:
    """The same, each pair with the unit and the rate that one of the two has."""
    sided = [at for at, one in enumerate(measures) if one.side]
    for first, second in pairwise(sided):
        one, other = measures[first], measures[second]
        if one.side != other.side and other.start - one.end <= _APART and _alike(one, other):
            measures[first], measures[second] = _with_rate(one, other), _with_rate(other, one)
    return measures


def _alike(one: Measure, other: Measure) -> bool:
    """Whether two numbers are both prices or both amounts; a bare whole number beside tokens counts them, too."""
    tokens = [each.kind == "token" for each in (one, other)]
    counts = [told or (not each.kind and each.value >= _FEW) for told, each in zip(tokens, (one, other), strict=True)]
    return all(counts) if any(tokens) else True


def _with_rate(one: Measure, other: Measure) -> Measure:
    """A number with the rate and the currency of the other of its pair where it has none."""
    kind, unit, currency = (one.kind, one.unit, one.currency) if one.kind else (other.kind, other.unit, other.currency)
    rate = one if one.per else other
    return replace(one, kind=kind, unit=unit, currency=currency, per=rate.per, per_units=rate.per_units)
