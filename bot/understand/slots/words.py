"""Values that are words: task, method, precision, persona, deploy, system, disk, provider, region, family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bot.understand.files import Table
from bot.understand.finder import Hit, Meanings, Surfaces, settle
from bot.understand.lexicon import flatten, inflections
from bot.understand.slots.context import WordEnds, WordStarts, longest_first
from bot.understand.slots.found import Reading, Value

_LISTS = frozenset({"precision", "provider", "gpu_family", "disk", "method", "deploy"})
_GROUPS = {
    "task": "task",
    "method": "how",
    "precision": "how",
    "persona": "who",
    "deploy": "who",
    "os": "who",
    "region": "where",
    "dataset": "where",
    "framework": "where",
    "disk": "what",
    "gpu_family": "what",
    "provider": "platforms",
}
"""Within a group the longest word wins; words of different groups may overlap."""
_NO_WORDS = frozenset({"provider", "not_provider", "used_market", "family_by_software", "purpose"})
_PLATFORMS = frozenset({"provider"})
_SLOTS = {
    group: frozenset(slot for slot, named in _GROUPS.items() if named == group)
    for group in dict.fromkeys(_GROUPS.values())
}


def platform_surfaces(
    values: Mapping[str, Table], providers: Mapping[str, str], even: Callable[[str], str]
) -> Surfaces[Meanings]:
    """Names of platforms. `values` is `languages/names/values.yaml`; `providers`: spelling -> id from the catalogue."""
    too_wide = {even(word) for word in values["not_provider"]["words"]}
    platforms = [(even(str(w)), "provider", value) for value, ws in values["provider"].items() for w in ws]
    for spelling, ident in providers.items():
        plain = even(spelling)
        if len(plain) > 2 and plain not in too_wide:
            platforms.append((plain, "provider", ident))
    return _surfaces(platforms)


def word_surfaces(values: Mapping[str, Table], families: Table, even: Callable[[str], str]) -> Surfaces[Meanings]:
    """The value words of the softer slots; `families`: of cards, with their spellings."""
    slots = {slot: rows for slot, rows in values.items() if slot not in _NO_WORDS}
    words = [(even(str(w)), slot, value) for slot, rows in slots.items() for value, ws in rows.items() for w in ws]
    return _surfaces(
        words + [(even(str(word)), "gpu_family", family) for family, ws in families.items() for word in ws]
    )


_VAGUE = frozenset({"research", "learning", "general_dl", "student", "researcher"})
"""Tasks, and the people beside them, that name no work."""


class WordGrammar:
    """Makes values of the words that were found; of platforms first, so that no concept is read inside them."""

    def __init__(self, values: Mapping[str, Table], purposes: Mapping[str, Table]) -> None:
        """`values` is `languages/names/values.yaml`; `purposes`: platform -> words beside it that make it an aim."""
        self._software = frozenset(map(str, values["family_by_software"]["words"]))
        self._used_markets = frozenset(values["used_market"]["providers"])
        self._purposes = {
            name: (
                WordEnds(longest_first(map(str, cues["before"]))),
                WordStarts(longest_first(map(str, cues["after"]))),
            )
            for name, cues in purposes.items()
        }

    def read_providers(self, reading: Reading, hits: list[Hit[Meanings]]) -> None:
        """Add the platforms at these places."""
        if not hits:
            return
        taken = [(value.start, value.end) for value in reading.values]
        _keep(reading, settle(hits, len(reading.flat), taken), _PLATFORMS)
        if any(value.value in self._purposes for value in reading.values if value.slot == "provider"):
            reading.values[:] = [value for value in reading.values if not self._is_purpose(reading.flat, value)]
        for value in reading.values:
            if value.slot == "provider":
                reading.claim(value.start, value.end)
                if value.value in self._used_markets:
                    reading.traits.add("second_hand")

    def _is_purpose(self, flat: str, value: Value) -> bool:
        """Whether a platform is what a card is for ("a card for kaggle competitions"), not where it runs."""
        if value.slot != "provider" or value.value not in self._purposes:
            return False
        before, after = self._purposes[str(value.value)]
        return before(flat[: value.start].rstrip()) or after(flat[value.end :].lstrip())

    def read(self, reading: Reading, hits: list[Hit[Meanings]], claimed: list[tuple[int, int]]) -> None:
        """Add the values of all other word slots at these places; names already read are left out."""
        groups: dict[str, list[Hit[Meanings]]] = {}
        for hit in hits:
            for group in hit[4][0]:
                groups.setdefault(group, []).append(hit)
        for group in sorted(groups):
            _keep(reading, settle(groups[group], len(reading.flat), claimed), _SLOTS[group])
        if "what" in groups and reading.has("gpu"):
            # beside a card its maker's software names no family of its own
            reading.values[:] = [
                value
                for value in reading.values
                if value.slot != "gpu_family" or reading.flat[value.start : value.end] not in self._software
            ]


def _surfaces(words: Iterable[tuple[str, str, str]]) -> Surfaces[Meanings]:
    table: dict[str, list[tuple[str, str]]] = {}
    for surface, slot, value in words:
        for form in inflections(flatten(surface)):
            meanings = table.setdefault(form, [])
            if (slot, value) not in meanings:
                meanings.append((slot, value))
    for form in sorted(table):
        yield form, 0, False, (_groups(table[form]), tuple(table[form]))


def _groups(meanings: list[tuple[str, str]]) -> tuple[str, ...]:
    """The groups in which a word competes."""
    return tuple(dict.fromkeys(_GROUPS[slot] for slot, _ in meanings))


def _says_little(hit: Hit[Meanings]) -> bool:
    """Whether words say what something is for and not what is done: of "a thesis on segmentation" the work counts."""
    return all(value in _VAGUE for _, value in hit[4][1] if value != "-")


def _keep(reading: Reading, hits: list[Hit[Meanings]], slots: frozenset[str]) -> None:
    """Values at these places: one for each slot, all for slots that hold several. A value "-" only shields words."""
    seen: set[tuple[str, str]] = set()
    filled: set[str] = set()
    for _, _, start, end, (_, meanings) in sorted(hits, key=_says_little):
        for slot, value in meanings:
            if slot not in slots or value == "-" or (slot, value) in seen or (slot in filled and slot not in _LISTS):
                continue
            if slot not in _LISTS and reading.has(slot):
                continue  # read by its shape already, with a version
            seen.add((slot, value))
            filled.add(slot)
            reading.values.append(Value(slot, value, start, end, f"word for {slot}"))
