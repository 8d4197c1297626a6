"""Scores every intent for one message: weighted concepts, slots, written rules, and likeness to its phrases.

The sum of a message's evidence for an intent is squashed to 0..1. Every part is kept as a `Contribution`, so a ranking
can be read by a person. Rules are indexed by their first condition: only rules that may fire are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bot.core.intents import Intent, Rule
from bot.core.understanding import Contribution, RankedIntent
from bot.understand.phrases import PhraseIndex

_HALF = 3.0
"""Evidence that gives a score of one half."""
_PHRASE_WEIGHT = 2.2
"""What a message identical to a phrase adds."""
_TELLING = 1.8
"""A concept of this weight makes a need by itself."""
_FIRST_WEIGHT = 0.15
_LEADING = 8
_RANKED = 12
_SHOWN = 6
_EXPLAINED = 4


class _Indexed(NamedTuple):
    intent: int
    rule: Rule
    all: frozenset[str]
    any: frozenset[str]
    none: frozenset[str]
    label: str


class Scorer:
    """All intents with their weights and rules, ready for look-up."""

    def __init__(self, intents: Mapping[str, Intent], phrases: PhraseIndex) -> None:
        """Intents in order of priority; equal scores keep that order."""
        self.names = tuple(intents)
        self.phrases = phrases
        self._weights: dict[str, list[tuple[int, float]]] = {}
        self._rules: dict[str, list[_Indexed]] = {}
        for number, intent in enumerate(intents.values()):
            for concept in sorted(intent.concepts):
                self._weights.setdefault(concept, []).append((number, intent.concepts[concept]))
            for rule in intent.rules:
                self._index(number, rule)

    def _index(self, number: int, rule: Rule) -> None:
        label = rule.why or " + ".join((*rule.all, *(("one of " + "/".join(rule.any),) if rule.any else ())))
        entry = _Indexed(number, rule, frozenset(rule.all), frozenset(rule.any), frozenset(rule.none), label)
        for first in rule.all[:1] or rule.any:
            self._rules.setdefault(first, []).append(entry)

    def _said_first(
        self, keys: tuple[str, ...], totals: list[float], parts: list[list[tuple[str, str, float]]]
    ) -> None:
        """Of two needs in one message the first stated one is meant (rule 21): its telling word counts more."""
        for feature in keys:
            telling = [number for number, weight in self._weights.get(feature, ()) if weight >= _TELLING]
            if telling and ":" not in feature:
                for number in telling:
                    totals[number] += _FIRST_WEIGHT
                    parts[number].append(("rule", "said first", _FIRST_WEIGHT))
                return

    def rank(
        self, features: frozenset[str], keys: tuple[str, ...], extra: Mapping[str, float]
    ) -> tuple[RankedIntent, ...]:
        """The best intents with a positive score. `keys` are the features in order; `extra` adds by intent."""
        totals = [0.0] * len(self.names)
        parts: list[list[tuple[str, str, float]]] = [[] for _ in self.names]
        for feature in keys:
            for number, weight in self._weights.get(feature, ()):
                totals[number] += weight
                parts[number].append(("slot" if ":" in feature else "concept", feature, weight))
        self._said_first(keys, totals, parts)
        fired: set[int] = set()
        for feature in keys:
            for entry in self._rules.get(feature, ()):
                if id(entry) in fired or not entry.all <= features or entry.none & features:
                    continue
                if entry.any and not entry.any & features:
                    continue
                fired.add(id(entry))
                totals[entry.intent] += entry.rule.weight
                parts[entry.intent].append(("rule", entry.label, entry.rule.weight))
        leading = frozenset(sorted(range(len(totals)), key=lambda n: (-totals[n], n))[:_LEADING])
        for number, (similarity, phrase) in self.phrases.best(keys, leading).items():
            weight = _PHRASE_WEIGHT * similarity
            totals[number] += weight
            parts[number].append(("phrase", phrase, weight))
        for number, name in enumerate(self.names):
            if name in extra:
                totals[number] += extra[name]
                parts[number].append(("gate", "conversation so far", extra[name]))
        order = sorted(
            (number for number, total in enumerate(totals) if total > 0), key=lambda n: (-round(totals[n], 6), n)
        )[:_RANKED]
        return tuple(
            RankedIntent(
                intent=self.names[number],
                score=round(totals[number] / (totals[number] + _HALF), 4),
                contributions=_shown(parts[number]) if place < _EXPLAINED else (),
            )
            for place, number in enumerate(order)
        )


def _shown(parts: list[tuple[str, str, float]]) -> tuple[Contribution, ...]:
    """The weightiest reasons, largest first; equal ones by name."""
    best = sorted(parts, key=lambda part: (-abs(part[2]), part[0], part[1]))[:_SHOWN]
    return tuple(Contribution(kind=kind, detail=detail, weight=round(weight, 3)) for kind, detail, weight in best)
