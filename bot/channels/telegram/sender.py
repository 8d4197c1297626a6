"""Sends replies: as HTML, split, with buttons, into the right topic; edits where a question was asked or edited.

What Telegram answers decides what comes next (errors.py): what is certainly not delivered may be tried again by the
caller, what may have been delivered never is.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field

from telegram import InlineKeyboardMarkup
from telegram.error import TelegramError
from telegram.ext import ExtBot

from bot.channels.markup import telegram_html
from bot.channels.signing import Signer
from bot.channels.telegram.chat_settings import SettingsBook, chat_owner
from bot.channels.telegram.commands import deep_link
from bot.channels.telegram.errors import Failure, Kind, diagnose
from bot.channels.telegram.keyboards import keyboard
from bot.channels.telegram.limits import ChatLimiter
from bot.channels.telegram.photos import send_chart
from bot.channels.telegram.posting import Post, post_text
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Outcome, Sent, Store, StoreUnavailable

_LOG = logging.getLogger("xuanka.telegram")
_PARTS_IN_GROUP = 3
_PROGRESS_TTL_S = 86_400.0
_EDITING = ("set:", "ask:", "do:details", "do:cancel")
_PATIENCE_S = 2.0
"""How long a send waits for its turn in place; longer waits are handed back."""
_MOST_BOOKED = 10_000
_TOKEN_PAUSE_S = 60.0
_RETRY_PAUSE_S = 1.0


@dataclass(slots=True)
class _Plan:
    """What is to be sent where."""

    parts: list[str]
    post: Post
    markup: InlineKeyboardMarkup | None
    edits: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    """Ids of the parts that stand in the chat already."""


class TelegramSender:
    """The channel's way out."""

    def __init__(
        self,
        bot: ExtBot[str],
        username: str,
        words: ChannelWords,
        signer: Signer,
        book: SettingsBook,
        store: Store,
        limiter: ChatLimiter,
    ) -> None:
        """`username` is the bot's own, for links into the private chat."""
        self._bot, self._username, self._words = bot, username, words
        self._signer, self._book, self._store = signer, book, store
        self._prefix = f"telegram:{bot.id}:"
        self._limiter = limiter
        self._booked: dict[str, list[float]] = {}

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply; `edit` names the earlier message (or messages, by commas) that it replaces.

        When the chat's budget is spent, RETRY comes back at once with the time until the booked moment, so that a busy
        group holds no worker.
        """
        if _is_silent(message, reply):
            return Sent(Outcome.SENT)
        if reply.shows_chart and reply.chart is not None and not edit:
            return await self._send_chart(message, reply)
        plan = self._plan(message, reply, edit)
        if len(plan.parts) > 1:
            plan.done = await self._progress(message)
        moments = await self._moments(message, len(plan.parts) - len(plan.done))
        if isinstance(moments, float):
            return Sent(Outcome.RETRY, retry_after=moments, begun=False)
        failure: Failure | None = None
        for index, moment in zip(range(len(plan.done), len(plan.parts)), moments, strict=True):
            await self._limiter.wait_until(moment)
            failure = await self._send_part(plan, index)
            if failure is not None:
                break
            if len(plan.parts) > 1:
                with suppress(StoreUnavailable):  # what is out is out: it must not count as not sent
                    await self._store.put(self._progress_key(message), plan.done, _PROGRESS_TTL_S)
        if failure is None:
            await self._delete_surplus(plan)
        return await self._conclude(message, failure, plan.done, plan.post)

    async def _send_chart(self, message: IncomingMessage, reply: Reply) -> Sent:
        moments = await self._moments(message, 1)
        if isinstance(moments, float):
            return Sent(Outcome.RETRY, retry_after=moments, begun=False)
        await self._limiter.wait_until(moments[0])
        sent = await send_chart(self._bot, self._words, message, reply, self._post(message))
        return await self._conclude(message, sent.failure, [sent.message_id] if sent.message_id else [], sent.post)

    async def _moments(self, message: IncomingMessage, parts: int) -> list[float] | float:
        """When each part may go, or for how long to come back later, when that is too long to stand and wait."""
        moments = self._booked.pop(message.event_id, None)
        if moments is None or len(moments) != parts:
            moments = await self._limiter.book(message.chat_id, parts)
        wait = max((self._limiter.seconds_until(at) - place for place, at in enumerate(moments)), default=0.0)
        if wait <= _PATIENCE_S:
            return moments
        self._booked[message.event_id] = moments
        while len(self._booked) > _MOST_BOOKED:
            self._booked.pop(next(iter(self._booked)))
        return wait

    # --- planning ----------------------------------------------------------------------------------------------------

    def _plan(self, message: IncomingMessage, reply: Reply, edit: str) -> _Plan:
        is_group = message.chat_type == "group"
        parts = telegram_html(_with_case(reply, is_group))
        extra: tuple[tuple[str, str], ...] = ()
        if is_group and len(parts) > _PARTS_IN_GROUP:
            parts = parts[:_PARTS_IN_GROUP]
            extra = ((self._words("more_in_private", reply.language), deep_link(self._username, message.text)),)
        markup = keyboard(reply, message, self._words, self._signer, extra)
        return _Plan(parts, self._post(message), markup, _edited(message, edit))

    def _post(self, message: IncomingMessage) -> Post:
        quotes = message.chat_type == "group" or message.action.startswith("do:")
        return Post(
            chat_id=int(message.chat_id),
            thread_id=int(message.thread_id) if message.thread_id else None,
            reply_to=int(message.message_id) if quotes and message.message_id.isdigit() else None,
            booked=True,
        )

    # --- sending -----------------------------------------------------------------------------------------------------

    async def _send_part(self, plan: _Plan, index: int) -> Failure | None:
        last = index == len(plan.parts) - 1
        post = plan.post
        post.edit_id = plan.edits[index] if index < len(plan.edits) else None
        post.booked = True
        if index:
            post.reply_to = None
        sent = await post_text(self._bot, post, plan.parts[index], plan.markup if last else None)
        if isinstance(sent, Failure):
            return sent
        plan.done.append(sent)
        return None

    async def _delete_surplus(self, plan: _Plan) -> None:
        """An edited answer that became shorter leaves messages behind."""
        for message_id in plan.edits[len(plan.parts) :]:
            try:
                await self._bot.delete_message(plan.post.chat_id, message_id)
            except TelegramError as error:
                _LOG.info("a surplus message stays: %s", diagnose(error).reason)

    async def _conclude(self, message: IncomingMessage, failure: Failure | None, done: list[int], post: Post) -> Sent:
        moved = "" if str(post.chat_id) == message.chat_id else str(post.chat_id)
        if moved:
            with suppress(StoreUnavailable):
                await self._book.migrated(message.chat_id, moved)
        ids = ",".join(map(str, done))
        if failure is None:
            return Sent(Outcome.SENT, ids, moved_to=moved)
        if failure.kind is Kind.FLOOD:
            return Sent(Outcome.RETRY, ids, retry_after=failure.retry_after, moved_to=moved)
        if failure.kind is Kind.NOT_SENT:
            return Sent(Outcome.RETRY, ids, retry_after=_RETRY_PAUSE_S, moved_to=moved)
        if failure.kind is Kind.TOKEN:
            _LOG.error("telegram does not accept the token any more")
            return Sent(Outcome.RETRY, ids, retry_after=_TOKEN_PAUSE_S, moved_to=moved)
        if failure.kind is Kind.UNKNOWN:
            _LOG.warning("a message may or may not have been delivered: %s", failure.reason)
            return Sent(Outcome.UNKNOWN, ids, moved_to=moved)
        if failure.kind is Kind.GONE:
            with suppress(StoreUnavailable):
                key, owner = f"{self._prefix}inactive:{message.chat_id}", chat_owner(message.bot_id, message.chat_id)
                await self._store.put(key, True, 30 * 86_400.0, owner=owner)
        _LOG.warning("a message was refused: %s", failure.reason)
        return Sent(Outcome.REFUSED, ids, moved_to=moved)

    # --- progress of answers in several parts ------------------------------------------------------------------------

    def _progress_key(self, message: IncomingMessage) -> str:
        return f"{self._prefix}parts:{message.event_id}"

    async def _progress(self, message: IncomingMessage) -> list[int]:
        value = await self._store.get(self._progress_key(message))
        return [int(part) for part in value] if isinstance(value, list) else []


def _is_silent(message: IncomingMessage, reply: Reply) -> bool:
    """Whether nothing is to be posted: ignored, only counted, or overheard and not clearly a question for us."""
    if reply.decision == "ignore" or not reply.text.strip() or message.action.startswith(("do:good", "do:bad")):
        return True
    is_advice = reply.decision == "answer" and bool(reply.facts or reply.choices)
    return message.addressed_how == "overheard" and not is_advice


def _with_case(reply: Reply, is_group: bool) -> str:
    """The text of a reply, with its case where something may be said of it later and no button carries it."""
    refers = bool(reply.choices or reply.facts or reply.sources)
    shown = reply.case and refers and (is_group or not reply.choices)
    return f"{reply.text}\n\n#{reply.case}" if shown else reply.text


def _edited(message: IncomingMessage, edit: str) -> list[int]:
    """The messages that a reply replaces: those named, else the one whose button was pressed to change it."""
    named = [int(part) for part in edit.split(",") if part.strip().isdigit()]
    if named or not message.action.startswith(_EDITING) or not message.message_id.isdigit():
        return named
    return [int(message.message_id)]
