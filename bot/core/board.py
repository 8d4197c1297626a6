"""The board of a group: what its members asked of one shared decision, with who said it and when."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from advisor.models import Frozen


class Constraint(Frozen):
    """One wish of one member."""

    slot: str
    value: Any
    by: str
    """User id, for replacing one's own earlier wish."""
    name: str = ""
    """How the chat knows the member."""
    at: datetime
    language: str = ""
    """In which the member spoke; empty on boards of older versions."""


BOARD_SLOTS = (
    "model", "task", "method", "budget", "vram_gb", "gpu_count", "gpu", "provider", "deploy", "region", "users",
    "duration", "precision", "batch", "seq_len",
)  # fmt: skip
"""Slots that belong on a board: needs and means of a choice."""
MOST_CONSTRAINTS = 60


class Board(Frozen):
    """All wishes of a thread, in the order in which they were made."""

    constraints: tuple[Constraint, ...] = ()

    @property
    def language(self) -> str:
        """What most wishes were spoken in, the newest where as many were in each; empty when none says."""
        spoken = [one.language for one in self.constraints if one.language]
        return max(reversed(spoken), key=spoken.count, default="")

    def since(self, start: datetime) -> Board:
        """The board without wishes made before a time."""
        return Board(constraints=tuple(one for one in self.constraints if one.at >= start))

    def with_wishes(self, fresh: tuple[Constraint, ...]) -> Board:
        """The board after a member spoke: his newer word on a slot replaces his older one."""
        said = {(one.by, one.slot) for one in fresh}
        kept = tuple(one for one in self.constraints if (one.by, one.slot) not in said)
        return Board(constraints=(*kept, *fresh)[-MOST_CONSTRAINTS:])
