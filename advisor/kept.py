"""Small memos of what follows from one frozen record alone, such as the shape of a model.

Records of the catalogue live as long as it does, so what is derived from them is worked out once. Keyed by identity,
because comparing or hashing a whole record costs more than most of what is derived from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Record = TypeVar("Record")
Result = TypeVar("Result")

_MEMOS: list[dict[Any, Any]] = []
"""Every memo there is, so that all can be emptied at once."""


def memo() -> dict[Any, Any]:
    """A memo for what follows from records and constants, which `forget` empties with all others."""
    made: dict[Any, Any] = {}
    _MEMOS.append(made)
    return made


def forget() -> None:
    """Empty every memo: what they hold follows from constants that are about to change (fits do that)."""
    for memo in _MEMOS:
        memo.clear()


def kept(most: int) -> Callable[[Callable[[Record], Result]], Callable[[Record], Result]]:
    """Decorator for a pure function of one frozen record: its newest results, at most this many, by identity.

    The record is held beside its result, so no other object can take its identity meanwhile.
    """

    def decorate(function: Callable[[Record], Result]) -> Callable[[Record], Result]:
        made: dict[int, tuple[Record, Result]] = memo()

        @wraps(function)
        def remembered(record: Record) -> Result:
            found = made.get(id(record))
            if found is not None and found[0] is record:
                return found[1]
            result = function(record)
            if len(made) >= most:
                made.clear()
            made[id(record)] = (record, result)
            return result

        return remembered

    return decorate
