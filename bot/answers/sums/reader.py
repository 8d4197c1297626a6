"""What sums need of the room that reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from bot.core.understanding import Understanding
from bot.read.blanks import Blank
from bot.read.placed import Amounts
from bot.read.relative import Change
from bot.understand.normalise import NormalisedText


class Reader(Protocol):
    """Reads the amounts of a message."""

    def asks(self, normalised: NormalisedText) -> bool:
        """Whether its words tell a kind of sum of its own."""
        ...

    def blanks(self, normalised: NormalisedText) -> list[Blank]:
        """The parts of a message that ask."""
        ...

    def read(
        self,
        normalised: NormalisedText,
        understanding: Understanding,
        blanks: Sequence[Blank],
        *,
        follows: bool = True,
    ) -> Amounts | None:
        """What a message gives and asks for; None where it has no number and follows none."""
        ...

    def on_topics(self, normalised: NormalisedText) -> list[tuple[str, Amounts]]:
        """The topics that a message speaks of, and what it gives and asks for in each."""
        ...

    def after_topic(
        self, normalised: NormalisedText, topic: str, known: Collection[str]
    ) -> tuple[Amounts, list[Change]] | None:
        """What a message adds to a sum or changes of it; None where a number of it is neither."""
        ...
