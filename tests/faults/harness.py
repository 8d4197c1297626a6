"""Replicas that are killed and started again, messages fed to their store, and what must be found in the chat afterwards."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.ports import Accepted, Store, StoreUnavailable
from tests.conftest import make_message

ROOT = Path(__file__).resolve().parents[2]
WORKERS = 4


class Replicas:
    """Processes of `tests.faults.replica`."""

    def __init__(self, address: str, chat_log: Path, count: int) -> None:
        self._address, self._chat_log = address, chat_log
        self.kills = 0
        self.running = [self._start() for _ in range(count)]

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.faults.replica", self._address, str(self._chat_log), str(WORKERS)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def kill_and_restart(self, index: int) -> None:
        self._end(self.running[index])
        self.kills += 1
        self.running[index] = self._start()

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        process.kill()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()

    def stop(self) -> None:
        for process in self.running:
            self._end(process)


@dataclass
class Feed:
    """Messages of many conversations, each `turns` long, interleaved at random; some are delivered again.

    `order` is what must be found: for each conversation its events in the order in which they were accepted.
    """

    store: Store
    chats: int
    turns: int
    rng: random.Random
    repeats: float = 0.3
    reordered: bool = False
    pause_s: float = 0.0
    rate_per_s: float = 0.0
    """Pace of new messages; 0: as fast as the store takes them."""
    first: int = 0
    """Number of its first chat: feeds that run side by side have chats of their own."""
    patience_s: float = 30.0
    """How long the store may be away."""
    order: dict[str, list[str]] = field(default_factory=dict)
    fed: int = 0

    async def run(self) -> None:
        plan = self._plan()
        started = time.monotonic()
        for position, (chat, turn) in enumerate(plan):
            await self._deliver(chat, turn)
            if self.rng.random() < self.repeats:
                # A platform delivers again what it is not sure of: this one, or one from a while ago.
                again = plan[self.rng.randrange(max(0, position - 200), position + 1)]
                await self._deliver(*again)
            ahead = position / self.rate_per_s - (time.monotonic() - started) if self.rate_per_s else self.pause_s
            if ahead > 0:
                await asyncio.sleep(ahead)

    def _plan(self) -> list[tuple[int, int]]:
        chats = range(self.first, self.first + self.chats)
        plan = [(chat, turn) for turn in range(1, self.turns + 1) for chat in chats]
        if self.reordered:
            window = 3 * self.chats
            for start in range(0, len(plan), window):
                part = plan[start : start + window]
                self.rng.shuffle(part)
                plan[start : start + window] = part
        return plan

    async def _deliver(self, chat: int, turn: int) -> None:
        """As a platform does: again and again until it is acknowledged."""
        event = f"{chat}-{turn}"
        message = make_message("q", event_id=event, chat_id=f"c{chat}", message_id=str(turn))
        until = time.monotonic() + self.patience_s
        while True:
            try:
                accepted = await self.store.accept(message, now=time.time(), capacity=1_000_000)
                break
            except StoreUnavailable:
                assert time.monotonic() < until
                await asyncio.sleep(0.05)
        known = self.order.setdefault(message.conversation_key, [])
        if event not in known:
            # DUPLICATE is possible, too: the first attempt got through and only its acknowledgement was lost.
            known.append(event)
            self.fed += 1
        else:
            assert accepted is Accepted.DUPLICATE


async def drained(store: Store, timeout_s: float = 60.0) -> None:
    async with asyncio.timeout(timeout_s):
        while True:
            try:
                if not (await store.backlog(time.time())).waiting:
                    return
            except StoreUnavailable:
                pass
            await asyncio.sleep(0.05)


@dataclass(frozen=True)
class Found:
    """What the chat shows against what was accepted."""

    lost: int
    """Events that were accepted and never answered."""
    foreign: int
    """Answers to nothing that was accepted."""
    disordered: int
    """Conversations whose answers stand in another order than their events."""
    redone: int
    """Conversations in which a turn was handled twice: their state counts more turns than there are events."""
    twice: int
    """Answers that came again."""


def look(chat_log: Path, order: dict[str, list[str]]) -> Found:
    """Compare the chat with what was accepted, event by event."""
    seen: dict[str, list[str]] = {conversation: [] for conversation in order}
    turns: dict[str, int] = {}
    with chat_log.open(encoding="utf-8") as lines:
        for line in lines:
            conversation, said = line.rstrip("\n").split("\t")
            event, turn = said.split(" ")
            seen.setdefault(conversation, []).append(event)
            turns[conversation] = max(turns.get(conversation, 0), int(turn))
    lost = foreign = disordered = redone = twice = 0
    for conversation, events in seen.items():
        wanted = order.get(conversation, [])
        # What came twice came at once after itself: state and order are those of one answer.
        once = [event for place, event in enumerate(events) if place == 0 or events[place - 1] != event]
        lost += len(set(wanted) - set(events))
        foreign += len(set(events) - set(wanted))
        disordered += once != [event for event in wanted if event in set(events)]
        redone += turns.get(conversation, 0) > len(wanted)
        twice += sum(count - 1 for count in Counter(events).values())
    return Found(lost, foreign, disordered, redone, twice)
