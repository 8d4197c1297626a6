"""What a short line stands on: what was said before, and the small words of languages/dialogue.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from bot.core.conversation import HeldSlot, Pending
from bot.core.message import IncomingMessage
from bot.core.understanding import Understanding
from bot.dialogue.kin import Names
from bot.lexicons import load_lexicons
from bot.resources import languages_directory

ASKED_BY_NUMBER = frozenset(
    {
        *("model", "gpu_count", "batch", "seq_len", "users", "vram_gb", "ram_gb", "psu_w", "utilization"),
        *("budget", "price", "electricity_price", "duration", "cuda_version", "dataset"),
    }
)
"""Slots that a number alone may answer."""


@cache
def small_words() -> dict[str, Any]:
    """Words of a running conversation by kind."""
    content = load_lexicons([languages_directory() / "dialogue.yaml"], [])
    return next(iter(content.values()), {})


def has_any(text: str, words: list[str]) -> bool:
    """Whether one of the words stands in a text, in lower case."""
    for word in words:  # noqa: SIM110 - called a dozen times a message; any() takes three times as long
        if word in text:
            return True
    return False


def says(text: str, kind: str) -> bool:
    """Whether a message holds one of the small words of a kind (a list of languages/dialogue.yaml)."""
    return has_any(text.casefold(), small_words().get(kind, []))


_LITTLE_ELSE: Final = 18
"""Characters beside the name of a language in which nothing else is asked."""


def wants_language(text: str) -> str:
    """The language in which a message asks for what was said, and for nothing else; "" for none."""
    lowered = text.casefold()
    named = ((code, words) for code, listed in small_words()["in_language"].items() for words in listed)
    code, found = next(((code, words) for code, words in named if words in lowered), ("", ""))
    return code if len(text) - len(found) <= _LITTLE_ELSE and not any(map(str.isdigit, text)) else ""


def as_compared(message: IncomingMessage, understanding: Understanding) -> IncomingMessage:
    """A message as small words are looked for in it: in the simplified characters that their lists hold."""
    read = understanding.normalised
    same = message.text.isascii() or not any(map(str.isalpha, set(message.text.casefold()).difference(read)))
    return message if same else message.model_copy(update={"text": read})


@dataclass(frozen=True, slots=True)
class Ground:
    """What a short line stands on."""

    earlier: Mapping[str, HeldSlot] = field(default_factory=dict)
    """Slots in force before the message."""
    before: tuple[Mapping[str, HeldSlot], ...] = ()
    """Slots of earlier answers, the newest first."""
    pending: Pending | None = None
    """The open question, if any."""
    uses: frozenset[str] = frozenset()
    """Slots that the intent of the last answer can use."""
    names: Names | None = None
    """The catalogue."""
    intent: str = ""
    """What the last answer was about."""
    language: str = ""
    """Language of the conversation so far."""

    @property
    def lacks_model(self) -> bool:
        """The last answer would have liked a model and got none."""
        return "model" in self.uses and "model" not in self.earlier

    @property
    def asks_number(self) -> bool:
        """The open question wants a number, or a model that may be called by its size."""
        return self.pending is not None and self.pending.slot in ASKED_BY_NUMBER
