"""What time it is at WeCom, for a machine whose own clock was wrong from the start.

Asked only when a callback with the right signature is outside the window by the clocks at hand: else every callback of
such a machine would be refused. The day and time stand in the head of any answer over TLS, so whoever captured an old
callback cannot tell us another.
"""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import httpx

ADDRESS: Final = "https://qyapi.weixin.qq.com/"
_WAIT_S: Final = 2.0
"""A callback has to be answered within five."""
_AGAIN_S: Final = 60.0
_FRESH_S: Final = 3600.0
"""How long the steady clock carries on what was told."""


class PlatformTime:
    """WeCom's time, as its answers tell it."""

    def __init__(self, steady: Callable[[], float], client: Callable[[], httpx.AsyncClient] | None = None) -> None:
        """`steady` counts seconds and is never set; `client` makes what asks."""
        self._steady = steady
        self._client = client
        self._told: float | None = None
        self._asked: float | None = None

    async def now(self) -> float | None:
        """Seconds since the epoch; None where nobody could be asked. At most one question a minute."""
        since = self._steady() - self._asked if self._asked is not None else _FRESH_S
        if since >= (_AGAIN_S if self._told is None else _FRESH_S):
            self._asked = self._steady()
            told = await self._ask()
            self._told = told - self._steady() if told is not None else None
        return None if self._told is None else self._told + self._steady()

    async def _ask(self) -> float | None:
        import httpx  # next to nobody's clock is wrong

        made = self._client() if self._client else httpx.AsyncClient(timeout=_WAIT_S, follow_redirects=False)
        try:
            async with made as client:
                answer = await client.head(ADDRESS)
            told = parsedate_to_datetime(answer.headers.get("date", ""))
        except (httpx.HTTPError, TypeError, ValueError):
            return None
        return told.timestamp() if told.tzinfo is not None else None
