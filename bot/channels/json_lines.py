"""The JSON objects of `bot batch` and of the HTTP API: one question in, one reply out."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import ConfigDict, Field

from advisor.models import Frozen
from bot.channels.described import Described
from bot.channels.markup import plain_text
from bot.core.message import IncomingMessage, Reply
from bot.core.text import Kept


class Line(Frozen):
    """Ask in words: one question. Only `id` and `text` (or `action`) are needed."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    id: str | int
    """Name of the question; the answer carries it"""
    text: Kept = ""
    """What is asked, in Chinese or English"""
    chat: str = "batch"
    """Name of the conversation: turns of one chat and user belong together"""
    user: str = ""
    """Name of the asker; without chat and user a question stands alone"""
    channel: str = "batch"
    """Where it was said; the API is a channel of its own whatever stands here"""
    chat_type: str = Field(default="private", pattern="^(private|group)$")
    """private | group: a group gets the short form"""
    addressed: bool = True
    """False: overheard in a group, stay silent"""
    action: str = Field(default="", max_length=200)
    """Key of a pressed button, instead of text"""
    now: datetime | None = None
    """When it was said"""
    lang: str = Field(default="", max_length=10)
    """zh | en: language of the answer where the text leaves it open"""

    def moment(self, default: datetime) -> datetime:
        """When it was said, with a zone."""
        if self.now is None:
            return default
        return self.now if self.now.tzinfo else self.now.replace(tzinfo=UTC)

    def message(self, event_id: str, now: datetime) -> IncomingMessage:
        """The message it stands for. A line that names neither chat nor user stands alone."""
        alone = not self.user and self.chat == "batch"
        return IncomingMessage(
            channel=self.channel,
            event_id=event_id,
            chat_id=self.chat,
            chat_type="group" if self.chat_type == "group" else "private",
            user_id=self.user or (f"line-{self.id}" if alone else "batch"),
            text=self.text,
            addressed=self.addressed,
            action=self.action,
            received_at=now,
            lang_hint=self.lang,
        )


class AskIn(Line):
    """Ask in words: one question. Only `text` (or `action`) is needed."""

    id: str | int = ""
    """Name of the question, which the answer carries; over HTTP one call is one question, and none is needed"""


def reply_object(line_id: str | int, reply: Reply, elapsed_ms: float, described: Described) -> dict[str, object]:
    """A reply as the documented JSON object. `described`: what programs are told beside its text."""
    return {
        "id": line_id,
        "decision": reply.decision,
        "language": reply.language,
        "intent": reply.intent,
        "form": described.form,
        "headline": described.headline,
        "verdict": described.verdict,
        "candidates": [candidate.model_dump() for candidate in reply.candidates],
        "slots": reply.slots,
        "asks": list(reply.asks),
        "text": plain_text(reply.text),
        "parts": list(described.parts),
        "choices": [choice.model_dump() for choice in reply.choices],
        "facts": [fact.model_dump(mode="json") for fact in reply.facts],
        "sources": [
            {
                "id": source.id,
                "title": source.title,
                "section": source.section,
                "as_of": source.as_of,
                "url": source.url,
            }
            for source in reply.sources
        ],
        "heard": list(described.heard),
        "elapsed_ms": round(elapsed_ms, 3),
    }
