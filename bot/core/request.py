"""What a handler is given: the intent, slots in force, language and the rooms it may consult."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bot.core.conversation import Conversation, Episode, Version
from bot.core.heard import Heard
from bot.core.left import opened
from bot.core.message import Language
from bot.core.quotes import ChatQuote

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from knowledge.store import Library


class Services:
    """The rooms below: the catalogue of cards, models and prices, and the library of passages (loaded on first use)."""

    def __init__(self, catalog: Catalog, load_library: Callable[[], Library]) -> None:
        """Take the catalogue ready, the library by its loader: many answers never need it."""
        self.catalog = catalog
        self._load_library = load_library

    def without(self, providers: Collection[str]) -> Services:
        """The same rooms, where nothing is on offer from these providers: names as people say them."""
        found = (self.catalog.find_provider(name) for name in providers)
        catalog = self.catalog.without_providers(one.id for one in found if one is not None)
        return self if catalog is self.catalog else Services(catalog, lambda: self.library)

    @cached_property
    def library(self) -> Library:
        """The passages."""
        return self._load_library()


@dataclass(frozen=True, slots=True)
class Request:
    """One need, ready to be answered."""

    intent: str
    slots: dict[str, Any]
    """Canonical values in force (docs/slots.md)."""
    heard: Heard
    """What the message says; its words are not given out."""
    language: Language
    now: datetime
    services: Services
    conversation: Conversation
    excluded: dict[str, tuple[object, ...]] = field(default_factory=dict)
    """Values the user does not want: {"vendor": ("AMD",), "pricing_model": ("purchase_used",)}."""
    bounds: dict[str, str] = field(default_factory=dict)
    """Slot -> "min" | "max" when the user gave a bound."""
    subject: Episode | None = None
    """The earlier answer that the message is about."""
    act: str = ""
    """Which side of it a button asked for: why, sources, conflicts."""
    versions: tuple[Version, ...] = ()
    """Which cards a name stands for that leaves its version open, the newest first."""
    quotes: tuple[ChatQuote, ...] = ()
    """Prices that this chat's members told."""

    @property
    def reviewed(self) -> Episode | None:
        """The earlier answer with all that it left behind: its steps, sources and chart."""
        return opened(self.subject) if self.subject is not None else None

    def slot(self, name: str, default: object = None) -> Any:
        """Value of one slot, or the default."""
        return self.slots.get(name, default)

    def first(self, name: str) -> Any:
        """First value of a list slot, or None."""
        value = self.slots.get(name)
        if isinstance(value, list):
            return value[0] if value else None
        return value
