"""What a later message stands on: the values in force, what was asked, offered, listed, and the topics before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.core.question import Operation


@dataclass(frozen=True, slots=True)
class Standing:
    """The state before a message."""

    slots: Mapping[str, Any] = field(default_factory=dict)
    """Values in force by the names of the taxonomy; `exclude` holds what is ruled out."""
    intent: str = ""
    expecting: str = ""
    """The slot that was asked for; with `unit` and `per` of the amount, where one was."""
    assumed: tuple[str, ...] = ()
    """What was assumed and waits for a yes, in words a person could have typed."""
    choices: tuple[str, ...] = ()
    """What was offered, in words."""
    listed: tuple[str, ...] = ()
    """Names that were shown, in their order."""
    prices: tuple[float, ...] = ()
    """Of what was listed."""
    topics: tuple[str, ...] = ()
    """Earlier subjects, oldest first; each begins with its need."""
    parts: tuple[str, ...] = ()
    """Parts of the last answer, in their order."""
    variants: tuple[str, ...] = ()
    """Names between which the open question asks, the smaller first."""
    ask: str = ""
    """The open question in words."""


@dataclass(frozen=True, slots=True)
class Change:
    """One operation with what it changes: a bare value replaces, {"op": ...} adds, removes or counts on."""

    operation: Operation
    changes: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    """The sign that decided, for `explain`."""
