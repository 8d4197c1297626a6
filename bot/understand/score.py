"""Scores every intent for one message: weighted concepts, slots, written rules, and likeness to its phrases.

The sum of a message's evidence for an intent is squashed to 0..1. Every part is kept as a `Contribution`, so a ranking
can be read by a person. Rules are indexed by their first condition: only rules that may fire are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bot.core.intents import Intent, Rule
from bot.core.understanding import RankedIntent
from bot.understand.phrases import PhraseIndex

_HALF = 3.0
"""Evidence that gives a score of one half."""
_PHRASE_WEIGHT = 2.2
"""What a message identical to a phrase adds."""
_TELLING = 1.8
"""A concept of this weight makes a need by itself."""
_FIRST_WEIGHT = 0.15
_FIRST = ("rule", "said first", _FIRST_WEIGHT)
_LEADING = 8
_RANKED = 12
_EXPLAINED = 4


_Reason = tuple[str, str, float]
"""Kind, detail, weight: made once, shared by all messages."""


class _Indexed(NamedTuple):
    intent: int
    weight: float
    all: frozenset[str]
    any: frozenset[str]
    none: frozenset[str]
    reason: _Reason


class Scorer:
    """All intents with their weights and rules, ready for look-up."""

    def __init__(self, intents: Mapping[str, Intent], phrases: PhraseIndex) -> None:
        """Intents in order of priority; equal scores keep that order."""
        self.names = tuple(intents)
        self.phrases = phrases
        self._weights: dict[str, list[tuple[int, float, _Reason]]] = {}
        self._telling: dict[str, list[int]] = {}
        self._rules: dict[str, list[_Indexed]] = {}
        for number, intent in enumerate(intents.values()):
            for concept in sorted(intent.concepts):
                weight = intent.concepts[concept]
                reason = ("slot" if ":" in concept else "concept", concept, weight)
                self._weights.setdefault(concept, []).append((number, weight, reason))
                if weight >= _TELLING and ":" not in concept:
                    self._telling.setdefault(concept, []).append(number)
            for rule in intent.rules:
                self._index(number, rule)

    def _index(self, number: int, rule: Rule) -> None:
        label = rule.why or " + ".join((*rule.all, *(("one of " + "/".join(rule.any),) if rule.any else ())))
        reason = ("rule", label, rule.weight)
        entry = _Indexed(number, rule.weight, frozenset(rule.all), frozenset(rule.any), frozenset(rule.none), reason)
        for first in rule.all[:1] or rule.any:
            self._rules.setdefault(first, []).append(entry)

    def _said_first(self, keys: tuple[str, ...], totals: list[float], parts: list[list[_Reason]]) -> None:
        """Of two needs in one message the first stated one is meant (rule 21): its telling word counts more."""
        for feature in keys:
            telling = self._telling.get(feature)
            if telling:
                for number in telling:
                    totals[number] += _FIRST_WEIGHT
                    parts[number].append(_FIRST)
                return

    def rank(
        self, features: frozenset[str], keys: tuple[str, ...], extra: Mapping[str, float]
    ) -> tuple[RankedIntent, ...]:
        """The best intents with a positive score. `keys` are the features in order; `extra` adds by intent."""
        totals = [0.0] * len(self.names)
        parts: list[list[_Reason]] = [[] for _ in self.names]
        for feature in keys:
            for number, weight, reason in self._weights.get(feature, ()):
                totals[number] += weight
                parts[number].append(reason)
        self._said_first(keys, totals, parts)
        self._apply_rules(features, keys, totals, parts)
        leading = sorted(range(len(totals)), key=lambda n: (-totals[n], n))[:_LEADING]
        for number, (similarity, phrase) in self.phrases.best(keys, frozenset(leading)).items():
            weight = _PHRASE_WEIGHT * similarity
            totals[number] += weight
            parts[number].append(("phrase", phrase, weight))
        if extra:
            for number, name in enumerate(self.names):
                if name in extra:
                    totals[number] += extra[name]
                    parts[number].append(("gate", "conversation so far", extra[name]))
        order = sorted([(-round(total, 6), number) for number, total in enumerate(totals) if total > 0])[:_RANKED]
        return tuple(
            RankedIntent(
                self.names[number],
                round(totals[number] / (totals[number] + _HALF), 4),
                parts[number] if place < _EXPLAINED else (),
            )
            for place, (_, number) in enumerate(order)
        )

    def _apply_rules(
        self, features: frozenset[str], keys: tuple[str, ...], totals: list[float], parts: list[list[_Reason]]
    ) -> None:
        """Add the weight of every rule whose conditions hold, once."""
        fired: set[int] = set()
        for feature in keys:
            for entry in self._rules.get(feature, ()):
                number, weight, needed, either, none, reason = entry
                if not needed <= features or not none.isdisjoint(features) or id(entry) in fired:
                    continue
                if either:
                    if either.isdisjoint(features):
                        continue
                    fired.add(id(entry))
                totals[number] += weight
                parts[number].append(reason)
