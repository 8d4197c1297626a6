"""Bounds of the web app: what an address may ask and send, bodies by size and time, requests at once, seconds for each.

A body is taken in whole before its request gets a place among those being worked on, so slow clients hold none.
Platforms (whose requests prove themselves by secret or signature) and strangers have places of their own.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.channels.web.addresses import Budgets, Proxies
from bot.channels.web.problems import problem

_LARGEST_BODY: Final = 1024 * 1024
"""Of any route; routes may take less."""
_MOST_BYTES: Final = 64 * 1024 * 1024
"""Of all bodies that are being taken in."""
_MOST_OF_ONE: Final = 8 * 1024 * 1024
"""Of those, what one address may hold, a platform's too: nobody keeps all others out with half-sent bodies."""
_COSTS: Final = {"/chart": 10, "/api/v1/chart": 10}
"""For how many requests one counts: a picture takes as long as ten answers."""
_OPEN: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_PLATFORMS: Final = ("/telegram/", "/wecom/")


class BodyTooLarge(ValueError):
    """The body is longer than it may be."""


async def read_body(request: Request, most: int) -> bytes:
    """The body, read no further than `most` bytes.

    Raises:
        BodyTooLarge: it is longer, by its header or in fact.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > most:
        raise BodyTooLarge
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise BodyTooLarge
    return bytes(body)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the web app takes."""

    most_at_once: int = 256
    """Requests of strangers being worked on, and as many of platforms."""
    seconds: float = 10.0
    """For working on one."""
    body_seconds: float = 5.0
    """For taking in a body."""
    per_minute: int = 600
    """Requests of one address."""
    bytes_per_minute: int = 8 * 1024 * 1024
    """Of bodies of one address."""
    proxies: Proxies = field(default_factory=Proxies)
    is_known: Callable[[Headers], bool] = lambda _: False
    """Whether a caller has a key; his address has no budget."""


class Bounded:
    """Refuses what is too much, too many at once or too slow; never lets one client hold the rest up."""

    def __init__(self, app: ASGIApp, bounds: Bounds) -> None:
        """Wrap an app."""
        self._app, self._bounds = app, bounds
        self._places = {kind: asyncio.Semaphore(bounds.most_at_once) for kind in (True, False)}
        self._requests, self._bytes = Budgets(bounds.per_minute), Budgets(bounds.bytes_per_minute)
        self._taken_in = 0
        self._held: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["path"] in _OPEN:
            await self._app(scope, receive, send)
            return
        is_platform = scope["path"].startswith(_PLATFORMS)
        address = "" if is_platform else self._address(scope)
        wait = self._requests.take(address, _COSTS.get(scope["path"], 1), time.monotonic())
        if wait:
            await _too_much(wait)(scope, receive, send)
            return
        body = _Body(self._bounds.proxies.client(scope))
        try:
            refused = await self._take_in(body, scope, receive, address)
            if refused is None:
                await self._work(scope, body, receive, send, self._places[is_platform])
            else:
                await refused(scope, receive, send)
        finally:
            self._let_go(body)

    def _address(self, scope: Scope) -> str:
        return "" if self._bounds.is_known(Headers(scope=scope)) else self._bounds.proxies.client(scope)

    async def _take_in(self, body: _Body, scope: Scope, receive: Receive, address: str) -> Response | None:
        """Take in whole what is sent; gives the answer to a body that is too slow, too much, or never comes."""
        declared = Headers(scope=scope).get("content-length", "")
        if scope["method"] in {"GET", "HEAD"} or (declared.isdecimal() and int(declared[:20]) > _LARGEST_BODY):
            return None  # none, or one that is refused by its header
        try:
            async with asyncio.timeout(self._bounds.body_seconds):
                while not body.is_whole and body.size <= _LARGEST_BODY:
                    refused = self._count(body, body.add(await receive()), address)
                    if refused is not None:
                        return refused
        except TimeoutError:
            return _refuse(408, "the body came too slowly", close=True)
        except ClientDisconnect:
            return _refuse(400, "the request ended early", close=True)
        return None

    def _count(self, body: _Body, size: int, address: str) -> Response | None:
        """Count a part of a body when it comes, not when all of it is there; gives the answer to one too many."""
        self._taken_in += size
        self._held[body.held_by] += size
        wait = self._bytes.take(address, size, time.monotonic())
        if wait:
            return _too_much(wait, close=True)
        if self._taken_in > _MOST_BYTES or (body.held_by and self._held[body.held_by] > _MOST_OF_ONE):
            return _refuse(503, "too many requests at once", 1, close=True)
        return None

    def _let_go(self, body: _Body) -> None:
        self._taken_in -= body.size
        self._held[body.held_by] -= body.size
        if not self._held[body.held_by]:
            del self._held[body.held_by]

    async def _work(self, scope: Scope, body: _Body, receive: Receive, send: Send, places: asyncio.Semaphore) -> None:
        if places.locked():
            await _refuse(503, "too many requests at once", 1)(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        async with places:
            try:
                await asyncio.wait_for(self._app(scope, body.then(receive), sending), self._bounds.seconds)
            except TimeoutError:
                if not begun:
                    await _refuse(503, "took too long", 1)(scope, receive, send)


class _Body:
    """The parts of a body as they came, and the address that they came from ("" for a trusted proxy's own)."""

    def __init__(self, held_by: str = "") -> None:
        self.held_by = held_by
        self._parts: list[Message] = []
        self.size = 0
        self.is_whole = False

    def add(self, message: Message) -> int:
        """Take in a part; gives its bytes. Raises ClientDisconnect when the client is gone."""
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        size = len(message.get("body", b""))
        self._parts.append(message)
        self.size += size
        self.is_whole = not message.get("more_body", False)
        return size

    def then(self, receive: Receive) -> Receive:
        """Gives the parts again, then what comes after them."""
        parts = iter(self._parts)

        async def again() -> Message:
            part = next(parts, None)
            return part if part is not None else await receive()

        return again


def _too_much(wait: float, *, close: bool = False) -> Response:
    return _refuse(429, "too much from this address, try again later", math.ceil(wait), close=close)


def _refuse(status: int, reason: str, retry_after: int = 0, *, close: bool = False) -> Response:
    headers = {"retry-after": str(retry_after)} if retry_after else {}
    if close:
        headers["connection"] = "close"
    return problem(status, reason, headers)
