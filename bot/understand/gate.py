"""Decides whether a message belongs to the subject at all, before any likeness to phrases is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.understand import files
from bot.understand.slots.found import Reading
from bot.understand.spelling import Speller

_FEW_WORDS = 3
_HALF = 0.5
"""What a weak sign weighs."""
_HALF_SIGNS = frozenset({"trait:watts", "trait:degrees", "trait:version"})
_FOREIGN, _MOSTLY_FOREIGN = 0.12, 0.45
"""Shares of unknown words, set on the labelled questions: below, a name or a typing slip; above, another subject."""


class Gate(NamedTuple):
    """What the gate saw."""

    signs: float
    """One for each strong sign of the subject, half for each weak one."""
    traits: tuple[str, ...]


class DomainGate:
    """Signs of the subject, of other subjects, and of words nobody here knows."""

    def __init__(self, content: files.Gate, domain: Iterable[str], speller: Speller) -> None:
        """`content` is `languages/gate.yaml`; `domain` are the concepts that are signs."""
        weak = frozenset(content["weak"])
        self._concept_weight = {concept: _HALF if concept in weak else 1.0 for concept in domain}
        self._slot_weight = {**dict.fromkeys(content["weak_slots"], _HALF), **dict.fromkeys(content["slots"], 1.0)}
        self._asking = frozenset(content["asking"])
        self._social = frozenset(content["social"])
        self._running = frozenset(content["running"])
        self._plain_han = frozenset(content["plain_han"])
        self._speller = speller
        self._predicates = frozenset(content["asking"]) - self._social - frozenset(content["light"])

    def heard(self, reading: Reading) -> bool:
        """Whether any concept of the message is a sign of the subject, or asks whether something can be run."""
        return any(concept in self._concept_weight or concept in self._running for concept in reading.said)

    def look(self, reading: Reading) -> Gate:
        """Weigh the signs; the traits go to the rules of the intents."""
        signs = self._signs(reading)
        concepts = reading.concepts
        unknown, share = self._unknown(reading)
        predicate = not self._predicates.isdisjoint(concepts)
        wordless = not reading.shape.strip("s")
        seen = (
            (signs < _HALF, "trait:no_sign"),
            (_HALF <= signs < 1.0, "trait:weak_sign"),
            (not self._asking.isdisjoint(concepts), "trait:asking"),
            (unknown >= 1 and share > _FOREIGN, "trait:foreign"),
            (share > _MOSTLY_FOREIGN, "trait:mostly_foreign"),
            (predicate, "trait:predicate"),
            (not predicate and signs < 1.0 and not self._social.isdisjoint(concepts), "trait:social"),
            (wordless, "trait:wordless"),
            (wordless and "?" in reading.words, "trait:question_marks"),
        )
        return Gate(signs, tuple([trait for holds, trait in seen if holds]))

    def _signs(self, reading: Reading) -> float:
        """One for each strong sign of the subject, half for each weak one."""
        signs = 0.0
        for concept in reading.said:
            signs += self._concept_weight.get(concept, 0.0)
        named = {value.slot for value in reading.values}
        for trait in reading.traits:
            if trait in _HALF_SIGNS:
                signs += _HALF
            elif trait.startswith("slot:"):
                named.add(trait.removeprefix("slot:"))
        for slot in named:
            signs += self._slot_weight.get(slot, 0.0)
        return signs  # halves add up alike in any order

    def _unknown(self, reading: Reading) -> tuple[int, float]:
        """Number of words that neither the lexicon nor everyday language knows, and their share of the message."""
        covered = bytearray(reading.claimed)
        for start, end, _, _, _ in reading.places:
            covered[start:end] = b"\1" * (end - start)
        for value in reading.values:
            covered[value.start : value.end] = b"\1" * (value.end - value.start)
        unknown = unknown_han = 0
        plain, knows = self._plain_han, self._speller.knows
        for text, kind, start, _, _ in reading.tokens:
            if covered[start]:
                continue
            if kind == "h":
                if text not in plain:
                    unknown_han += 1
            elif kind == "w" and len(text) >= _FEW_WORDS:
                unknown += not knows(text)
        size = reading.shape.count("w") + reading.han
        words = unknown + unknown_han // 2
        return words, (unknown + unknown_han) / size if size else 0.0
