"""The rooms that a turn passes through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.choice_keys import ChoiceKeys
from bot.core.intents import Intent
from bot.core.request import Services
from bot.core.understanding import Understanding
from bot.render import Renderer


class Understander(Protocol):
    """Reads one line of chat."""

    def understand(self, text: str, *, context_intent: str | None = None) -> Understanding:
        """What the line says, on its own."""
        ...


@dataclass(frozen=True, slots=True)
class Rooms:
    """What was wired once and serves all turns."""

    understander: Understander
    intents: Mapping[str, Intent]
    renderer: Renderer
    services: Services
    keys: ChoiceKeys
