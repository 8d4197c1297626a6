"""Keys of choices within their bound: at most 40 ASCII bytes, the case they belong to included.

A value that is too long to travel is named by a few letters of its hash; only values of the catalogue can be, because
only they can be found again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final

from bot.core.message import Choice, choice_of

if TYPE_CHECKING:
    from advisor.catalog import Catalog

MOST_BYTES: Final = 40
_HASHED: Final = "~"
_LETTERS: Final = 12


class ChoiceKeys:
    """Shortens keys, and makes them whole again when they are pressed."""

    def __init__(self, catalog: Catalog) -> None:
        """Take the catalogue whose names may be too long."""
        self._catalog = catalog

    @cached_property
    def _by_hash(self) -> dict[str, str]:
        names = [gpu.name for gpu in self._catalog.gpus.values()]
        names += [model.name for model in self._catalog.ml_models.values()]
        return {_hash(name): name for name in names}

    def tagged(self, choices: Iterable[Choice], case: str) -> tuple[Choice, ...]:
        """The choices with keys that name the answer they belong to; one that cannot travel is left out."""
        return tuple([found for choice in choices if (found := self._tagged(choice, case)) is not None])

    def _tagged(self, choice: Choice, case: str) -> Choice | None:
        key = choice.key if "#" in choice.key else f"{choice.key}#{case}"
        if len(key) <= MOST_BYTES and key.isascii() and key.isprintable():
            return choice if key == choice.key else choice_of(label=choice.label, key=key)
        key, _, tag = key.rpartition("#")
        head, _, value = key.partition("=")
        if self._by_hash.get(_hash(value)) != value:
            return None
        return choice_of(label=choice.label, key=f"{head}={_hash(value)}#{tag}")

    def all_whole(self, choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
        """The choices with whole keys, as they are remembered."""
        if not any(f"={_HASHED}" in choice.key for choice in choices):
            return choices
        return tuple([choice_of(label=choice.label, key=self.whole(choice.key)) for choice in choices])

    def whole(self, action: str) -> str:
        """A pressed key with the value that its letters stand for."""
        head, equals, rest = action.partition("=")
        if not rest.startswith(_HASHED):
            return action
        value, mark, tag = rest.partition("#")
        return f"{head}{equals}{self._by_hash.get(value, value)}{mark}{tag}"


def _hash(value: str) -> str:
    return _HASHED + hashlib.sha256(value.encode()).hexdigest()[:_LETTERS]
