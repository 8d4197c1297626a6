"""The store for many replicas: Valkey (or Redis 7) with one Lua script for each step that must be whole.

Everything of a chat lives under one hash tag, `{xuanka:<part>}`, where the part is derived from the chat: in a cluster
all keys of a script are on one node, and parts spread over the nodes. What cannot be done in time raises
`StoreUnavailable`, so nothing is acknowledged that was not stored.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import PASSIVE_GRACE_S, Accepted, Backlog, InboxItem, Small
from bot.core.times import clamped
from bot.stores import records
from bot.stores.valkey_client import Script, guarded
from bot.stores.valkey_values import ValkeyValues, given

_LOG = logging.getLogger("xuanka.store")
_PARTS: Final = 4
_UNREADABLE_KEEP_S: Final = 86_400
_MOVED_KEEP_S: Final = 1800
_PROBE_BYTES: Final = 1024
_PROBE_MS: Final = 1000


def part_of(key: str) -> int:
    """The part in which a chat or a conversation lies. The bot is left out of it, as it was before keys held one."""
    channel, _, chat, *_ = key.split(":")
    return zlib.crc32(f"{unquote(channel)}:{unquote(chat)}".encode()) % _PARTS


def _tag(key: str) -> str:
    return f"{{xuanka:{part_of(key)}}}"


class ValkeyStore(ValkeyValues):
    """State on a server that all replicas share."""

    def __init__(self, address: str, salt: bytes = b"") -> None:
        """Name the server: valkey://host:port/db or redis://, valkeys:// and rediss:// with TLS, ?cluster=true."""
        super().__init__(address, salt)
        self._turn = 0

    @guarded
    async def probe(self) -> None:
        """See the port. Every node of a cluster that holds a part of the inbox is asked."""
        for part in range(_PARTS):
            await self._db.set(f"{{xuanka:{part}}}:probe", b"0" * _PROBE_BYTES, px=_PROBE_MS)

    # --- inbox -------------------------------------------------------------------------------------------------------

    @guarded
    async def accept(
        self, message: IncomingMessage, *, capacity: int, passive: bool = False, now: float | None = None
    ) -> Accepted:
        """See the port. The capacity counts per part of the inbox."""
        accepted, _ = await self._take_in(message, "", capacity, 0.0, passive, now)
        return accepted

    @guarded
    async def take_in(
        self,
        message: IncomingMessage,
        owner: str,
        *,
        capacity: int,
        lease_s: float,
        passive: bool = False,
        now: float | None = None,
    ) -> tuple[Accepted, InboxItem | None]:
        """See the port."""
        return await self._take_in(message, owner, capacity, lease_s, passive, now)

    async def _take_in(
        self, message: IncomingMessage, owner: str, capacity: int, lease_s: float, passive: bool, now: float | None
    ) -> tuple[Accepted, InboxItem | None]:
        chat = message.chat_key
        found = await self._run(
            "accept",
            _tag(chat),
            records.event_key(message),
            message.conversation_key,
            chat,
            records.dump_message(message),
            given(now),
            capacity,
            int(passive),
            PASSIVE_GRACE_S,
            owner,
            lease_s,
        )
        if isinstance(found, list):
            return Accepted.STORED, _item(found, message)
        return (Accepted.STORED, Accepted.DUPLICATE, Accepted.FULL)[int(found)], None

    @guarded
    async def claim(
        self,
        owner: str,
        *,
        lease_s: float,
        conversation: str | None = None,
        only: tuple[str, ...] | None = None,
        now: float | None = None,
    ) -> InboxItem | None:
        """See the port. Parts take turns, and within a part chats do."""
        while only != ():
            row = await self._lease(owner, now, lease_s, conversation, only)
            if row is None:
                return None
            try:
                return _item(row)
            except records.Unreadable:
                _LOG.error("ALERT: a stored message cannot be read and was closed")
                event, lane, chat, tag = (row[place].decode() for place in (0, 6, 7, 10))
                mark = self._mark(records.owner_of(lane))
                end = ("unreadable", "", _UNREADABLE_KEEP_S, PASSIVE_GRACE_S, mark, "")
                await self._run("finish", tag, owner, lane, event, chat, *end)
        return None

    async def _lease(
        self, owner: str, now: float | None, lease_s: float, conversation: str | None, only: tuple[str, ...] | None
    ) -> list[Any] | None:
        common = (owner, given(now), lease_s, PASSIVE_GRACE_S)
        if conversation is not None:
            chat = conversation.rsplit(":", 2)[0]
            row = await self._run("claim_lane", _tag(conversation), *common, conversation, chat)
            return list(row) if row else None
        self._turn += 1
        tags = [f"{{xuanka:{(self._turn + step) % _PARTS}}}" for step in range(_PARTS)]
        # In a cluster the parts lie apart, and a script sees one of them.
        for together in [[tag] for tag in tags] if self._is_cluster else [tags]:
            row = await self._eval("claim", together, *common, "any" if only is None else "own", *(only or ()))
            if row:
                return list(row)
        return None

    async def _holding(self, name: str, item: InboxItem, owner: str, *args: object) -> bool:
        tag, lane, chat = _place(item)
        return bool(await self._run(name, tag, owner, lane, item.id, chat, *args))

    @guarded
    async def renew(self, item: InboxItem, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """See the port."""
        return await self._holding("renew", item, owner, given(now), lease_s)

    @guarded
    async def handled(
        self,
        item: InboxItem,
        owner: str,
        reply: Reply,
        state: Conversation | None,
        *,
        ttl_s: float,
        beside: Sequence[Small] = (),
        now: float | None = None,
    ) -> bool:
        """See the port."""
        tag, lane, chat = _place(item)
        args = (
            records.dump_message(records.without_text(item.message)),
            records.dump_reply(reply),
            records.dump_conversation(state) if state is not None else "",
            max(1, int(ttl_s)),
            self._mark(item.message.owner_key),
            state.key if state is not None else "",
        )
        kept = [step for small in beside for step in self._putting(small)]
        found = await self._together(Script("handled", (tag,), (owner, lane, item.id, chat, *args)), *kept)
        return bool(found[0])

    @guarded
    async def resending(self, item: InboxItem, owner: str) -> bool:
        """See the port."""
        return await self._holding("resending", item, owner)

    @guarded
    async def postpone(self, item: InboxItem, owner: str, *, pause_s: float, now: float | None = None) -> bool:
        """See the port."""
        return await self._holding("postpone", item, owner, given(now), clamped(pause_s))

    @guarded
    async def finish(
        self,
        item: InboxItem,
        owner: str,
        *,
        outcome: str,
        message_id: str,
        keep_s: float,
        answered: IncomingMessage | None = None,
        now: float | None = None,
    ) -> bool:
        """See the port."""
        mark = self._mark(item.message.owner_key)
        known = records.dump_answers(item.answers, answered.message_id, message_id) if answered is not None else ""
        if known and answered is not None and answered.conversation_key != item.message.conversation_key:
            await self._answered_elsewhere(answered, known, mark)
            known = ""
        end = (outcome, message_id, max(1, int(keep_s)), PASSIVE_GRACE_S, mark, known)
        return await self._holding("finish", item, owner, *end)

    async def _answered_elsewhere(self, answered: IncomingMessage, known: str, mark: str) -> None:
        """The chat got a new id, and with it another part: what was answered is known there."""
        tag = _tag(answered.chat_key)
        key = f"{tag}:answers:{answered.conversation_key}"
        await self._db.set(key, known, ex=_MOVED_KEEP_S)
        await self._db.sadd(f"{tag}:of:{mark}", key)
        await self._db.expire(f"{tag}:of:{mark}", 2 * _UNREADABLE_KEEP_S)

    @guarded
    async def reply_of(self, message: IncomingMessage) -> Reply | None:
        """See the port."""
        tag = _tag(message.chat_key)
        return records.load_reply(await self._db.hget(f"{tag}:event:{records.event_key(message)}", "reply"))

    @guarded
    async def backlog(self, now: float | None = None) -> Backlog:
        """See the port."""
        waiting, oldest = 0, None
        for part in range(_PARTS):
            tag = f"{{xuanka:{part}}}"
            waiting += int(await self._db.zcard(f"{tag}:open"))
            first = await self._db.zrange(f"{tag}:open", 0, 0, withscores=True)
            if first:
                oldest = first[0][1] if oldest is None else min(oldest, first[0][1])
        if oldest is None:
            return Backlog(waiting, 0.0)
        moment = float(await self._run("time", f"{{xuanka:{part}}}")) if now is None else now
        return Backlog(waiting, max(0.0, moment - oldest))

    # --- conversations -----------------------------------------------------------------------------------------------

    @staticmethod
    def _state_key(key: str) -> str:
        return f"{_tag(key)}:state:{key}"

    @guarded
    async def load_conversation(self, key: str) -> Conversation | None:
        """See the port."""
        return records.load_conversation(await self._db.get(self._state_key(key)))

    @guarded
    async def save_conversation(self, conversation: Conversation, ttl_s: float) -> None:
        """See the port."""
        key = self._state_key(conversation.key)
        await self._db.set(key, records.dump_conversation(conversation), px=max(1, int(ttl_s * 1000)))
        index = f"{_tag(conversation.key)}:of:{self._mark(records.owner_of(conversation.key))}"
        await self._db.sadd(index, key)
        await self._db.expire(index, int(max(ttl_s, 86_400)))

    @guarded
    async def forget(self, owner: str) -> int:
        """See the port."""
        mark, gone = self._mark(owner), 0
        for part in range(_PARTS):
            gone += int(await self._run("forget", f"{{xuanka:{part}}}", mark))
        for key in await self._db.smembers(f"xuanka:of:{mark}"):  # in a cluster each lies somewhere else
            gone += int(await self._db.delete(key))
        await self._db.delete(f"xuanka:of:{mark}")
        return gone


def _place(item: InboxItem) -> tuple[str, ...]:
    """Tag, lane and chat of an item, as its claim found them."""
    message = item.message
    return item.place or (_tag(message.chat_key), message.conversation_key, message.chat_key)


def _item(row: list[Any], known: IncomingMessage | None = None) -> InboxItem:
    """What was claimed; `known` is its message where that needs no reading.

    Raises:
        Unreadable: the message is of no version that is known here.
    """
    event, message, reply, sends, accepted, passive, lane, chat, claims, now, tag, state, answers = row
    return InboxItem(
        id=event.decode(),
        message=known or records.load_message(message),
        accepted_at=float(accepted),
        reply=records.load_reply(reply),
        sends=int(sends),
        passive=passive == b"1",
        claims=int(claims),
        claimed_at=float(now),
        place=(tag.decode(), lane.decode(), chat.decode()),
        state=records.load_conversation(state),
        answers=records.load_answers(answers),
    )
