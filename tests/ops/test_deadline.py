"""No message stops the bot: what hangs is ended, what kills its workers is given up, and everybody else goes on."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from datetime import datetime
from typing import Any

import pytest

from bot.computing import Computing, Limits, Overran
from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply
from bot.metrics import Metrics
from bot.stores.memory import MemoryStore
from tests.conftest import make_message
from tests.ops.stage import T0, Road, Stage, moment, on_stage, until

SHORT = Limits(processor_s=0.05, waiting_s=0.6, turn_s=0.02)


class Hanging(Road):
    """Never comes back from "hang" (work), "swallow" (work that catches what it can) and "sleep" (one call into C)."""

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        while message.text == "hang":
            pass
        while message.text == "swallow":
            try:
                sum(range(100))
            except Exception:
                continue
        if message.text == "sleep":
            time.sleep(1.5)
        return super().respond(message, conversation, now, borrowed)


async def test_a_cold_process_may_take_longer_and_a_warm_one_not() -> None:
    def work() -> str:
        end = time.thread_time() + 2 * SHORT.processor_s
        while time.thread_time() < end:
            pass
        return "done"

    computing = Computing(Limits(processor_s=SHORT.processor_s, waiting_s=30.0, turn_s=0.02))
    computing.patient(cold=True)
    assert await computing.run(work) == "done"
    computing.patient(cold=False)
    with pytest.raises(Overran):
        await computing.run(work)


def hang(stage: Stage) -> None:
    """Put the hanging road under a delivery that was given another one."""
    stage.delivery._answering._responder = Hanging()


def living() -> int:
    return sum(thread.name == "computing" for thread in threading.enumerate())


@pytest.mark.parametrize("text", ["hang", "swallow", "sleep"])
async def test_a_message_that_hangs_is_ended_with_a_line_an_alert_and_a_count(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    metrics = Metrics()
    async with on_stage(limits=SHORT, meter=metrics) as stage:
        hang(stage)
        with caplog.at_level(logging.ERROR):
            await stage.say(text, "1")
            await stage.say("after it", "2")
            await stage.quiet()
    assert [said.split(" ")[0] for _, said, _ in stage.chat.said] == ["sorry/short", "heard"]
    assert "ALERT" in caplog.text
    assert b'xuanka_errors_total{where="overran"} 1.0' in metrics.page()


async def test_others_are_answered_and_leases_and_the_loop_go_on_while_messages_hang() -> None:
    before = living()  # another test's bot in this process may still hold one
    limits = Limits(processor_s=30.0, waiting_s=30.0, turn_s=0.02)
    async with on_stage(limits=limits, workers=4, lease_s=0.3) as stage:
        hang(stage)
        for number in range(2):
            await stage.say("hang", f"h{number}", user_id=f"h{number}")
        await stage.say("fine", "1")
        await until(lambda: stage.chat.said)
        assert stage.chat.said == [("c", "heard fine", "")]
        # the leases of the hanging ones are renewed: nobody else gets them
        stage.clock.at = T0 + 0.25
        await asyncio.sleep(0.15)
        stage.clock.at = T0 + 0.4
        assert await stage.store.claim("other", now=stage.clock(), lease_s=1) is None
        await asyncio.wait_for(stage.delivery.stop(0.05), 5)
        await until(lambda: living() <= before)


async def test_an_ended_thread_is_gone_and_a_stopped_bot_keeps_none() -> None:
    before = living()
    computing = Computing(SHORT)
    with pytest.raises(Overran):
        await computing.run(lambda: Hanging().respond(make_message("swallow"), None, moment(T0)))
    await until(lambda: living() == before)
    assert await computing.run(lambda: 5) == 5
    computing.close()
    await until(lambda: living() == before)


async def test_what_breaks_in_the_thread_breaks_for_the_caller() -> None:
    computing = Computing()

    def broken() -> int:
        raise LookupError("words")

    with pytest.raises(LookupError):
        await computing.run(broken)
    computing.close()


async def test_an_item_whose_workers_died_twice_is_closed_with_a_line(caplog: pytest.LogCaptureFixture) -> None:
    store, metrics = MemoryStore(), Metrics()
    await store.open()
    await store.accept(make_message("poison", event_id="1"), now=T0 - 300, capacity=10)
    await store.accept(make_message("next", event_id="2"), now=T0 - 299, capacity=10)
    for death in range(2):  # two processes claim it and are never heard of again
        item = await store.claim("dead", now=T0 - 200 + 50 * death, lease_s=30)
        assert item is not None
        assert item.claims == death + 1
    with caplog.at_level(logging.ERROR):
        async with on_stage(store, meter=metrics) as stage:
            await stage.quiet()
    assert [said.split(" ")[0] for _, said, _ in stage.chat.said] == ["sorry/short", "heard"]
    assert [message.text for message in stage.road.heard] == ["next"]
    assert "ALERT: a message was given up after 2 claims" in caplog.text
    assert b'xuanka_errors_total{where="given_up"} 1.0' in metrics.page()


async def test_a_call_that_was_cut_lets_the_next_one_of_its_conversation_in() -> None:
    begun, go = threading.Event(), threading.Event()

    class Slow(Road):
        def respond(self, message: IncomingMessage, *rest: Any) -> tuple[Reply, Conversation]:
            if message.text == "slow":
                begun.set()
                go.wait(5)
            return super().respond(message, *rest)

    async with on_stage() as stage:
        stage.delivery._answering._responder = Slow()
        cut = asyncio.create_task(stage.delivery.answer_now(make_message("slow", event_id="1")))
        await until(begun.is_set)
        cut.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cut
        go.set()
        reply = await stage.delivery.answer_now(make_message("next", event_id="2"))
        assert reply is not None
        assert reply.text == "heard next"
        assert (await stage.delivery.answer_now(make_message("slow", event_id="1"))).text == "heard slow"  # type: ignore[union-attr]


STANDSTILL = """
import asyncio, re
from bot import running

running._STANDSTILL_S = 1.0

async def body(stop):
    await asyncio.sleep(0.1)
    print("still", flush=True)
    re.match(r"(a+)+$", "a" * 64 + "b")

async def reload():
    return None

asyncio.run(running.run_until_stopped(body, reload))
"""


WAITS = STANDSTILL.replace("= 1.0", "= 3.0").replace("0.1)", "4.5)").replace("re.match", "re.compile")
WAITS = WAITS.replace(', "a" * 64 + "b")', ")")


def test_a_process_in_which_nothing_gets_a_turn_ends_and_says_where_and_one_whose_loop_turns_lives() -> None:
    stands, turns = (
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for code in (STANDSTILL, WAITS)
    )
    out, error = stands.communicate(timeout=120)
    assert (out, stands.returncode) == ("still\n", 1)
    assert "in body" in error
    assert (*turns.communicate(timeout=120), turns.returncode) == ("still\n", "", 0)
