"""Decides whether a message belongs to the subject at all, before any likeness to phrases is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bot.understand.slots.found import Reading
from bot.understand.spelling import Speller

_FEW_WORDS = 3
_FOREIGN, _MOSTLY_FOREIGN = 0.12, 0.45
"""Shares of unknown words, set on the labelled questions: below, a name or a typing slip; above, another subject."""


class Gate(NamedTuple):
    """What the gate saw."""

    signs: float
    """One for each strong sign of the subject, half for each weak one."""
    traits: tuple[str, ...]


class DomainGate:
    """Signs of the subject, of other subjects, and of words nobody here knows."""

    def __init__(self, content: Mapping[str, Any], domain: Iterable[str], speller: Speller) -> None:
        """`content` is `languages/gate.yaml`; `domain` are the concepts that are signs."""
        self._weak = frozenset(content["weak"])
        self._domain = frozenset(domain)
        self._slots = frozenset(content["slots"])
        self._weak_slots = frozenset(content["weak_slots"])
        self._asking = frozenset(content["asking"])
        self._social = frozenset(content["social"])
        self._plain_han = frozenset(content["plain_han"])
        self._speller = speller
        self._predicates = frozenset(content["asking"]) - self._social - frozenset(content["light"])

    def look(self, reading: Reading) -> Gate:
        """Weigh the signs; the traits go to the rules of the intents."""
        signs = self._signs(reading)
        concepts = reading.concepts
        unknown, share = self._unknown(reading)
        kinds = {token.kind for token in reading.tokens}
        wordless = not kinds & {"w", "h", "n"}
        predicate = bool(concepts & self._predicates)
        traits = {
            "trait:no_sign": signs < 0.5,
            "trait:weak_sign": 0.5 <= signs < 1.0,
            "trait:asking": bool(concepts & self._asking),
            "trait:foreign": unknown >= 1 and share > _FOREIGN,
            "trait:mostly_foreign": share > _MOSTLY_FOREIGN,
            "trait:predicate": predicate,
            "trait:social": bool(concepts & self._social) and signs < 1.0 and not predicate,
            "trait:question_marks": wordless and any(token.text == "?" for token in reading.tokens),
            "trait:wordless": wordless,
        }
        return Gate(signs, tuple(name for name, given in traits.items() if given))

    def _signs(self, reading: Reading) -> float:
        """One for each strong sign of the subject, half for each weak one."""
        signs = sum(0.5 if concept in self._weak else 1.0 for concept in reading.concepts & self._domain)
        named = {value.slot for value in reading.values}
        named |= {trait.removeprefix("slot:") for trait in reading.traits if trait.startswith("slot:")}
        signs += sum(1.0 if slot in self._slots else 0.5 for slot in named & (self._slots | self._weak_slots))
        return signs + 0.5 * len(reading.traits & {"trait:watts", "trait:degrees", "trait:version"})

    def _unknown(self, reading: Reading) -> tuple[int, float]:
        """Number of words that neither the lexicon nor everyday language knows, and their share of the message."""
        covered = bytearray(reading.claimed)
        for found in reading.places:
            covered[found.start : found.end] = b"\1" * (found.end - found.start)
        for value in reading.values:
            covered[value.start : value.end] = b"\1" * (value.end - value.start)
        unknown = unknown_han = size = 0
        for token in reading.tokens:
            if token.kind == "w":
                size += 1
                if covered[token.start] or self._speller.knows(token.text) or len(token.text) < _FEW_WORDS:
                    continue
                unknown += 1
            elif token.kind == "h":
                size += 1
                if not covered[token.start] and token.text not in self._plain_han:
                    unknown_han += 1
        words = unknown + unknown_han // 2
        return words, (unknown + unknown_han) / size if size else 0.0
