"""A need that a few words ask of what was answered, with what they take along."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Asked:
    """A need that stands on the answer before."""

    intent: str
    rule: str
    slots: dict[str, object] = field(default_factory=dict)
    """Values beside those stated and carried over."""
    excluded: dict[str, tuple[object, ...]] = field(default_factory=dict)
    keeps: tuple[str, ...] | None = None
    """The only slots that earlier turns lend; None for those that the intent declares."""
