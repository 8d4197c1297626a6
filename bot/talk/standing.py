"""What a later message stands on: the values in force, what was asked, offered, listed, and the topics before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.core.question import Operation


def _no_task(_: str) -> str:
    return ""


def _no_meaning(_: str) -> dict[str, object]:
    return {}


@dataclass(frozen=True, slots=True)
class Standing:
    """The state before a message."""

    slots: Mapping[str, object] = field(default_factory=dict)
    """Values in force by the names of the taxonomy; `exclude` holds what is ruled out."""
    intent: str = ""
    answered: str = ""
    """The need that the last answer met, by what it showed."""
    expecting: str = ""
    """The slot that was asked for; `ask` says the unit and the period of the amount, where one was."""
    assumed: tuple[str, ...] = ()
    """What was assumed and waits for a yes, in words a person could have typed."""
    choices: tuple[str, ...] = ()
    """What was offered, in words."""
    listed: tuple[str, ...] = ()
    """Names that were shown, in their order."""
    spoken: tuple[str, ...] = ()
    """Cards that were asked about one after the other, where none were shown together."""
    prices: tuple[float, ...] = ()
    """Of what was listed."""
    sizes: tuple[float, ...] = ()
    """Memory of the cards that were listed, where that of each is known."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Of names that were shown as used, rented ...: what they were shown as."""
    topics: tuple[str, ...] = ()
    """Earlier subjects, oldest first; each begins with its need."""
    parts: tuple[str, ...] = ()
    """Parts of the last answer, in their order."""
    variants: tuple[str, ...] = ()
    """Names between which the open question asks, the smaller first."""
    ask: str = ""
    """The open question in words, or the unit that was asked for: hour, hour/week."""
    meaning: Callable[[str], Mapping[str, object]] = _no_meaning
    """The values that a choice in words, or a listed name, stands for."""
    task_of: Callable[[str], str] = _no_task
    """The task of a model by its name, "" where none is known."""


@dataclass(frozen=True, slots=True)
class Change:
    """One operation with what it changes: a bare value replaces, {"op": ...} adds, removes or counts on."""

    operation: Operation
    changes: dict[str, object] = field(default_factory=dict)
    why: str = ""
    """The sign that decided, for `explain`."""
