"""Reads values that are words: task, method, precision, persona, deploy, system, disk kind, provider, region, family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.understand.lexicon import Lexicon, flatten
from bot.understand.slots.found import Reading, Value

_LISTS = frozenset({"precision", "provider", "gpu_family", "disk", "method"})
_INFERENCE_BY_MODEL = frozenset({"text-decoder", "text-enc-dec", "multimodal"})


class WordGrammar:
    """One automaton over all value words of the softer slots."""

    def __init__(
        self,
        values: Mapping[str, Any],
        families: Mapping[str, Any],
        providers: Mapping[str, str],
        even: Callable[[str], str],
    ) -> None:
        """`values` is `languages/names/values.yaml`; `providers`: spelling -> id from the catalogue."""
        surfaces: dict[str, list[str]] = {}
        for slot, entries in values.items():
            for value, spellings in entries.items():
                surfaces[f"{slot}={value}"] = [even(str(spelling)) for spelling in spellings]
        for spelling, ident in providers.items():
            plain = even(spelling)
            if len(plain) > 2 and plain not in _TOO_WIDE:
                surfaces.setdefault(f"provider={ident}", []).append(plain)
        for family, spellings in families.items():
            surfaces[f"gpu_family={family}"] = [even(str(spelling)) for spelling in spellings]
        self._by_slot = {
            slot: Lexicon(
                {key: words for key, words in surfaces.items() if key.split("=")[0] in group}, {}, (), slips=False
            )
            for slot, group in _GROUPS.items()
        }

    def read(self, reading: Reading, claimed: list[tuple[int, int]]) -> None:
        """Add the values of all word slots; card and model names are left out."""
        flat = flatten(reading.text)
        for lexicon in self._by_slot.values():
            seen: set[tuple[str, Any]] = set()
            for found in lexicon.find(flat, claimed):
                for key in found.concepts:
                    slot, _, value = key.partition("=")
                    if value == "-":
                        continue
                    if (slot, value) in seen or (slot not in _LISTS and any(slot == other for other, _ in seen)):
                        continue
                    seen.add((slot, value))
                    reading.values.append(Value(slot, value, found.start, found.end, f"word for {slot}"))


_TOO_WIDE = frozenset(
    {
        "\u534e\u4e3a",
        "\u767e\u5ea6",
        "\u963f\u91cc",
        "\u817e\u8baf",
        "\u6052\u6e90",
        "\u80dc\u7b97",
        "\u5171\u7ee9",
        "\u4f18\u4e91",
        "huawei",
        "amazon",
        "google",
    }
)
_GROUPS = {
    "a": ("task",),
    "b": ("method", "precision"),
    "c": ("persona", "deploy", "os"),
    "d": ("provider", "region", "dataset", "framework"),
    "e": ("disk", "gpu_family"),
}
