"""Callers who send a key, and what turns others away."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.channels.web.problems import problem


def caller_of(authorization: str, keys: Mapping[str, str]) -> str | None:
    """The name of the key that was sent; empty without one, None for one that is not known.

    Other schemes, and everything where no keys are set, are the business of a proxy in front.
    """
    scheme, _, given = authorization.strip().partition(" ")
    if scheme.casefold() != "bearer" or not keys:
        return ""
    # Each key is compared, and each in constant time: how long it takes tells nothing about any of them.
    same = [name for name, key in keys.items() if hmac.compare_digest(given.strip().encode(), key.encode())]
    return same[0] if same else None


def not_allowed(more: dict[str, object] | None = None) -> Response:
    """403 for who is not on the lists."""
    return problem(403, "this caller may not ask here", more=more)


def unknown_key() -> Response:
    """401 for a key that nobody has."""
    reason = "this key is not known: send 'Authorization: Bearer KEY', or nothing to be a stranger"
    return problem(401, reason, {"www-authenticate": "Bearer"})


class Listed:
    """An app that only answers callers who may ask: a key that is known, and with allow-lists one that is on them."""

    def __init__(self, app: ASGIApp, keys: Mapping[str, str], lets_in: Callable[[str], bool]) -> None:
        """Take the app, the keys by name, and whether a caller may ask ("" without a key)."""
        self._app, self._keys, self._lets_in = app, dict(keys), lets_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http":
            caller = caller_of(Headers(scope=scope).get("authorization", ""), self._keys)
            refused = unknown_key() if caller is None else None if self._lets_in(caller) else not_allowed()
            if refused is not None:
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)
