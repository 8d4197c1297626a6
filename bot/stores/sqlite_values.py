"""The small things of the SQLite store: conversations, JSON values, counters, token buckets, leases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from bot.core.conversation import Conversation
from bot.stores import records
from bot.stores.clock import SLACK_S
from bot.stores.sqlite_file import SqliteFile, guarded

# All buckets of a message in one statement each way.
_SEEN: Final = "SELECT key, tokens, at FROM buckets WHERE key IN (SELECT value FROM json_each(?))"
_FILL: Final = (
    "INSERT OR REPLACE INTO buckets"
    " SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), ? FROM json_each(?)"
)


class SqliteValues(SqliteFile):
    """See the port `Store`."""

    def _keep(self, db: sqlite3.Connection, state: Conversation, expires: float) -> None:
        db.execute(
            "INSERT OR REPLACE INTO conversations (key, owner, state, expires) VALUES (?, ?, ?, ?)",
            (state.key, records.owner_of(state.key), records.dump_conversation(state), expires),
        )

    @guarded
    async def load_conversation(self, key: str) -> Conversation | None:
        """See the port."""
        row = self._db.execute(
            "SELECT state FROM conversations WHERE key = ? AND expires > ?", (key, self._now())
        ).fetchone()
        return records.load_conversation(row[0]) if row else None

    @guarded
    async def save_conversation(self, conversation: Conversation, ttl_s: float) -> None:
        """See the port."""
        with self._transaction() as db:
            self._keep(db, conversation, self._now() + ttl_s)

    @guarded
    async def get(self, key: str) -> object:
        """See the port."""
        row = self._db.execute(
            "SELECT value FROM small WHERE key = ? AND (expires IS NULL OR expires > ?)", (key, self._now())
        ).fetchone()
        return json.loads(row[0]) if row else None

    @guarded
    async def put(self, key: str, value: object, ttl_s: float | None = None, *, owner: str = "") -> None:
        """See the port."""
        expires = None if ttl_s is None else self._now() + ttl_s
        mark = records.mark_of(owner, self._salt) if owner else ""
        self._db.execute("INSERT OR REPLACE INTO small VALUES (?, ?, ?, ?)", (key, json.dumps(value), expires, mark))

    @guarded
    async def delete(self, key: str) -> None:
        """See the port."""
        self._db.execute("DELETE FROM small WHERE key = ?", (key,))

    @guarded
    async def left(self, key: str) -> float:
        """See the port."""
        row = self._db.execute("SELECT expires FROM small WHERE key = ?", (key,)).fetchone()
        if row is None:
            return 0.0
        return float("inf") if row[0] is None else max(0.0, row[0] - self._now())

    @guarded
    async def count(self, name: str, field: str, by: int = 1) -> None:
        """See the port."""
        self._db.execute(
            "INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET total = total + excluded.total",
            (name, field, by),
        )

    @guarded
    async def counts(self, name: str) -> dict[str, int]:
        """See the port."""
        return dict(self._db.execute("SELECT field, total FROM counters WHERE name = ? ORDER BY field", (name,)))

    @guarded
    async def uncount(self, name: str, field: str) -> None:
        """See the port."""
        self._db.execute("DELETE FROM counters WHERE name = ? AND field = ?", (name, field))

    @guarded
    async def take(
        self, bucket: str, *, rate_per_s: float, burst: float, cost: float = 1.0, now: float | None = None
    ) -> float:
        """See the port."""
        moment, bucket = self._now(now), records.mark_of(bucket, self._salt)
        with self._transaction() as db:
            seen = _seen(db, (bucket,)).get(bucket, (burst, moment))
            tokens = _filled(db, bucket, seen, rate_per_s, burst, moment)
            wait = 0.0 if tokens >= cost else (cost - tokens) / rate_per_s
            left = tokens - cost if wait == 0.0 else tokens
            db.execute("INSERT OR REPLACE INTO buckets VALUES (?, ?, ?)", (bucket, left, moment))
        return wait

    @guarded
    async def take_all(self, buckets: Sequence[tuple[str, float, float]], *, now: float | None = None) -> int | None:
        """See the port."""
        moment = self._now(now)
        keys = [records.mark_of(name, self._salt) for name, _, _ in buckets]
        with self._transaction() as db:
            seen = _seen(db, keys)
            left: list[tuple[str, float]] = []
            for place, (key, (_, rate_per_s, burst)) in enumerate(zip(keys, buckets, strict=True)):
                tokens = _filled(db, key, seen.get(key, (burst, moment)), rate_per_s, burst, moment)
                if tokens < 1.0:
                    return place
                left.append((key, tokens - 1.0))
            db.execute(_FILL, (moment, json.dumps(left)))
        return None

    @guarded
    async def lead(self, name: str, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """See the port."""
        moment = self._now(now)
        with self._transaction() as db:
            cursor = db.execute(
                "INSERT INTO leases VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET owner = excluded.owner, span ="
                " excluded.span, expires = excluded.expires WHERE leases.owner = excluded.owner OR leases.expires <= ?",
                (name, owner, moment + lease_s, lease_s, moment),
            )
            if cursor.rowcount == 0:
                # One that ends later than its whole length from now was taken before the clock was set back.
                db.execute(
                    "UPDATE leases SET expires = ? + span WHERE name = ? AND expires > ? + span + ?",
                    (moment, name, moment, SLACK_S),
                )
        return cursor.rowcount > 0

    @guarded
    async def resign(self, name: str, owner: str) -> None:
        """See the port."""
        self._db.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (name, owner))


def _seen(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, tuple[float, float]]:
    """What was in each bucket that is known, and when."""
    rows = db.execute(_SEEN, (json.dumps(list(keys)),))
    return {key: (float(tokens), float(at)) for key, tokens, at in rows}


def _filled(
    db: sqlite3.Connection, key: str, seen: tuple[float, float], rate_per_s: float, burst: float, now: float
) -> float:
    """What is in a bucket now. One that was last seen in the future (the clock was set back) fills from now on."""
    tokens, at = seen
    if at > now:
        db.execute("UPDATE buckets SET at = ? WHERE key = ?", (now, key))
    return min(burst, tokens + max(0.0, now - at) * rate_per_s)
