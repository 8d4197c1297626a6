"""Reads one message: normal form, slots, concepts, ranked intents. The whole of `understand`, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from bot.core.understanding import RankedIntent, SlotValue, Span, Understanding
from bot.understand.act import Act, ActReader
from bot.understand.evidence import Evidence
from bot.understand.finder import Hit, Meant, MessageFinder
from bot.understand.gate import DomainGate, Gate
from bot.understand.language import detect_language
from bot.understand.lexicon import Found, Lexicon, settled
from bot.understand.name_spelling import NameSpelling
from bot.understand.normalise import HAN_FIRST, HAN_LAST, NormalisedText, Normaliser
from bot.understand.signs import signs_of
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.reader import SlotReader
from bot.understand.spelling import Speller
from bot.understand.tokens import tokenise
from bot.understand.traits import traits_of

_REACH = 3
_TWO_FREE = b"\0\0"
_LEAST_GAIN = 4
"""Characters that must become words before two neighbours are taken for a slip: two whole words."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an `Understander` is made of."""

    normaliser: Normaliser
    names: NameSpelling
    speller: Speller
    finder: MessageFinder
    """Surfaces of concepts, of value words and of platforms, in this order."""
    lexicon: Lexicon
    slots: SlotReader
    gate: DomainGate
    acts: ActReader
    evidence: Evidence
    served: frozenset[str] = frozenset()
    """Models that are only served: of the subject where something else of the message is, too."""


class Analysis(NamedTuple):
    """The reading of one message with what it was made from."""

    understanding: Understanding
    reading: Reading
    normalised: NormalisedText
    keys: tuple[str, ...]
    """Concepts in the order of the text, then slots and traits."""


class Understander:
    """Text in, `Understanding` out. Holds no state: the same text and context give the same reading."""

    def __init__(self, parts: Parts) -> None:
        """Take the parts (load.py makes them)."""
        self._parts = parts
        self._last: tuple[str, NormalisedText, NormalisedText, Reading] | None = None
        """The last text with its forms and what was read in it: within one turn the same text is asked for again."""
        self._named: tuple[NormalisedText, Reading] | None = None
        """The last form of a text in which names alone were looked for, and what was found."""

    def prepare(self) -> None:
        """Make now what many texts need: for a server, and for whoever reads a corpus."""
        self._parts.finder.prepare()

    def understand(self, text: str, *, context_intent: str | None = None) -> Understanding:
        """Read one message. `context_intent` is what the turn before was about; it weighs in as a sign."""
        return self.analyse(text, context_intent=context_intent).understanding

    def analyse(self, text: str, *, context_intent: str | None = None) -> Analysis:
        """The same with everything that was seen on the way."""
        _, _, normalised, reading = self._read_once(text)
        keys, act, gate = self._keys(reading, bool(context_intent))
        ranking = self._parts.evidence.rank(signs_of(reading, keys, context_intent or ""))
        understanding = Understanding(
            text=text,
            normalised=normalised.text,
            tokens=tuple(reading.words),
            language=reading.language,
            slots=tuple([_slot(value, normalised) for value in reading.values]),
            concepts=tuple(reading.said),
            ranking=ranking,
            in_domain=gate.signs >= 1.0 or ("trait:asking" in keys and "trait:mostly_foreign" not in keys),
            social=act.social,
            elliptical=act.elliptical,
            leaning=act.leaning,
            mark=act.mark,
        )
        return Analysis(understanding, reading, normalised, keys)

    def named(self, normalised: NormalisedText) -> Reading:
        """A reading of the names in a text alone; of the last message, where no slip was mended, they are known."""
        text, last, named = normalised.text, self._last, self._named
        if last is not None and last[2] is normalised:
            known = last[3]
        elif named is not None and named[0] is normalised:
            known = named[1]
        else:
            pieces = tokenise(text)
            known = Reading(text, normalised.raw, normalised.offsets, pieces, detect_language(text, pieces.shape))
            self._parts.slots.names(known, self._parts.finder.hits(known.flat).platforms)
            self._named = (normalised, known)
        return Reading(text, known.raw, known.offsets, known.pieces, known.language, names=known.names)

    def even(self, text: str) -> NormalisedText:
        """A message in the form in which it is read, its slips left as they are."""
        last = self._last
        return last[1] if last is not None and last[0] == text else self._parts.normaliser(text)

    def _read_once(self, text: str) -> tuple[str, NormalisedText, NormalisedText, Reading]:
        last = self._last
        if last is None or last[0] != text:
            even = self._parts.normaliser(text)
            mended = self._mended(even)
            self._last = last = (text, even, mended, self.read(mended))
        return last

    def _mended(self, even: NormalisedText) -> NormalisedText:
        """A text with its names written as records write them and its slips set right."""
        return self._parts.speller.mend(self._parts.names(even))

    def sized(self, name: str, memory: float) -> str:
        """The name of a card that comes in several sizes with its memory, "" where that tells none."""
        return self._parts.slots.sized(name, memory)

    def weigh(self, text: str) -> tuple[RankedIntent, ...]:
        """The needs of a part of a message, by its own signs alone."""
        return self._parts.evidence.rank(self.signs(text))

    def signs(self, text: str, context_intent: str = "") -> list[str]:
        """The signs of a message by which intents are weighed."""
        reading = self.read(self._mended(self._parts.normaliser(text)))
        keys, _, _ = self._keys(reading, bool(context_intent))
        return signs_of(reading, keys, context_intent)

    def read(self, normalised: NormalisedText) -> Reading:
        """Tokens, slots and concepts of a normalised text."""
        text = normalised.text
        pieces = tokenise(text)
        reading = Reading(text, normalised.raw, normalised.offsets, pieces, detect_language(text, pieces.shape))
        concepts, words, platforms = self._parts.finder.hits(reading.flat)
        names = self._parts.slots.names(reading, platforms)
        reading.places = self._concepts(reading, concepts, names)
        reading.said = dict.fromkeys([concept for found in reading.places for concept in found[2]])
        reading.concepts = frozenset(reading.said)
        self._parts.slots.rest(reading, words, names)
        self._leave_served(reading)
        return reading

    def _leave_served(self, reading: Reading) -> None:
        """Take services for what they are where nothing speaks of running one: "claude or gemini, which is better"."""
        served = [value for value in reading.values if value.slot == "model" and value.value in self._parts.served]
        if served and len(served) == len(reading.values) and not self._parts.gate.heard(reading):
            reading.values.clear()

    def _concepts(self, reading: Reading, hits: list[Hit[Meant]], names: list[tuple[int, int]]) -> list[Found]:
        """Concepts of the text; where two Han characters were swapped across words, of the text put right."""
        found = settled(hits, reading.flat, names)
        if "hh" not in reading.shape:
            return found
        swapped = self._unswapped(reading, found)
        return settled(self._parts.finder.hits(swapped).concepts, swapped, names) if swapped else found

    def _unswapped(self, reading: Reading, found: list[Found]) -> str:
        """The text with two neighbouring Han characters changed over, if that makes words out of what was none."""
        flat, lexicon = reading.flat, self._parts.lexicon
        covered = bytearray(reading.claimed)
        # single characters are too common to vouch for their place
        for start, end, _, _, slip in found:
            if not slip and end - start > 1:
                covered[start:end] = b"\1" * (end - start)
        best, best_gain = "", _LEAST_GAIN - 1
        # no white space stands between two Han characters
        end = reading.tokens[-1].end
        at = covered.find(_TWO_FREE, 0, end)
        while at >= 0:
            # is_han, without the time of two calls
            both = HAN_FIRST <= flat[at] <= HAN_LAST and HAN_FIRST <= flat[at + 1] <= HAN_LAST
            if both and lexicon.may_mend(flat, at):
                gain = self._gain(flat, at)
                if gain > best_gain and covered.find(1, max(0, at - 1), at + 3) < 0:
                    best, best_gain = flat[:at] + flat[at + 1] + flat[at] + flat[at + 2 :], gain
            at = covered.find(_TWO_FREE, at + 1, end)
        return best

    def _gain(self, flat: str, at: int) -> int:
        """Characters that are words where the character at `at` and the one after it are changed over."""
        start, end = max(0, at - _REACH), min(len(flat), at + 2 + _REACH)
        window = flat[start:at] + flat[at + 1] + flat[at] + flat[at + 2 : end]
        return sum(
            hit.end - hit.start
            for hit in settled(self._parts.finder.hits(window).concepts, window)
            if not hit.slip and hit.end - hit.start > 1 and hit.start <= at + 1 - start and hit.end > at - start
        )

    def _keys(self, reading: Reading, in_conversation: bool) -> tuple[tuple[str, ...], Act, Gate]:
        """Concepts in the order of the text, then slots and traits; what the message does; whether it belongs here."""
        gate = self._parts.gate.look(reading)
        traits = traits_of(reading) | self._parts.slots.card_traits(reading)
        traits.update(gate.traits)
        act = self._parts.acts.read(reading, traits)
        if act.elliptical:
            traits.add("trait:elliptical")
        if act.leaning:
            traits.add("trait:leaning")
        if in_conversation:
            traits.add("trait:in_conversation")
        return (*reading.said, *sorted(traits - reading.concepts)), act, gate


def _slot(value: Value, normalised: NormalisedText) -> SlotValue:
    start, end = normalised.raw_span(value.start, value.end)
    return SlotValue(
        value.slot,
        value.value,
        Span(start, end),
        normalised.raw[start:end],
        value.rule,
        value.negated,
        value.approximate,
        value.bound,
        value.corrects,
        value.candidates,
        value.count,
        value.known,
    )
