"""One question or a whole conversation on the console."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

from bot.app import build_assistant, describer_of
from bot.channels.markup import plain_text
from bot.cli.paging import show
from bot.core.message import IncomingMessage, Reply


def message_of(text: str, number: int, now: datetime, lang: str, action: str = "") -> IncomingMessage:
    """A line of the console as a message."""
    return IncomingMessage(
        channel="console",
        event_id=str(number),
        chat_id="console",
        user_id="you",
        verified=True,
        text=text,
        action=action,
        received_at=now,
        lang_hint=lang,
        full=True,
    )


def ask_once(text: str, lang: str, *, as_json: bool) -> None:
    """Print the answer to one question, as text or as a JSON object."""
    assistant = build_assistant()
    now = datetime.now(UTC)
    started = time.perf_counter()
    reply, _ = assistant.respond(message_of(text, 1, now, lang), None, now)
    elapsed = (time.perf_counter() - started) * 1000
    if as_json:
        from bot.channels.json_lines import reply_object

        described = describer_of(assistant)(text, reply)
        made = json.dumps(reply_object("ask", reply, elapsed, described), ensure_ascii=False, indent=1, default=str)
        print(made, flush=True)
    else:
        show(plain_text(reply.text) + options_of(reply), reply.language)


def options_of(reply: Reply) -> str:
    """Numbered choices of a question."""
    listed = all(choice.label in reply.text for choice in reply.choices)
    if reply.decision not in {"ask", "clarify"} or listed:
        return ""
    return "\n" + "\n".join(f"  {number}. {choice.label}" for number, choice in enumerate(reply.choices, 1))


def converse(lang: str) -> None:
    """Read lines until the end of input; see bot/cli/console.py."""
    from bot.cli.console import Console

    Console(build_assistant(), lang).run()
