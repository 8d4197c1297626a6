"""The base of every value: immutable, compared by content, unknown fields refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict

from advisor.brief import brief_of
from advisor.trusted import altered


class Frozen(BaseModel):
    """A value: immutable, compared by content, unknown fields refused."""

    # Schemas are built when a class is first used: a cold start pays for the few it needs, not for all.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __copy__(self) -> Self:
        """A shallow copy. Values have no private and no extra fields, so there is less to carry over than usual."""
        return altered(self, {})

    def __repr__(self) -> str:
        """One line, whatever it holds."""
        return brief_of(type(self).__name__, self.__dict__)

    __str__ = __repr__

    def model_copy(self, *, update: Mapping[str, object] | None = None, deep: bool = False) -> Self:
        """A copy with some fields changed, which are not checked."""
        return super().model_copy(update=update, deep=True) if deep else altered(self, update or {})


def complete_schemas() -> None:
    """Build the schema of every value class that is loaded, so that first uses cost nothing."""
    waiting: list[type[BaseModel]] = [Frozen]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        kind.model_rebuild()
