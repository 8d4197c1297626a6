"""The default store: one SQLite file in WAL mode, for one machine.

Each method is one short transaction on the caller's thread (tens of microseconds on a local disk), so a kill at any
instruction leaves either the state before or the state after. WAL with synchronous=NORMAL survives the death of the
process; after a power cut the newest commits may be missing, the file stays whole.
"""

from __future__ import annotations

import functools
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import PASSIVE_GRACE_S, Accepted, Backlog, InboxItem, StoreUnavailable
from bot.stores import records

P = ParamSpec("P")
R = TypeVar("R")
_SCHEMA_VERSION = 1
_BUSY_MS = 2000
_SWEEP_EVERY_S = 60.0


def _guarded(
    method: Callable[Concatenate[SqliteStore, P], Awaitable[R]],
) -> Callable[Concatenate[SqliteStore, P], Coroutine[Any, Any, R]]:
    """Turn database trouble into `StoreUnavailable`; the message names the trouble, never the data."""

    @functools.wraps(method)
    async def wrapper(self: SqliteStore, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await method(self, *args, **kwargs)
        except sqlite3.Error as error:
            raise StoreUnavailable(f"sqlite: {error}") from None

    return wrapper


class SqliteStore:
    """State in one file."""

    def __init__(self, path: str) -> None:
        """Name the file; `:memory:` keeps nothing."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._swept = 0.0

    # --- opening -----------------------------------------------------------------------------------------------------

    @_guarded
    async def open(self) -> None:
        """Open the file, make the schema when it is new.

        Raises:
            StoreUnavailable: the folder is missing or read-only, or a newer version wrote the file.
        """
        if self._connection is not None:
            return
        if self._path != ":memory:" and not Path(self._path).resolve().parent.is_dir():
            raise StoreUnavailable(f"sqlite: the folder of {self._path} does not exist")
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=_BUSY_MS / 1000)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > _SCHEMA_VERSION:
            connection.close()
            raise StoreUnavailable(f"sqlite: {self._path} was written by a newer version of the bot")
        if version == 0:
            script = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
            connection.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version={_SCHEMA_VERSION}; COMMIT;")
        self._connection = connection

    async def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _db(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreUnavailable("sqlite: the store is not open")
        return self._connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._db
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    # --- inbox -------------------------------------------------------------------------------------------------------

    @_guarded
    async def accept(self, message: IncomingMessage, *, now: float, capacity: int, passive: bool = False) -> Accepted:
        """See the port."""
        key, chat = message.conversation_key, records.chat_key(message)
        with self._transaction() as db:
            self._sweep(db, now)
            if db.execute("SELECT 1 FROM inbox WHERE event = ?", (records.event_key(message),)).fetchone():
                return Accepted.DUPLICATE
            if capacity > 0 and db.execute("SELECT count(*) FROM inbox WHERE open = 1").fetchone()[0] >= capacity:
                return Accepted.FULL
            cursor = db.execute(
                "INSERT INTO inbox (event, conversation, chat, passive, message, accepted) VALUES (?, ?, ?, ?, ?, ?)",
                (records.event_key(message), key, chat, int(passive), records.dump_message(message), now),
            )
            db.execute(
                "INSERT INTO lanes (conversation, chat, head, passive, accepted) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (key, chat, cursor.lastrowid, int(passive), now),
            )
        return Accepted.STORED

    @_guarded
    async def claim(
        self, owner: str, *, now: float, lease_s: float, conversation: str | None = None
    ) -> InboxItem | None:
        """See the port."""
        with self._transaction() as db:
            if conversation is not None:
                lane = db.execute(
                    "SELECT conversation, chat, head FROM lanes"
                    " WHERE conversation = ? AND due <= ? AND lease_until <= ?",
                    (conversation, now, now),
                ).fetchone()
            else:
                lane = db.execute(
                    "SELECT lanes.conversation, lanes.chat, lanes.head FROM lanes LEFT JOIN rounds USING (chat)"
                    " WHERE due <= ? AND lease_until <= ? AND (passive = 0 OR accepted <= ?)"
                    " ORDER BY coalesce(rounds.served, 0), lanes.head LIMIT 1",
                    (now, now, now - PASSIVE_GRACE_S),
                ).fetchone()
            if lane is None:
                return None
            key, chat, head = lane
            db.execute(
                "UPDATE lanes SET owner = ?, lease_until = ? WHERE conversation = ?", (owner, now + lease_s, key)
            )
            db.execute(
                "INSERT INTO rounds (chat, served) VALUES (?, (SELECT coalesce(max(served), 0) + 1 FROM rounds))"
                " ON CONFLICT (chat) DO UPDATE SET served = excluded.served",
                (chat,),
            )
            row = db.execute(
                "SELECT message, reply, sends, accepted, passive FROM inbox WHERE id = ?", (head,)
            ).fetchone()
        message, reply, sends, accepted, passive = row
        return InboxItem(
            id=str(head),
            message=records.load_message(message),
            accepted_at=accepted,
            reply=records.load_reply(reply),
            sends=sends,
            passive=bool(passive),
        )

    def _holds(self, db: sqlite3.Connection, item: InboxItem, owner: str) -> bool:
        """Whether `owner` still has the lane in which `item` is the head."""
        found = db.execute(
            "SELECT 1 FROM lanes WHERE conversation = ? AND owner = ? AND head = ?",
            (item.message.conversation_key, owner, int(item.id)),
        ).fetchone()
        return found is not None

    @_guarded
    async def renew(self, item: InboxItem, owner: str, *, now: float, lease_s: float) -> bool:
        """See the port."""
        with self._transaction() as db:
            if not self._holds(db, item, owner):
                return False
            key = item.message.conversation_key
            db.execute("UPDATE lanes SET lease_until = ? WHERE conversation = ?", (now + lease_s, key))
        return True

    @_guarded
    async def handled(
        self, item: InboxItem, owner: str, reply: Reply, state: Conversation | None, *, now: float, ttl_s: float
    ) -> bool:
        """See the port."""
        kept = records.dump_message(records.without_text(item.message))
        with self._transaction() as db:
            if not self._holds(db, item, owner):
                return False
            db.execute(
                "UPDATE inbox SET message = ?, reply = ?, sends = sends + 1 WHERE id = ?",
                (kept, records.dump_reply(reply), int(item.id)),
            )
            if state is not None:
                self._keep(db, state, now + ttl_s)
        return True

    @_guarded
    async def resending(self, item: InboxItem, owner: str) -> bool:
        """See the port."""
        with self._transaction() as db:
            if not self._holds(db, item, owner):
                return False
            db.execute("UPDATE inbox SET sends = sends + 1 WHERE id = ?", (int(item.id),))
        return True

    @_guarded
    async def postpone(self, item: InboxItem, owner: str, *, until: float) -> bool:
        """See the port."""
        with self._transaction() as db:
            if not self._holds(db, item, owner):
                return False
            db.execute(
                "UPDATE lanes SET owner = '', lease_until = 0, due = ? WHERE conversation = ?",
                (until, item.message.conversation_key),
            )
        return True

    @_guarded
    async def finish(
        self, item: InboxItem, owner: str, *, outcome: str, message_id: str, now: float, keep_s: float
    ) -> bool:
        """See the port."""
        key = item.message.conversation_key
        with self._transaction() as db:
            if not self._holds(db, item, owner):
                return False
            db.execute(
                "UPDATE inbox SET open = 0, outcome = ?, sent_id = ?, keep_until = ?, message = '' WHERE id = ?",
                (outcome, message_id, now + keep_s, int(item.id)),
            )
            following = db.execute(
                "SELECT id, passive, accepted FROM inbox WHERE conversation = ? AND open = 1 ORDER BY id LIMIT 1",
                (key,),
            ).fetchone()
            if following is None:
                db.execute("DELETE FROM lanes WHERE conversation = ?", (key,))
            else:
                db.execute(
                    "UPDATE lanes SET head = ?, passive = ?, accepted = ?, owner = '', lease_until = 0, due = 0"
                    " WHERE conversation = ?",
                    (*following, key),
                )
        return True

    @_guarded
    async def reply_of(self, message: IncomingMessage) -> Reply | None:
        """See the port."""
        row = self._db.execute("SELECT reply FROM inbox WHERE event = ?", (records.event_key(message),)).fetchone()
        return records.load_reply(row[0]) if row else None

    @_guarded
    async def backlog(self, now: float) -> Backlog:
        """See the port."""
        waiting, oldest = self._db.execute("SELECT count(*), min(accepted) FROM inbox WHERE open = 1").fetchone()
        return Backlog(waiting, max(0.0, now - oldest) if oldest is not None else 0.0)

    def _sweep(self, db: sqlite3.Connection, now: float) -> None:
        """Drop what has expired, at most once a minute."""
        if now - self._swept < _SWEEP_EVERY_S:
            return
        self._swept = now
        db.execute("DELETE FROM inbox WHERE open = 0 AND keep_until <= ?", (now,))
        db.execute("DELETE FROM conversations WHERE expires <= ?", (now,))
        db.execute("DELETE FROM small WHERE expires IS NOT NULL AND expires <= ?", (now,))
        db.execute("DELETE FROM buckets WHERE at <= ?", (now - 3600,))
        db.execute("DELETE FROM rounds WHERE chat NOT IN (SELECT chat FROM lanes)")

    # --- conversations -----------------------------------------------------------------------------------------------

    def _keep(self, db: sqlite3.Connection, state: Conversation, expires: float) -> None:
        channel, _, rest = state.key.partition(":")
        owner = f"{channel}:{rest.rsplit(':', 1)[-1]}"
        db.execute(
            "INSERT OR REPLACE INTO conversations (key, owner, state, expires) VALUES (?, ?, ?, ?)",
            (state.key, owner, records.dump_conversation(state), expires),
        )

    @_guarded
    async def load_conversation(self, key: str) -> Conversation | None:
        """See the port."""
        row = self._db.execute(
            "SELECT state FROM conversations WHERE key = ? AND expires > ?", (key, time.time())
        ).fetchone()
        return records.load_conversation(row[0]) if row else None

    @_guarded
    async def save_conversation(self, conversation: Conversation, ttl_s: float) -> None:
        """See the port."""
        with self._transaction() as db:
            self._keep(db, conversation, time.time() + ttl_s)

    @_guarded
    async def forget(self, channel: str, user_id: str) -> int:
        """See the port."""
        owner = f"{channel}:{user_id}"
        tail = f":{user_id}"
        with self._transaction() as db:
            gone = db.execute("DELETE FROM conversations WHERE owner = ?", (owner,)).rowcount
            gone += db.execute(
                "DELETE FROM inbox WHERE open = 0 AND conversation LIKE ? AND substr(conversation, -length(?)) = ?",
                (f"{channel}:%", tail, tail),
            ).rowcount
        return gone

    # --- small values ------------------------------------------------------------------------------------------------

    @_guarded
    async def get(self, key: str) -> Any:
        """See the port."""
        row = self._db.execute(
            "SELECT value FROM small WHERE key = ? AND (expires IS NULL OR expires > ?)", (key, time.time())
        ).fetchone()
        return json.loads(row[0]) if row else None

    @_guarded
    async def put(self, key: str, value: Any, ttl_s: float | None = None) -> None:
        """See the port."""
        expires = None if ttl_s is None else time.time() + ttl_s
        self._db.execute("INSERT OR REPLACE INTO small VALUES (?, ?, ?)", (key, json.dumps(value), expires))

    @_guarded
    async def delete(self, key: str) -> None:
        """See the port."""
        self._db.execute("DELETE FROM small WHERE key = ?", (key,))

    @_guarded
    async def count(self, name: str, field: str, by: int = 1) -> None:
        """See the port."""
        self._db.execute(
            "INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET total = total + excluded.total",
            (name, field, by),
        )

    @_guarded
    async def counts(self, name: str) -> dict[str, int]:
        """See the port."""
        return dict(self._db.execute("SELECT field, total FROM counters WHERE name = ? ORDER BY field", (name,)))

    @_guarded
    async def take(self, bucket: str, *, now: float, rate_per_s: float, burst: float, cost: float = 1.0) -> float:
        """See the port."""
        with self._transaction() as db:
            row = db.execute("SELECT tokens, at FROM buckets WHERE key = ?", (bucket,)).fetchone()
            tokens, at = row or (burst, now)
            tokens = min(burst, tokens + max(0.0, now - at) * rate_per_s)
            wait = 0.0 if tokens >= cost else (cost - tokens) / rate_per_s
            left = tokens - cost if wait == 0.0 else tokens
            db.execute("INSERT OR REPLACE INTO buckets VALUES (?, ?, ?)", (bucket, left, max(now, at)))
        return wait

    @_guarded
    async def lead(self, name: str, owner: str, *, now: float, lease_s: float) -> bool:
        """See the port."""
        cursor = self._db.execute(
            "INSERT INTO leases VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET owner = excluded.owner,"
            " expires = excluded.expires WHERE leases.owner = excluded.owner OR leases.expires <= ?",
            (name, owner, now + lease_s, now),
        )
        return cursor.rowcount > 0

    @_guarded
    async def resign(self, name: str, owner: str) -> None:
        """See the port."""
        self._db.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (name, owner))
