"""One replica for the fault runs: a real delivery over a real store; the chat is a file that only grows.

Run as `python -m tests.faults.replica STORE CHATLOG WORKERS`. What it sends is one line `conversation TAB event`, appended in
one write, so a kill leaves whole lines.
"""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import datetime

from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Outcome, Sent
from bot.delivery import Delivery, DeliveryOptions
from bot.stores import open_store

LEASE_S = 1.0


class Counting:
    """Answers with the number of the turn in its conversation, so that a lost or doubled turn shows."""

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        state = conversation or Conversation(key=message.conversation_key)
        turn = state.turn + 1
        reply = Reply(decision="answer", language="en", text=f"{message.event_id} {turn}")
        return reply, state.model_copy(update={"turn": turn, "updated_at": now})

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: object) -> Reply:
        return Reply(decision="fallback", language="en", text=page)


class ChatLog:
    """The chat as a file."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        await asyncio.sleep(0)  # lets other conversations in between, as a network would
        os.write(self._file, f"{message.conversation_key}\t{reply.text}\n".encode())
        return Sent(Outcome.SENT, "1")


async def main(store_address: str, chat_log: str, workers: int) -> None:
    store = open_store(store_address)
    await store.open()
    delivery = Delivery(
        store, Counting(), {"test": ChatLog(chat_log)}, DeliveryOptions(workers=workers, lease_s=LEASE_S, idle_s=0.02)
    )
    await delivery.start()
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
