"""The full Telegram bot beside a bare echo bot on the same library, in one run, over a network that costs nothing.

Both take the same raw updates and answer through python-telegram-bot; only its HTTP request is replaced by one that
answers at once. The full bot stores, understands, advises, renders, keeps state and sends; the bare one repeats the text.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from telegram import Update
from telegram.ext import Application, MessageHandler, filters
from telegram.request import HTTPXRequest

from bot.channels.telegram.run import Telegram
from bot.service import Service
from bot.settings import Settings
from tests.bench.__main__ import questions, show

_UPDATES = 1000
_ME = {"id": 1, "is_bot": True, "first_name": "bench", "username": "bench_bot", "can_join_groups": True,
       "can_read_all_group_messages": False, "supports_inline_queries": True}  # fmt: skip


class _Network:
    """Answers each request at once and counts messages."""

    def __init__(self) -> None:
        self.sent = 0

    async def do_request(self, url: str, *_args: Any, **_kwargs: Any) -> tuple[int, bytes]:
        method = url.rsplit("/", 1)[-1]
        result: Any = True
        if method == "getMe":
            result = _ME
        elif method in {"sendMessage", "editMessageText"}:
            self.sent += 1
            result = {"message_id": self.sent, "date": 1_795_000_000, "chat": {"id": 5, "type": "private"}, "text": "x"}
        return 200, json.dumps({"ok": True, "result": result}).encode()


def _updates(texts: list[str]) -> list[dict[str, Any]]:
    moment = int(time.time())
    return [
        {
            "update_id": number,
            "message": {
                "message_id": number,
                "date": moment,
                "chat": {"id": 1000 + number % 200, "type": "private", "first_name": "u"},
                "from": {"id": 1000 + number % 200, "is_bot": False, "first_name": "u"},
                "text": texts[number % len(texts)],
            },
        }
        for number in range(1, _UPDATES + 1)
    ]


@dataclass(frozen=True)
class Pace:
    """How fast updates went."""

    per_s: float
    """On the clock: what a busy machine takes away counts."""
    processor_us: float
    """Processor time an update, all threads together."""


class _Stopwatch:
    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def pace(self, count: int) -> Pace:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        return Pace(count / wall, processor * 1e6 / count)


async def _bare(updates: list[dict[str, Any]], network: _Network) -> Pace:
    application = Application.builder().token("1:a").build()

    async def repeat(update: Update, _context: Any) -> None:
        await update.message.reply_text(update.message.text)

    application.add_handler(MessageHandler(filters.TEXT, repeat))
    await application.initialize()
    network.sent = 0
    watch = _Stopwatch()
    for raw in updates:
        await application.process_update(Update.de_json(dict(raw), application.bot))
    pace = watch.pace(network.sent)
    await application.shutdown()
    return pace


async def _full(updates: list[dict[str, Any]], network: _Network, store: str) -> Pace:
    settings = Settings(
        telegram_token="1:a",
        store=store,
        telegram_limits=False,
        user_per_minute=10_000,
        chat_per_minute=10_000,
        bot_per_second=100_000,
        _env_file=None,  # the bench depends on no file
    )
    service = Service(settings)
    channel = Telegram(settings, service.store)
    service.senders["telegram"] = channel
    await service.start()
    await channel.start(service.delivery)
    await service.warm()
    network.sent = 0
    watch = _Stopwatch()
    for raw in updates:
        await channel.take(dict(raw))
    while network.sent < len(updates) or (await service.store.backlog(0)).waiting:
        await asyncio.sleep(0.005)
    pace = watch.pace(len(updates))
    await channel.stop()
    await service.stop()
    return pace


def paces(updates: list[dict[str, Any]]) -> dict[str, Pace]:
    """Of the bare bot, and of the full one over each kind of store."""
    network = _Network()
    original = HTTPXRequest.do_request
    HTTPXRequest.do_request = network.do_request  # put back below
    try:
        with tempfile.TemporaryDirectory() as folder:
            stores = {"memory": "memory:", "sqlite": f"sqlite:///{folder}/state.sqlite"}
            found = {"bare": asyncio.run(_bare(updates, network))}
            return found | {name: asyncio.run(_full(updates, network, store)) for name, store in stores.items()}
    finally:
        HTTPXRequest.do_request = original


def bench_echo() -> None:
    """Updates per second of all, and their ratios."""
    found = paces(_updates([record["text"] for record in questions()]))
    bare = found.pop("bare")
    show("echo_bare_per_s", bare.per_s, "updates/s", "python-telegram-bot repeating the text")
    for name, pace in found.items():
        kind = "in memory" if name == "memory" else "on disk"
        show(f"echo_{name}_per_s", pace.per_s, "updates/s", f"the whole bot, state in SQLite {kind}")
        show(f"echo_{name}_ms", pace.processor_us / 1000, "ms", "processor time an update")
        show(f"echo_ratio_{name}", bare.processor_us / pace.processor_us, "ratio", "full over bare, by processor time")
