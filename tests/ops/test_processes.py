"""The program as an operator meets it: faults at the start in one line, signals, a port, a webhook on any replica."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.stores.server import free_port

ROOT = Path(__file__).resolve().parents[2]


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Of a process with a store of its own; it does nothing beforehand, which costs more than all that most tests ask of it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XUANKA_")}
    own = {
        "CACHE_DIR": os.environ["XUANKA_CACHE_DIR"],
        "STORE": f"sqlite:///{folder / 'state.sqlite'}",
        "WARM_UP": "no",
    }
    return kept | {"PYTHONPATH": str(ROOT)} | {f"XUANKA_{name}": value for name, value in (own | settings).items()}


def run(folder: Path, *command: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *command],
        cwd=folder,
        env=environment(folder, **settings),
        capture_output=True,
        text=True,
        timeout=60,
    )


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    port = str(free_port())
    with (folder / f"log-{port}").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", "serve"],
            cwd=folder,
            env=environment(folder, HTTP_PORT=port, **settings),
            stderr=log,
            text=True,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            until = time.monotonic() + 40
            while "listening on" not in (folder / f"log-{port}").read_text():
                assert process.poll() is None, (folder / f"log-{port}").read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
            yield process, address
        finally:
            process.kill()
            process.wait(10)


def ask(address: str, text: str, **more: Any) -> dict[str, Any]:
    body = json.dumps({"id": 1, "text": text} | more).encode()
    asked = urllib.request.Request(f"{address}/api/v1/ask", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=20) as response:
        return json.loads(response.read())


@pytest.mark.parametrize(
    ("command", "settings", "says"),
    [
        (["telegram"], {}, "XUANKA_TELEGRAM_TOKEN is missing"),
        (["wecom"], {}, "XUANKA_WECOM_BOT_ID is missing"),
        (["serve"], {"HTTP_PORT": "99999"}, "XUANKA_HTTP_PORT"),
        (["serve"], {"HTTP_HOST": "203.0.113.7"}, "XUANKA_HTTP_HOST is no address of this machine"),
        (["serve"], {"STORE": "mysql://db"}, "XUANKA_STORE: use sqlite:///PATH"),
        (["serve"], {"WECOM_TOKEN": "only-half"}, "XUANKA_WECOM_AES_KEY is missing"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_loaded(
    tmp_path: Path, command: list[str], settings: dict[str, str], says: str
) -> None:
    if "HTTP_PORT" not in settings:
        settings = settings | {"HTTP_PORT": "0"}
    done = run(tmp_path, *command, **settings)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert all(len(line) < 300 for line in done.stderr.splitlines())


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run(tmp_path, "serve", HTTP_PORT=str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "The port is in use: set XUANKA_HTTP_PORT to another one, or stop what listens there."
    )


def test_a_store_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    done = run(tmp_path, "serve", HTTP_PORT="0", STORE=f"sqlite:///{tmp_path}/nowhere/x.sqlite")
    assert done.returncode == 2
    assert "does not exist" in done.stderr
    assert "Check XUANKA_STORE" in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_data_is_said_with_file_and_line(tmp_path: Path) -> None:
    own = tmp_path / "own" / "advisor" / "data"
    own.mkdir(parents=True)
    (own / "prices.csv").write_text("what,is\nthis,then\n", encoding="utf-8")
    done = run(tmp_path, "serve", HTTP_PORT="0", DATA_DIR=str(tmp_path / "own"))
    assert done.returncode == 2
    assert "prices.csv" in done.stderr
    assert "bot check" in done.stderr
    assert "Traceback" not in done.stderr


def test_serve_answers_reloads_on_sighup_and_stops_on_sigterm(tmp_path: Path) -> None:
    with serving(tmp_path, WARM_UP="yes") as (process, address):
        first = ask(address, "4090 memory bandwidth", chat="c", user="u")
        assert first["decision"] == "answer"
        log = next(tmp_path.glob("log-*"))
        process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 40
        while "fresh data in use" not in log.read_text():
            assert time.monotonic() < until
            time.sleep(0.05)
        assert ask(address, "4090 memory bandwidth", chat="c", user="v")["facts"] == first["facts"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(25) == 0
        assert "Traceback" not in log.read_text()
    assert not (tmp_path / "state.sqlite-wal").exists()


def test_what_was_accepted_before_a_kill_is_answered_by_the_next_start(tmp_path: Path) -> None:
    import asyncio

    from bot.stores.sqlite import SqliteStore
    from tests.conftest import make_message

    async def leave_one() -> None:
        store = SqliteStore(str(tmp_path / "state.sqlite"))
        await store.open()
        message = make_message("4090 vram", channel="web", event_id="left", chat_id="x", user_id="x")
        await store.accept(message, now=time.time() - 60, capacity=0, passive=True)
        await store.close()

    async def waiting() -> int:
        store = SqliteStore(str(tmp_path / "state.sqlite"))
        await store.open()
        found = await store.backlog(time.time())
        await store.close()
        return found.waiting

    asyncio.run(leave_one())
    with serving(tmp_path):
        until = time.monotonic() + 10
        while asyncio.run(waiting()):
            assert time.monotonic() < until
            time.sleep(0.05)
