"""The long connection: the SDK's client in a thread of its own, with a loop of its own.

The SDK keeps the loop that it finds when it is first imported, blocks on it, and has no end. So it is given a loop here
before it starts, and that loop is stopped to end it. Its handlers run there and must not wait.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lark_channel.api.im.v1.model.p2_im_message_receive_v1 import P2ImMessageReceiveV1
    from lark_channel.event.callback.model.p2_card_action_trigger import (
        P2CardActionTrigger,
        P2CardActionTriggerResponse,
    )
    from lark_channel.ws.client import Client

    OnMessage = Callable[[P2ImMessageReceiveV1], None]
    OnPress = Callable[[P2CardActionTrigger], P2CardActionTriggerResponse]

_LOG: Final = logging.getLogger("xuanka.feishu")
_JOIN_S: Final = 3.0
_HANDSHAKE_S: Final = 10.0


class Connection:
    """One long connection, from its start to its end; another one takes its place."""

    def __init__(self, app_id: str, secret: str, domain: str, on_message: OnMessage, on_press: OnPress) -> None:
        """Prepare. `on_message` and `on_press` are called in the connection's thread.

        What `on_message` raises is told to Feishu, which then brings the event again.
        """
        self._app_id, self._secret, self._domain = app_id, secret, domain
        self._on_message, self._on_press = on_message, on_press
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name="feishu", daemon=True)
        self._client: Client | None = None
        self._stopped = threading.Event()
        self.refused: BaseException | None = None
        """Why it ended by itself."""

    @property
    def is_open(self) -> bool:
        """Whether events come in."""
        return self._client is not None and self._client._conn is not None

    @property
    def is_over(self) -> bool:
        """Whether it ended by itself."""
        return self.refused is not None

    def start(self) -> None:
        """Connect in the background; what is lost is connected again."""
        self._thread.start()

    def stop(self) -> None:
        """End it. What it has handed over stays."""
        if self._thread.is_alive() and self._loop is not None:
            self._stopped.set()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_JOIN_S)

    def _work(self) -> None:
        loop = self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        loop.set_exception_handler(self._died)
        try:
            self._client = self._made(loop)
            self._client.start()
        except Exception as error:
            if not self._stopped.is_set():
                self.refused = self.refused or error
        finally:
            self._end(loop)

    def _died(self, loop: asyncio.AbstractEventLoop, context: Mapping[str, object]) -> None:
        """A task of the SDK ended by an error: without a connection it was the one that connects again."""
        error = context.get("exception")
        if isinstance(error, Exception) and not self.is_open:
            self.refused = error
            loop.stop()

    def _made(self, loop: asyncio.AbstractEventLoop) -> Client:
        from lark_channel import EventDispatcherHandler
        from lark_channel.core.enum import LogLevel
        from lark_channel.ws import client as sdk

        handler = EventDispatcherHandler.builder("", "").register_p2_im_message_receive_v1(self._on_message)
        handler = handler.register_p2_card_action_trigger(self._on_press).build()
        sdk.loop = loop
        # its own log tells addresses with tickets in them
        return sdk.Client(
            self._app_id,
            self._secret,
            log_level=LogLevel.CRITICAL,
            event_handler=handler,
            domain=self._domain,
            handshake_timeout=_HANDSHAKE_S,
        )

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        if self._client is not None:
            try:
                loop.run_until_complete(asyncio.wait_for(self._client._disconnect(), _JOIN_S))
            except Exception as error:
                _LOG.debug("the connection was not closed well: %s", type(error).__name__)
        loop.close()
