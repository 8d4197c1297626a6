"""What is said of one of several things, or of the others of them, for sums put together as they are said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from advisor.calculators.reckon import ANY
from bot.read.measured_units import Measure
from bot.read.term import Term
from bot.read.term_places import Place
from bot.read.thing_words import any_of
from bot.read.things import Things

_TAKEN: Final = frozenset({"data", "power", "energy"})
_TIME, _POWER = "time", "power"
_EVERY: Final = "\u4e00\u6bcf1"


class Ones:
    """The words of `ones` in lexicon/terms.yaml. Holds no state."""

    def __init__(
        self,
        content: Mapping[str, Sequence[str]],
        signs: Mapping[str, str],
        things: Things,
        even: Callable[[str], str],
    ) -> None:
        """Take the words.

        Args:
            content: takes: behind one of something, before what it takes; about: before a number; others: before how
                many the others are; cards: behind so many watts.
            signs: Chinese characters, each a word: takes; counted, pictures: what counts things, and pictures; not_one:
                before "one" where it is none of several; makes: behind a time, before one picture.
            things: reads nouns.
            even: normalises a word as messages are.
        """
        words = {name: any_of(told, even) for name, told in content.items()}
        han = {name: f"[{even(told)}]" for name, told in signs.items()}
        about = rf"(?:\s?(?:{words['about']}))?\s*$"
        self._things = things
        self._takes = re.compile(
            rf"\b(?:one|an?|1) ((?:[a-z-]+ )?[a-z-]{{3,}}) (?:{words['takes']}){about}"
            rf"|(?<!{han['not_one']})[{_EVERY}]\s?{han['counted']}[\u4e00-\u9fff]{{0,4}}?{han['takes']}?{about}"
        )
        self._makes = re.compile(rf"\s?{han['makes']}{{0,3}}\s?[{_EVERY}]{han['pictures']}")
        self._others = re.compile(rf"(?:{words['others']})\s*$")
        self._cards = re.compile(rf"\s?(?:{words['cards']})(?![a-z])")

    def of_one(self, place: Place) -> str:
        """The noun of which one takes so much: "one checkpoint is 42 GB"; "" where none is told."""
        found = self._takes.search(place.piece) if place.measure.kind in _TAKEN else None
        if found is None:
            return ""
        return self._things.noun_at(" " + found[1], 0)[0] if found[1] else ANY

    def makes_one(self, text: str, measure: Measure) -> bool:
        """Whether a time is what one picture or document takes that is told behind it."""
        return measure.kind == _TIME and self._makes.match(text, measure.end) is not None

    def are_cards(self, place: Place) -> bool:
        """Whether so many watts are what each of some cards takes: 300 W cards."""
        return place.measure.kind == _POWER and self._cards.match(place.tail) is not None

    def with_the_others(self, place: Place, term: Term, before: list[Term]) -> tuple[Term, list[Term]]:
        """A value and those before it; where it counts the others of some, it stands for all of these."""
        if not (self._others.search(place.piece) and term.nouns):
            return term, before
        alike = [one for one in before if one.nouns == term.nouns]
        measures = (*(part for one in alike for part in one.measures), *term.measures)
        return replace(term, measures=measures), [one for one in before if one not in alike]


__all__ = ["Ones"]
