"""Keeps the long connection: by the one replica that leads, again after every end, never against another connection.

Only the holder of the store's lease connects; the others stand by and take over when the lease runs out. After an end
comes a pause that doubles from 1 s to 30 s. Who is kicked by another connection pauses much longer, asks for the lease
again, and reconnects once; kicked again within minutes, it stands by and raises an alarm, because two connections of
one bot would otherwise kick each other for ever.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from websockets.exceptions import WebSocketException

from bot.channels.wecom.errors import AckTimeout, LinkClosed, Refused, WecomStartError
from bot.channels.wecom.frames import Frame, Meaning, meaning_of
from bot.channels.wecom.link import Ended, Link, LinkTimes, open_link
from bot.channels.wecom.tasks import end, first_of
from bot.core.ports import Store, StoreUnavailable

_LOG = logging.getLogger("xuanka.wecom")


@dataclass(frozen=True, slots=True)
class Times:
    """How long the keeper waits, in seconds."""

    link: LinkTimes = field(default_factory=LinkTimes)
    first_pause_s: float = 1.0
    longest_pause_s: float = 30.0
    stable_s: float = 30.0
    """A connection that lived so long starts the pauses anew."""
    lease_s: float = 5.0
    cool_down_s: tuple[float, float] = (30.0, 60.0)
    kick_memory_s: float = 600.0
    standby_s: float = 900.0
    """After being kicked twice; then one more attempt."""
    first_refusals: int = 3
    """Refused so often before it was ever accepted, id or secret is wrong."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Time as the keeper sees it; replaceable, so that tests need not wait."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    spread: Callable[[float, float], float] = random.uniform
    """Picks a number between two: the jitter."""
    platform: Callable[[], Awaitable[float | None]] | None = None
    """What time it is at WeCom, where somebody can be asked."""


class Keeper:
    """Holds the connection of one bot."""

    def __init__(
        self,
        url: str,
        bot_id: str,
        secret: str,
        store: Store,
        on_frame: Callable[[Link, Frame], None],
        times: Times | None = None,
        clocks: Clocks | None = None,
    ) -> None:
        """`on_frame` is called for every pushed frame and must not wait."""
        self._url, self._bot_id, self._secret, self._store = url, bot_id, secret, store
        self._on_frame = on_frame
        self._times, self._clocks = times or Times(), clocks or Clocks()
        self._owner = f"wecom-{secrets.token_hex(6)}"
        self._lease = f"wecom:{bot_id}"
        self._leads = asyncio.Event()
        self._lost = asyncio.Event()
        self._lost.set()
        self._attempt = 0
        self._refusals = 0
        self._was_accepted = False
        self._kicked_at: float | None = None
        self.link: Link | None = None
        """The connection while it is live and accepted."""
        self.state = "standby"
        """standby | connecting | live | cooling | kicked, for health pages."""

    async def run(self) -> None:
        """Hold the connection until cancelled.

        Raises:
            WecomStartError: WeCom does not accept id and secret.
        """
        leasing = asyncio.create_task(self._keep_lease())
        try:
            while True:
                await self._leads.wait()
                pause = await self._session()
                await self._pause(pause)
        finally:
            await end(leasing)
            with suppress(StoreUnavailable):
                await self._store.resign(self._lease, self._owner)

    # --- the lease ---------------------------------------------------------------------------------------------------

    async def _keep_lease(self) -> None:
        """Hold or ask for the lease for ever. One that could not be renewed in time counts as lost."""
        held_until = 0.0
        while True:
            asked = self._clocks.steady()
            try:
                held = await self._store.lead(self._lease, self._owner, lease_s=self._times.lease_s)
            except StoreUnavailable as error:
                _LOG.error("the lease cannot be renewed: %s", error)
                held = self._leads.is_set() and self._clocks.steady() < held_until
            else:
                held_until = asked + self._times.lease_s * 2 / 3
            self._note_lease(held)
            await self._clocks.sleep(self._times.lease_s / 4)

    def _note_lease(self, held: bool) -> None:
        if held and not self._leads.is_set():
            _LOG.info("this replica leads the WeCom connection")
            self._lost.clear()
            self._leads.set()
        elif not held and self._leads.is_set():
            _LOG.warning("another replica leads the WeCom connection now")
            self._leads.clear()
            self._lost.set()
            self.state = "standby"

    # --- sessions ----------------------------------------------------------------------------------------------------

    async def _session(self) -> float:
        """One connection from start to end; seconds to pause afterwards."""
        self.state = "connecting"
        began = self._clocks.steady()
        try:
            ended = await self._connected()
        except Refused as error:
            return self._refused(error.code)
        except (OSError, TimeoutError, WebSocketException, LinkClosed, AckTimeout) as error:
            _LOG.warning("WeCom cannot be reached: %s", type(error).__name__)
            return self._back_off()
        if ended is Ended.KICKED:
            return self._kicked()
        if self._clocks.steady() - began >= self._times.stable_s:
            self._attempt = 0
        if ended is not None:
            _LOG.warning("the WeCom connection ended: %s", ended.name.lower())
        return self._back_off() if ended is not None else 0.0

    async def _connected(self) -> Ended | None:
        """Connect, subscribe, stay; None when the lease was lost."""
        async with open_link(self._url, self._times.link) as link:
            await link.subscribe(self._bot_id, self._secret)
            self._was_accepted, self._refusals = True, 0
            self.link, self.state = link, "live"
            _LOG.info("the WeCom connection is live")
            running = asyncio.ensure_future(link.run(lambda frame: self._on_frame(link, frame), self._clocks.sleep))
            losing = asyncio.ensure_future(self._lost.wait())
            try:
                await first_of(running, losing)
                return running.result() if not running.cancelled() else None
            finally:
                self.link, self.state = None, "connecting" if self._leads.is_set() else "standby"

    def _refused(self, code: int) -> float:
        if meaning_of(code) is not Meaning.BUSY:
            self._refusals += 1
            if not self._was_accepted and self._refusals >= self._times.first_refusals:
                raise WecomStartError(
                    "WeCom does not accept XUANKA_WECOM_BOT_ID and XUANKA_WECOM_SECRET"
                    f" (errcode {code}): check them in the admin console"
                )
            _LOG.error("ALERT: WeCom refuses the subscription, errcode %d", code)
        return self._back_off()

    def _kicked(self) -> float:
        """Another connection of the same bot took over: give way for a while, and for long the second time."""
        now, before = self._clocks.steady(), self._kicked_at
        self._kicked_at = now
        self._attempt = 0
        if before is not None and now - before < self._times.kick_memory_s:
            self.state = "kicked"
            _LOG.error("ALERT: another program holds this WeCom bot's connection; standing by")
            return self._times.standby_s
        self.state = "cooling"
        _LOG.warning("another connection of this bot took over; trying once more after a pause")
        return self._clocks.spread(*self._times.cool_down_s)

    def _back_off(self) -> float:
        times = self._times
        pause = min(times.longest_pause_s, times.first_pause_s * 2 ** min(self._attempt, 16))
        self._attempt += 1
        return float(pause * self._clocks.spread(0.75, 1.25))

    async def _pause(self, seconds: float) -> None:
        """Wait, but no longer than this replica leads."""
        if seconds <= 0:
            return
        await first_of(asyncio.ensure_future(self._clocks.sleep(seconds)), asyncio.ensure_future(self._lost.wait()))
