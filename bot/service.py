"""A running bot: store, assistant, gate, desk, delivery and channels, started and stopped in the right order.

SIGTERM or Ctrl-C stops the channels first (nothing new comes in), then lets workers finish what is in hand within the
grace period; whatever is still open stays in the store for the next start or another replica.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from advisor.catalog_files import DATA
from advisor.errors import BadData, Problem
from bot.app import build_assistant
from bot.boards import GroupBoards
from bot.chat_prices import ChatPrices, Knowing
from bot.chat_reports import ChatReports
from bot.core.board import Board
from bot.core.conversation import Conversation, Episode
from bot.core.inventory import in_units, lives
from bot.core.message import IncomingMessage, Reply, key_part
from bot.core.ports import BROADCAST, Accepted, Sender, Store, StoreUnavailable
from bot.core.stations import Meter
from bot.delivery import Delivery, DeliveryOptions
from bot.desk import CHATS, DeskOptions, FrontDesk
from bot.gate import Access, AccessGate
from bot.identity import read_identities
from bot.logs import Hasher
from bot.pipeline import Assistant
from bot.settings import Settings
from bot.stores import open_store
from bot.stores.records import mark_of
from bot.tellings import Tellings
from bot.warming import warming

_BOARD_TTL_S = 6 * 3600.0
_TEND_EVERY_S = 5.0
_FRESH_KEY = "fresh_data"
"""Small value that changes when an operator asks for fresh data: all replicas follow."""
_LOG = logging.getLogger("xuanka.service")


class Swappable:
    """A responder whose assistant can be replaced while it runs: each message sees one whole set of data."""

    def __init__(self, assistant: Assistant) -> None:
        """Begin with one assistant."""
        self.assistant = assistant

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        """Port `Responder`."""
        return self.assistant.respond(message, conversation, now, borrowed)

    def decide_together(self, message: IncomingMessage, board: Board, now: datetime) -> tuple[Reply, Conversation]:
        """Port `Responder`."""
        return self.assistant.decide_together(message, board, now)

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: object) -> Reply:
        """Port `Responder`."""
        return self.assistant.say(message, page, block, **values)

    @property
    def knowing(self) -> Knowing:
        """What reads messages and knows cards."""
        return Knowing(self.assistant.understander.understand, self.assistant.services.catalog)

    @property
    def version(self) -> str:
        """Version of the data in use."""
        return self.assistant.services.catalog.version


def _access(settings: Settings) -> Access:
    return Access(
        allow_chats=read_identities(settings.allow_chats),
        deny_chats=read_identities(settings.deny_chats),
        allow_users=read_identities(settings.allow_users),
        deny_users=read_identities(settings.deny_users),
        admins=read_identities(settings.admins),
        user_per_minute=settings.user_per_minute,
        chat_per_minute=settings.chat_per_minute,
        bot_per_second=settings.bot_per_second,
    )


def _callers(settings: Settings) -> tuple[str, ...]:
    """Whose callers wait at this process: whatever it left behind when it was killed is closed by it or its like."""
    bots = [("web", ""), ("api", ""), *(("api", name) for name in settings.api_keys)]
    if settings.wecom_bot_id:
        bots.append(("wecom", settings.wecom_bot_id))
    return tuple(f"{key_part(channel)}:{key_part(bot)}:" for channel, bot in bots)


def _kept(settings: Settings) -> tuple[tuple[str, int, str], ...]:
    """What /privacy tells, from the inventory and the settings."""
    spans = {
        "CONVERSATION_TTL_S": float(settings.conversation_ttl_s),
        "RETENTION_DAYS": settings.retention_days * 86_400.0,
    }
    found = lives(spans, keeps_texts=settings.keep_texts, knows_chats=settings.allow_broadcast)
    return tuple((topic.value, *(in_units(span) if span is not None else (0, ""))) for topic, span in found)


def _salt(settings: Settings) -> bytes:
    """What marks in the store are made with: a secret that all replicas of this bot share."""
    secrets_ = (settings.id_salt, settings.signing_key, settings.telegram_token, settings.wecom_secret)
    for secret in (
        *secrets_,
        settings.wecom_token,
        settings.wecom_app_token,
        settings.discord_token,
        settings.feishu_secret,
    ):
        if secret is not None and secret.get_secret_value():
            return hashlib.sha256(b"marks\0" + secret.get_secret_value().encode()).digest()
    return b""


class Service:
    """Everything between settings and a running bot."""

    def __init__(
        self,
        settings: Settings,
        *,
        store: Store | None = None,
        meter: Meter | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Load data and wire parts; nothing is connected yet.

        Raises:
            BadData: data files are faulty.
        """
        self.settings = settings
        self._data_dir = Path(settings.data_dir) if settings.data_dir else None
        self.store = store or open_store(settings.store, _salt(settings))
        self.responder = Swappable(build_assistant(self._data_dir))
        self.gate = AccessGate(_access(settings), self.store)
        self._clock = clock
        self._reloading = asyncio.Lock()
        self._fresh_seen: object = None
        self._tending: asyncio.Task[None] | None = None
        boards = GroupBoards(self.store, ttl_s=_BOARD_TTL_S)
        name_of = Hasher(settings.id_salt.get_secret_value() if settings.id_salt else secrets.token_hex(16))
        # The same after a restart and on every replica, or nobody could be forgotten any more.
        mark = partial(mark_of, salt=_salt(settings))
        parts = (self.store, lambda: self.responder, lambda: self.responder.knowing, mark)
        quotes = Tellings(
            ChatPrices(*parts, clock=clock, shared=settings.share_chat_prices), ChatReports(*parts, clock=clock)
        )
        self.desk = FrontDesk(
            self.store,
            lambda: self.responder,
            self.gate.is_admin,
            data_version=lambda: self.responder.version,
            clock=clock,
            reload=self.reload_everywhere,
            broadcast=self.broadcast,
            boards=boards,
            quotes=quotes,
            options=DeskOptions(
                kept=_kept(settings),
                keep_texts=settings.keep_texts,
                keep_texts_s=settings.retention_days * 86_400.0,
                allow_broadcast=settings.allow_broadcast,
            ),
        )
        self.senders: dict[str, Sender] = {}
        self.delivery = Delivery(
            self.store,
            self.responder,
            self.senders,
            DeliveryOptions(
                workers=settings.workers,
                lease_s=settings.lease_s,
                conversation_ttl_s=float(settings.conversation_ttl_s),
            ),
            gate=self.gate,
            desk=self.desk,
            boards=boards,
            meter=meter,
            clock=clock,
            callers=_callers(settings),
            name_of=name_of,
            quotes=quotes,
        )

    async def start(self) -> None:
        """Open the store and let the workers begin.

        Raises:
            StoreUnavailable: the store cannot be opened.
        """
        if self.settings.warm_up:
            self.delivery.patient(cold=True)  # until it was warmed, whose tables are made meanwhile
        await self.store.open()
        self._fresh_seen = await self.store.get(_FRESH_KEY)
        self.delivery.senders = self.senders
        await self.delivery.start()
        self._tending = asyncio.create_task(self._tend(), name="tend")

    async def warm(self) -> None:
        """Do beforehand what is otherwise done on first use, unless settings say no; the bot answers meanwhile."""
        if not self.settings.warm_up:
            return
        try:
            for step in warming(self.responder.assistant):
                try:
                    await self.delivery.beside(step)
                except Exception as error:  # what is broken is told to whoever asks for it; all else goes on
                    _LOG.error("ALERT: a part of the start failed: %s", type(error).__name__)
        finally:
            self.delivery.patient(cold=False)

    async def stop(self) -> None:
        """Let the workers finish, close the store."""
        await self.delivery.stop(self.settings.grace_s)
        if self._tending is not None:
            self._tending.cancel()
            with suppress(asyncio.CancelledError):
                await self._tending
        with suppress(StoreUnavailable):
            await self.store.tidy()
        await self.store.close()

    async def _tend(self) -> None:
        """Keep the store clean, and follow when an operator asked another replica for fresh data."""
        while True:
            await asyncio.sleep(_TEND_EVERY_S)
            try:
                await self.store.tidy()
                wish = await self.store.get(_FRESH_KEY)
            except StoreUnavailable:
                continue
            if wish != self._fresh_seen:
                self._fresh_seen = wish
                await self.reload()

    # --- fresh data --------------------------------------------------------------------------------------------------

    async def reload(self) -> tuple[bool, str]:
        """Take fresh data when all of it is sound, else keep the old and say what is wrong."""
        async with self._reloading:
            try:
                fresh = await asyncio.to_thread(_build_checked, self._data_dir)
            except BadData as error:
                _LOG.error("fresh data was not taken: %d problems, first %s", len(error.problems), error.problems[0])
                more = f" (+{len(error.problems) - 1})" if len(error.problems) > 1 else ""
                return False, f"{error.problems[0]}{more}"
            except Exception as error:  # a file that is gone or unreadable must not cost the old data
                _LOG.error("fresh data was not taken: %s", type(error).__name__)
                return False, type(error).__name__
            self.responder.assistant = fresh
            _LOG.warning("fresh data in use: %s", self.responder.version)
            return True, self.responder.version

    async def reload_everywhere(self) -> tuple[bool, str]:
        """Take fresh data here, and when it is sound ask the other replicas to do the same."""
        done, line = await self.reload()
        if done:
            self._fresh_seen = secrets.token_hex(8)
            await self.store.put(_FRESH_KEY, self._fresh_seen)
        return done, line

    # --- broadcast ---------------------------------------------------------------------------------------------------

    async def broadcast(self, text: str) -> int:
        """Put a text into the inbox for every known chat; limits, order and retries are those of any reply."""
        token, taken = secrets.token_hex(4), 0
        for number, field in enumerate(await self.store.counts(CHATS)):
            channel, bot_id, chat_type, chat_id = json.loads(field)
            message = IncomingMessage(
                channel=channel,
                bot_id=bot_id,
                event_id=f"{BROADCAST}-{token}-{number}",
                chat_id=chat_id,
                chat_type=chat_type,
                user_id="",
                text=text,
                addressed_how=BROADCAST,
                received_at=datetime.fromtimestamp(self._clock(), UTC),
            )
            if self.delivery.serves(message):
                taken += await self.delivery.accept(message) is Accepted.STORED
        return taken


def _build_checked(data_dir: Path | None) -> Assistant:
    """An assistant over data that passes the checks of `bot check`.

    Raises:
        BadData: it does not; all faults at once.
    """
    # a start takes data as it was checked when it was written
    from advisor.checks import check_catalog
    from knowledge.checks import check_library

    catalog = data_dir / "advisor" / "data" if data_dir else DATA
    library = data_dir / "knowledge" if data_dir else None
    problems = list(check_catalog(catalog if catalog.is_dir() else DATA))
    faults = check_library(library if library is not None and library.is_dir() else None)
    problems += [Problem(fault.path, fault.line, fault.message) for fault in faults]
    if problems:
        raise BadData(problems)
    return build_assistant(data_dir, warm=True)
