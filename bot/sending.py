"""The way out of one reply: send, and then close the item, give it back for later, or follow a group that moved.

What the chat sees in each case stands in docs/guarantees.md. Steps of the store go through `Patience`, so that what was
done is not done again when the store comes back.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from bot.answering import Answering, without_words
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import FORGOTTEN, InboxItem, Outcome, Sender, Sent, Store, StoreUnavailable
from bot.core.stations import Desk, Meter
from bot.core.times import clamped
from bot.patience import Patience

_LOG = logging.getLogger("xuanka.delivery")
_MOST_MOVES = 1000
_CROWDED_S = 0.5


def platform_of(channel: str) -> str:
    """Inline and guest messages of a platform leave by the same way."""
    return channel.partition("-")[0]


@dataclass(frozen=True, slots=True)
class SendingOptions:
    """When a reply is tried again, and what is kept once it is out."""

    most_sends: int
    oldest_send_s: float
    longest_pause_s: float
    keep_s: float
    conversation_ttl_s: float


class Sending:
    """Sends replies of all channels."""

    def __init__(
        self,
        store: Store,
        senders: Callable[[], Mapping[str, Sender]],
        answering: Answering,
        options: SendingOptions,
        patience: Patience,
        share: Callable[[], int],
        desk: Desk | None = None,
        meter: Meter | None = None,
    ) -> None:
        """Take the parts; `senders` is asked each time, because channels may be added after the start.

        `share`: how many sends of one channel may be under way at once.
        """
        self._share = share
        self._store, self._senders, self._answering, self._options = store, senders, answering, options
        self._patiently, self._desk, self._meter = patience, desk, meter
        self._moved: OrderedDict[str, str] = OrderedDict()
        self._out: Counter[str] = Counter()

    @property
    def crowded(self) -> frozenset[str]:
        """Channels with as many sends under way as they may have: their platform answers slowly, or not at all."""
        return frozenset(channel for channel, number in self._out.items() if number >= self._share())

    async def send(self, item: InboxItem, owner: str, reply: Reply) -> None:
        """Send a reply that the store holds, and settle its item by the outcome."""
        message = self._where_it_is_now(item.message)
        sender = self._senders().get(message.channel)
        if sender is None:
            _LOG.error("no sender for channel %s", message.channel)
            await self.close(item, owner, message, Sent(Outcome.REFUSED), reply)
            return
        if platform_of(message.channel) in self.crowded:
            await self._patiently(lambda: self._store.postpone(item, owner, pause_s=_CROWDED_S))
            return
        edit = dict(item.answers).get(message.edits, "") if message.edits else ""
        begun = time.perf_counter()
        sent = await self._try(sender, message, reply, edit)
        if self._meter:
            self._meter.took("send", time.perf_counter() - begun)
            self._meter.sent(message.channel, sent.outcome.value)
        if sent.moved_to:
            message = await self._move(message, sent.moved_to, reply)
        if sent.outcome is Outcome.RETRY and self._may_retry(item, sent):
            pause = min(0.1 * 2 ** min(item.sends, 16), self._options.longest_pause_s) if sent.begun else 0.1
            pause = max(clamped(sent.retry_after), pause)
            await self._patiently(lambda: self._store.postpone(item, owner, pause_s=pause))
            return
        if sent.outcome is Outcome.REFUSED and self._desk:
            with suppress(StoreUnavailable):
                await self._desk.gone(message)
        await self.close(item, owner, message, sent, reply)

    async def _try(self, sender: Sender, message: IncomingMessage, reply: Reply, edit: str) -> Sent:
        """One send. A sender that breaks may have sent: the outcome is unknown and nothing goes twice."""
        channel = platform_of(message.channel)
        self._out[channel] += 1
        try:
            return await sender.send(message, reply, edit=edit)
        except StoreUnavailable as error:
            # Senders ask the store before they send (budgets, settings), so nothing went out.
            _LOG.error("not sent: %s", error)
            return Sent(Outcome.RETRY, retry_after=1.0, begun=False)
        except Exception as error:
            _LOG.error("a sender failed: %s", type(error).__name__, exc_info=without_words(error))
            if self._meter:
                self._meter.failed("send")
            return Sent(Outcome.UNKNOWN)
        finally:
            self._out[channel] -= 1

    def _may_retry(self, item: InboxItem, sent: Sent) -> bool:
        age = item.claimed_at - item.accepted_at
        if age < self._options.oldest_send_s or (sent.begun and item.sends + 1 < self._options.most_sends):
            return True
        if not sent.begun and age < self._options.keep_s:
            return True
        _LOG.error("ALERT: a reply was given up after %d sends", item.sends + 1)
        return False

    def _where_it_is_now(self, message: IncomingMessage) -> IncomingMessage:
        chat_id = self._moved.get(message.chat_key)
        return message.model_copy(update={"chat_id": chat_id}) if chat_id else message

    async def _move(self, message: IncomingMessage, chat_id: str, reply: Reply) -> IncomingMessage:
        """The group got a new id: later sends go there at once, and the conversation goes on there."""
        self._moved[message.chat_key] = chat_id
        while len(self._moved) > _MOST_MOVES:
            self._moved.popitem(last=False)
        moved = message.model_copy(update={"chat_id": chat_id})
        await self._patiently(lambda: self._answering.moved(message, moved, reply))
        return moved

    async def close(self, item: InboxItem, owner: str, sent_to: IncomingMessage, sent: Sent, reply: Reply) -> None:
        """Close an item whose reply went to `sent_to`. Who was just forgotten leaves no new mark."""
        is_forgotten = reply.intent == FORGOTTEN
        keep_s = self._options.conversation_ttl_s if item.passive else self._options.keep_s

        await self._patiently(
            lambda: self._store.finish(
                item,
                owner,
                outcome=sent.outcome.value,
                message_id=sent.message_id,
                keep_s=keep_s,
                answered=None if is_forgotten else sent_to,
            )
        )
        if is_forgotten:
            with suppress(StoreUnavailable):
                await self._store.tidy()
