"""A conversation on the console: Ctrl-C drops a line or an answer, never the talk; what was typed is kept."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from bot.boards import GroupBoards
from bot.channels.markup import plain_text
from bot.chat_prices import ChatPrices, Knowing
from bot.chat_reports import ChatReports
from bot.cli.history import History, history_path
from bot.cli.locales import locale_language, stated_language
from bot.cli.talk import message_of, options_of
from bot.cli.telling import Saying
from bot.cli.wrapping import screens
from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Language, Reply
from bot.pipeline import Assistant
from bot.stores.memory import MemoryStore
from bot.tellings import Tellings

_FORGET: Final = "/forget"
_DECIDE: Final = "/decide"
_SETTINGS: Final = "/settings"
_WORDLESS: Final = frozenset({_FORGET, _DECIDE})
_QUIT: Final = frozenset({"/quit", "/exit", "exit", "quit", ":q"})
_ACTIONS: Final = {
    "/why": "do:why",
    "/sources": "do:sources",
    "/source": "do:sources",
    "/details": "do:details",
    "/cancel": "do:cancel",
    "/reset": "do:cancel",
}
_LENGTHS: Final = ("short", "full")
_KEPT_S: Final = 1800.0


@dataclass(slots=True)
class Preferences:
    """What /settings changes."""

    language: str = ""
    """zh | en; empty for that of each question."""
    full: bool = True


class Console:
    """One person at one terminal."""

    def __init__(self, assistant: Assistant, lang: str = "") -> None:
        """Wire the parts that a service has, over memory."""
        self.assistant = assistant
        self.wants = Preferences(stated_language(lang) or "")
        spoken: Language = stated_language(lang) or locale_language() or "zh"
        self.say = Saying(spoken)
        self.state: Conversation | None = None
        self.store = MemoryStore()
        self.boards = GroupBoards(self.store, _KEPT_S)
        knowing = Knowing(assistant.understander.understand, assistant.services.catalog)
        parts = (self.store, lambda: assistant, lambda: knowing, _short)
        self.quotes = Tellings(ChatPrices(*parts, clock=time.time), ChatReports(*parts, clock=time.time))
        self.history: History | None = None
        self.rest: list[str] = []
        """Screens of the last answer that were not shown yet."""

    def run(self) -> None:
        """Read lines until the end of input."""
        shown = sys.stdin.isatty()
        if shown:
            self.history = History(history_path())
            self._greet()
        with asyncio.Runner() as runner:
            runner.run(self.store.open())
            try:
                self._read(runner, shown=shown)
            finally:
                runner.run(self.store.close())
                if self.history is not None:
                    self.history.save()

    def _greet(self) -> None:
        self._print(plain_text(self.assistant.renderer.page("console", self.say.language, "welcome")))
        if self.history is not None and self.history.kept:
            self._print(self.say("chat.history", path=self.history.path))

    def _read(self, runner: asyncio.Runner, *, shown: bool) -> None:
        for number in range(1, 1_000_000):
            try:
                line = input("> " if shown else "").strip()
                if line.casefold() in _QUIT:
                    break
                if line:
                    self._print(runner.run(self.answer(line, number)) + "\n")
                elif self.rest:
                    self._next_screen()
            except EOFError:
                break
            except KeyboardInterrupt:
                if not shown:
                    raise
                print(f"\n{self.say('chat.again')}")

    def _print(self, text: str) -> None:
        """A text as wide as the terminal and a screen at a time; into a pipe as it is."""
        if not sys.stdout.isatty():
            print(text, flush=True)
            return
        size = shutil.get_terminal_size()
        self.rest = screens(text, size.columns, size.lines)
        self._next_screen()

    def _next_screen(self) -> None:
        print(self.rest.pop(0), flush=True)
        if self.rest:
            left = sum(part.count("\n") + 1 for part in self.rest)
            print(self.say("chat.more", lines=left), flush=True)

    async def answer(self, line: str, number: int) -> str:
        """What is said to one line."""
        command, _, argument = line.partition(" ")
        if command.casefold() == _SETTINGS:
            return self._set(argument.split())
        action = _ACTIONS.get(line.casefold(), "")
        text = "" if action else line.removeprefix("/ask ")
        now = datetime.now(UTC)
        made = message_of(text, number, now, self.wants.language, action)
        # a bare command has no words to go by: it is answered in the language of the talk
        language = self.wants.language or (self.say.language if line.casefold() in _WORDLESS else "")
        form = {"language": language, "full": self.wants.full, "chat_type": "private" if self.wants.full else "group"}
        reply = await self._replied(made.model_copy(update=form))
        self.say = Saying(reply.language)
        return plain_text(reply.text) + options_of(reply)

    async def _replied(self, message: IncomingMessage) -> Reply:
        """The reply to a line, with the prices that were told before."""
        said = message.text.casefold()
        if said == _FORGET:
            return await self._forgotten(message)
        if said == _DECIDE:
            board = await self.boards.load(message)
            reply, self.state = self.assistant.decide_together(message, board, message.received_at)
            return reply
        told = await self.quotes.attend(message)
        if told is not None:
            return told
        _, kept = await self.store.begin((), self.quotes.keys(message))
        message = await self.quotes.attached(message, kept)
        reply, self.state = self.assistant.respond(message, self.state, message.received_at)
        # one person's wishes make a board, too: /decide puts together what the talk has brought
        await self.boards.note(message.model_copy(update={"chat_type": "group"}), self.state)
        return await self.quotes.offer(message, reply)

    async def _forgotten(self, message: IncomingMessage) -> Reply:
        gone = await self.boards.forget(message) + await self.quotes.forget(message)
        self.state = None
        if self.history is not None:
            self.history.forget()
        return self.assistant.say(message, "desk", "forgotten", gone=gone)

    def _set(self, words: list[str]) -> str:
        """Take what /settings names, and say what holds now."""
        for word in words:
            if word in _LENGTHS:
                self.wants.full = word == "full"
            language = stated_language(word)
            if language is not None:
                self.wants.language = language
                self.say = Saying(language)
        length = self.say("chat.full" if self.wants.full else "chat.short")
        spoken = self.say(f"chat.language.{self.wants.language or 'auto'}")
        return self.say("chat.settings", spoken=spoken, length=length)


def _short(ident: str) -> str:
    """A person or chat of the console as a hash: there is only one."""
    return hashlib.sha256(ident.encode()).hexdigest()[:10]
