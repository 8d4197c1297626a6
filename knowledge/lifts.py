"""What lifts passages in a search: their origin, the intent, the year and the names that a question speaks of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from knowledge.records import PassageRecord
from knowledge.search import INTENT_LIFT, NAME_LIFT, ORIGIN_LIFT, OTHER_NAME_DROP, YEAR_LIFT
from knowledge.terms import name_key

_YEAR: Final = re.compile(r"(?<!\d)(?:2019|202[0-2])(?!\d)")


@dataclass(frozen=True, slots=True)
class Lifts:
    """Per passage, by number: factor of its origin, its year, its names."""

    origin: list[float]
    meant: dict[str, list[float]]
    """Intent -> the factors of all passages, higher for those that are meant for it."""
    year: list[str]
    names: list[frozenset[str]]

    @classmethod
    def of(cls, passages: Iterable[PassageRecord]) -> Lifts:
        """The factors of these passages, in their order."""
        records = list(passages)
        origin = [ORIGIN_LIFT.get(record["origin"], 1.0) for record in records]
        meant: dict[str, list[float]] = {}
        for number, record in enumerate(records):
            for intent in record.get("intents", ()):
                meant.setdefault(intent, origin[:])[number] = origin[number] * INTENT_LIFT
        return cls(
            origin=origin,
            meant=meant,
            year=[record["as_of"]["date"][:4] if record["origin"] == "seed" else "" for record in records],
            names=[frozenset(map(name_key, (*r.get("gpus", ()), *r.get("ml_models", ())))) for r in records],
        )

    def for_question(self, query: str, intent: str, names: frozenset[str]) -> Callable[[int], float]:
        """The factor of a passage, by its number, for a question with this intent and these names."""
        factors = self.meant.get(intent, self.origin)
        years = set(_YEAR.findall(query)) if "20" in query else set()
        if not years and not names:
            return factors.__getitem__

        def lift(number: int) -> float:
            factor = factors[number]
            if years and self.year[number] in years:
                factor *= YEAR_LIFT
            own = self.names[number]
            if names and own:
                factor *= OTHER_NAME_DROP if names.isdisjoint(own) else NAME_LIFT
            return factor

        return lift
