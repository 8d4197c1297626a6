"""The base of every value: immutable, compared by content, unknown fields refused."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from advisor.brief import brief_of


class Frozen(BaseModel):
    """A value: immutable, compared by content, unknown fields refused."""

    # Schemas are built when a class is first used: a cold start pays for the few it needs, not for all.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __repr__(self) -> str:
        """One line, whatever it holds."""
        return brief_of(type(self).__name__, self.__dict__)

    __str__ = __repr__


def complete_schemas() -> Iterator[type[BaseModel]]:
    """Build the schema of every value class that is loaded, one with each look, so that first uses cost nothing."""
    waiting: list[type[BaseModel]] = [Frozen]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        kind.model_rebuild()
        yield kind
