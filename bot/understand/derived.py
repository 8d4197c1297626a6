"""What is worked out from the data at load, kept in the JSON cache, so that a cold start reads no phrases.

It holds for one state of every file of data and code that it was made from; without a cache it is made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from advisor.files import load_cached, save_cached
from bot.understand.normalise import Normaliser
from bot.understand.tokens import tokenise

Table = TypeVar("Table")


class Derived:
    """Tables by name, and the even form of every surface."""

    def __init__(self, files: list[Path], given: str, normaliser: Normaliser) -> None:
        """`files` and `given` are everything that the tables depend on; `normaliser` evens a new surface."""
        self._files = files
        self._salt = f"understand-{hashlib.sha256(given.encode()).hexdigest()}"
        self._normaliser = normaliser
        kept: dict[str, object] = load_cached(files, self._salt) or {}
        self._is_new = not kept
        self._even: dict[str, str] | None = cast("dict[str, str]", kept.pop("even", {}))
        # most surfaces are even as they stand
        self._even.update((surface, surface) for surface in str(kept.pop("same", "")).splitlines())
        self._kept = kept
        self._cut: dict[str, list[str]] = self.get("cut", dict)

    def even(self, surface: str) -> str:
        """A surface in the form that messages are brought into. Remembered during the load only."""
        if self._even is None:
            return self._normaliser(surface).text
        known = self._even.get(surface)
        if known is None:
            known = self._even[surface] = self._normaliser(surface).text
        return known

    def cut(self, name: str) -> list[str]:
        """The words and figures of a name without signs, evened. Remembered for the next start."""
        words = self._cut.get(name)
        if words is None:
            words = [token.text for token in tokenise(self.even(name)).tokens if token.kind != "s"]
            self._cut[name] = words
        return words

    def get(self, name: str, make: Callable[[], Table]) -> Table:
        """A JSON-able table, made when it was not kept."""
        if name not in self._kept:
            self._kept[name] = make()
        # what was kept is what `make` gave with the same data and code: both are in the key of the cache
        return cast("Table", self._kept[name])

    def keep(self) -> None:
        """Write what was made, for the next start; drop what only the load needed."""
        if self._is_new and self._even is not None:
            same = {surface for surface, even in self._even.items() if [surface] == even.splitlines()}
            self._kept["same"] = "\n".join(sorted(same))
            self._kept["even"] = {surface: even for surface, even in self._even.items() if surface not in same}
            save_cached(self._files, self._salt, self._kept)
        self._kept, self._even, self._cut = {}, None, {}
