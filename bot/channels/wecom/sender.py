"""Sends replies over the long connection: as the answer to a message, or as a push after a button.

What WeCom acknowledges decides what comes next. A stream may be sent again under its id, because it replaces itself; a
push never is, because it may have arrived.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from bot.channels.charts import chart_table, in_words, picture_of
from bot.channels.markup import wecom_markdown
from bot.channels.signing import Signer
from bot.channels.wecom import frames
from bot.channels.wecom.cards import Card, question_card
from bot.channels.wecom.errors import AckTimeout, LinkClosed, Refused
from bot.channels.wecom.frames import Meaning, meaning_of
from bot.channels.wecom.limits import Budget
from bot.channels.wecom.link import Link
from bot.channels.wecom.parts import is_silent, reply_parts, stable_id
from bot.channels.wecom.pictures import upload
from bot.channels.wecom.presses import Presses
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Outcome, Sent, Store, StoreUnavailable

_LOG = logging.getLogger("xuanka.wecom")
_PROGRESS_TTL_S = 86_400.0
_NO_LINK_S = 0.5
_BUSY_S = 20.0
_STREAM_TRIES = 3


@dataclass(slots=True)
class _Step:
    """One frame to send: as the answer to the callback, or as a push."""

    answer: dict[str, object] | None
    push: dict[str, object]
    picture: bytes = b""
    """To be uploaded and pushed; `push` is what goes instead where WeCom does not take it."""


class WecomSender:
    """The channel's way out while this replica holds the connection."""

    def __init__(
        self,
        link: Callable[[], Link | None],
        words: ChannelWords,
        signer: Signer,
        presses: Presses,
        budget: Budget,
        store: Store,
    ) -> None:
        """`link` gives the live connection, or None."""
        self._link, self._words, self._signer = link, words, signer
        self._presses, self._budget, self._store = presses, budget, store

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply (port `Sender`). WeCom has nothing to edit."""
        if is_silent(message, reply):
            return Sent(Outcome.SENT)
        picture = await picture_of(reply)
        steps, card = self._plan(message, reply if picture else in_words(reply))
        if picture and reply.chart is not None:
            table = next(iter(wecom_markdown(chart_table(reply.chart, reply.language))), "")
            steps.append(_Step(None, frames.markdown_body(table), picture))
        if card is not None:
            await self._presses.remember(card, reply.language, message.owner_key)
        key = f"wecom:parts:{message.bot_id}:{message.event_id}"
        done = int(await self._store.get(key) or 0) if len(steps) > 1 else 0
        for number in range(done, len(steps)):
            sent = await self._send(message, steps[number])
            if sent.outcome is not Outcome.SENT:
                return sent
            if len(steps) > 1:
                with suppress(StoreUnavailable):  # what is out is out: it must not count as not sent
                    await self._store.put(key, number + 1, _PROGRESS_TTL_S)
        return Sent(Outcome.SENT)

    def _plan(self, message: IncomingMessage, reply: Reply) -> tuple[list[_Step], Card | None]:
        """What to send, in order. Only the first frame answers a callback; a button press takes pushes only."""
        card = question_card(message, reply, self._words, self._signer)
        answers = bool(message.message_id) and not message.action
        if card is not None and not reply.shared:
            body = frames.card_body(card)
            return [_Step(body if answers else None, body)], card
        parts = reply_parts(message, reply, self._words, with_options=card is None)
        feedback = self._presses.feedback_id(reply.case) if reply.decision == "answer" and reply.case else ""
        steps: list[_Step] = []
        for part in parts:
            first = not steps
            push = frames.markdown_body(part)
            stream = frames.stream_body(stable_id("s", message), part, feedback) if first and answers else None
            steps.append(_Step(stream, push))
        if card is not None:
            steps.append(_Step(None, frames.card_body(card)))
        return steps, card

    async def _send(self, message: IncomingMessage, step: _Step) -> Sent:
        link = self._link()
        if link is None:
            return Sent(Outcome.RETRY, retry_after=_NO_LINK_S, begun=False)
        wait = await self._budget.take(message.chat_id)
        if wait > 0:
            return Sent(Outcome.RETRY, retry_after=wait, begun=False)
        if step.answer is not None:
            sent = await self._answer(link, message, step.answer)
            if sent is not None:
                return sent
            wait = await self._budget.take(message.chat_id)
            if wait > 0:
                return Sent(Outcome.RETRY, retry_after=wait, begun=False)
        try:
            push = await self._pushed(link, step)
        except (AckTimeout, LinkClosed):
            return Sent(Outcome.RETRY, retry_after=_NO_LINK_S, begun=False)
        return await self._push(link, message.chat_id, push)

    @staticmethod
    async def _pushed(link: Link, step: _Step) -> dict[str, object]:
        """What to push: a picture once it is uploaded, else words. Raises AckTimeout, LinkClosed."""
        if not step.picture:
            return step.push
        try:
            return frames.image_body(await upload(link, step.picture))
        except Refused as error:
            _LOG.warning("WeCom does not take a picture, errcode %d", error.code)
            return step.push

    async def _answer(self, link: Link, message: IncomingMessage, body: dict[str, object]) -> Sent | None:
        """Answer the callback; None when it can no longer be answered and a push has to do."""
        is_stream = body["msgtype"] == "stream"
        for attempt in range(1, _STREAM_TRIES + 1):
            try:
                await link.request(frames.RESPOND, message.message_id, body)
            except Refused as error:
                return await self._unanswered(message, error.code)
            except LinkClosed as error:
                return await self._cut_off(message, sent=error.sent, is_stream=is_stream)
            except AckTimeout:
                await self._store.put(_left_key(message), True, _PROGRESS_TTL_S)
                if not is_stream or attempt == _STREAM_TRIES or await self._budget.take(message.chat_id) > 0:
                    break
                continue
            return Sent(Outcome.SENT)
        _LOG.warning("an answer was not acknowledged; it may have arrived")
        return Sent(Outcome.UNKNOWN)

    async def _unanswered(self, message: IncomingMessage, code: int) -> Sent | None:
        """What follows when an answer was refused; None when a push has to do."""
        if meaning_of(code) is not Meaning.CLOSED:
            return _refused(code)
        # What left before may stand in the chat: then a push would say it twice.
        return Sent(Outcome.UNKNOWN) if await self._store.get(_left_key(message)) else None

    async def _cut_off(self, message: IncomingMessage, *, sent: bool, is_stream: bool) -> Sent:
        """What follows when the connection went: only a stream that had left may be sent again."""
        if sent and not is_stream:
            return Sent(Outcome.UNKNOWN)
        if sent:
            await self._store.put(_left_key(message), True, _PROGRESS_TTL_S)
        return Sent(Outcome.RETRY, retry_after=_NO_LINK_S, begun=False)

    async def _push(self, link: Link, chat_id: str, body: dict[str, object]) -> Sent:
        try:
            await link.request(frames.PUSH, link.own_id("push"), {"chatid": chat_id, **body})
        except Refused as error:
            return _refused(error.code)
        except LinkClosed as error:
            if not error.sent:
                return Sent(Outcome.RETRY, retry_after=_NO_LINK_S, begun=False)
            return Sent(Outcome.UNKNOWN)
        except AckTimeout:
            _LOG.warning("a push was not acknowledged; it may have arrived and is not repeated")
            return Sent(Outcome.UNKNOWN)
        return Sent(Outcome.SENT)


def _left_key(message: IncomingMessage) -> str:
    return f"wecom:left:{message.bot_id}:{message.event_id}"


def _refused(code: int) -> Sent:
    if meaning_of(code) is Meaning.BUSY:
        _LOG.warning("WeCom is busy, errcode %d", code)
        return Sent(Outcome.RETRY, retry_after=_BUSY_S, begun=False)
    _LOG.warning("WeCom refused a message, errcode %d", code)
    return Sent(Outcome.REFUSED)
