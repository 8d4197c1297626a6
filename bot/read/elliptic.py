"""Numbers that leave out the unit of the one before them: "96 GB minus 12", "12 days on one card, we want it in 3"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.read.measured_units import Measure
from bot.read.thing_words import any_of

_SHARED: Final[Mapping[str, frozenset[str]]] = {
    "taken": frozenset({"data", "money", "energy", "power", "time", "day"}),
    "within": frozenset({"time", "day", "week", "month"}),
    "more": frozenset({"time", "day", "money", "data"}),
}
"""What words say of a bare number, and the kinds of what it can be said of."""
_EACH: Final = frozenset({"card", "machine"})
"""What an amount may be said of each of."""
_FAR: Final = 40
"""Characters before a number in which such a word begins."""
_ENDS: Final = re.compile(r"\s*(?:$|[,;.?!:()\uff0c\uff1b\u3002\uff1f\uff01\uff1a\n])")


class Elliptic:
    """Words before or behind a number that say it is one of the same, lexicon/things.yaml. Holds no state."""

    def __init__(self, words: Mapping[str, Iterable[object]], even: Callable[[str], str]) -> None:
        """Take the lists.

        Args:
            words: `taken` and `within` stand right before a number, `goes` right behind it.
            even: normalises a word as messages are.
        """
        self._before = {kind: re.compile(rf"(?:{any_of(words[kind], even)})\s*$") for kind in _SHARED}
        self._behind = re.compile(rf"\s*(?:gets? |is |are )?(?:{any_of(words['goes'], even)})")

    def read(self, text: str, measures: Sequence[Measure]) -> tuple[Measure, ...]:
        """The measures, each bare number that is said to be part of an amount before it in the unit of that."""
        found: list[Measure] = []
        for one in measures:
            found.append(self._alike(text, one, found) if _is_bare(one) else one)
        return tuple(found)

    def _alike(self, text: str, bare: Measure, before: Sequence[Measure]) -> Measure:
        """A bare number in the unit of the last amount that it can be part of; as it is where there is none."""
        kinds = self._kinds(text, bare)
        more = kinds is _SHARED["more"]
        whole = next(
            (one for one in reversed(before) if one.kind in kinds and (more or _EACH.issuperset(one.per))), None
        )
        if whole is None or not 0 < bare.number < whole.number:
            return bare
        times = whole.value / whole.number
        value = bare.number * times
        return replace(bare, value=value, kind=whole.kind, unit=whole.unit, currency=whole.currency)

    def _kinds(self, text: str, bare: Measure) -> frozenset[str]:
        """What the words beside a number let it be an amount of."""
        if self._behind.match(text, bare.end) or self._stands_before(text, bare, "taken"):
            return _SHARED["taken"]
        ends = _ENDS.match(text, bare.end) is not None
        kind = next((one for one in ("within", "more") if ends and self._stands_before(text, bare, one)), "")
        return _SHARED.get(kind, frozenset())

    def _stands_before(self, text: str, bare: Measure, kind: str) -> bool:
        """Whether one of the words of a kind stands right before a number."""
        return self._before[kind].search(text, max(0, bare.start - _FAR), bare.start) is not None


def _is_bare(one: Measure) -> bool:
    return not one.kind and not one.per and bool(one.text) and one.text.strip().isdigit() and one.number > 0


__all__ = ["Elliptic"]
