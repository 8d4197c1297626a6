"""JSON lines in, JSON lines out: the interface that other programs and measurements rely on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from pydantic import ValidationError

from bot.app import build_assistant, describer_of
from bot.channels.json_lines import Line, reply_object
from bot.core.conversation import Conversation


def answer_lines(lines: Iterable[str]) -> Iterator[str]:
    """Answers in the order of the lines. A faulty line gives an object with `error`, the rest goes on.

    State is kept per (channel, chat, user) for the length of the run; a line that names neither chat nor user stands
    alone.
    """
    assistant = build_assistant(warm=True)
    describe = describer_of(assistant)
    states: dict[str, Conversation] = {}
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            line = Line.model_validate_json(raw)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "line"
            yield json.dumps({"id": None, "error": f"line {number}: {where}: {first['msg']}"}, ensure_ascii=False)
            continue
        now = line.moment(datetime.now(UTC))
        message = line.message(f"{number}:{line.id}", now)
        started = time.perf_counter()
        fault = ""
        try:
            reply, state = assistant.respond(message, states.get(message.conversation_key), now)
            states[message.conversation_key] = state
        except Exception as error:  # the edge of a long run: one broken answer must not end it
            fault = type(error).__name__
            reply = assistant.say(message, "sorry", error_id=f"line {number}")
            reply = reply.model_copy(update={"decision": "fallback"})
        elapsed = (time.perf_counter() - started) * 1000
        answer = reply_object(line.id, reply, elapsed, describe(message.text, reply))
        if fault:
            answer["error"] = f"line {number}: {fault}"
        yield json.dumps(answer, ensure_ascii=False)
