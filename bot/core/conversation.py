"""What a conversation remembers between turns: small, typed, JSON-able, with the time of each thing."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from advisor.models import Frozen, Step
from bot.core.message import Choice, Fact, SourceRef
from bot.core.sums import SumFrame


class HeldSlot(Frozen):
    """A slot in force: its value, who said it, when, and whether it was only assumed."""

    value: Any
    said_by: str = ""
    said_at: datetime | None = None
    turn: int = 0
    negated: tuple[object, ...] = ()
    """Values that were excluded."""


class Pending(Frozen):
    """A question the bot asked and still waits for."""

    kind: str
    """ask | clarify"""
    intent: str
    slot: str = ""
    choices: tuple[Choice, ...] = ()
    tries: int = 1
    asked_at: datetime
    case: str = ""
    slots: dict[str, HeldSlot] | None = None
    """Slots in force when it was asked, so that a question in between lends it nothing."""


class Episode(Frozen):
    """One answer given: enough to explain it, to follow it up, and to return to it by its case tag."""

    case: str
    intent: str
    language: str
    slots: dict[str, HeldSlot]
    facts: tuple[Fact, ...] = ()
    sources: tuple[SourceRef, ...] = ()
    trace: tuple[Step, ...] = ()
    conflicts: tuple[str, ...] = ()
    details: str = ""
    passages: tuple[str, ...] = ()
    """Ids of passages that the answer used."""
    chart: dict[str, object] | None = None
    asks: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What was asked of what it is about, by group of signs (`bot/core/going_on.py`)."""
    packed: str = ""
    """Figures, sources, steps, details and chart as they are stored, until it is opened (`bot.core.left`)."""
    at: datetime


class Version(Frozen):
    """A card that a name which leaves its version open stands for in this conversation."""

    gpu: str
    named: bool = False
    """Whether somebody said this very version; else an answer took it, which binds only what goes on with it."""


class Conversation(Frozen):
    """State of one (channel, chat, thread, user). Bounded: at most `KEPT_EPISODES` answers are kept."""

    key: str
    turn: int = 0
    intent: str = ""
    language: str = ""
    slots: dict[str, HeldSlot] = Field(default_factory=dict)
    excluded: dict[str, tuple[object, ...]] = Field(default_factory=dict)
    """What the user does not want: {"vendor": ("AMD",), "pricing_model": ("purchase_used",)}."""
    pending: Pending | None = None
    episodes: tuple[Episode, ...] = ()
    offered_intent: str = ""
    """A second need of the last message that was offered, not answered."""
    asked_back: int = 0
    """The turn at which it was last asked which of several needs is meant, 0 for none."""
    updated_at: datetime | None = None
    older: dict[str, HeldSlot] = Field(default_factory=dict)
    """Slots of before the last complete question: lent only to what leans on them and lacks them."""
    sums: SumFrame | None = None
    """The sum of the last answer, if it was one."""
    versions: tuple[Version, ...] = ()
    """The cards that names which leave a version open stand for here ("A100"), the newest first."""


KEPT_EPISODES = 6
KEPT_VERSIONS = 6
