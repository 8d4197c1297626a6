"""A bot as a process of its own, to be killed: `python -m tests.fakes.run_bot URL STORE`. Repeats what it hears."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot.channels.telegram.run import Telegram
from bot.delivery import Delivery, DeliveryOptions
from bot.settings import Settings
from bot.stores.sqlite import SqliteStore
from tests.fakes.stage import Script
from tests.fakes.telegram import TOKEN


async def main(url: str, path: str) -> None:
    """Poll until killed."""
    store = SqliteStore(str(Path(path)))
    await store.open()
    settings = Settings(
        telegram_token=TOKEN, telegram_base_url=url, telegram_limits=False, default_language="en", _env_file=None
    )
    channel = Telegram(settings, store)
    options = DeliveryOptions(workers=4, idle_s=0.02, lease_s=2.0)
    delivery = Delivery(store, Script(), {"telegram": channel}, options)
    await channel.start(delivery)
    await delivery.start()
    await channel.poll(asyncio.Event())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
