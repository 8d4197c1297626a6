"""Likeness of a message to the written phrases of each intent, over shared concepts, slots and words.

Features weigh by rarity. A message is compared only with phrases that share one of its rarer features, through an
index made at load time; the best phrase of each intent counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

_COMMON = 0.12
"""Features on more than this share of phrases do not open candidates by themselves."""


class PhraseIndex:
    """Phrases as sets of features with an inverted index."""

    def __init__(self, phrases: Iterable[tuple[int, str, tuple[str, ...]]]) -> None:
        """`phrases`: (number of the intent, text, features)."""
        self._texts: list[tuple[int, str]] = []
        sets: list[tuple[str, ...]] = []
        for intent, text, features in phrases:
            self._texts.append((intent, text))
            sets.append(tuple(dict.fromkeys(features)))
        count = max(len(sets), 1)
        frequency: dict[str, int] = {}
        for features in sets:
            for feature in features:
                frequency[feature] = frequency.get(feature, 0) + 1
        self._weight = {feature: math.log(1 + count / (1 + seen)) for feature, seen in frequency.items()}
        self._unknown = math.log(1 + count) * 0.5
        self._norm = [sum(self._weight[f] for f in features) for features in sets]
        self._postings: dict[str, list[int]] = {}
        for number, features in enumerate(sets):
            for feature in features:
                self._postings.setdefault(feature, []).append(number)
        self._opening = {feature for feature, seen in frequency.items() if seen <= max(_COMMON * count, 3)}

    def best(self, keys: tuple[str, ...]) -> dict[int, tuple[float, str]]:
        """For each intent with a related phrase: the likeness (0..1) of its closest one, and that phrase."""
        shared: dict[int, float] = {}
        total = 0.0
        late: list[str] = []
        for key in keys:
            weight = self._weight.get(key)
            if weight is None:
                total += 0.0 if ":" in key else self._unknown * 0.3
                continue
            total += weight
            if key not in self._opening:
                late.append(key)
                continue
            for number in self._postings[key]:
                shared[number] = shared.get(number, 0.0) + weight
        for key in late:
            weight = self._weight[key]
            for number in self._postings[key]:
                if number in shared:
                    shared[number] += weight
        best: dict[int, tuple[float, int]] = {}
        for number, overlap in shared.items():
            likeness = 2 * overlap / (total + self._norm[number])
            intent = self._texts[number][0]
            held = best.get(intent)
            if held is None or likeness > held[0] or (likeness == held[0] and number < held[1]):
                best[intent] = (likeness, number)
        return {intent: (best[intent][0], self._texts[best[intent][1]][1]) for intent in sorted(best)}
