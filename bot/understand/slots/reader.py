"""Runs the slot grammars over one message in their order, then settles negation and corrections."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from bot.core.intents import SLOTS
from bot.core.languages import LanguageWords
from bot.understand.finder import Hit, Meanings
from bot.understand.lexicon import flatten
from bot.understand.slots.caches import spans_aside
from bot.understand.slots.context import Cues, WordEnds, WordStarts, asks_why_not, longest_first
from bot.understand.slots.counts import read_counts
from bot.understand.slots.exclusions import Exclusions, apply
from bot.understand.slots.found import Named, Reading, Value
from bot.understand.slots.gpu import CardGrammar
from bot.understand.slots.jobs import JobReader
from bot.understand.slots.memory import read_memory
from bot.understand.slots.ml_model import ModelGrammar
from bot.understand.slots.money import read_lone_currency, read_money
from bot.understand.slots.numbers import Quantity, QuantityGrammar
from bot.understand.slots.people import settle_at_once
from bot.understand.slots.settings import read_settings
from bot.understand.slots.shapes import ShapeGrammar
from bot.understand.slots.strangers import NamesUnlisted
from bot.understand.slots.time import read_durations
from bot.understand.slots.words import WordGrammar
from bot.understand.tokens import tokenise

_NEGATABLE = frozenset({"gpu", "gpu_family", "deploy", "provider", "disk", "os", "precision", "method"})
_AMOUNTS = frozenset({"duration", "budget", "price", "gpu_count", "users", "batch", "seq_len", "vram_gb", "ram_gb"})
_LONGEST_NOT = 8
_BEHIND: Final = 24
"""Characters behind a value in which it is denied."""
_STOPS: Final = " :,"
_POINTS_BACK: Final = frozenset({"is", "it's", "that's", "are"})
"""Words between a value and what denies it ("LoRA: it's not an option")."""
_ARTICLES = ("a", "an", "any", "the")
_ORDER = {slot: place for place, slot in enumerate(SLOTS)}


class SlotReader:
    """All slot grammars, ready for messages."""

    def __init__(
        self,
        cards: CardGrammar,
        models: ModelGrammar,
        unlisted: NamesUnlisted,
        quantities: QuantityGrammar,
        words: WordGrammar,
        shapes: ShapeGrammar,
        jobs: JobReader,
        cues: Cues,
        languages: Iterable[LanguageWords],
        even: Callable[[str], str],
    ) -> None:
        """Take the grammars; negation and correction words come from the languages."""
        self._cards, self._models, self._quantities = cards, models, quantities
        self._unlisted = unlisted
        self._words, self._shapes, self._jobs, self._cues = words, shapes, jobs, cues
        listed = list(languages)

        def phrases(choose: Callable[[LanguageWords], Iterable[str]]) -> tuple[str, ...]:
            """The phrases of one kind, of all languages, the longer ones first."""
            return longest_first(flatten(even(phrase)) for words in listed for phrase in choose(words))

        before = phrases(lambda words: words.negators.before)
        after = phrases(lambda words: words.negators.after)
        corrections = phrases(lambda words: words.corrections)
        self._exclusions = Exclusions(listed, even)
        self._negators, self._negators_after = WordEnds(before), WordStarts(after)
        self._asked = phrases(lambda words: words.no_negators)
        self._corrections = [(phrase, WordStarts([phrase]), WordEnds([phrase])) for phrase in corrections]
        # where no word begins as one of these phrases does, none of them stands
        self._negation_heads, self._correction_heads = _heads((*before, *after)), _heads(corrections)
        self._glue = WordEnds(phrases(lambda words: (*words.attributive, *_ARTICLES)))

    def names(self, reading: Reading, platforms: list[Hit[Meanings]]) -> list[tuple[int, int]]:
        """Cards and models first: nothing inside their names may be read as anything else."""
        self._cards.read(reading)
        self._models.read(reading)
        self._words.read_providers(reading, platforms)
        reading.names = [Named(value.slot, value.value, value.start, value.end) for value in reading.values]
        return [(value.start, value.end) for value in reading.values]

    def sized(self, name: str, memory: float) -> str:
        """The name of a card that comes in several sizes with its memory, "" where that tells none."""
        return self._cards.sized(name, memory)

    def card_traits(self, reading: Reading) -> set[str]:
        """Traits of all wished cards of a message."""
        cards = [value for value in reading.values if value.slot == "gpu" and not value.negated]
        return {trait for value in cards for trait in self._cards.traits(str(value.value))}

    def rest(self, reading: Reading, words: list[Hit[Meanings]], claimed: list[tuple[int, int]]) -> None:
        """Everything else, once the concepts of the message are known."""
        self._shapes.read(reading)
        self._words.read(reading, words, claimed)
        self._unlisted.read(reading)
        left = _outside_families(reading, self._quantities.read(reading))
        left = _outside_caches(reading, left)
        reading.quantities = left
        if left:
            left = read_settings(reading, left, self._cues)
            left = read_money(reading, left, self._cues, self._quantities)
        read_lone_currency(reading, self._quantities)
        left = read_durations(reading, left, self._cues)
        if left:
            left = read_memory(reading, left, self._cues)
        read_counts(reading, left, self._cues)
        settle_at_once(reading, self._cues)
        apply(reading, self._exclusions.ruled_out(reading))
        self._deny(reading)
        self._jobs.read(reading)
        self._settle(reading)
        self._cards.size(reading)

    def _settle(self, reading: Reading) -> None:
        if len(reading.values) > 1:
            reading.values.sort(key=lambda value: (value.start, value.end, _ORDER[value.slot]))
        if not self._negation_heads.isdisjoint(reading.words):
            self._deny(reading)
            _drop_taken_back(reading, self._cues.words["plain_not"])
        if not self._correction_heads.isdisjoint(reading.words):
            at = self._correction(reading.flat)
            if at >= 0:
                _apply_correction(reading, at)

    def _deny(self, reading: Reading) -> None:
        """Mark what a word of denial stands beside: before the jobs are settled, and again for what they added."""
        if self._negation_heads.isdisjoint(reading.words):
            return
        for value in reading.values:
            if value.slot in _NEGATABLE:
                value.negated = (value.start, value.end) in reading.ruled or self._is_negated(reading.flat, value)

    def _is_negated(self, flat: str, value: Value) -> bool:
        before = flat[max(0, value.start - 24) : value.start].rstrip()
        for _ in range(2):
            if word := self._negators.which(before):
                return not asks_why_not(before, word, self._asked)
            glue = self._glue.which(before)
            if not glue:
                break
            before = before[: len(before) - len(glue)].rstrip()
        after = flat[value.end : value.end + _BEHIND].lstrip(_STOPS)
        first, _, rest = after.partition(" ")
        return self._negators_after(after) or (first in _POINTS_BACK and self._negators_after(rest))

    def _correction(self, flat: str) -> int:
        """Where a phrase ends that takes back what was said before it, or -1."""
        for phrase, starts, ends in self._corrections:
            at = flat.rfind(phrase)
            if at > 0 and ends(flat[: at + len(phrase)]) and starts(flat[at:]):
                return at + len(phrase)
        return -1


def _drop_taken_back(reading: Reading, plain_not: tuple[str, ...]) -> None:
    """Of "not three days, a week" the first goes: an amount behind a plain "not" that another of its kind follows."""
    for value in [one for one in reading.values if one.slot in _AMOUNTS]:
        before = reading.flat[max(0, value.start - _LONGEST_NOT) : value.start].rstrip()
        later = any(one.slot == value.slot and one.start > value.end for one in reading.values)
        if later and before.endswith(plain_not):
            reading.values.remove(value)


def _apply_correction(reading: Reading, at: int) -> None:
    """What stands after the correction replaces what stood before it, slot by slot."""
    after = {value.slot for value in reading.values if value.start >= at}
    kept = []
    for value in reading.values:
        if value.start >= at:
            value.corrects = True
            kept.append(value)
        elif value.slot not in after:
            kept.append(value)
    reading.values[:] = kept


def _outside_families(reading: Reading, quantities: list[Quantity]) -> list[Quantity]:
    """The quantities that are no part of the name of a series ("RTX 20 cards" counts nothing)."""
    names = [(value.start, value.end) for value in reading.values if value.slot == "gpu_family"]
    if not names:
        return quantities
    return [one for one in quantities if not any(start < one.end and one.start < end for start, end in names)]


def _outside_caches(reading: Reading, quantities: list[Quantity]) -> list[Quantity]:
    """The quantities that are no format of a cache or an optimizer, which are none of the weights and no people."""
    spans = spans_aside(reading.text)
    if not spans:
        return quantities
    reading.values[:] = [
        one for one in reading.values if one.slot != "precision" or not _is_within(one.start, one.end, spans)
    ]
    return [one for one in quantities if not _is_within(one.start, one.number_end, spans)]


def _is_within(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(left <= start and end <= right for left, right in spans)


def _heads(phrases: Iterable[str]) -> frozenset[str]:
    """The words that phrases begin with."""
    return frozenset(tokenise(phrase).words[0] for phrase in phrases)
