"""JSON lines in, JSON lines out: the interface that other programs and measurements rely on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from pydantic import Field, ValidationError

from advisor.models import Frozen
from bot.app import build_assistant
from bot.channels.markup import plain_text
from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply


class BatchLine(Frozen):
    """One line of input."""

    id: str | int
    text: str = ""
    chat: str = "batch"
    user: str = ""
    channel: str = "batch"
    chat_type: str = Field(default="private", pattern="^(private|group)$")
    addressed: bool = True
    action: str = ""
    now: datetime | None = None
    lang: str = ""


def reply_object(line_id: str | int, reply: Reply, elapsed_ms: float) -> dict[str, Any]:
    """A reply as the documented JSON object."""
    return {
        "id": line_id,
        "decision": reply.decision,
        "language": reply.language,
        "intent": reply.intent,
        "candidates": [candidate.model_dump() for candidate in reply.candidates],
        "slots": reply.slots,
        "asks": list(reply.asks),
        "text": plain_text(reply.text),
        "choices": [choice.model_dump() for choice in reply.choices],
        "facts": [fact.model_dump(mode="json") for fact in reply.facts],
        "sources": [
            {"id": source.id, "title": source.title, "section": source.section, "as_of": source.as_of}
            for source in reply.sources
        ],
        "elapsed_ms": round(elapsed_ms, 3),
    }


def _message(line: BatchLine, number: int, now: datetime) -> IncomingMessage:
    return IncomingMessage(
        channel=line.channel,
        event_id=f"{number}:{line.id}",
        chat_id=line.chat,
        chat_type="group" if line.chat_type == "group" else "private",
        user_id=line.user or ("batch" if line.chat != "batch" else f"line-{line.id}"),
        text=line.text,
        addressed=line.addressed,
        action=line.action,
        received_at=now,
        lang_hint=line.lang,
    )


def answer_lines(lines: Iterable[str]) -> Iterator[str]:
    """Answers in the order of the lines. A faulty line gives an object with `error`, the rest goes on.

    State is kept per (channel, chat, user) for the length of the run; a line that names neither chat nor user stands
    alone.
    """
    assistant = build_assistant(warm=True)
    states: dict[str, Conversation] = {}
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            line = BatchLine.model_validate_json(raw)
        except ValidationError as error:
            fault = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(str(part) for part in fault["loc"]) or "line"
            yield json.dumps({"id": None, "error": f"line {number}: {where}: {fault['msg']}"}, ensure_ascii=False)
            continue
        now = line.now or datetime.now(UTC)
        if now.tzinfo is None:
            now = now.replace(tzinfo=UTC)
        message = _message(line, number, now)
        started = time.perf_counter()
        reply, state = assistant.respond(message, states.get(message.conversation_key), now)
        elapsed = (time.perf_counter() - started) * 1000
        states[message.conversation_key] = state
        yield json.dumps(reply_object(line.id, reply, elapsed), ensure_ascii=False)
