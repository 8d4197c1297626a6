"""Posts a text or a card to the one-shot address that WeCom gave with a message. Source: developer page 101138.

The address works once and for an hour; it is a secret, so it is never logged. A post that may have arrived is not
repeated; one that never left is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import httpx

from bot.channels.trust import trusted

_LOG = logging.getLogger("xuanka.wecom")
_TRIES = 3
_PAUSE_S = 1.0
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class ResponsePoster:
    """Posts to response addresses."""

    def __init__(
        self, client: httpx.AsyncClient | None = None, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        """A client of one's own is made on first use."""
        self._client, self._sleep = client, sleep

    async def post(self, url: str, body: dict[str, object]) -> bool:
        """Post once. False only when it certainly is not there: WeCom refused it, or it never left."""
        if not url.startswith(("https://", "http://")):
            return False
        for attempt in range(1, _TRIES + 1):
            try:
                answer = await self._http().post(url, json=body)
            except _NOT_SENT:
                if attempt < _TRIES:
                    await self._sleep(_PAUSE_S * attempt)
                continue
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                _LOG.warning("a follow-up may not have arrived: %s", type(error).__name__)
                return not isinstance(error, httpx.InvalidURL)
            return not _is_refused(answer)
        _LOG.warning("a follow-up could not be posted: no connection")
        return False

    async def close(self) -> None:
        """Close the client."""
        if self._client is not None:
            await self._client.aclose()

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=10.0, follow_redirects=False, verify=trusted())
        return self._client


def _is_refused(answer: httpx.Response) -> bool:
    """Whether WeCom said no in so many words: a status 4xx, or an error code. Everything else proves nothing."""
    try:
        raw = answer.json()
    except (ValueError, RecursionError):
        raw = None
    code = raw.get("errcode") if isinstance(raw, dict) else None
    is_refused = 400 <= answer.status_code < 500 or (answer.is_success and type(code) is int and code != 0)
    if is_refused:
        _LOG.warning("WeCom refused a follow-up: status %d, errcode %s", answer.status_code, code)
    elif not answer.is_success or raw is None:
        _LOG.warning("a follow-up may not have arrived: status %d", answer.status_code)
    return is_refused
