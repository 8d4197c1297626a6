"""A running bot: store, assistant, gate, desk, delivery and channels, started and stopped in the right order.

SIGTERM or Ctrl-C stops the channels first (nothing new comes in), then lets workers finish what is in hand within the
grace period; whatever is still open stays in the store for the next start or another replica.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from advisor.errors import BadData
from bot.app import build_assistant
from bot.boards import GroupBoards
from bot.core.board import Board
from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Meter, Sender, Store
from bot.delivery import Delivery, DeliveryOptions
from bot.desk import DeskOptions, FrontDesk
from bot.gate import Access, AccessGate
from bot.pipeline import Assistant
from bot.settings import Settings
from bot.stores import open_store

_BOARD_TTL_S = 6 * 3600.0
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

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: Any) -> Reply:
        """Port `Responder`."""
        return self.assistant.say(message, page, block, **values)

    @property
    def version(self) -> str:
        """Version of the data in use."""
        return self.assistant.services.catalog.version


def _access(settings: Settings) -> Access:
    return Access(
        allow_chats=frozenset(settings.allow_chats),
        deny_chats=frozenset(settings.deny_chats),
        allow_users=frozenset(settings.allow_users),
        deny_users=frozenset(settings.deny_users),
        admins=frozenset(settings.admins),
        user_per_minute=settings.user_per_minute,
        chat_per_minute=settings.chat_per_minute,
        bot_per_second=settings.bot_per_second,
    )


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
        self.store = store or open_store(settings.store)
        self.responder = Swappable(build_assistant(self._data_dir, warm=True))
        self.gate = AccessGate(_access(settings), self.store)
        self.desk = FrontDesk(
            self.store,
            lambda: self.responder,
            self.gate.is_admin,
            data_version=lambda: self.responder.version,
            clock=clock,
            reload=self.reload,
            options=DeskOptions(
                kept_minutes=settings.conversation_ttl_s // 60,
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
            boards=GroupBoards(self.store, ttl_s=_BOARD_TTL_S),
            meter=meter,
            clock=clock,
        )

    async def start(self) -> None:
        """Open the store and let the workers begin.

        Raises:
            StoreUnavailable: the store cannot be opened.
        """
        await self.store.open()
        self.delivery.senders = self.senders
        await self.delivery.start()

    async def stop(self) -> None:
        """Let the workers finish, close the store."""
        await self.delivery.stop(self.settings.grace_s)
        await self.store.close()

    async def reload(self) -> tuple[bool, str]:
        """Take fresh data when all of it is sound, else keep the old and say what is wrong."""
        try:
            fresh = await asyncio.to_thread(build_assistant, self._data_dir, warm=True)
        except BadData as error:
            _LOG.error("fresh data was not taken: %d problems", len(error.problems))
            return False, f"{error.problems[0]} (+{len(error.problems) - 1})"
        self.responder.assistant = fresh
        _LOG.warning("fresh data in use: %s", self.responder.version)
        return True, self.responder.version


async def run_until_stopped(
    body: Callable[[asyncio.Event], Awaitable[None]], on_reload: Callable[[], Awaitable[Any]]
) -> None:
    """Run until SIGTERM or SIGINT; SIGHUP reloads."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[Any]] = set()

    def reload_soon() -> None:
        task = asyncio.ensure_future(on_reload())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    for name in ("SIGTERM", "SIGINT"):
        with suppress(NotImplementedError, AttributeError):
            loop.add_signal_handler(getattr(signal, name), stop.set)
    with suppress(NotImplementedError, AttributeError):
        loop.add_signal_handler(signal.SIGHUP, reload_soon)
    await body(stop)
