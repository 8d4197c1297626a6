"""What a conversation keeps of a sum: its values by name and what was asked. No words of the user."""

from __future__ import annotations

from pydantic import Field

from advisor.models import Frozen


class SumFrame(Frozen):
    """The last sum of a conversation, to go on with."""

    turn: int
    given: dict[str, float] = Field(default_factory=dict)
    """By quantity, in its unit."""
    asked: tuple[str, ...] = ()
    values: dict[str, float] = Field(default_factory=dict)
    """What came out, by name of the unknown."""
    earlier: dict[str, float] = Field(default_factory=dict)
    """What came out of the same with the values before these."""
    currency: str = ""
    topic: str = ""
    """The topic by whose rows its numbers were read; "" for none."""
    of_record: bool = False
    """It is of a bill by recorded prices: only what its money is measured against goes on with it."""
