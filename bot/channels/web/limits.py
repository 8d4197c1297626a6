"""Bounds of the web app: body size, requests at once, seconds for each."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyTooLarge(ValueError):
    """The body is longer than it may be."""


async def read_body(request: Request, most: int) -> bytes:
    """The body, read no further than `most` bytes.

    Raises:
        BodyTooLarge: it is longer, by its header or in fact.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise BodyTooLarge
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise BodyTooLarge
    return bytes(body)


class Bounded:
    """Refuses with 503 what is too many at once or takes too long; never lets one client hold the rest up."""

    def __init__(self, app: ASGIApp, most_at_once: int, seconds: float) -> None:
        """Wrap an app."""
        self._app, self._seconds = app, seconds
        self._places = asyncio.Semaphore(most_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["path"] in {"/healthz", "/readyz", "/metrics"}:
            await self._app(scope, receive, send)
            return
        if self._places.locked():
            await JSONResponse({"error": "too many requests at once"}, 503, {"retry-after": "1"})(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        async with self._places:
            try:
                await asyncio.wait_for(self._app(scope, receive, sending), self._seconds)
            except TimeoutError:
                if not begun:
                    await JSONResponse({"error": "took too long"}, 503, {"retry-after": "1"})(scope, receive, send)
