"""Likeness of a message to the written phrases of each intent, over shared concepts, slots and words.

Features weigh by rarity. A message is compared only with phrases that share one of its rarer features, through an
index made at load time; the best phrase of each intent counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_COMMON = 0.06
"""Features on more than this share of phrases do not open candidates by themselves."""
_COMPARED = 3
_FOREMOST = 12


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
        self._owner = [intent for intent, _ in self._texts]
        self._sets = [frozenset(features) for features in sets]
        self._postings: dict[str, list[int]] = {}
        for number, features in enumerate(sets):
            for feature in features:
                self._postings.setdefault(feature, []).append(number)
        self._opening = {feature for feature, seen in frequency.items() if seen <= max(_COMMON * count, 3)}

    @contextmanager
    def without(self, text: str) -> Iterator[None]:
        """Leave one phrase out for as long as the context lasts: to see whether the rest carries it."""
        numbers = {number for number, (_, phrase) in enumerate(self._texts) if phrase == text}
        held = self._postings
        self._postings = {feature: [n for n in places if n not in numbers] for feature, places in held.items()}
        try:
            yield
        finally:
            self._postings = held

    def best(self, keys: tuple[str, ...], leading: frozenset[int]) -> dict[int, tuple[float, str]]:
        """For each intent with a related phrase: the likeness (0..1) of its closest one, and that phrase.

        Only `leading` intents are looked at, and those that share most with the message.

        Phrases are gathered by the rarer features alone; the most promising few are then compared in full.
        """
        shared: dict[int, float] = {}
        held, postings = shared.get, self._postings
        total = 0.0
        for key in keys:
            weight = self._weight.get(key)
            if weight is None:
                total += 0.0 if ":" in key else self._unknown * 0.3
                continue
            total += weight
            if key in self._opening:
                for number in postings[key]:
                    shared[number] = held(number, 0.0) + weight
        norm, owner = self._norm, self._owner
        order = [number for _, number in sorted((-both / (total + norm[n]), n) for n, both in shared.items())]
        present = frozenset(keys)
        compared: dict[int, int] = {}
        best: dict[int, tuple[float, str]] = {}
        for place, number in enumerate(order):
            intent = owner[number]
            seen = compared.get(intent, 0)
            if seen >= _COMPARED or (place >= _FOREMOST and intent not in leading):
                continue
            compared[intent] = seen + 1
            likeness = (
                2 * math.fsum(map(self._weight.__getitem__, self._sets[number] & present)) / (total + norm[number])
            )
            if intent not in best or likeness > best[intent][0]:
                best[intent] = (likeness, self._texts[number][1])
        return dict(sorted(best.items()))
