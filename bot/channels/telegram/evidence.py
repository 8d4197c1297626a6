"""What a server's answer proves: taken, refused in so many words, or nothing.

The library believes what it can read; between the Bot API and the bot there are proxies, and servers that break. So an
answer is put into the form of the Bot API before the library sees it: only `ok` with a result was taken, only a refusal
(status 4xx, or `ok: false`) was not, and everything else - errors of the server, redirects, bodies that are cut or are
no JSON - says nothing: whatever was asked for may have happened.
"""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any, Final

from telegram.error import NetworkError, TimedOut
from telegram.request import HTTPXRequest

from bot.core.times import LONGEST_WAIT_S, clamped

_FLOOD: Final = 429
_CONFLICT: Final = 409
_TIMED_OUT: Final = 408
_KNOWN: Final = frozenset({400, 401, 403, 404, _CONFLICT, _FLOOD})
"""Refusals that the library tells apart; the others are as good as 400."""
_DEFAULT_FLOOD_S: Final = 5
"""Pause when flood control names none, or one that is no number."""
_OTHER_S: Final = 60.0
"""Seconds for connecting, sending and reading on top of the time that reading may stand still."""
_DEEPEST: Final = (ValueError, RecursionError)


class EvidentRequest(HTTPXRequest):
    """The library's client, whose answers are what they prove and whose requests end."""

    async def do_request(self, url: str, method: str, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        """One request.

        Raises:
            TimedOut: it did not end, however slowly bytes came in.
            NetworkError: the answer proves nothing.
        """
        still = kwargs.get("read_timeout")
        seconds = _OTHER_S + (float(still) if isinstance(still, int | float) else 0.0)
        try:
            async with asyncio.timeout(seconds):
                status, body = await super().do_request(url, method, *args, **kwargs)
        except TimeoutError as error:
            raise TimedOut("the answer never ended") from error
        return proven(status, body)


def proven(status: int, body: bytes) -> tuple[int, bytes]:
    """Status and body as the Bot API would have written them.

    Raises:
        NetworkError: the answer proves nothing.
    """
    said = _object(body) or {}
    if 200 <= status < 300:
        if said.get("ok") is True and "result" in said:
            return status, body
        status = _status_within(said)
    if not 400 <= status < 500 or status == _TIMED_OUT:
        raise NetworkError(f"an answer with status {status} that proves nothing")
    code = status if status in _KNOWN else 400
    return code, json.dumps(_refusal(code, said)).encode()


def _status_within(said: dict[str, object]) -> int:
    """The status that a body with `ok: false` names inside a 200; 0 for one that says neither."""
    if said.get("ok") is not False:
        return 0
    code = said.get("error_code")
    return code if type(code) is int else 400


def _object(body: bytes) -> dict[str, object] | None:
    try:
        said = json.loads(body)
    except _DEEPEST:
        return None
    return said if isinstance(said, dict) else None


def _refusal(code: int, said: dict[str, object]) -> dict[str, object]:
    """A refusal with a description that is text and parameters that are numbers."""
    description, given = said.get("description"), said.get("parameters")
    parameters: dict[str, int] = {}
    given = given if isinstance(given, dict) else {}
    moved = given.get("migrate_to_chat_id")
    if type(moved) is int and moved and code == 400:
        parameters["migrate_to_chat_id"] = moved
    elif code == _FLOOD:
        parameters["retry_after"] = pause_of(given.get("retry_after"))
    words = description if isinstance(description, str) and description else f"refused ({code})"
    return {"ok": False, "error_code": code, "description": words} | ({"parameters": parameters} if parameters else {})


def pause_of(given: object) -> int:
    """Whole seconds that flood control asks for: at least one, at most the longest pause there is."""
    if isinstance(given, bool) or not isinstance(given, int | float) or math.isnan(given) or given <= 0:
        return _DEFAULT_FLOOD_S
    return max(1, math.ceil(clamped(min(given, LONGEST_WAIT_S))))
