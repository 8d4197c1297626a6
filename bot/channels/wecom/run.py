"""Wires the WeCom channel: settings to crypto, connection, door and way out."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.channels.signing import Signer
from bot.channels.wecom.door import SocketDoor
from bot.channels.wecom.frames import Frame
from bot.channels.wecom.limits import CONVERSATION, Bucket, Budget
from bot.channels.wecom.link import Link
from bot.channels.wecom.presses import Presses
from bot.channels.wecom.reading import Reader
from bot.channels.wecom.sender import WecomSender
from bot.channels.wecom.socket import Clocks, Keeper, Times
from bot.channels.wecom.tasks import end
from bot.channels.words import channel_words
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Intake, Outcome, Sent, Store
from bot.settings import Settings, SettingsError, require

if TYPE_CHECKING:
    from starlette.routing import Route

    from bot.channels.wecom.callback import CallbackDoor
    from bot.channels.wecom.response_url import ResponsePoster

_CLOSE_S = 5.0


class Wecom:
    """The channel. `start` lets messages in; then `send` works, and the connection or the routes bring them."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        times: Times | None = None,
        clocks: Clocks | None = None,
        buckets: tuple[Bucket, ...] = CONVERSATION,
    ) -> None:
        """Prepare without connecting.

        Args:
            settings: need bot id and secret (long connection), or token and AES key (callback), or both.
            store: keeps leases, budgets, cards and marks; shared by all replicas.
            times: how long to wait for what.
            clocks: time itself; replaceable so that tests need not wait.
            buckets: the sending limits of a conversation.

        Raises:
            SettingsError: neither transport is configured.
            WecomStartError: the AES key is none.
        """
        check_settings(settings)
        silence_libraries()
        self._settings, self._store = settings, store
        self._times, self._clocks = times, clocks or Clocks()
        self._words = channel_words("wecom")
        language = settings.default_language
        self._reader = Reader(settings.wecom_bot_id, settings.wecom_bot_name, language)
        self._signer = Signer(_signing_secret(settings), f"wecom:{settings.wecom_bot_id}")
        self._presses = Presses(store, self._signer, self._reader, self._words, language)
        budget = Budget(store, f"wecom:{settings.wecom_bot_id}", self._clocks.wall, buckets)
        self._sender = WecomSender(self._live, self._words, self._signer, self._presses, budget, store)
        self._door: SocketDoor | None = None
        self._keeper: Keeper | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._callback: CallbackDoor | None = None
        self._poster: ResponsePoster | None = None

    @property
    def has_socket(self) -> bool:
        """Whether the long connection is configured."""
        return bool(self._settings.wecom_bot_id and self._settings.wecom_secret)

    @property
    def has_callback(self) -> bool:
        """Whether the callback is configured."""
        return bool(self._settings.wecom_token and self._settings.wecom_aes_key)

    @property
    def state(self) -> str:
        """What the long connection does: off | standby | connecting | live | cooling | kicked."""
        return self._keeper.state if self._keeper else "off"

    # --- life --------------------------------------------------------------------------------------------------------

    async def start(self, intake: Intake) -> None:
        """Begin to hold the long connection, when it is configured."""
        if not self.has_socket or self._keeper is not None:
            return
        secret = self._settings.wecom_secret
        self._door = SocketDoor(
            self._reader,
            self._presses,
            self._words,
            self._settings.default_language,
            intake,
            self._now,
            self._clocks.sleep,
        )
        self._keeper = Keeper(
            self._settings.wecom_ws_url,
            self._settings.wecom_bot_id,
            secret.get_secret_value().strip() if secret else "",
            self._store,
            self._take,
            self._times,
            self._clocks,
        )
        self._keeping = asyncio.create_task(self._keeper.run(), name="wecom")

    async def run(self, stop: asyncio.Event) -> None:
        """Wait until `stop` is set. The connection stays, so that answers in hand can still go out; `stop()` ends it.

        Raises:
            WecomStartError: WeCom does not accept id and secret.
        """
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({stopping, *([self._keeping] if self._keeping else [])}, return_when="FIRST_COMPLETED")
            if self._keeping is not None and self._keeping.done():
                self._keeping.result()
        finally:
            await end(stopping)

    async def stop(self) -> None:
        """Store what was pushed, let follow-ups finish, give the connection and its lease back."""
        if self._door is not None:
            await self._door.close(_CLOSE_S)
        if self._callback is not None:
            await self._callback.close(_CLOSE_S)
        if self._keeping is not None:
            await end(self._keeping)
        if self._poster is not None:
            await self._poster.close()

    # --- in and out --------------------------------------------------------------------------------------------------

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply over the long connection (port `Sender`)."""
        if not self.has_socket:
            return Sent(Outcome.REFUSED)
        return await self._sender.send(message, reply, edit=edit)

    def routes(self, intake: Intake, path: str = "") -> list[Route]:
        """Routes of the callback for the web app; none when it is not configured."""
        if not self.has_callback:
            return []
        # The long connection needs neither web framework nor crypto.
        from bot.channels.wecom.callback import DEFAULT_PATH, CallbackDoor
        from bot.channels.wecom.crypto import WecomCrypto
        from bot.channels.wecom.doorway import Doorway
        from bot.channels.wecom.response_url import ResponsePoster

        settings = self._settings
        token, key = settings.wecom_token, settings.wecom_aes_key
        crypto = WecomCrypto(
            token.get_secret_value().strip() if token else "",
            key.get_secret_value() if key else "",
            settings.wecom_receive_id,
        )
        self._poster = ResponsePoster(sleep=self._clocks.sleep)
        self._callback = CallbackDoor(
            Doorway(crypto, self._store, "bot", self._clocks.wall),
            self._reader,
            self._presses,
            self._signer,
            self._words,
            settings.default_language,
            intake,
            self._store,
            self._poster,
            self._now,
            sleep=self._clocks.sleep,
        )
        return self._callback.routes(path or DEFAULT_PATH)

    def _live(self) -> Link | None:
        return self._keeper.link if self._keeper else None

    def _take(self, link: Link, frame: Frame) -> None:
        if self._door is not None:
            self._door.take(link, frame)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clocks.wall(), UTC)


def check_settings(settings: Settings) -> None:
    """Insist on one complete transport.

    Raises:
        SettingsError: one line for each missing setting.
    """
    if settings.wecom_token or settings.wecom_aes_key:
        require(settings, "wecom_token", "wecom_aes_key")
        if not settings.wecom_bot_id and not settings.wecom_secret:
            return
    require(settings, "wecom_bot_id", "wecom_secret")


def silence_libraries() -> None:
    """Keep secrets and texts out of the logs: websockets logs frames, httpx logs addresses."""
    for name in ("websockets", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _signing_secret(settings: Settings) -> str:
    """What buttons are signed with: the shared key, or else the channel's own secret.

    Raises:
        SettingsError: there is none.
    """
    for secret in (settings.signing_key, settings.wecom_secret, settings.wecom_token):
        if secret is not None and secret.get_secret_value():
            return secret.get_secret_value()
    raise SettingsError(["XUANKA_SIGNING_KEY is missing: any long random text, alike on all replicas"])
