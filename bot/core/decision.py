"""What the dialogue decided to do about one message, with its reasons."""

from __future__ import annotations

from pydantic import Field

from advisor.models import Frozen
from bot.core.conversation import Episode, HeldSlot, Pending
from bot.core.message import Candidate, DecisionKind


class Decision(Frozen):
    """The plan for one turn. `kind` may still become `ask` when the handler finds a slot missing."""

    kind: DecisionKind
    intent: str | None = None
    slots: dict[str, HeldSlot] = Field(default_factory=dict)
    """Slots in force: stated now, carried over, or answered to a question."""
    stated: tuple[str, ...] = ()
    """Names of the slots that this message stated."""
    carried: tuple[str, ...] = ()
    """Names of the slots that came from earlier turns."""
    dropped: tuple[str, ...] = ()
    """Names of slots in force that the message took back: no later turn has them."""
    excluded: dict[str, tuple[object, ...]] = Field(default_factory=dict)
    bounds: dict[str, str] = Field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()
    options: tuple[str, ...] = ()
    """Intents to choose between when clarifying."""
    lost: Candidate | None = None
    """The intent that came second, with its score."""
    rule: str = ""
    """Which rule of the policy decided."""
    second: str = ""
    """Another need in the same message, to offer after the answer."""
    resume: Pending | None = None
    """An open question that this message digressed from; repeated after the answer."""
    retry: Pending | None = None
    """An open question whose reply could not be matched."""
    subject: Episode | None = None
    """The earlier answer that this message is about."""
    narrowed: bool = False
    """It does no more than narrow a choice just made."""
    returned: bool = False
    """The message went back to `subject`; what was said since then is no longer in force."""
    act: str = ""
    """Button action: why, sources, details, chart, conflicts, good, bad."""
