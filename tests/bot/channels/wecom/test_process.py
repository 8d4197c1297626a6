"""The bot as a process: started, stopped, killed, beside another one."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.fakes.wecom import FakeWecom
from tests.fakes.wecom_pushes import BOT_ID, SECRET
from tests.fakes.wecom_stage import until

ROOT = Path(__file__).resolve().parents[4]


@asynccontextmanager
async def process(*arguments: str, cwd: Path = ROOT, **env: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A Python process that is gone at the end."""
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *arguments,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield running
    finally:
        if running.returncode is None:
            running.kill()
        await running.communicate()


def accepted(store: Path) -> int:
    """How many messages the inbox has taken."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM inbox").fetchone()[0])


async def test_what_was_taken_before_a_kill_is_answered_after_it(tmp_path: Path) -> None:
    store = tmp_path / "bot.sqlite"
    async with FakeWecom().running() as fake:
        async with process("tests.fakes.run_wecom", fake.url, str(store), "0.05") as first:
            await fake.connected()
            asked = {await fake.say(f"user{number % 7}", f"question {number}") for number in range(40)}
            await until(lambda: accepted(store) == 40)
            first.kill()
            await fake.until(lambda: fake.live is None)
        done = len(fake.shown)
        assert done < 40
        async with process("tests.fakes.run_wecom", fake.url, str(store)):
            await fake.until(lambda: len(fake.shown) == 40, 20)
        assert {shown.req_id for shown in fake.shown} == asked
        for user in range(7):
            texts = [shown.text for shown in fake.in_chat(f"user{user}")]
            assert texts == [f"You said: question {number}" for number in range(user, 40, 7)]
    assert fake.findings == []


async def test_the_other_process_takes_over_within_seconds_of_a_kill(tmp_path: Path) -> None:
    store = str(tmp_path / "bot.sqlite")
    async with FakeWecom().running() as fake, process("tests.fakes.run_wecom", fake.url, store) as first:
        await fake.connected()
        async with process("tests.fakes.run_wecom", fake.url, store):
            await fake.say("lin", "one")
            await fake.answer("lin")
            first.kill()
            await fake.until(lambda: fake.live is None)
            await fake.connected(10)
            await fake.say("lin", "two")
            await fake.answer("lin", 2)
        assert len(fake.subscriptions) == 2
    assert fake.findings == []


async def test_a_stop_hands_over_at_once_and_ends_well(tmp_path: Path) -> None:
    store = str(tmp_path / "bot.sqlite")
    async with FakeWecom().running() as fake, process("tests.fakes.run_wecom", fake.url, store) as first:
        await fake.connected()
        first.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(first.wait(), 10) == 0
        async with process("tests.fakes.run_wecom", fake.url, store):
            await fake.connected(4)


def _env(fake: FakeWecom, tmp_path: Path, secret: str = SECRET) -> dict[str, str]:
    return {
        "XUANKA_WECOM_BOT_ID": BOT_ID,
        "XUANKA_WECOM_SECRET": secret,
        "XUANKA_WECOM_WS_URL": fake.url,
        "XUANKA_WARM_UP": "no",
        "XUANKA_STORE": f"sqlite:///{tmp_path / 'bot.sqlite'}",
    }


async def test_the_command_answers_and_ends_well_when_told(tmp_path: Path) -> None:
    async with FakeWecom().running() as fake:
        async with process("bot", "wecom", cwd=tmp_path, **_env(fake, tmp_path)) as running:
            await fake.connected(20)
            await fake.say("lin", "RTX 4090 显存多大")
            shown = await fake.answer("lin")
            assert "24" in shown.text
            running.send_signal(signal.SIGTERM)
            out, err = await asyncio.wait_for(running.communicate(), 15)
            assert running.returncode == 0
        assert SECRET not in (out + err).decode()
        assert "显存" not in (out + err).decode()
    assert fake.findings == []


async def test_a_wrong_secret_is_one_line_and_status_2(tmp_path: Path) -> None:
    async with FakeWecom().running() as fake:
        async with process("bot", "wecom", cwd=tmp_path, **_env(fake, tmp_path, "wrong-secret")) as running:
            _, err = await asyncio.wait_for(running.communicate(), 30)
        lines = err.decode().splitlines()
        assert running.returncode == 2
        assert "XUANKA_WECOM_SECRET" in lines[-1]
        assert "Traceback" not in err.decode()
        assert "wrong-secret" not in err.decode()


@pytest.mark.parametrize(
    ("env", "names"),
    [
        ({}, ["XUANKA_WECOM_BOT_ID", "XUANKA_WECOM_SECRET"]),
        ({"XUANKA_WECOM_BOT_ID": "aib"}, ["XUANKA_WECOM_SECRET"]),
    ],
)
async def test_missing_settings_are_a_line_each_and_status_2(
    tmp_path: Path, env: dict[str, str], names: list[str]
) -> None:
    async with process("bot", "wecom", cwd=tmp_path, **env) as running:
        out, err = await asyncio.wait_for(running.communicate(), 20)
    assert running.returncode == 2
    assert out == b""
    assert [line.split()[0] for line in err.decode().splitlines()] == names
