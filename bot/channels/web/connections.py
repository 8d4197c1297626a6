"""Places for connections: who says nothing loses his to whoever wants to say something.

The HTTP server itself waits for a request as long as the client likes. Here a connection has so long for the head of a
request; when all places of the door, or of one address, are taken, the one that has kept us waiting the longest goes:
for a request, for the rest of one, or for taking in its answer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.channels.web.addresses import Proxies

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

_HEAD_S: Final = 10.0
"""From the opening of a connection to the end of its first request's head."""
_NEXT_S: Final = 30.0
"""From one answer to the end of the next request's head."""


class Places:
    """The connections of one door."""

    def __init__(self, most: int, per_address: int, proxies: Proxies) -> None:
        """`per_address` does not hold for the proxies, behind which many stand."""
        self._most, self._per_address, self._proxies = most, per_address, proxies
        self._of: Counter[str] = Counter()
        self._silent: dict[Guarded, str] = {}
        """Without a whole request in hand, the longest silent first."""
        self._busy: dict[Guarded, str] = {}
        self._all = 0

    def enter(self, one: Guarded, address: str) -> None:
        """Take a place, if need be from a silent one; where all are busy the new one is turned away."""
        self._all += 1
        self._of[address] += 1
        self.silent(one, address)
        if self._of[address] > self._per_address and not self._proxies.trust(address):
            self._evict(address)
        elif self._all > self._most:
            self._evict("")

    def _evict(self, address: str) -> None:
        silent = [one for one, where in self._silent.items() if address in ("", where)]
        # Only who has just come says nothing: somebody who does not read his answer goes rather than he.
        stuck = [one for one, where in self._busy.items() if address in ("", where) and one.is_stuck]
        (stuck[:1] if len(silent) == 1 and stuck else silent)[0].end()

    def leave(self, one: Guarded, address: str) -> None:
        """Give the place back."""
        self._all -= 1
        self._silent.pop(one, None)
        self._busy.pop(one, None)
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]

    def silent(self, one: Guarded, address: str) -> None:
        """It has no request in hand from now on."""
        self._silent.pop(one, None)
        self._busy.pop(one, None)
        self._silent[one] = address

    def busy(self, one: Guarded, address: str) -> None:
        """A request of it is in hand, and whole: nobody waits for more of it."""
        self._silent.pop(one, None)
        self._busy.setdefault(one, address)


class Guarded(H11Protocol):
    """A connection that ends when it is silent for too long, or its place is wanted."""

    places: Places

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """See uvicorn."""
        super().__init__(config, server_state, app_state, _loop)
        self._until: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._until = self.loop.call_later(_HEAD_S, self.end)
        self.places.enter(self, self._address)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give it back."""
        self._wait_no_more()
        if self._address or self.transport is not None:
            self.places.leave(self, self._address)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Notice when a request begins."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_no_more()
            if not self.cycle.more_body:
                self.places.busy(self, self._address)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait_no_more()
        self._until = self.loop.call_later(_NEXT_S, self.end)
        self.places.silent(self, self._address)
        super().on_response_complete()

    @property
    def is_stuck(self) -> bool:
        """Whether the client does not take in what it is sent."""
        return bool(self.flow is not None and self.flow.write_paused)

    def _wait_no_more(self) -> None:
        if self._until is not None:
            self._until.cancel()
            self._until = None

    def end(self) -> None:
        """Hang up at once."""
        self._wait_no_more()
        self.transport.abort()


def guarded(most: int, per_address: int, proxies: Proxies) -> type[Guarded]:
    """The protocol of one door, as uvicorn's `http` setting takes it."""
    return type("GuardedDoor", (Guarded,), {"places": Places(most, per_address, proxies)})
