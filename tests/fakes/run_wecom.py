"""A WeCom bot as a process of its own, to be killed: `python -m tests.fakes.run_wecom URL STORE [SECONDS]`.

It repeats what it hears, and takes SECONDS for each answer.
"""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import datetime

from bot.channels.wecom.run import Wecom
from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply
from bot.delivery import Delivery, DeliveryOptions
from bot.running import run_until_stopped
from bot.stores.sqlite import SqliteStore
from tests.fakes.wecom_stage import Script, settings_for


class Slow(Script):
    """Thinks before it speaks."""

    seconds = 0.0

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        time.sleep(self.seconds)
        return super().respond(message, conversation, now, borrowed)


async def main(url: str, path: str, seconds: str = "0") -> None:
    """Run until told to stop."""
    store = SqliteStore(path)
    await store.open()
    road = Slow()
    road.seconds = float(seconds)
    channel = Wecom(settings_for(url), store)
    delivery = Delivery(store, road, {"wecom": channel}, DeliveryOptions(workers=2, idle_s=0.02, lease_s=2.0))
    await delivery.start()
    await channel.start(delivery)

    async def nothing() -> None:
        """Nothing to reload."""

    try:
        await run_until_stopped(channel.run, nothing)
    finally:
        await delivery.stop(5.0)
        await channel.stop()
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
