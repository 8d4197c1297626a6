"""The webhook as a route of the project's own web app: an update is acknowledged only once it is safely taken."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from bot.core.ports import Accepted

_LOG = logging.getLogger("xuanka.telegram")
DEFAULT_PATH = "/telegram/webhook"
BODY_LIMIT = 1 << 20
_SECRET_HEADER = "x-telegram-bot-api-secret-token"  # noqa: S105 - the name of a header
_RETRY_S = "2"

Take = Callable[[dict[str, object]], Awaitable[Accepted]]


class _TooLarge(ValueError):
    """The body is larger than any update."""


def webhook_routes(take: Take, *, secret: str, path: str = DEFAULT_PATH, body_limit: int = BODY_LIMIT) -> list[Route]:
    """Routes that hand updates to `take`.

    Args:
        take: accepts one raw update; see `Doorkeeper.take`.
        secret: what the secret header must be.
        path: where Telegram posts; a part that nobody can guess is a second secret.
        body_limit: bytes; larger bodies are refused unread.

    Raises:
        ValueError: the secret is empty.

    Answers: 200 taken or of no interest, 400 not an update, 403 wrong secret, 413 too large, 503 not taken (Telegram
    sends it again).
    """

    if not secret:
        raise ValueError("a webhook without a secret would believe anybody")

    async def endpoint(request: Request) -> Response:
        if not _is_known(request.headers.get(_SECRET_HEADER, ""), secret):
            _LOG.warning("a webhook request without the right secret was refused")
            return Response(status_code=403)
        try:
            raw = _parse(await _read(request, body_limit))
        except _TooLarge:
            return Response(status_code=413)
        except ClientDisconnect:
            return Response(status_code=400)
        if raw is None:
            return Response(status_code=400)
        try:
            accepted = await take(raw)
        except Exception as error:
            _LOG.error("the inbox failed, the update stays with Telegram: %s", type(error).__name__)
            accepted = Accepted.FULL
        if accepted is Accepted.FULL:
            return Response(status_code=503, headers={"retry-after": _RETRY_S})
        return Response(status_code=200)

    return [Route(path, endpoint, methods=["POST"])]


def _is_known(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


async def _read(request: Request, limit: int) -> bytes:
    """The body, refused as soon as it is known to be too large."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > limit:
        raise _TooLarge
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _TooLarge
    return bytes(body)


def _parse(body: bytes) -> dict[str, object] | None:
    """The update, or None when the body is no JSON object with a number, or one nested beyond reason."""
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or type(raw.get("update_id")) is not int:
        return None
    return raw
