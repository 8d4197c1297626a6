"""The connection to a Valkey (or Redis 7) server: opening, running scripts, and what trouble there means.

A dropped connection is made again by the client; what cannot be done in time raises `StoreUnavailable`.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Concatenate, Final, ParamSpec, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from valkey.asyncio import Valkey
from valkey.asyncio.cluster import ValkeyCluster
from valkey.asyncio.retry import Retry
from valkey.backoff import ExponentialBackoff
from valkey.exceptions import ConnectionError as LostConnection
from valkey.exceptions import NoScriptError, ReadOnlyError, ValkeyError

from bot.core.ports import StoreUnavailable
from bot.stores import records
from bot.stores.valkey_scripts import SCRIPTS

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="ValkeyClient")
Word = int | bytes | None
"""What a single step gives."""
_TIMEOUT_S: Final = 2.0
_HASHES: Final = {
    name: hashlib.sha1(body.encode(), usedforsecurity=False).hexdigest() for name, body in SCRIPTS.items()
}


def guarded(
    method: Callable[Concatenate[S, P], Awaitable[R]],
) -> Callable[Concatenate[S, P], Coroutine[object, object, R]]:
    """Turn server trouble into `StoreUnavailable`; addresses and data stay out of the message."""

    @functools.wraps(method)
    async def wrapper(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await method(self, *args, **kwargs)
        except ReadOnlyError:
            # A fail-over made this server a replica: connections to it are of no use any more.
            await self.reconnect()
            raise StoreUnavailable("valkey: the server became a replica") from None
        except (ValkeyError, OSError, TimeoutError) as error:
            raise StoreUnavailable(f"valkey: {type(error).__name__}") from None

    return wrapper


def _connect(address: str) -> Any:
    """A client for an address; `?cluster=true` makes it one for a cluster."""
    split = urlsplit(address.replace("redis", "valkey", 1) if address.startswith("redis") else address)
    query = dict(parse_qsl(split.query))
    cluster = query.pop("cluster", "").casefold() in {"1", "true", "yes"}
    plain = urlunsplit(split._replace(query=urlencode(query)))
    # A command that took too long is not tried again: its caller has a deadline of its own.
    retry = Retry(ExponentialBackoff(cap=0.5, base=0.02), 3, supported_errors=(LostConnection,))
    kind = ValkeyCluster if cluster else Valkey
    return kind.from_url(
        plain,
        retry=retry,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        health_check_interval=30,
    )


@dataclass(frozen=True, slots=True)
class Script:
    """A call of a script, among other steps."""

    name: str
    keys: tuple[str, ...]
    args: tuple[object, ...]


class ValkeyClient:
    """One client of a server that all replicas share."""

    def __init__(self, address: str, salt: bytes = b"") -> None:
        """Name the server: valkey://host:port/db or redis://, valkeys:// and rediss:// with TLS, ?cluster=true."""
        self._address, self._salt = address, salt
        self._client: Any = None

    @guarded
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

    async def _run(self, name: str, tag: str, *args: object) -> Any:
        """Run a script; its keys all begin with the tag, which is its one declared key."""
        return await self._eval(name, [tag], *args)

    async def _eval(self, name: str, keys: list[str], *args: object) -> Any:
        db = self._db
        try:
            return await db.evalsha(_HASHES[name], len(keys), *keys, *args)
        except NoScriptError:  # a fresh or restarted server
            return await db.eval(SCRIPTS[name], len(keys), *keys, *args)

    @property
    def _is_cluster(self) -> bool:
        return isinstance(self._db, ValkeyCluster)

    async def _together(self, *steps: Script | tuple[object, ...]) -> list[Word]:
        """Scripts and commands in one round trip, in order; in a cluster, where keys lie apart, one after the other."""
        if len(steps) == 1 or self._is_cluster:
            return [await self._step(step) for step in steps]
        try:
            return await self._piped(steps)
        except NoScriptError:  # nothing of a script was done; what else was done may be done again
            for script in (step for step in steps if isinstance(step, Script)):
                await self._db.script_load(SCRIPTS[script.name])
            return await self._piped(steps)

    async def _step(self, step: Script | tuple[object, ...]) -> Word:
        if isinstance(step, Script):
            found: Word = await self._eval(step.name, list(step.keys), *step.args)
        else:
            found = await self._db.execute_command(*step)
        return found

    async def _piped(self, steps: tuple[Script | tuple[object, ...], ...]) -> list[Word]:
        pipe = self._db.pipeline(transaction=False)
        for step in steps:
            if isinstance(step, Script):
                pipe.evalsha(_HASHES[step.name], len(step.keys), *step.keys, *step.args)
            else:
                pipe.execute_command(*step)
        return list(await pipe.execute())

    def _mark(self, name: str) -> str:
        return records.mark_of(name, self._salt)
