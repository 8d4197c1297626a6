"""What slot grammars hand to each other: the message being read, and values with their place in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bot.core.message import Language
from bot.understand.lexicon import Found
from bot.understand.tokens import Token


@dataclass(slots=True)
class Value:
    """A slot value between two characters of the normalised text."""

    slot: str
    value: Any
    start: int
    end: int
    rule: str
    negated: bool = False
    approximate: bool = False
    bound: str = ""
    corrects: bool = False
    candidates: tuple[str, ...] = ()
    known: bool = True
    count: int | None = None
    """Of a card: the number that stands beside it."""


@dataclass(slots=True)
class Reading:
    """One message on its way through the grammars: text, tokens and what has been claimed so far."""

    text: str
    raw: str
    offsets: list[int]
    tokens: list[Token]
    language: Language
    values: list[Value] = field(default_factory=list)
    claimed: bytearray = field(default_factory=bytearray)
    """One byte a character: 1 where a name (card, model, provider) stands."""
    traits: set[str] = field(default_factory=set)
    """Signs that grammars saw besides values: degrees, watts, a version number."""
    concepts: frozenset[str] = frozenset()
    places: list[Found] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Nothing is claimed at first."""
        self.claimed = bytearray(len(self.text))

    def claim(self, start: int, end: int) -> None:
        """Keep other grammars from reading these characters."""
        self.claimed[start:end] = b"\1" * (end - start)

    def is_free(self, start: int, end: int) -> bool:
        """Whether nobody claimed any of these characters."""
        return not any(self.claimed[start:end])

    def raw_at(self, start: int) -> str:
        """The original character behind a normalised one."""
        return self.raw[self.offsets[start]]

    def has(self, slot: str) -> bool:
        """Whether a value of this slot was found."""
        return any(value.slot == slot for value in self.values)
