"""Wires the Telegram channel: token to bot, bot to door and way out; then polls or waits for the webhook."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from telegram import User
from telegram.error import InvalidToken, TelegramError
from telegram.ext import ExtBot

from bot.channels.signing import Signer
from bot.channels.telegram.channel import ALLOWED_UPDATES, Doorkeeper
from bot.channels.telegram.chat_settings import Admins, SettingsBook
from bot.channels.telegram.commands import publish_menus
from bot.channels.telegram.errors import TelegramStartError, diagnose
from bot.channels.telegram.evidence import EvidentRequest
from bot.channels.telegram.guests import GuestAnswers
from bot.channels.telegram.inline import InlineAnswers
from bot.channels.telegram.limits import Budget, ChatLimiter, Limits, LocalBudget
from bot.channels.telegram.local import LocalVoice
from bot.channels.telegram.platform_time import PlatformTime
from bot.channels.telegram.polling import Poller
from bot.channels.telegram.reading import Reader
from bot.channels.telegram.sender import TelegramSender
from bot.channels.telegram.shared_budget import SharedBudget
from bot.channels.telegram.starting import log_abilities, silence_libraries, start_error
from bot.channels.trust import trusted
from bot.channels.words import channel_words
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Accepted, Intake, Outcome, Sent, Store, StoreUnavailable
from bot.core.times import steady_now
from bot.settings import Settings, require, require_webhook_secret

if TYPE_CHECKING:
    from starlette.routing import Route

_LOG = logging.getLogger("xuanka.telegram")
_CONNECTIONS = 64
_WEBHOOK_CONNECTIONS = 40
_SETTLE_S = 5.0
_NO_LIMITS = Limits(0, 0, 0)
CHANNELS: Final = ("telegram", "telegram-inline", "telegram-guest")
"""Names under which messages of this channel come."""


class Telegram:
    """The channel. `start` connects it; then `send` works, and `poll` or the routes bring updates."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        limiter: ChatLimiter | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        steady: Callable[[], float] = steady_now,
    ) -> None:
        """Prepare without connecting.

        Args:
            settings: needs a token.
            store: keeps chat settings and marks; shared by all replicas.
            limiter: keeps below the sending limits; give one over a shared budget when there are several replicas.
            now: the clock, aware of its zone.
            sleep: how to wait; replaceable so that tests need not.
            steady: a clock of seconds that nobody sets.

        Raises:
            SettingsError: the token is missing.
        """
        require(settings, "telegram_token")
        require_webhook_secret(settings)
        if settings.telegram_token is None:
            raise TelegramStartError("XUANKA_TELEGRAM_TOKEN is missing")
        silence_libraries()
        self._settings, self._store, self._now, self._sleep = settings, store, now, sleep
        self._token = settings.telegram_token.get_secret_value().strip()
        self._words = channel_words("telegram")
        limits = Limits() if settings.telegram_limits else _NO_LIMITS
        self._time = PlatformTime(now, steady)
        heard: dict[str, object] = {"event_hooks": {"response": [self._time.heard]}, "verify": trusted()}
        self._poll_request = EvidentRequest(
            connection_pool_size=1, connect_timeout=10.0, pool_timeout=5.0, httpx_kwargs=heard
        )
        self._request = EvidentRequest(
            httpx_kwargs=heard,
            connection_pool_size=_CONNECTIONS,
            connect_timeout=10.0,
            read_timeout=20.0,
            write_timeout=20.0,
            pool_timeout=30.0,
        )
        budget: Budget = LocalBudget(limits)
        if settings.telegram_limits and settings.store.startswith(("valkey", "redis")):
            budget = SharedBudget(LocalBudget(limits), store, f"telegram:{self._token.partition(':')[0]}")
        self._limiter = limiter or ChatLimiter(budget, sleep)
        base = settings.telegram_base_url
        base = base if base.endswith("/bot") else f"{base}/bot"
        try:
            self._bot: ExtBot[str] = ExtBot(
                self._token,
                base_url=base,
                request=self._request,
                get_updates_request=self._poll_request,
                rate_limiter=self._limiter,
            )
        except InvalidToken:
            raise TelegramStartError("XUANKA_TELEGRAM_TOKEN is empty: get one from @BotFather") from None
        self.mode = settings.telegram_mode
        self._door: Doorkeeper | None = None
        self._sender: TelegramSender | None = None
        self._poller: Poller | None = None

    @property
    def bot_id(self) -> str:
        """The bot (port `OfOneBot`); empty before Telegram has told."""
        return str(self._door.reader.me.id) if self._door is not None else ""

    @property
    def trouble(self) -> str:
        """Why nothing comes in now; empty when all is well."""
        if self._door is None:
            return "not started"
        return self._poller.trouble if self._poller else ""

    # --- life --------------------------------------------------------------------------------------------------------

    async def start(self, intake: Intake) -> None:
        """Connect, check the bot, publish its menus.

        Raises:
            TelegramStartError: the token is refused or the server cannot be reached; one line, without the token.
        """
        try:
            await self._bot.initialize()
            await self._poll_request.initialize()
        except TelegramError as error:
            await self._disconnect()
            raise start_error(error) from None
        except Exception as error:  # an answer that the library cannot read as a user
            await self._disconnect()
            raise TelegramStartError(
                f"XUANKA_TELEGRAM_BASE_URL does not answer like a Bot API server ({type(error).__name__})"
            ) from None
        me = self._bot.bot
        log_abilities(me)
        self._wire(me, intake)
        try:
            await publish_menus(self._bot, self._words, self._settings.default_language)
        except TelegramError as error:
            _LOG.warning("the command menus could not be set: %s", diagnose(error).reason)

    async def stop(self) -> None:
        """Finish what runs beside, then disconnect."""
        if self._door is not None:
            await self._door.close(_SETTLE_S)
        await self._disconnect()

    async def _disconnect(self) -> None:
        """Close all connections, also those of a start that failed halfway."""
        await self._bot.shutdown()
        for request in (self._request, self._poll_request):
            await request.shutdown()

    def _wire(self, me: User, intake: Intake) -> None:
        settings, words, store, bot = self._settings, self._words, self._store, self._bot
        prefix = f"telegram:{me.id}:"
        secret = settings.signing_key.get_secret_value() if settings.signing_key else self._token
        signer = Signer(secret, f"telegram:{me.id}")
        book = SettingsBook(store, str(me.id))
        reader = Reader(me, words, settings.default_language, settings.stale_after_s)
        voice = LocalVoice(
            bot,
            reader,
            words,
            signer,
            book,
            Admins(bot),
            store,
            prefix,
            settings.default_language,
            self._sleep,
        )
        self._sender = TelegramSender(bot, me.username or "", words, signer, book, store, self._limiter)
        self._door = Doorkeeper(
            bot=bot,
            reader=reader,
            words=words,
            signer=signer,
            book=book,
            voice=voice,
            inline=InlineAnswers(intake, reader, words, book, self._now, settings.telegram_inline),
            guests=GuestAnswers(bot, reader, intake, settings.telegram_guests),
            intake=intake,
            now=self._now,
            platform_now=self._time.now,
        )

    # --- in and out --------------------------------------------------------------------------------------------------

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply (port `Sender`). If something of ours breaks, the outcome is unknown: nothing goes twice."""
        if self._sender is None:
            return Sent(Outcome.RETRY, retry_after=1.0, begun=False)
        try:
            return await self._sender.send(message, reply, edit=edit)
        except StoreUnavailable:
            raise  # asked before anything is sent: the reply waits for the store
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            _LOG.error("sending failed: %s in %s", type(error).__name__, where.name)
            return Sent(Outcome.UNKNOWN)

    async def take(self, raw: dict[str, object]) -> Accepted:
        """Take one raw update and wait a little for what the channel does beside, so that both precede the 200."""
        if self._door is None:
            return Accepted.FULL
        accepted = await self._door.take(raw)
        await self._door.settle(_SETTLE_S)
        return accepted

    async def poll(self, stop: asyncio.Event) -> None:
        """Poll until `stop` is set; nothing that Telegram says ends it."""
        if self._door is None:
            raise RuntimeError("the channel is not started")
        try:
            await self._bot.delete_webhook(drop_pending_updates=False)
        except TelegramError as error:
            _LOG.warning("the webhook could not be removed: %s", diagnose(error).reason)
        self._poller = poller = Poller(
            self._bot, self._poll_request, self._door.take, self._door.settle, self._allowed(), self._sleep, self._now
        )
        await poller.run(stop)

    def routes(self) -> list[Route]:
        """Routes for the web app; the path is that of the webhook address.

        Raises:
            SettingsError: there is no secret, so that anybody could pose as Telegram.
        """
        from bot.channels.telegram.webhook import DEFAULT_PATH, webhook_routes  # polling needs no web framework

        require(self._settings, "telegram_webhook_secret")
        secret = self._settings.telegram_webhook_secret
        path = urlsplit(self._settings.telegram_webhook_url).path.rstrip("/") or DEFAULT_PATH
        return webhook_routes(self.take, secret=secret.get_secret_value() if secret else "", path=path)

    async def register_webhook(self) -> None:
        """Tell Telegram where to post. Without an address, that is left to the operator.

        Raises:
            TelegramStartError: Telegram does not accept the address.
        """
        if not self._settings.telegram_webhook_url:
            return
        secret = self._settings.telegram_webhook_secret
        try:
            await self._bot.set_webhook(
                self._settings.telegram_webhook_url,
                secret_token=secret.get_secret_value() if secret else None,
                allowed_updates=list(self._allowed()),
                max_connections=_WEBHOOK_CONNECTIONS,
                drop_pending_updates=False,
            )
        except TelegramError as error:
            raise TelegramStartError(
                f"Telegram does not accept XUANKA_TELEGRAM_WEBHOOK_URL ({diagnose(error).reason})"
            ) from None

    def _allowed(self) -> tuple[str, ...]:
        return (*ALLOWED_UPDATES, "guest_message") if self._settings.telegram_guests else ALLOWED_UPDATES


async def run_telegram(channel: Telegram, intake: Intake, stop: asyncio.Event) -> None:
    """Run the channel by polling until `stop` is set: what `python -m bot telegram` does once it has an intake.

    Raises:
        TelegramStartError: the channel cannot start, or is set to webhook mode, which polling would switch off.
    """
    if channel.mode != "polling":
        raise TelegramStartError("XUANKA_TELEGRAM_MODE is webhook: run `python -m bot serve`")
    await channel.start(intake)
    try:
        await channel.poll(stop)
    finally:
        await channel.stop()
