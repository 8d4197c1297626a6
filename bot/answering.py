"""What is said to one accepted message: limits, commands, shared decisions, or the pure road. Only then is state kept.

Whatever breaks here, the user gets a line with an error id, and the log gets where it broke, never what was said.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, time
from types import TracebackType
from typing import Final

from bot.computing import Computing, Overran
from bot.core.conversation import Conversation, Episode
from bot.core.left import opened
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import WAITING, InboxItem, Responder, Small, Store, StoreUnavailable
from bot.core.stations import Boards, Desk, Gate, Meter, Quotes, Verdict

_LOG = logging.getLogger("xuanka.answering")
_NOON: Final = time(12)


class Answering:
    """From a message to its reply and the new state of its conversation."""

    def __init__(
        self,
        store: Store,
        responder: Responder,
        clock: Callable[[], float],
        ttl_s: float,
        gate: Gate | None = None,
        desk: Desk | None = None,
        boards: Boards | None = None,
        meter: Meter | None = None,
        computing: Computing | None = None,
        quotes: Quotes | None = None,
    ) -> None:
        """Take the parts; `ttl_s` is how long a conversation is remembered."""
        self._computing = computing or Computing()
        self._store, self._responder, self._clock, self._ttl_s = store, responder, clock, ttl_s
        self._gate, self._desk, self._boards, self._meter = gate, desk, boards, meter
        self._quotes = quotes

    async def answer(
        self, message: IncomingMessage, state: Conversation | None = None
    ) -> tuple[Reply, Conversation | None]:
        """The reply, and the state to keep with it; `state` is what the conversation remembers so far.

        Raises:
            StoreUnavailable: the store cannot be read; nothing was decided.
        """
        message = _in_language_of(message, state)
        try:
            return await self._answer(message, state)
        except StoreUnavailable:
            raise
        except Overran as error:
            return self._apology(message, "overran", f"ALERT: an answer was given up, it took {error}"), None
        except Exception as error:  # the channel's edge: whatever broke, the user gets a line and an id
            return self._apology(message, "respond", f"answering failed: {type(error).__name__}", error), None

    def given_up(self, message: IncomingMessage, claims: int) -> Reply:
        """What is said to a message whose workers were lost with it, one after another: it is worked on no more."""
        return self._apology(message, "given_up", f"ALERT: a message was given up after {claims - 1} claims")

    def _apology(self, message: IncomingMessage, where: str, what: str, error: BaseException | None = None) -> Reply:
        error_id = secrets.token_hex(3)
        _LOG.error("%s, id %s", what, error_id, exc_info=without_words(error) if error else None)
        if self._meter:
            self._meter.failed(where)
        return self._responder.say(message, "sorry", error_id=error_id)

    async def _answer(self, message: IncomingMessage, state: Conversation | None) -> tuple[Reply, Conversation | None]:
        keys = self._quotes.keys(message) if self._quotes else ()
        if self._gate:
            verdict, kept = await self._gate.admit(message, keys)
            if verdict is Verdict.SILENT:
                return Reply(decision="ignore", language="zh"), None
            if verdict is Verdict.WAIT:
                return self._responder.say(message, "wait").model_copy(update={"intent": WAITING}), None
        else:
            _, kept = await self._store.begin((), keys)
        reply = await self._desk.attend(message) if self._desk else None
        if reply is None and self._quotes:
            reply = await self._quotes.attend(message)
        if reply is not None:
            return reply, None
        if self._quotes:
            message = await self._quotes.attached(message, kept)
        return await self._responded(message, state)

    async def _responded(
        self, message: IncomingMessage, state: Conversation | None
    ) -> tuple[Reply, Conversation | None]:
        """The pure road, with what the store holds of the conversation."""
        moment = _moment(message, self._clock())
        if self._boards and self._boards.is_asked(message):
            board = await self._boards.load(message)
            return await self._computing.run(lambda: self._responder.decide_together(message, board, moment))
        if not message.chat_id:  # somebody who passes by: there is nothing to load and nothing to keep
            return await self._computing.run(lambda: self._responder.respond(message, None, moment))
        borrowed = await self._borrowed(message)
        answer, new_state = await self._computing.run(lambda: self._responder.respond(message, state, moment, borrowed))
        if self._boards:
            await self._boards.note(message, new_state)
        if self._quotes:
            answer = await self._quotes.offer(message, answer)
        return answer, new_state

    async def keep(self, item: InboxItem, owner: str, reply: Reply, state: Conversation | None) -> bool:
        """Keep reply and state in one step; False when the lease was lost. A group finds the answer by its case."""
        message, beside = item.message, list[Small]()
        if reply.case and message.chat_type == "group":
            key = _case_key(message, reply.case)
            beside.append(Small(key, message.conversation_key, self._ttl_s, message.owner_key))
        return await self._store.handled(item, owner, reply, state, ttl_s=self._ttl_s, beside=beside)

    def count(self, message: IncomingMessage, reply: Reply) -> None:
        """Count a reply for the metrics."""
        if self._meter:
            self._meter.replied(message.channel, reply.decision, reply.intent or "", reply.language)

    async def note(self, message: IncomingMessage, reply: Reply) -> None:
        """What is only counted or helps later; a store that fails here costs no answer."""
        self.count(message, reply)
        if self._desk:
            with suppress(StoreUnavailable):
                await self._desk.note(message, reply)

    async def moved(self, old: IncomingMessage, new: IncomingMessage, reply: Reply) -> None:
        """The chat got a new id: the conversation and the case go on there."""
        state = await self._store.load_conversation(old.conversation_key)
        if state is not None and await self._store.load_conversation(new.conversation_key) is None:
            await self._store.save_conversation(state.model_copy(update={"key": new.conversation_key}), self._ttl_s)
        if reply.case:
            key = _case_key(new, reply.case)
            await self._store.put(key, new.conversation_key, self._ttl_s, owner=new.owner_key)

    async def _borrowed(self, message: IncomingMessage) -> Episode | None:
        """The answer to somebody else that this message replies to."""
        case = message.reply_to.case if message.reply_to and message.reply_to.own else ""
        if not case and "#" in message.action:
            case = message.action.rsplit("#", 1)[1]
        if not case:
            return None
        key = await self._store.get(_case_key(message, case))
        if not isinstance(key, str) or key == message.conversation_key:
            return None
        other = await self._store.load_conversation(key)
        episodes = other.episodes if other else ()
        return next((opened(episode) for episode in episodes if episode.case == case), None)


def _moment(message: IncomingMessage, now: float) -> datetime:
    """When the message is answered, never before it was received; noon of the day that it asks for."""
    if message.as_of is not None:
        return datetime.combine(message.as_of, _NOON, UTC)
    return max(datetime.fromtimestamp(now, UTC), message.received_at.astimezone(UTC))


def _case_key(message: IncomingMessage, case: str) -> str:
    return f"case:{message.chat_key}:{case}"


def without_words(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """A traceback without the exception's own words, which may quote the user's."""
    return (type(error), RuntimeError(type(error).__name__), error.__traceback__)


def _in_language_of(message: IncomingMessage, state: Conversation | None) -> IncomingMessage:
    """What is said without words of its own (a command, a limit) is answered in the language of the conversation.

    A platform's hint is the language of somebody's buttons, which need not be the one they write.
    """
    if state is None or not state.language or message.language:
        return message
    return message.model_copy(update={"lang_hint": state.language})
