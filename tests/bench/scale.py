"""`make bench-scale`: replicas of `serve` behind nginx on one Valkey, and the big fault run. One JSON line a figure.

    python -m tests.bench.scale                 throughput with 1, 2 and 4 replicas
    python -m tests.bench.scale faults [N]      N updates (100,000) at 500 a second over 4 replicas, with kills and repeats
    python -m tests.bench.scale memory [N]      memory of one replica over N messages (20,000)

On a machine with few cores the replicas, nginx, the store and the load share them: the figures say what this machine does.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from bot.core.ports import Store
from bot.stores import open_store
from tests.bench.__main__ import questions, show
from tests.faults.harness import WORKERS, Feed, Replicas, drained, look
from tests.stores.server import free_port, running_server

ROOT = Path(__file__).resolve().parents[2]
_AT_ONCE = 16
_SECONDS = 10.0
_FAULT_RATE = 500
_FEEDS = 8
_PATIENCE_S = 1800.0
"""How long a killed server may take to read its log, and the last messages to be answered, on a busy machine."""

_NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream xuanka {{ least_conn; {servers} keepalive 32; }}
  proxy_next_upstream error timeout http_503 non_idempotent; proxy_next_upstream_tries 2;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://xuanka; proxy_http_version 1.1; proxy_set_header Connection ""; }}
  }}
}}
"""


def nginx_binary() -> str | None:
    """Debian keeps it in /usr/sbin, which is not on everybody's path."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def replica(store: str, folder: Path, **more: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A real `python -m bot serve` without limits for users, since the load comes from few of them."""
    port = free_port()
    settings = {
        "STORE": store,
        "HTTP_PORT": str(port),
        "USER_PER_MINUTE": "10000",
        "CHAT_PER_MINUTE": "10000",
        "BOT_PER_SECOND": "100000",
        "LOG_LEVEL": "error",
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XUANKA_")}
    environment |= {f"XUANKA_{name}": value for name, value in (settings | more).items()}
    environment |= {"PYTHONPATH": str(ROOT), "XUANKA_CACHE_DIR": str(ROOT / ".cache")}
    process = subprocess.Popen([sys.executable, "-m", "bot", "serve"], cwd=folder, env=environment)
    try:
        _wait_ready(port)
        yield process, port
    finally:
        process.terminate()
        process.wait(40)


def _wait_ready(port: int) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError("a replica does not get ready")


@contextmanager
def proxy(ports: list[int], folder: Path) -> Iterator[int]:
    """Nginx before the replicas; gives its port."""
    binary = nginx_binary()
    if binary is None:
        raise FileNotFoundError("nginx is missing: apt-get install nginx-light")
    port = free_port()
    servers = " ".join(f"server 127.0.0.1:{one};" for one in ports)
    config = folder / "nginx.conf"
    config.write_text(_NGINX.format(folder=folder, servers=servers, port=port), encoding="utf-8")
    process = subprocess.Popen([binary, "-c", str(config), "-e", str(folder / "error.log")])
    try:
        _wait_ready(port)
        yield port
    finally:
        process.terminate()
        process.wait(10)


# --- load, from a process of its own ---------------------------------------------------------------------------------


async def _load(port: int, seconds: float) -> None:
    """Questions of all kinds from a bounded number of clients; prints what came of them."""
    texts = [record["text"] for record in questions()]
    times: list[float] = []
    failed = 0
    until = time.monotonic() + seconds

    async def one(number: int, client: httpx.AsyncClient) -> None:
        nonlocal failed
        turn = 0
        while time.monotonic() < until:
            turn += 1
            text = texts[(number * 31 + turn) % len(texts)]
            body = {"id": turn, "text": text, "chat": f"c{number}-{turn % 5}", "user": f"u{number}-{turn}"}
            started = time.perf_counter()
            response = await client.post("/api/v1/ask", json=body)
            times.append((time.perf_counter() - started) * 1000)
            failed += response.status_code != 200 or not response.json()["text"]

    limits = httpx.Limits(max_connections=_AT_ONCE)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=15, limits=limits) as client:
        await asyncio.gather(*(one(number, client) for number in range(_AT_ONCE)))
    times.sort()
    print(
        json.dumps(
            {
                "asked": len(times),
                "failed": failed,
                "p50": times[len(times) // 2],
                "p99": times[-(len(times) // 100 + 1)],
            }
        )
    )


def bench_throughput() -> None:
    """Questions answered per second by 1, 2 and 4 replicas."""
    note = f"{os.cpu_count()} cores shared by replicas, nginx, Valkey and load"
    for count in (1, 2, 4):
        with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
            folder = Path(name)
            server = stack.enter_context(running_server(folder, fsync="everysec"))
            replicas = [stack.enter_context(replica(server.address, folder)) for _ in range(count)]
            port = stack.enter_context(proxy([one for _, one in replicas], folder))
            command = [sys.executable, "-m", "tests.bench.scale", "load", str(port), str(_SECONDS)]
            subprocess.run([*command[:-1], "2"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)  # warms up
            out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
            found = json.loads(out)
            show(f"serve_per_s_{count}", found["asked"] / _SECONDS, "answers/s", note)
            show(f"serve_p50_ms_{count}", found["p50"], "ms", f"{_AT_ONCE} clients, no pause between questions")
            show(f"serve_p99_ms_{count}", found["p99"], "ms")
            show(f"serve_failed_{count}", found["failed"], "answers", f"of {found['asked']}")


# --- faults ----------------------------------------------------------------------------------------------------------


async def _faults(total: int) -> None:
    rng = random.Random(20261121)
    count, chats = 4, 200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "server").mkdir()
        with running_server(folder / "server", patience_s=_PATIENCE_S) as server:
            store, chat_log = open_store(server.address), folder / "chat.log"
            await store.open()
            feeds = _feeds(store, rng, chats, total // chats)
            replicas = Replicas(server.address, chat_log, count)
            started = time.monotonic()
            stop = asyncio.Event()
            killing = asyncio.create_task(_kill_now_and_then(replicas, rng, stop))
            store_kills = 0
            try:
                feeding = asyncio.gather(*(feed.run() for feed in feeds))
                for share in (0.3, 0.7):
                    while sum(feed.fed for feed in feeds) < total * share and not feeding.done():
                        await asyncio.sleep(0.05)
                    await asyncio.to_thread(server.kill)
                    await asyncio.to_thread(server.start)
                    store_kills += 1
                await feeding
                fed_s = time.monotonic() - started
                stop.set()
                await killing
                await drained(store, _PATIENCE_S)
                seconds = time.monotonic() - started
            finally:
                stop.set()
                replicas.stop()
                await store.close()
        found = look(chat_log, {key: events for feed in feeds for key, events in feed.order.items()})
    fed = sum(feed.fed for feed in feeds)
    show("faults_updates", fed, "updates", f"{count} replicas, {chats} conversations, one in ten delivered again")
    show("faults_rate", fed / fed_s, "updates/s", f"asked for {_FAULT_RATE}")
    show("faults_kills", replicas.kills, "kills", f"of replicas, and {store_kills} of the store server")
    show("faults_lost", found.lost, "updates", "accepted and never answered")
    show("faults_out_of_order", found.disordered, "conversations")
    show("faults_redone", found.redone + found.foreign, "conversations", "turns handled twice, answers to nothing")
    show("faults_twice", found.twice, "answers", f"documented bound {replicas.kills * WORKERS}")
    show("faults_drained_s", seconds - fed_s, "s", "until the last answer after the last update")
    if found.lost or found.foreign or found.disordered or found.redone or found.twice > replicas.kills * WORKERS:
        raise SystemExit("the guarantee does not hold")


def _feeds(store: Store, rng: random.Random, chats: int, turns: int) -> list[Feed]:
    """Doors side by side, as replicas have them; together they bring messages at the asked rate."""
    each = chats // _FEEDS
    return [
        Feed(
            store,
            chats=each,
            turns=turns,
            rng=random.Random(rng.random()),
            repeats=0.1,
            rate_per_s=_FAULT_RATE / _FEEDS,
            first=number * each,
            patience_s=_PATIENCE_S,
        )
        for number in range(_FEEDS)
    ]


async def _kill_now_and_then(replicas: Replicas, rng: random.Random, stop: asyncio.Event) -> None:
    while not stop.is_set():
        try:
            await asyncio.wait_for(stop.wait(), rng.uniform(2.0, 6.0))
        except TimeoutError:
            await asyncio.to_thread(replicas.kill_and_restart, rng.randrange(len(replicas.running)))


# --- memory ----------------------------------------------------------------------------------------------------------


def resident_mb(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _memory(total: int) -> None:
    texts = [record["text"] for record in questions()]
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        process, port = stack.enter_context(replica(f"sqlite:///{folder / 'state.sqlite'}", folder))
        marks: list[float] = []
        asked = 0

        async def one(client: httpx.AsyncClient, numbers: Iterator[int]) -> None:
            nonlocal asked
            for number in numbers:
                user = f"u{number % 500}"
                body = {"id": number, "text": texts[number % len(texts)], "chat": f"c{number % 200}", "user": user}
                (await client.post("/api/v1/ask", json=body)).raise_for_status()
                asked += 1
                if asked % max(1, total // 10) == 0:
                    marks.append(resident_mb(process.pid))

        numbers = iter(range(total))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            await asyncio.gather(*(one(client, numbers) for _ in range(8)))
    for place, value in enumerate(marks, start=1):
        show(f"rss_after_{place * total // 10}", value, "MB")
    show(
        "rss_growth",
        marks[-1] - marks[len(marks) // 2 - 1],
        "MB",
        f"second half of {total} messages, one process, SQLite",
    )


def main(arguments: list[str]) -> None:
    """Dispatch by the first argument."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("throughput", [])
    if command == "load":
        asyncio.run(_load(int(rest[0]), float(rest[1])))
    elif command == "faults":
        asyncio.run(_faults(int(rest[0]) if rest else 100_000))
    elif command == "memory":
        asyncio.run(_memory(int(rest[0]) if rest else 20_000))
    else:
        bench_throughput()


if __name__ == "__main__":
    main(sys.argv[1:])
