"""One question or a whole conversation on the console."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import Final

from bot.app import build_assistant
from bot.channels.json_lines import reply_object
from bot.channels.markup import plain_text
from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply

_QUIT: Final = {"/quit", "/exit", "exit", "quit", ":q"}
_COMMANDS: Final = {
    "/why": "do:why",
    "/sources": "do:sources",
    "/source": "do:sources",
    "/details": "do:details",
    "/cancel": "do:cancel",
    "/reset": "do:cancel",
}


def _message(text: str, number: int, now: datetime, lang: str, action: str = "") -> IncomingMessage:
    return IncomingMessage(
        channel="console",
        event_id=str(number),
        chat_id="console",
        user_id="you",
        text=text,
        action=action,
        received_at=now,
        lang_hint=lang,
        full=True,
    )


def ask_once(text: str, lang: str, *, as_json: bool) -> str:
    """The answer to one question, as text or as a JSON object."""
    assistant = build_assistant()
    now = datetime.now(UTC)
    started = time.perf_counter()
    reply, _ = assistant.respond(_message(text, 1, now, lang), None, now)
    elapsed = (time.perf_counter() - started) * 1000
    if as_json:
        return json.dumps(reply_object("ask", reply, elapsed), ensure_ascii=False, indent=1)
    return plain_text(reply.text) + _options(reply)


def _options(reply: Reply) -> str:
    """Numbered choices of a question."""
    listed = all(choice.label in reply.text for choice in reply.choices)
    if reply.decision not in {"ask", "clarify"} or listed:
        return ""
    return "\n" + "\n".join(f"  {number}. {choice.label}" for number, choice in enumerate(reply.choices, 1))


def converse(lang: str) -> None:
    """Read lines until the end of input. History works where the terminal has it."""
    with suppress(ImportError):
        import_module("readline")  # line editing and history come with the import
    assistant = build_assistant()
    renderer = assistant.renderer
    language = "zh" if lang != "en" else "en"
    state: Conversation | None = None
    shown = sys.stdin.isatty()
    if shown:
        print(plain_text(renderer.page("console", "zh" if language == "zh" else "en", "welcome")))
    for number in range(1, 1_000_000):
        try:
            line = input("> " if shown else "").strip()
        except EOFError:
            break
        if not line:
            continue
        if line.casefold() in _QUIT:
            break
        action = _COMMANDS.get(line.casefold(), "")
        text = "" if action else line.removeprefix("/ask ")
        now = datetime.now(UTC)
        reply, state = assistant.respond(_message(text, number, now, lang, action), state, now)
        print(plain_text(reply.text) + _options(reply) + "\n")
