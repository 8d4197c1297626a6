"""Feishu as a channel: what the connection brings is stored for workers, presses are judged within 3 s."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from bot.channels.feishu.connection import Connection
from bot.channels.feishu.post import Post
from bot.channels.feishu.reading import CHANNEL, message_of, message_of_press, read_message, read_press
from bot.channels.feishu.sender import SILENT, FeishuSender, said_key
from bot.channels.registry import ChannelStartError
from bot.channels.signing import Forged, Pressed, Signer
from bot.channels.words import channel_words
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Accepted, Intake, Outcome, Sent, Store
from bot.settings import Settings, require

if TYPE_CHECKING:
    from lark_channel.api.im.v1.model.p2_im_message_receive_v1 import P2ImMessageReceiveV1
    from lark_channel.event.callback.model.p2_card_action_trigger import (
        P2CardActionTrigger,
        P2CardActionTriggerResponse,
    )
    from starlette.routing import Route

    from bot.channels.feishu.reading import Press, Said

_LOG: Final = logging.getLogger("xuanka.feishu")
_LOOK_S: Final = 0.5
_TAKE_S: Final = 2.5
"""For storing an event; what is not taken within three seconds Feishu brings again."""


class _NotTaken(RuntimeError):
    """An event is not in the store: Feishu is told so."""


class FeishuChannel:
    """See `bot.channels.registry.Channel`."""

    names = (CHANNEL,)

    def __init__(
        self, settings: Settings, intake: Intake, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        """Prepare without connecting. Raises SettingsError."""
        require(settings, "feishu_app_id", "feishu_secret")
        self._settings, self._intake, self._store, self._now = settings, intake, store, now
        self._app_id, self._language = settings.feishu_app_id, settings.default_language
        secret = settings.feishu_secret.get_secret_value().strip() if settings.feishu_secret else ""
        key = settings.signing_key or settings.feishu_secret
        self._signer = Signer(key.get_secret_value() if key else "", f"{CHANNEL}:{self._app_id}")
        self._words = channel_words(CHANNEL)
        self._post = Post(self._app_id, secret, settings.feishu_base_url)
        self._sender = FeishuSender(self._post, store, self._signer, settings.conversation_ttl_s)
        self._connect = partial(
            Connection, self._app_id, secret, settings.feishu_base_url, self._heard_message, self._heard_press
        )
        self._connection: Connection | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[Accepted]] = set()
        self._own_id = ""

    @property
    def sender(self) -> FeishuChannel:
        """The channel itself."""
        return self

    @property
    def bot_id(self) -> str:
        """Which app it is: what was said to another one on the same store is left to that one's process."""
        return self._app_id

    @property
    def trouble(self) -> str:
        """Why nothing comes in now."""
        return "" if self._connection is not None and self._connection.is_open else "not connected"

    def routes(self) -> Sequence[Route]:
        """None: the connection brings everything."""
        return ()

    async def run(self, stop: asyncio.Event) -> None:
        """Connect and bring messages until `stop` is set.

        Raises:
            ChannelStartError: Feishu does not accept the app, or ended the connection for good.
        """
        self._loop = asyncio.get_running_loop()
        self._own_id = await self._post.own_id()
        connection = self._connection = self._connect()
        connection.start()
        while not stop.is_set():
            if connection.is_over:
                raise ChannelStartError(
                    f"Feishu refused the long connection ({type(connection.refused).__name__}):"
                    " choose it under events and callbacks of the app, and publish a version"
                )
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _LOOK_S)
        await asyncio.to_thread(connection.stop)

    async def close(self) -> None:
        """Disconnect, and finish what was handed over."""
        if self._connection is not None:
            await asyncio.to_thread(self._connection.stop)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._post.close()

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply (port `Sender`); a verdict is thanked for where it was pressed."""
        if message.action.startswith(SILENT):
            return Sent(Outcome.SENT)
        return await self._sender.send(message, reply, edit=edit)

    # --- in the connection's thread ----------------------------------------------------------------------------------

    def _heard_message(self, event: P2ImMessageReceiveV1) -> None:
        try:
            said = read_message(event, self._own_id)
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            _LOG.warning("a message of unknown shape is ignored: %s", type(error).__name__)
            return
        if said is not None and said.is_addressed and not self._is_taken(lambda: self._take(said)):
            raise _NotTaken

    def _heard_press(self, event: P2CardActionTrigger) -> P2CardActionTriggerResponse:
        try:
            press = read_press(event)
        except (AttributeError, TypeError, ValueError) as error:
            _LOG.warning("a press of unknown shape is ignored: %s", type(error).__name__)
            return _toast("")
        pressed = self._verified(press.data, press.chat_id)
        if pressed is None or not pressed.may(press.user_id):
            return _toast(self._words("expired" if pressed is None else "not_yours", self._language))
        key = pressed.key
        if not self._is_taken(lambda: self._take_press(press, key)):
            return _toast(self._words("busy", self._language))
        return _toast(self._words("thanks", self._language) if key.startswith(SILENT) else "")

    def _verified(self, data: str, chat_id: str) -> Pressed | None:
        try:
            return self._signer.verify(data, chat_id=chat_id)
        except (Forged, ValueError):
            return None

    def _is_taken(self, taking: Callable[[], Coroutine[object, object, Accepted]]) -> bool:
        """Whether an event is in the store: only then is Feishu told that it was taken."""
        loop = self._loop
        if loop is None or loop.is_closed():
            return False
        try:
            taken = asyncio.run_coroutine_threadsafe(self._kept_in_mind(taking), loop).result(_TAKE_S)
        except Exception as error:  # whatever breaks, the event is not taken, and the connection goes on
            _LOG.error("an event was not taken: %s", type(error).__name__)
            return False
        return taken is not Accepted.FULL

    # --- in ours -----------------------------------------------------------------------------------------------------

    async def _kept_in_mind(self, taking: Callable[[], Coroutine[object, object, Accepted]]) -> Accepted:
        """Take an event to the end, also when the connection's thread no longer waits for it."""
        task = asyncio.ensure_future(taking())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _take(self, said: Said) -> Accepted:
        case: object = None
        if said.parent_id:
            case = await self._store.get(said_key(self._app_id, said.chat_id, said.parent_id))
        known = case if isinstance(case, str) else None
        return await self._intake.accept(message_of(said, self._app_id, self._now(), self._language, known))

    async def _take_press(self, press: Press, key: str) -> Accepted:
        return await self._intake.accept(message_of_press(press, key, self._app_id, self._now(), self._language))


def _toast(words: str) -> P2CardActionTriggerResponse:
    """What whoever pressed sees at once; nothing for no words."""
    from lark_channel.event.callback.model.p2_card_action_trigger import P2CardActionTriggerResponse

    return P2CardActionTriggerResponse({"toast": {"type": "info", "content": words}} if words else {})
