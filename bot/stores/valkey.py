"""The store for many replicas: Valkey (or Redis 7) with one Lua script for each step that must be whole.

Everything of a chat lives under one hash tag, `{xuanka:<part>}`, where the part is derived from the chat: in a cluster
all keys of a script are on one node, and parts spread over the nodes. A dropped connection is made again by the
client; what cannot be done in time raises `StoreUnavailable`, so nothing is acknowledged that was not stored.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from valkey.asyncio import Valkey
from valkey.asyncio.cluster import ValkeyCluster
from valkey.asyncio.retry import Retry
from valkey.backoff import ExponentialBackoff
from valkey.exceptions import ConnectionError as LostConnection
from valkey.exceptions import NoScriptError, ReadOnlyError, ValkeyError

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import PASSIVE_GRACE_S, Accepted, Backlog, InboxItem, StoreUnavailable
from bot.core.times import clamped
from bot.stores import records
from bot.stores.valkey_scripts import SCRIPTS

P = ParamSpec("P")
R = TypeVar("R")
_LOG = logging.getLogger("xuanka.store")
_PARTS = 4
_TIMEOUT_S = 2.0
_COUNTER_TTL_S = 400 * 86_400
_RENEW_EVERY = 100
_UNREADABLE_KEEP_S = 86_400
_PROBE_BYTES = 1024
_PROBE_MS = 1000
_HASHES = {name: hashlib.sha1(body.encode(), usedforsecurity=False).hexdigest() for name, body in SCRIPTS.items()}


def _guarded(
    method: Callable[Concatenate[ValkeyStore, P], Awaitable[R]],
) -> Callable[Concatenate[ValkeyStore, P], Coroutine[Any, Any, R]]:
    """Turn server trouble into `StoreUnavailable`; addresses and data stay out of the message."""

    @functools.wraps(method)
    async def wrapper(self: ValkeyStore, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await method(self, *args, **kwargs)
        except ReadOnlyError:
            # A fail-over made this server a replica: connections to it are of no use any more.
            await self.reconnect()
            raise StoreUnavailable("valkey: the server became a replica") from None
        except (ValkeyError, OSError, TimeoutError) as error:
            raise StoreUnavailable(f"valkey: {type(error).__name__}") from None

    return wrapper


def part_of(key: str) -> int:
    """The part in which a chat or a conversation lies. The bot is left out of it, as it was before keys held one."""
    channel, _, chat, *_ = key.split(":")
    return zlib.crc32(f"{unquote(channel)}:{unquote(chat)}".encode()) % _PARTS


def _tag(key: str) -> str:
    return f"{{xuanka:{part_of(key)}}}"


def _given(now: float | None) -> float | str:
    """A time that a test gives; the scripts take the server's for the empty text."""
    return "" if now is None else now


def _connect(address: str) -> Any:
    """A client for an address; `?cluster=true` makes it one for a cluster."""
    split = urlsplit(address.replace("redis", "valkey", 1) if address.startswith("redis") else address)
    query = dict(parse_qsl(split.query))
    cluster = query.pop("cluster", "").casefold() in {"1", "true", "yes"}
    plain = urlunsplit(split._replace(query=urlencode(query)))
    # A command that took too long is not tried again: its caller has a deadline of its own.
    retry = Retry(ExponentialBackoff(cap=0.5, base=0.02), 3, supported_errors=(LostConnection,))
    times: dict[str, Any] = {
        "socket_timeout": _TIMEOUT_S,
        "socket_connect_timeout": _TIMEOUT_S,
        "health_check_interval": 30,
    }
    kind = ValkeyCluster if cluster else Valkey
    return kind.from_url(plain, retry=retry, **times)


class ValkeyStore:
    """State on a server that all replicas share."""

    def __init__(self, address: str, salt: bytes = b"") -> None:
        """Name the server: valkey://host:port/db or redis://, valkeys:// and rediss:// with TLS, ?cluster=true."""
        self._address, self._salt = address, salt
        self._client: Any = None
        self._turn = 0

    # --- opening -----------------------------------------------------------------------------------------------------

    @_guarded
    async def open(self) -> None:
        """Connect and check that the server answers.

        Raises:
            StoreUnavailable: it does not.
        """
        if self._client is not None:
            return
        try:
            client = _connect(self._address)
        except ValueError:
            raise StoreUnavailable("valkey: the address cannot be read") from None
        try:
            await client.ping()
        except BaseException:
            await client.aclose()
            raise
        self._client = client

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def reconnect(self) -> None:
        """Let go of all connections; the next command makes new ones."""
        pool = getattr(self._client, "connection_pool", None)
        if pool is not None:
            with suppress(ValkeyError, OSError):
                await pool.disconnect()

    @property
    def _db(self) -> Any:
        if self._client is None:
            raise StoreUnavailable("valkey: the store is not open")
        return self._client

    async def _run(self, name: str, tag: str, *args: Any) -> Any:
        """Run a script; its keys all begin with the tag, which is its one declared key."""
        return await self._eval(name, [tag], *args)

    async def _eval(self, name: str, keys: list[str], *args: Any) -> Any:
        db = self._db
        try:
            return await db.evalsha(_HASHES[name], len(keys), *keys, *args)
        except NoScriptError:  # a fresh or restarted server
            return await db.eval(SCRIPTS[name], len(keys), *keys, *args)

    @_guarded
    async def tidy(self, now: float | None = None) -> None:
        """Nothing to do: the server drops what has expired."""

    @_guarded
    async def probe(self) -> None:
        """See the port. Every node of a cluster that holds a part of the inbox is asked."""
        for part in range(_PARTS):
            await self._db.set(f"{{xuanka:{part}}}:probe", b"0" * _PROBE_BYTES, px=_PROBE_MS)

    # --- inbox -------------------------------------------------------------------------------------------------------

    @_guarded
    async def accept(
        self, message: IncomingMessage, *, capacity: int, passive: bool = False, now: float | None = None
    ) -> Accepted:
        """See the port. The capacity counts per part of the inbox."""
        chat = message.chat_key
        code = await self._run(
            "accept",
            _tag(chat),
            records.event_key(message),
            message.conversation_key,
            chat,
            records.dump_message(message),
            _given(now),
            capacity,
            int(passive),
            PASSIVE_GRACE_S,
        )
        return (Accepted.STORED, Accepted.DUPLICATE, Accepted.FULL)[int(code)]

    @_guarded
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
            found = await self._lease(owner, now, lease_s, conversation, only)
            if found is None:
                return None
            tag, row = found
            try:
                return _item(tag, row)
            except records.Unreadable:
                _LOG.error("ALERT: a stored message cannot be read and was closed")
                event, lane, chat = row[0].decode(), row[6].decode(), row[7].decode()
                end = ("unreadable", "", _UNREADABLE_KEEP_S, PASSIVE_GRACE_S, self._mark(records.owner_of(lane)))
                await self._run("finish", tag, owner, lane, event, chat, *end)
        return None

    async def _lease(
        self, owner: str, now: float | None, lease_s: float, conversation: str | None, only: tuple[str, ...] | None
    ) -> tuple[str, list[Any]] | None:
        common = (owner, _given(now), lease_s, PASSIVE_GRACE_S)
        if conversation is not None:
            tag, chat = _tag(conversation), conversation.rsplit(":", 2)[0]
            row = await self._run("claim_lane", tag, *common, conversation, chat)
            return (tag, list(row)) if row else None
        self._turn += 1
        for step in range(_PARTS):
            tag = f"{{xuanka:{(self._turn + step) % _PARTS}}}"
            row = await self._run("claim", tag, *common, "any" if only is None else "own", *(only or ()))
            if row:
                return tag, list(row)
        return None

    async def _holding(self, name: str, item: InboxItem, owner: str, *args: Any) -> bool:
        tag, lane, chat = _place(item)
        return bool(await self._run(name, tag, owner, lane, item.id, chat, *args))

    @_guarded
    async def renew(self, item: InboxItem, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """See the port."""
        return await self._holding("renew", item, owner, _given(now), lease_s)

    @_guarded
    async def handled(
        self,
        item: InboxItem,
        owner: str,
        reply: Reply,
        state: Conversation | None,
        *,
        ttl_s: float,
        now: float | None = None,
    ) -> bool:
        """See the port."""
        return await self._holding(
            "handled",
            item,
            owner,
            records.dump_message(records.without_text(item.message)),
            records.dump_reply(reply),
            records.dump_conversation(state) if state is not None else "",
            max(1, int(ttl_s)),
            self._mark(item.message.owner_key),
            state.key if state is not None else "",
        )

    @_guarded
    async def resending(self, item: InboxItem, owner: str) -> bool:
        """See the port."""
        return await self._holding("resending", item, owner)

    @_guarded
    async def postpone(self, item: InboxItem, owner: str, *, pause_s: float, now: float | None = None) -> bool:
        """See the port."""
        return await self._holding("postpone", item, owner, _given(now), clamped(pause_s))

    @_guarded
    async def finish(
        self,
        item: InboxItem,
        owner: str,
        *,
        outcome: str,
        message_id: str,
        keep_s: float,
        now: float | None = None,
    ) -> bool:
        """See the port."""
        return await self._holding(
            "finish",
            item,
            owner,
            outcome,
            message_id,
            max(1, int(keep_s)),
            PASSIVE_GRACE_S,
            self._mark(item.message.owner_key),
        )

    @_guarded
    async def reply_of(self, message: IncomingMessage) -> Reply | None:
        """See the port."""
        tag = _tag(message.chat_key)
        return records.load_reply(await self._db.hget(f"{tag}:event:{records.event_key(message)}", "reply"))

    @_guarded
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

    @_guarded
    async def load_conversation(self, key: str) -> Conversation | None:
        """See the port."""
        return records.load_conversation(await self._db.get(self._state_key(key)))

    @_guarded
    async def save_conversation(self, conversation: Conversation, ttl_s: float) -> None:
        """See the port."""
        key = self._state_key(conversation.key)
        await self._db.set(key, records.dump_conversation(conversation), px=max(1, int(ttl_s * 1000)))
        index = f"{_tag(conversation.key)}:of:{self._mark(records.owner_of(conversation.key))}"
        await self._db.sadd(index, key)
        await self._db.expire(index, int(max(ttl_s, 86_400)))

    @_guarded
    async def forget(self, owner: str) -> int:
        """See the port."""
        mark, gone = self._mark(owner), 0
        for part in range(_PARTS):
            gone += int(await self._run("forget", f"{{xuanka:{part}}}", mark))
        for key in await self._db.smembers(f"xuanka:of:{mark}"):  # in a cluster each lies somewhere else
            gone += int(await self._db.delete(key))
        await self._db.delete(f"xuanka:of:{mark}")
        return gone

    def _mark(self, name: str) -> str:
        return records.mark_of(name, self._salt)

    # --- small values ------------------------------------------------------------------------------------------------

    @_guarded
    async def get(self, key: str) -> Any:
        """See the port."""
        value = await self._db.get(f"xuanka:small:{key}")
        return json.loads(value) if value is not None else None

    @_guarded
    async def put(self, key: str, value: Any, ttl_s: float | None = None, *, owner: str = "") -> None:
        """See the port."""
        expiry = None if ttl_s is None else max(1, int(ttl_s * 1000))
        if owner:  # found before it is there: whatever happens in between, `forget` erases it
            await self._note_owner(f"xuanka:of:{self._mark(owner)}", f"xuanka:small:{key}", ttl_s)
        await self._db.set(f"xuanka:small:{key}", json.dumps(value), px=expiry)

    async def _note_owner(self, index: str, key: str, ttl_s: float | None) -> None:
        """Keep for whom a key is, as long as the longest-lived one of his."""
        life = _COUNTER_TTL_S if ttl_s is None else int(ttl_s) + 60
        await self._db.sadd(index, key)
        await self._db.expire(index, life, nx=True)
        await self._db.expire(index, life, gt=True)

    @_guarded
    async def delete(self, key: str) -> None:
        """See the port."""
        await self._db.delete(f"xuanka:small:{key}")

    @_guarded
    async def left(self, key: str) -> float:
        """See the port."""
        left = int(await self._db.pttl(f"xuanka:small:{key}"))
        return float("inf") if left == -1 else max(0, left) / 1000

    @_guarded
    async def count(self, name: str, field: str, by: int = 1) -> None:
        """See the port."""
        key = f"xuanka:count:{name}"
        total = await self._db.hincrby(key, field, by)
        if total % _RENEW_EVERY == by:  # the counter's life is renewed now and then, not with each count
            await self._db.expire(key, _COUNTER_TTL_S)

    @_guarded
    async def counts(self, name: str) -> dict[str, int]:
        """See the port."""
        found = await self._db.hgetall(f"xuanka:count:{name}")
        return {field.decode(): int(total) for field, total in sorted(found.items())}

    @_guarded
    async def uncount(self, name: str, field: str) -> None:
        """See the port."""
        await self._db.hdel(f"xuanka:count:{name}", field)

    @_guarded
    async def take(
        self, bucket: str, *, rate_per_s: float, burst: float, cost: float = 1.0, now: float | None = None
    ) -> float:
        """See the port."""
        return float(
            await self._run("take", f"xuanka:bucket:{self._mark(bucket)}", _given(now), rate_per_s, burst, cost)
        )

    @_guarded
    async def take_all(self, buckets: Sequence[tuple[str, float, float]], *, now: float | None = None) -> int | None:
        """See the port. In a cluster the buckets lie apart: they are taken from one after the other."""
        if not isinstance(self._db, ValkeyCluster):
            numbers = [number for _, rate_per_s, burst in buckets for number in (rate_per_s, burst)]
            keys = [f"xuanka:bucket:{self._mark(key)}" for key, _, _ in buckets]
            place = int(await self._eval("take_all", keys, _given(now), *numbers))
            return place - 1 if place else None
        for place, (key, rate_per_s, burst) in enumerate(buckets):
            if await self.take(key, now=now, rate_per_s=rate_per_s, burst=burst) > 0:
                return place
        return None

    @_guarded
    async def lead(self, name: str, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """See the port."""
        return bool(await self._run("lead", f"xuanka:lease:{name}", owner, _given(now), lease_s))

    @_guarded
    async def resign(self, name: str, owner: str) -> None:
        """See the port."""
        await self._run("resign", f"xuanka:lease:{name}", owner)


def _place(item: InboxItem) -> tuple[str, ...]:
    """Tag, lane and chat of an item, as its claim found them."""
    message = item.message
    return item.place or (_tag(message.chat_key), message.conversation_key, message.chat_key)


def _item(tag: str, row: list[Any]) -> InboxItem:
    event, message, reply, sends, accepted, passive, lane, chat, claims, now = row
    return InboxItem(
        id=event.decode(),
        message=records.load_message(message),
        accepted_at=float(accepted),
        reply=records.load_reply(reply),
        sends=int(sends),
        passive=passive == b"1",
        claims=int(claims),
        claimed_at=float(now),
        place=(tag, lane.decode(), chat.decode()),
    )
