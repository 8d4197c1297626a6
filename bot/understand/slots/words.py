"""Reads values that are words: task, method, precision, persona, deploy, system, disk, provider, region, family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.understand.lexicon import Found, Lexicon, flatten
from bot.understand.slots.found import Reading, Value

_LISTS = frozenset({"precision", "provider", "gpu_family", "disk", "method"})
_GROUPS = {
    "task": ("task",),
    "how": ("method", "precision"),
    "who": ("persona", "deploy", "os"),
    "where": ("region", "dataset", "framework"),
    "what": ("disk", "gpu_family"),
    "platform": ("provider",),
}
"""Slots whose words may overlap stand in different groups, each with an automaton of its own."""


class WordGrammar:
    """The value words of the softer slots."""

    def __init__(
        self,
        values: Mapping[str, Any],
        families: Mapping[str, Any],
        providers: Mapping[str, str],
        even: Callable[[str], str],
    ) -> None:
        """`values` is `languages/names/values.yaml`; `providers`: spelling -> id from the catalogue."""
        content = {slot: dict(entries) for slot, entries in values.items()}
        too_wide = {even(word) for word in content.pop("not_provider")["words"]}
        self._used_markets = frozenset(content.pop("used_market")["providers"])
        surfaces: dict[str, list[str]] = {}
        for slot, entries in content.items():
            for value, spellings in entries.items():
                surfaces[f"{slot}={value}"] = [even(str(spelling)) for spelling in spellings]
        for spelling, ident in providers.items():
            plain = even(spelling)
            if len(plain) > 2 and plain not in too_wide:
                surfaces.setdefault(f"provider={ident}", []).append(plain)
        for family, spellings in families.items():
            surfaces[f"gpu_family={family}"] = [even(str(spelling)) for spelling in spellings]
        self._groups = {
            group: Lexicon({k: v for k, v in surfaces.items() if k.split("=")[0] in slots}, {}, (), slips=False)
            for group, slots in _GROUPS.items()
        }

    def read_providers(self, reading: Reading) -> None:
        """Names of platforms come early, so that no concept is read inside them."""
        taken = [(value.start, value.end) for value in reading.values]
        _keep(reading, self._groups["platform"].find(flatten(reading.text), taken))
        for value in reading.values:
            if value.slot == "provider":
                reading.claim(value.start, value.end)
                if value.value in self._used_markets:
                    reading.traits.add("second_hand")

    def read(self, reading: Reading, claimed: list[tuple[int, int]]) -> None:
        """Add the values of all other word slots; names already read are left out."""
        flat = flatten(reading.text)
        for group, lexicon in self._groups.items():
            if group != "platform":
                _keep(reading, lexicon.find(flat, claimed))


def _keep(reading: Reading, places: list[Found]) -> None:
    """Values at these places: one for each slot, all for slots that hold several. A value "-" only shields words."""
    seen: set[tuple[str, str]] = set()
    slots: set[str] = set()
    for found in places:
        for key in found.concepts:
            slot, _, value = key.partition("=")
            if value == "-" or (slot, value) in seen or (slot in slots and slot not in _LISTS):
                continue
            seen.add((slot, value))
            slots.add(slot)
            reading.values.append(Value(slot, value, found.start, found.end, f"word for {slot}"))
