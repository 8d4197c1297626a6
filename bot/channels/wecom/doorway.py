"""What every callback passes before it is looked into: size, signature, time, receiver, replay.

Answers: 400 no callback, 403 wrong signature, time or receiver or a replay, 413 too large, 408 too slow.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request

from bot.channels.wecom.crypto import WecomCrypto
from bot.channels.wecom.errors import BadEnvelope, CryptoError
from bot.core.ports import Store

_LOG = logging.getLogger("xuanka.wecom")
BODY_LIMIT = 1 << 19
_BODY_S = 5.0
_WINDOW_S = 300.0
_MOST_QUERY = 8192
_PARTS = ("msg_signature", "timestamp", "nonce")


class Turned(Exception):
    """A request that goes no further. `status` is all that the caller learns."""

    def __init__(self, status: int, why: str) -> None:
        """`why` is for the log: it holds nothing of the request."""
        self.status = status
        super().__init__(why)


class Doorway:
    """The checks of one endpoint."""

    def __init__(
        self,
        crypto: WecomCrypto,
        store: Store,
        name: str,
        clock: Callable[[], float],
        steady: Callable[[], float],
        platform: Callable[[], Awaitable[float | None]] | None = None,
        body_limit: int = BODY_LIMIT,
    ) -> None:
        """Wire it.

        Args:
            crypto: verifies and opens.
            store: keeps the marks of nonces.
            name: keeps the marks of endpoints apart.
            clock: the clock on the wall.
            steady: a clock of seconds that nobody sets.
            platform: what time it is at WeCom, asked where the other clocks refuse a callback that is signed well.
            body_limit: bytes.
        """
        self._steady, self._at_start = steady, clock() - steady()
        self._crypto, self._store, self._name, self._clock = crypto, store, name, clock
        self._platform, self._limit, self._warned = platform, body_limit, False

    def query(self, request: Request) -> dict[str, str]:
        """The query, each value decoded exactly once. A `+` stays one, since it occurs in base64.

        Raises:
            Turned: too long, or a part is missing.
        """
        raw = request.scope.get("query_string", b"")
        if len(raw) > _MOST_QUERY:
            raise Turned(400, "a query too long")
        pairs = (pair.partition("=") for pair in raw.decode("latin-1").split("&"))
        found = {unquote(name): unquote(value) for name, _, value in pairs}
        if not all(found.get(part) for part in _PARTS):
            raise Turned(400, "no callback: parts of the query are missing")
        return found

    async def body(self, request: Request) -> bytes:
        """The body, refused as soon as it is known to be too large or too slow.

        Raises:
            Turned: it is.
        """
        announced = request.headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > self._limit:
            raise Turned(413, "a body too large")
        body = bytearray()
        try:
            async with asyncio.timeout(_BODY_S):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > self._limit:
                        raise Turned(413, "a body too large")
        except TimeoutError:
            raise Turned(408, "a body too slow") from None
        except ClientDisconnect:
            raise Turned(400, "a body broken off") from None
        return bytes(body)

    async def open(self, query: dict[str, str], encrypted: str) -> str:
        """The plain text of a sealed one.

        Raises:
            Turned: wrong signature, too old or too new, not decipherable, not for us.
        """
        try:
            self._crypto.verify(query["msg_signature"], query["timestamp"], query["nonce"], encrypted)
            if not await self._is_timely(query["timestamp"]):
                raise Turned(403, "a callback outside the time window")
            return self._crypto.decrypt(encrypted)
        except BadEnvelope:
            raise Turned(400, "a callback that cannot be decrypted") from None
        except CryptoError as error:
            raise Turned(403, f"a callback refused: {type(error).__name__}") from None

    async def admit_once(self, query: dict[str, str], identity: str) -> None:
        """Let a nonce through for one event only: a repeat of the same event passes, anything else is a replay.

        Raises:
            Turned: a replay.
        """
        mark = hashlib.sha256(f"{query['nonce']}\0{query['timestamp']}".encode()).hexdigest()[:32]
        key = f"wecom:nonce:{self._name}:{mark}"
        mine = hashlib.sha256(identity.encode()).hexdigest()[:32]
        known = await self._store.get(key)
        if known is None:
            await self._store.put(key, mine, 2 * _WINDOW_S)
        elif known != mine:
            raise Turned(403, "a nonce used before for something else")

    def seal(self, plain: str, nonce: str) -> tuple[str, str, int]:
        """A reply: sealed text, signature, time."""
        timestamp = int(self._clock())
        encrypted = self._crypto.encrypt(plain)
        return encrypted, self._crypto.signature(str(timestamp), nonce, encrypted), timestamp

    async def _is_timely(self, timestamp: str) -> bool:
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            return False
        # A wall clock that was set since the start must not shut everybody out.
        clocks = (self._clock(), self._at_start + self._steady())
        if any(abs(now - int(timestamp)) <= _WINDOW_S for now in clocks):
            return True
        # Nor one that was wrong from the start.
        told = await self._platform() if self._platform is not None else None
        if told is None or abs(told - int(timestamp)) > _WINDOW_S:
            return False
        if not self._warned:
            self._warned = True
            _LOG.error("ALERT: the clock of this machine is %.0f s from WeCom's: set it", self._clock() - told)
        return True
