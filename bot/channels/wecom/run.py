"""Wires the WeCom channel: settings to crypto, connection, door and way out."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.channels.signing import Signer
from bot.channels.wecom.door import SocketDoor
from bot.channels.wecom.errors import WecomStartError
from bot.channels.wecom.frames import Frame
from bot.channels.wecom.limits import CONVERSATION, Bucket, Budget
from bot.channels.wecom.link import Link
from bot.channels.wecom.platform_time import PlatformTime
from bot.channels.wecom.presses import Presses
from bot.channels.wecom.quiet import silence_libraries
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

    from bot.channels.wecom.alerts import AlertRobot
    from bot.channels.wecom.callback import CallbackDoor
    from bot.channels.wecom.doorway import Doorway
    from bot.channels.wecom.response_url import ResponsePoster

_LOG = logging.getLogger("xuanka.wecom")
_CLOSE_S = 5.0
_TRANSPORTS = (
    ("wecom_bot_id", "wecom_secret"),
    ("wecom_token", "wecom_aes_key"),
    ("wecom_app_corp_id", "wecom_app_token", "wecom_app_aes_key"),
)
"""What the long connection, the callback and a self-built app need."""


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
            settings: need what one of the transports needs: bot id and secret (long connection), token and AES key
                (callback), or corp id, token and AES key of a self-built app.
            store: keeps leases, budgets, cards and marks; shared by all replicas.
            times: how long to wait for what.
            clocks: time itself; replaceable so that tests need not wait.
            buckets: the sending limits of a conversation.

        Raises:
            SettingsError: no transport is configured, or one only in part.
        """
        check_settings(settings)
        silence_libraries()
        self._settings, self._store = settings, store
        self._times, self._clocks = times, clocks or Clocks(platform=PlatformTime(monotonic).now)
        self._words = channel_words("wecom")
        language = settings.default_language
        self._reader = Reader(settings.wecom_bot_id, settings.wecom_bot_name, language)
        self._signer = Signer(_signing_secret(settings), f"wecom:{settings.wecom_bot_id}")
        self._presses = Presses(store, self._signer, self._reader, self._words, language)
        budget = Budget(store, f"wecom:{settings.wecom_bot_id}", buckets)
        self._sender = WecomSender(self._live, self._words, self._signer, self._presses, budget, store)
        self._door: SocketDoor | None = None
        self._keeper: Keeper | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._callback: CallbackDoor | None = None
        self._poster: ResponsePoster | None = None
        self._robot: AlertRobot | None = None

    @property
    def bot_id(self) -> str:
        """The bot (port `OfOneBot`); empty when only the callback knows it."""
        return self._settings.wecom_bot_id

    @property
    def has_socket(self) -> bool:
        """Whether the long connection is configured."""
        return bool(self._settings.wecom_bot_id and self._settings.wecom_secret)

    @property
    def has_callback(self) -> bool:
        """Whether the callback is configured."""
        return bool(self._settings.wecom_token and self._settings.wecom_aes_key)

    @property
    def trouble(self) -> str:
        """Why nothing comes in now; empty when all is well, also while another replica holds the connection."""
        if self._keeping is not None and self._keeping.done():
            return "the connection is given up"
        return self.state if self.state == "kicked" else ""

    @property
    def state(self) -> str:
        """What the long connection does: off | standby | connecting | live | cooling | kicked."""
        return self._keeper.state if self._keeper else "off"

    # --- life --------------------------------------------------------------------------------------------------------

    async def start(self, intake: Intake) -> None:
        """Begin to hold the long connection and to tell operators, where these are configured."""
        self._start_robot()
        if not self.has_socket or (self._keeping is not None and not self._keeping.done()):
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
        self._keeping.add_done_callback(_tell_end)

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
        if self._door is not None:
            await self._door.close(_CLOSE_S)
        if self._poster is not None:
            await self._poster.close()
        if self._robot is not None:
            await self._robot.stop()

    def is_elsewhere(self) -> bool:
        """Whether another replica holds the long connection (port `Exclusive`)."""
        return self.has_socket and self.state == "standby"

    # --- in and out --------------------------------------------------------------------------------------------------

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply over the long connection (port `Sender`)."""
        if not self.has_socket:
            return Sent(Outcome.REFUSED)
        return await self._sender.send(message, reply, edit=edit)

    def routes(self, intake: Intake) -> list[Route]:
        """Routes of the callbacks for the web app; none when none is configured.

        Raises:
            WecomStartError: an AES key is none.
        """
        return [*self._bot_routes(intake), *self._app_routes(intake)]

    def _bot_routes(self, intake: Intake) -> list[Route]:
        settings = self._settings
        if not settings.wecom_token or not settings.wecom_aes_key:
            return []
        # The long connection needs neither web framework nor crypto.
        from bot.channels.wecom.callback import CallbackDoor
        from bot.channels.wecom.response_url import ResponsePoster

        self._poster = ResponsePoster(sleep=self._clocks.sleep)
        self._callback = CallbackDoor(
            self._doorway("bot", settings.wecom_token, settings.wecom_aes_key, settings.wecom_receive_id),
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
        return self._callback.routes()

    def _app_routes(self, intake: Intake) -> list[Route]:
        settings = self._settings
        if not settings.wecom_app_token or not settings.wecom_app_aes_key:
            return []
        from bot.channels.wecom.app_callback import AppDoor

        corp_id = settings.wecom_app_corp_id
        doorway = self._doorway("app", settings.wecom_app_token, settings.wecom_app_aes_key, corp_id)
        door = AppDoor(doorway, corp_id, self._words, settings.default_language, intake, self._now)
        return door.routes()

    def _doorway(self, name: str, token: SecretStr, key: SecretStr, receive_id: str) -> Doorway:
        from bot.channels.wecom.crypto import WecomCrypto
        from bot.channels.wecom.doorway import Doorway

        crypto = WecomCrypto(token.get_secret_value().strip(), key.get_secret_value(), receive_id)
        # Two bots on one store must not take each other's nonces for replays.
        mark = hashlib.sha256(token.get_secret_value().encode()).hexdigest()[:8]
        return Doorway(
            crypto, self._store, f"{name}:{mark}", self._clocks.wall, self._clocks.steady, self._clocks.platform
        )

    def _start_robot(self) -> None:
        webhook = self._settings.wecom_alert_webhook
        if webhook is None or self._robot is not None:
            return
        from bot.channels.wecom.alerts import AlertRobot

        self._robot = AlertRobot(webhook.get_secret_value(), self._store, self._clocks.wall, sleep=self._clocks.sleep)
        self._robot.start()

    def _live(self) -> Link | None:
        return self._keeper.link if self._keeper else None

    def _take(self, link: Link, frame: Frame) -> None:
        if self._door is not None:
            self._door.take(link, frame)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clocks.wall(), UTC)


def check_settings(settings: Settings) -> None:
    """Insist on at least one transport, and on all that belongs to each one whose secrets are begun.

    Raises:
        SettingsError: one line for each missing setting.
    """
    begun = [
        names for names in _TRANSPORTS if any(getattr(settings, name) for name in names if not name.endswith("_id"))
    ]
    missing: list[str] = []
    for names in begun or _TRANSPORTS[:1]:
        try:
            require(settings, *names)
        except SettingsError as error:
            missing += error.lines
    if missing:
        raise SettingsError(missing)


def _tell_end(task: asyncio.Task[None]) -> None:
    """The connection's keeper ends by itself only when WeCom does not accept us."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _LOG.error("ALERT: the long connection is given up: %s", error if isinstance(error, WecomStartError) else "")


def _signing_secret(settings: Settings) -> str:
    """What buttons are signed with: the shared key, or else the channel's own secret.

    Raises:
        SettingsError: there is none.
    """
    for secret in (settings.signing_key, settings.wecom_secret, settings.wecom_token, settings.wecom_app_token):
        if secret is not None and secret.get_secret_value():
            return secret.get_secret_value()
    raise SettingsError(["XUANKA_SIGNING_KEY is missing: any long random text, alike on all replicas"])
