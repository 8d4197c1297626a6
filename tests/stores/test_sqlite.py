"""What only the SQLite store promises: full disks, migrations, nothing left behind, and speed by its query plans."""

from __future__ import annotations

import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.core.conversation import Conversation
from bot.core.message import Reply
from bot.core.ports import Accepted, StoreUnavailable
from bot.stores import open_store
from bot.stores.sqlite import SqliteStore
from bot.stores.sqlite_statements import ACCEPT, CLAIM, LOAD, NAMED, NEXT
from tests.conftest import make_message

ROOT = Path(__file__).resolve().parents[2]
T0 = 1_790_000_000.0
REPLY = Reply(decision="answer", language="zh", text="24 GiB")
MIGRATIONS = ROOT / "bot" / "stores" / "migrations"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


async def opened(path: Path) -> SqliteStore:
    store = SqliteStore(str(path))
    await store.open()
    return store


async def test_a_full_disk_refuses_at_the_door_and_everything_goes_on_when_there_is_room(path: Path) -> None:
    store = await opened(path)
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count={pages + 8}")
    taken, refused = 0, 0
    for number in range(200):
        message = make_message("q" * 900, event_id=str(number), chat_id=str(number))
        try:
            assert await store.accept(message, now=T0, capacity=1000) is Accepted.STORED
            taken += 1
        except StoreUnavailable:
            refused += 1
    assert taken > 0
    assert refused > 0
    store._db.execute("PRAGMA max_page_count=100000")
    assert await store.accept(make_message("again", event_id="x"), now=T0, capacity=1000) is Accepted.STORED
    assert (await store.backlog(T0)).waiting == taken + 1
    for _ in range(taken + 1):
        item = await store.claim("w", now=T0, lease_s=30)
        assert item is not None
        assert await store.handled(item, "w", REPLY, None, now=T0, ttl_s=60)
        assert await store.finish(item, "w", outcome="sent", message_id="", now=T0, keep_s=60)
    await store.close()


_UNTIL_FULL = """
import asyncio, sys
from bot.core.ports import StoreUnavailable
from bot.stores.sqlite import SqliteStore
from tests.conftest import make_message

async def main():
    store = SqliteStore(sys.argv[1])
    await store.open()
    for number in range(5000):
        try:
            await store.accept(make_message("q" * 500, event_id=str(number)), now=1.0, capacity=0)
        except StoreUnavailable:
            print(number, flush=True)
            return
asyncio.run(main())
"""


async def test_a_write_that_the_system_refuses_leaves_a_whole_file(path: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))

    run = subprocess.run(
        [sys.executable, "-c", _UNTIL_FULL, str(path)], cwd=ROOT, preexec_fn=limit, capture_output=True, text=True
    )
    taken = int(run.stdout)
    assert taken > 10
    store = await opened(path)
    assert store._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert (await store.backlog(T0)).waiting == taken
    await store.close()


_ENDLESS = """
import asyncio, sys, time
from bot.core.message import Reply
from bot.stores.sqlite import SqliteStore
from tests.conftest import make_message

async def main():
    store = SqliteStore(sys.argv[1])
    await store.open()
    reply = Reply(decision="answer", language="en", text="x" * 300)
    for number in range(1_000_000):
        now = time.time()
        await store.accept(make_message("q", event_id=str(number), chat_id=str(number % 7)), now=now, capacity=0)
        print(number, flush=True)
        if number % 3:
            item = await store.claim("w", now=now, lease_s=30)
            await store.handled(item, "w", reply, None, now=now, ttl_s=60)
            await store.finish(item, "w", outcome="sent", message_id="1", now=now, keep_s=600)
asyncio.run(main())
"""


async def test_a_kill_at_any_moment_leaves_every_accepted_message(path: Path) -> None:
    for round_number in range(3):
        process = subprocess.Popen([sys.executable, "-c", _ENDLESS, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
        assert process.stdout is not None
        with process.stdout as pipe:
            told = b""
            while told.count(b"\n") < 40 + 60 * round_number:
                told += os.read(pipe.fileno(), 4096)
            process.kill()
            process.wait(10)
            for rest in iter(lambda: os.read(pipe.fileno(), 65536), b""):
                told += rest
        acknowledged = int(told[: told.rindex(b"\n")].split(b"\n")[-1]) + 1
        store = await opened(path)
        assert store._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows, open_rows = store._db.execute("SELECT count(*), sum(open) FROM inbox").fetchone()
        assert acknowledged <= rows <= acknowledged + 1
        assert (await store.backlog(time.time())).waiting == open_rows
        heads = store._db.execute(
            "SELECT count(*) FROM inbox AS head WHERE ready IS NOT NULL AND id = (SELECT min(id) FROM inbox"
            " WHERE open = 1 AND conversation = head.conversation)"
        ).fetchone()[0]
        lanes = store._db.execute("SELECT count(DISTINCT conversation) FROM inbox WHERE open = 1").fetchone()[0]
        ready = store._db.execute("SELECT count(*) FROM inbox WHERE ready IS NOT NULL").fetchone()[0]
        assert heads == lanes == ready
        await store.close()
        for file in path.parent.iterdir():
            file.unlink()


async def test_a_file_of_the_first_version_is_brought_up_to_date(path: Path) -> None:
    old = sqlite3.connect(path)
    old.executescript((MIGRATIONS / "001.sql").read_text(encoding="utf-8") + "PRAGMA user_version=1;")
    for number, user in enumerate(("a", "b", "a"), start=1):
        message = make_message(f"q{number}", event_id=str(number), user_id=user)
        old.execute(
            "INSERT INTO inbox (event, conversation, chat, message, accepted) VALUES (?, ?, 'test:c', ?, ?)",
            (f"test::{number}", message.conversation_key, message.model_dump_json(), T0),
        )
        if number < 3:
            old.execute(
                "INSERT INTO lanes (conversation, chat, head, passive, accepted) VALUES (?, 'test:c', ?, 0, ?)",
                (message.conversation_key, number, T0),
            )
    old.execute("INSERT INTO rounds VALUES ('test:c', 5)")
    old.commit()
    old.close()
    store = await opened(path)
    assert (await store.backlog(T0)).waiting == 3
    said = []
    for _ in range(3):
        item = await store.claim("w", now=T0, lease_s=30)
        assert item is not None
        said.append(item.message.text)
        await store.finish(item, "w", outcome="sent", message_id="", now=T0, keep_s=60)
    assert said == ["q1", "q2", "q3"]
    await store.close()
    await (await opened(path)).close()


async def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version=99")
    newer.close()
    with pytest.raises(StoreUnavailable, match="newer version"):
        await opened(path)


@pytest.mark.parametrize("content", [b"this is no database at all, but it is long enough to look like one" * 20])
async def test_a_file_that_is_no_database_is_said_to_be_none(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreUnavailable, match="not a database"):
        await opened(path)
    assert path.read_bytes() == content


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist"):
        await open_store(f"sqlite:///{tmp_path / 'nowhere' / 'x.sqlite'}").open()


async def test_nothing_that_was_said_stays_in_any_file(path: Path) -> None:
    store = await opened(path)
    for number in range(60):
        text = f"confidential-{number} " * (1 + number % 40)
        message = make_message(text, event_id=str(number), chat_id=str(number % 9), user_name="Wang-Xiaoming")
        await store.accept(message, now=T0, capacity=0)
    while (item := await store.claim("w", now=T0, lease_s=30)) is not None:
        reply = Reply(decision="answer", language="en", text="you said confidential things")
        await store.handled(item, "w", reply, None, now=T0, ttl_s=60)
        await store.finish(item, "w", outcome="sent", message_id="1", now=T0, keep_s=6000)
    await store.tidy(T0)
    written = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"confidential" not in written
    assert b"Wang-Xiaoming" not in written
    assert store._db.execute("SELECT count(*) FROM inbox").fetchone() == (60,)
    await store.close()


async def test_forgetting_leaves_no_trace_in_the_file(path: Path) -> None:
    store = await opened(path)
    message = make_message("q", user_id="lin-the-user", chat_id="7")
    await store.accept(message, now=T0, capacity=0, passive=True)
    item = await store.claim("w", now=T0, lease_s=30, conversation=message.conversation_key)
    assert item is not None
    state = Conversation(key=message.conversation_key, intent="cost-of-lins-cards")
    await store.handled(item, "w", REPLY, state, now=T0, ttl_s=600)
    await store.finish(item, "w", outcome="sent", message_id="1", now=T0, keep_s=6000)
    assert await store.forget(message.owner_key) == 2
    await store.tidy(T0)
    written = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"lin-the-user" not in written
    assert b"cost-of-lins-cards" not in written
    await store.close()


async def test_a_record_nobody_can_read_is_closed_and_the_next_one_served(path: Path) -> None:
    store = await opened(path)
    await store.accept(make_message("broken", event_id="1"), now=T0, capacity=0)
    await store.accept(make_message("sound", event_id="2"), now=T0, capacity=0)
    store._db.execute("""UPDATE inbox SET message = '{"channel": 7}' WHERE event = 'test::1'""")
    item = await store.claim("w", now=T0, lease_s=30)
    assert item is not None
    assert item.message.text == "sound"
    await store.close()


async def test_a_record_of_a_newer_replica_is_read_without_its_news(path: Path) -> None:
    store = await opened(path)
    await store.accept(make_message("q", event_id="1"), now=T0, capacity=0)
    store._db.execute("UPDATE inbox SET message = json_set(message, '$.mood', 'cheerful')")
    item = await store.claim("w", now=T0, lease_s=30)
    assert item is not None
    assert item.message.text == "q"
    await store.close()


async def test_claiming_walks_indexes_and_never_sorts_or_scans_what_waits(path: Path) -> None:
    store = await opened(path)
    values = {"now": T0, "holder": "w", "lease": 30.0, "key": "c"}
    for which in (NEXT.format(own=""), NAMED):
        plan = [row[3] for row in store._db.execute(f"EXPLAIN QUERY PLAN {CLAIM.format(which=which)}", values)]
        assert not [step for step in plan if "TEMP B-TREE" in step]
        assert all("USING" in step or "SUBQUERY" in step for step in plan), plan
    await store.close()


@pytest.mark.parametrize(
    "statement", [ACCEPT, CLAIM.format(which=NEXT.format(own="")), CLAIM.format(which=NAMED), LOAD]
)
async def test_a_conversation_is_found_by_its_key_however_many_are_kept(path: Path, statement: str) -> None:
    store = await opened(path)
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 1)
    plan = [row[3] for row in store._db.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    steps = [step for step in plan if "conversations" in step]
    assert steps
    assert all("(key=?)" in step for step in steps), steps
    await store.close()


async def test_a_full_file_takes_no_more_though_what_waits_is_counted_seldom(path: Path) -> None:
    one, other = await opened(path), await opened(path)
    taken, said = 0, list[str]()
    one._db.set_trace_callback(said.append)
    for number in range(1_300):
        store = other if number % 3 else one
        accepted = await store.accept(make_message("q", event_id=str(number), chat_id=str(number)), capacity=1_100)
        taken += accepted is Accepted.STORED
    assert taken == 1_100
    assert sum("WHERE 0 <= 0" in statement for statement in said) > 150
    await one.close()
    await other.close()


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_message_from_door_to_close_costs_a_bounded_number_of_statements(path: Path, at_once: bool) -> None:
    store = await opened(path)
    await store.accept(make_message("first", event_id="0", chat_id="other"), now=T0, capacity=10)
    await store.claim("other", now=T0, lease_s=30)
    message, said = make_message("q", event_id="1", message_id="7"), list[str]()
    store._db.set_trace_callback(said.append)
    if at_once:
        accepted, item = await store.take_in(message, "w", now=T0, capacity=10, lease_s=30)
    else:
        accepted = await store.accept(message, now=T0, capacity=10)
        item = await store.claim("w", now=T0, lease_s=30, only=("test:",))
    assert accepted is Accepted.STORED
    assert item is not None
    buckets = [(f"{name}:1", 1.0, 5.0) for name in ("user", "chat", "bot")]
    assert await store.begin(buckets, ("quotes:test::c",), now=T0) == (None, {})
    state = Conversation(key=message.conversation_key)
    assert await store.handled(item, "w", REPLY, state, now=T0, ttl_s=60)
    assert await store.finish(item, "w", outcome="sent", message_id="8", now=T0, keep_s=60, answered=message)
    await store.count("decisions", "answer", later=True)
    store._db.set_trace_callback(None)
    # One to accept, one to claim where no worker was idle, limits, the reply, two to close; each its own transaction.
    assert len(said) == (5 if at_once else 6), said
    await store.close()


def test_two_processes_may_open_a_new_file_at_the_same_time(path: Path) -> None:
    code = (
        "import asyncio, sys; from bot.stores.sqlite import SqliteStore; asyncio.run(SqliteStore(sys.argv[1]).open())"
    )
    processes = [
        subprocess.Popen([sys.executable, "-W", "ignore", "-c", code, str(path)], cwd=ROOT, env=dict(os.environ))
        for _ in range(4)
    ]
    assert [process.wait(20) for process in processes] == [0, 0, 0, 0]


async def test_a_library_that_is_too_old_is_said_to_be_that(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(StoreUnavailable, match="too old"):
        await opened(path)
    assert not path.exists()
