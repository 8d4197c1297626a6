"""One live connection: requests that wait for their acknowledgement, heartbeats, and frames as they come in.

Frames of one `req_id` go one after the other, each once the one before is acknowledged. Two heartbeats without an
acknowledgement mean that the connection is dead. Source: developer page 101463 and the official Node client.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from bot.channels.wecom import frames
from bot.channels.wecom.errors import AckTimeout, LinkClosed, Refused
from bot.channels.wecom.frames import Frame, read_frame, write_frame
from bot.channels.wecom.tasks import first_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from websockets.asyncio.client import ClientConnection

_LOG = logging.getLogger("xuanka.wecom")
_MOST_BYTES = 1 << 20
_MISSED_ACKS = 2


@dataclass(frozen=True, slots=True)
class LinkTimes:
    """How long things may take, in seconds."""

    open_s: float = 10.0
    ack_s: float = 5.0
    heartbeat_s: float = 30.0


class Ended(Enum):
    """Why a connection ended."""

    CLOSED = auto()
    DEAD = auto()
    KICKED = auto()


@asynccontextmanager
async def open_link(url: str, times: LinkTimes) -> AsyncIterator[Link]:
    """A connection that is closed at the end.

    Raises:
        OSError: WeCom cannot be reached.
        TimeoutError: it takes too long.
        WebSocketException: what answers speaks no WebSocket.
    """
    async with connect(
        url, open_timeout=times.open_s, close_timeout=1.0, ping_interval=None, max_size=_MOST_BYTES
    ) as socket:
        yield Link(socket, times)


class Link:
    """A connection, from subscribing to its end."""

    def __init__(self, socket: ClientConnection, times: LinkTimes) -> None:
        """Take an open socket."""
        self._socket, self._times = socket, times
        self._waiting: dict[str, asyncio.Future[Frame]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._numbers = itertools.count(1)
        self._tag = secrets.token_hex(4)
        self._missed = 0
        self._over = False

    def own_id(self, prefix: str) -> str:
        """A fresh request id. Acknowledgements are told apart by it alone."""
        return f"{prefix}_{self._tag}_{next(self._numbers)}"

    async def subscribe(self, bot_id: str, secret: str) -> None:
        """Say who we are; the first frame of a connection. Frames that come before the answer are not lost: none can.

        Raises:
            Refused: WeCom does not accept id and secret, or wants us to slow down.
            AckTimeout: no answer.
            LinkClosed: the connection was closed instead.
        """
        req_id = self.own_id(frames.SUBSCRIBE)
        await self._write(write_frame(frames.SUBSCRIBE, req_id, {"bot_id": bot_id, "secret": secret}))
        try:
            async with asyncio.timeout(self._times.ack_s):
                while True:
                    frame = read_frame(await self._socket.recv())
                    if frame is not None and not frame.cmd and frame.req_id == req_id:
                        break
        except TimeoutError:
            raise AckTimeout("no answer to the subscription") from None
        except ConnectionClosed:
            raise LinkClosed(sent=True) from None
        if frame.errcode != 0:
            raise Refused(frame.errcode)

    async def run(self, on_frame: Callable[[Frame], None], sleep: Callable[[float], Awaitable[None]]) -> Ended:
        """Read frames and keep the connection alive until it ends. `on_frame` must not wait."""
        reading = asyncio.ensure_future(self._read(on_frame))
        beating = asyncio.ensure_future(self._beat(sleep))
        try:
            await first_of(reading, beating)
            return (beating if reading.cancelled() else reading).result()
        finally:
            self._over = True
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(LinkClosed(sent=True))
            self._waiting.clear()

    async def request(self, cmd: str, req_id: str, body: dict[str, object]) -> dict[str, object]:
        """Send a frame and wait for its acknowledgement; gives what stands in it.

        Raises:
            Refused: an error code came back.
            AckTimeout: nothing came back: delivered or not, nobody knows.
            LinkClosed: the connection ended; `sent` tells whether the frame had left.
        """
        turn = self._turns.setdefault(req_id, asyncio.Lock())
        try:
            async with turn:
                return await self._request(cmd, req_id, body)
        finally:
            if not turn.locked() and self._turns.get(req_id) is turn:
                del self._turns[req_id]

    async def _request(self, cmd: str, req_id: str, body: dict[str, object]) -> dict[str, object]:
        if self._over:
            raise LinkClosed(sent=False)
        future: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._waiting[req_id] = future
        try:
            await self._write(write_frame(cmd, req_id, body))
            async with asyncio.timeout(self._times.ack_s):
                frame = await future
        except TimeoutError:
            raise AckTimeout(cmd) from None
        finally:
            if self._waiting.get(req_id) is future:
                del self._waiting[req_id]
        if frame.errcode != 0:
            raise Refused(frame.errcode)
        return frame.body

    async def _write(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except ConnectionClosed:
            raise LinkClosed(sent=False) from None

    async def _read(self, on_frame: Callable[[Frame], None]) -> Ended:
        try:
            while True:
                frame = read_frame(await self._socket.recv())
                if frame is None:
                    _LOG.warning("a frame that is none was ignored")
                elif not frame.cmd:
                    self._acknowledged(frame)
                elif frame.is_kick:
                    return Ended.KICKED
                else:
                    on_frame(frame)
        except ConnectionClosed:
            return Ended.CLOSED

    def _acknowledged(self, frame: Frame) -> None:
        if frame.req_id.startswith(f"{frames.PING}_{self._tag}"):
            self._missed = 0
            return
        future = self._waiting.get(frame.req_id)
        if future is not None and not future.done():
            future.set_result(frame)

    async def _beat(self, sleep: Callable[[float], Awaitable[None]]) -> Ended:
        while True:
            await sleep(self._times.heartbeat_s)
            if self._missed >= _MISSED_ACKS:
                return Ended.DEAD
            self._missed += 1
            try:
                await self._write(write_frame(frames.PING, self.own_id(frames.PING)))
            except LinkClosed:
                return Ended.CLOSED
