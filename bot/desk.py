"""Commands that need the store or the data, and the counting behind the learning loop.

`/privacy` and `/forget` are for everybody; `/stats`, `/gaps`, `/reload` and `/broadcast` for configured operators only.
What is counted holds no words of users: intents, decisions, helpful or not, and shapes of unanswered questions.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.core.message import IncomingMessage, Reply
from bot.core.ports import BROADCAST, FORGOTTEN, Responder, Store
from bot.core.stations import Boards, Quotes

_LOG = logging.getLogger("xuanka.desk")
_MOST_GAPS_SHOWN = 10
_LONGEST_KEPT_TEXT = 200
FEEDBACK, DECISIONS, GAPS, GAP_TEXTS, CHATS = "feedback", "decisions", "gaps", "gap_texts", "chats"
_MOST_KNOWN_CHATS = 10_000

Reload = Callable[[], Awaitable[tuple[bool, str]]]
"""Loads fresh data; gives whether it was taken and a line about it."""
Broadcast = Callable[[str], Awaitable[int]]
"""Puts a text into the inbox for every known chat; gives for how many."""


@dataclass(frozen=True, slots=True)
class DeskOptions:
    """What operators switched on."""

    kept: tuple[tuple[str, int, str], ...] = ()
    """What is kept: topic, how long at most, and the unit of that (none: for good)."""
    keep_texts: bool = False
    keep_texts_s: float = 30 * 86_400.0
    allow_broadcast: bool = False


class FrontDesk:
    """The desk over a store."""

    def __init__(
        self,
        store: Store,
        responder: Callable[[], Responder],
        is_admin: Callable[[IncomingMessage], bool],
        *,
        data_version: Callable[[], str],
        clock: Callable[[], float],
        reload: Reload | None = None,
        broadcast: Broadcast | None = None,
        boards: Boards | None = None,
        quotes: Quotes | None = None,
        options: DeskOptions | None = None,
    ) -> None:
        """Wire the desk; `responder` is asked each time, because a reload replaces it."""
        self._store, self._responder, self._is_admin = store, responder, is_admin
        self._version, self._clock = data_version, clock
        self._reload, self._broadcast, self._boards, self._quotes = reload, broadcast, boards, quotes
        self._known_chats: set[str] = set()
        self._options = options or DeskOptions()
        self._started = clock()

    async def attend(self, message: IncomingMessage) -> Reply | None:
        """The reply to a command, or None when the message is none."""
        if message.addressed_how == BROADCAST:
            return Reply(decision="answer", language="zh", text=message.text)
        if message.action or not message.text.startswith("/"):
            return None
        name, _, argument = message.text[1:].partition(" ")
        name = name.split("@", 1)[0].casefold()
        if name == "privacy":
            return self._say(message, "privacy", kept=self._options.kept)
        if name == "forget":
            # Boards and quotes first: the lists of where to look go with the rest.
            gone = await self._boards.forget(message) if self._boards else 0
            gone += await self._quotes.forget(message) if self._quotes else 0
            gone += await self._store.forget(message.owner_key)
            if message.chat_type == "private":
                await self.gone(message)
            return self._say(message, "forgotten", gone=gone).model_copy(update={"intent": FORGOTTEN})
        command = {"stats": self._stats, "gaps": self._gaps, "reload": self._fresh, "broadcast": self._tell_all}.get(
            name
        )
        if command is None:
            return None
        if not self._is_admin(message):
            return self._say(message, "not_allowed")
        return await command(message, argument.strip())

    async def note(self, message: IncomingMessage, reply: Reply) -> None:
        """Count what came of a message."""
        if message.addressed_how == BROADCAST:
            return
        await self._remember_chat(message)
        verb = message.action.split("#", 1)[0]
        if verb in {"do:good", "do:bad"}:
            mark = verb.removeprefix("do:")
            await self._store.count(FEEDBACK, f"{reply.intent or 'none'}|{self._version()}|{mark}")
            return
        await self._store.count(DECISIONS, f"{reply.decision}|{reply.intent or 'none'}|{reply.language}", later=True)
        if reply.gap:
            await self._store.count(GAPS, reply.gap, later=True)
            if self._options.keep_texts:
                key = f"{GAP_TEXTS}:{reply.gap}"
                text, whose = message.text[:_LONGEST_KEPT_TEXT], message.owner_key
                await self._store.put(key, text, self._options.keep_texts_s, owner=whose)

    async def gone(self, message: IncomingMessage) -> None:
        """See the port: no broadcast goes there any more."""
        if self._options.allow_broadcast:
            self._known_chats.discard(chat_field(message))
            await self._store.uncount(CHATS, chat_field(message))

    async def _remember_chat(self, message: IncomingMessage) -> None:
        """Where a broadcast would go; nothing is kept while broadcasts are off."""
        field = chat_field(message)
        # Inline and guest messages come from nowhere that can be written to; strangers are no chat of ours.
        if not self._options.allow_broadcast or not message.verified or "-" in message.channel:
            return
        if field in self._known_chats or _is_forgetting(message):
            return
        if len(self._known_chats) >= _MOST_KNOWN_CHATS:
            self._known_chats.clear()
        self._known_chats.add(field)
        await self._store.count(CHATS, field)

    # --- operators ---------------------------------------------------------------------------------------------------

    def _say(self, message: IncomingMessage, block: str, **values: object) -> Reply:
        return self._responder().say(message, "desk", block, **values)

    async def _stats(self, message: IncomingMessage, _argument: str) -> Reply:
        decisions: dict[str, int] = {}
        for field, total in (await self._store.counts(DECISIONS)).items():
            decision = field.split("|", 1)[0]
            decisions[decision] = decisions.get(decision, 0) + total
        marks = {"good": 0, "bad": 0}
        for field, total in (await self._store.counts(FEEDBACK)).items():
            marks[field.rsplit("|", 1)[-1]] = marks.get(field.rsplit("|", 1)[-1], 0) + total
        backlog = await self._store.backlog()
        return self._say(
            message,
            "stats",
            decisions=sorted(decisions.items()),
            marks=marks,
            backlog=backlog,
            version=self._version(),
            hours=(self._clock() - self._started) / 3600,
        )

    async def _gaps(self, message: IncomingMessage, _argument: str) -> Reply:
        counts = await self._store.counts(GAPS)
        top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_GAPS_SHOWN]
        return self._say(message, "gaps", gaps=top)

    async def _fresh(self, message: IncomingMessage, _argument: str) -> Reply:
        if self._reload is None:
            return self._say(message, "reloaded", done=False, line="")
        done, line = await self._reload()
        return self._say(message, "reloaded", done=done, line=line)

    async def _tell_all(self, message: IncomingMessage, argument: str) -> Reply:
        if not self._options.allow_broadcast or self._broadcast is None or not argument:
            return self._say(message, "broadcast_off")
        count = await asyncio.shield(self._broadcast(argument))
        _LOG.warning("an operator sent a broadcast to %d chats", count)
        return self._say(message, "broadcast_done", count=count)


def chat_field(message: IncomingMessage) -> str:
    """A chat as one field of the counter of chats."""
    return json.dumps([message.channel, message.bot_id, message.chat_type, message.chat_id])


def _is_forgetting(message: IncomingMessage) -> bool:
    return message.text.split("@", 1)[0].strip().casefold() == "/forget"
