"""Reads the golden conversations: YAML files that are the manual of the bot, turn by turn."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

HERE = Path(__file__).resolve().parents[1] / "conversations"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Three hundred files: in Python alone they take a second of every process."""


class Expect(BaseModel):
    """What one reply must be. Wording is asserted in fragments only; whole texts belong to snapshots."""

    model_config = ConfigDict(extra="forbid")

    decision: str | list[str] | None = None
    intent: str | list[str] | None = None
    slots: dict[str, Any] = Field(default_factory=dict)
    """Slots that must be in force with these values."""
    without: list[str] = Field(default_factory=list)
    """Slots that must not be in force."""
    asks: list[str] | None = None
    says: list[str | list[str]] = Field(default_factory=list)
    """Fragments; a list means any one of them. Case does not matter."""
    never_says: list[str] = Field(default_factory=list)
    sources: int = 0
    """At least so many sources."""
    facts: list[str] = Field(default_factory=list)
    """Names of facts that must be there."""
    language: str | None = None
    choices: int = 0


class Turn(BaseModel):
    """One message and what must come of it."""

    model_config = ConfigDict(extra="forbid")

    user: str = ""
    by: str = "alice"
    press: str = ""
    """Label of a choice in the bot's last reply to the presser (any reply if `of_turn`)."""
    wait: int = 0
    """Minutes since the turn before."""
    addressed: bool = True
    reply_to_turn: int | None = None
    """Number (from 1) of an earlier turn whose answer this message replies to."""
    expect: Expect = Field(default_factory=Expect)


class GoldenConversation(BaseModel):
    """A conversation with a claim."""

    model_config = ConfigDict(extra="forbid")

    about: str
    as_of: datetime
    channel: Literal["telegram", "wecom", "console"] = "telegram"
    chat_type: Literal["private", "group"] = "private"
    turns: list[Turn]

    def times(self) -> list[datetime]:
        """When each turn is said."""
        now, times = self.as_of, []
        for turn in self.turns:
            now += timedelta(minutes=turn.wait, seconds=20)
            times.append(now)
        return times


def load_conversations() -> dict[str, GoldenConversation]:
    """All conversations by file name; the schema refuses unknown words."""
    return {
        path.stem: GoldenConversation.model_validate(yaml.load(path.read_text(encoding="utf-8"), _LOADER))
        for path in sorted(HERE.glob("*.yaml"))
    }
