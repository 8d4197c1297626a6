"""One question or a whole conversation on the console."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import Final

from bot.app import build_assistant, reader_of
from bot.channels.json_lines import reply_object
from bot.channels.markup import plain_text
from bot.chat_prices import ChatPrices, Knowing
from bot.chat_reports import ChatReports
from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.pipeline import Assistant
from bot.stores.memory import MemoryStore
from bot.tellings import Tellings

_FORGET: Final = "/forget"
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
        heard = reader_of(assistant).read(text).mentions
        return json.dumps(reply_object("ask", reply, elapsed, heard), ensure_ascii=False, indent=1, default=str)
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
    shown = sys.stdin.isatty()
    if shown:
        print(plain_text(renderer.page("console", "zh" if language == "zh" else "en", "welcome")))
    runner = asyncio.Runner()
    store = MemoryStore()
    runner.run(store.open())
    knowing = Knowing(assistant.understander.understand, assistant.services.catalog)
    parts = (store, lambda: assistant, lambda: knowing, _short)
    quotes = Tellings(ChatPrices(*parts, clock=time.time), ChatReports(*parts, clock=time.time))
    try:
        _read_lines(assistant, quotes, runner, lang, shown=shown)
    finally:
        runner.run(store.close())
        runner.close()


def _short(ident: str) -> str:
    """A person or chat of the console as a hash: there is only one."""
    return hashlib.sha256(ident.encode()).hexdigest()[:10]


async def _answered(
    assistant: Assistant, quotes: Tellings, message: IncomingMessage, state: Conversation | None
) -> tuple[Reply, Conversation | None]:
    """The reply to a line, with the prices that were told before."""
    if message.text.casefold() == _FORGET:
        return assistant.say(message, "desk", "forgotten", gone=await quotes.forget(message)), None
    told = await quotes.attend(message)
    if told is not None:
        return told, state
    message = await quotes.attached(message)
    reply, after = assistant.respond(message, state, message.received_at)
    return await quotes.offer(message, reply), after


def _read_lines(assistant: Assistant, quotes: Tellings, runner: asyncio.Runner, lang: str, *, shown: bool) -> None:
    """Answer line after line until the end of input."""
    state: Conversation | None = None
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
        reply, state = runner.run(_answered(assistant, quotes, _message(text, number, now, lang, action), state))
        print(plain_text(reply.text) + _options(reply) + "\n")
