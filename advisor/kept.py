"""Small memos of what follows from one frozen record alone, such as the shape of a model.

Records of the catalogue live as long as it does, so what is derived from them is worked out once. Keyed by identity,
because comparing or hashing a whole record costs more than most of what is derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import TypeVar

Key = TypeVar("Key")
Record = TypeVar("Record")
Result = TypeVar("Result")


class Memo(dict[Key, Result]):
    """What follows from records and constants, by key; `forget` empties it with all others."""

    def __init__(self) -> None:
        """An empty one, remembered for `forget`."""
        super().__init__()
        _EMPTY_ALL.append(self.clear)


_EMPTY_ALL: list[Callable[[], None]] = []
"""How to empty every memo there is."""


def forget() -> None:
    """Empty every memo: what they hold follows from constants that are about to change (fits do that)."""
    for empty in _EMPTY_ALL:
        empty()


def kept(most: int) -> Callable[[Callable[[Record], Result]], Callable[[Record], Result]]:
    """Decorator for a pure function of one frozen record: its newest results, at most this many, by identity."""

    def decorate(function: Callable[[Record], Result]) -> Callable[[Record], Result]:
        return _remembering(function, id, most)

    return decorate


def kept_by(
    key: Callable[[Record], Hashable], most: int
) -> Callable[[Callable[[Record], Result]], Callable[[Record], Result]]:
    """The same by a key that records share of which the same follows, and which is cheaper to make than that."""

    def decorate(function: Callable[[Record], Result]) -> Callable[[Record], Result]:
        return _remembering(function, key, most)

    return decorate


def _remembering(
    function: Callable[[Record], Result], key: Callable[[Record], Hashable], most: int
) -> Callable[[Record], Result]:
    """A record is held beside its result, so that no other object can take its identity meanwhile."""
    made: Memo[Hashable, tuple[Record, Result]] = Memo()

    @wraps(function)
    def remembered(record: Record) -> Result:
        name = key(record)
        found = made.get(name)
        if found is not None:
            return found[1]
        result = function(record)
        if len(made) >= most:
            made.clear()
        made[name] = (record, result)
        return result

    return remembered
