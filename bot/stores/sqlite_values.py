"""The small things of the SQLite store: conversations, JSON values, counters, token buckets, leases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import suppress

from bot.core.conversation import Conversation
from bot.core.ports import StoreUnavailable
from bot.stores import records
from bot.stores.clock import SLACK_S
from bot.stores.sqlite_file import SqliteFile, guarded
from bot.stores.sqlite_statements import ANEW, COUNT, EMPTY, SAVE, SMALL, TAKE


class SqliteValues(SqliteFile):
    """See the port `Store`."""

    @guarded
    async def save_conversation(self, conversation: Conversation, ttl_s: float) -> None:
        """See the port."""
        self._do(
            SAVE,
            key=conversation.key,
            owner=records.owner_of(conversation.key),
            expires=self._now() + ttl_s,
            state=records.dump_conversation(conversation),
        )

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
        self._put(key, value, ttl_s, owner)

    def _put(self, key: str, value: object, ttl_s: float | None, owner: str) -> None:
        self._do(
            "INSERT OR REPLACE INTO small (key, value, expires, owner) VALUES (:key, :value, :expires, :owner)",
            key=key,
            value=json.dumps(value),
            expires=None if ttl_s is None else self._now() + ttl_s,
            owner=records.mark_of(owner, self._salt) if owner else "",
        )

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
    async def count(self, name: str, field: str, by: int = 1, *, later: bool = False) -> None:
        """See the port."""
        if later:
            self._counted[name, field] += by
            return
        self._do(COUNT, name=name, field=field, by=by)

    def _write_counts(self) -> None:
        """Write what was counted meanwhile; it stays counted when that fails."""
        if not self._counted:
            return
        with self._transaction() as db:
            for (name, field), by in self._counted.items():
                db.execute(COUNT, {"name": name, "field": field, "by": by})
        self._counted.clear()

    @guarded
    async def counts(self, name: str) -> dict[str, int]:
        """See the port."""
        self._write_counts()
        return dict(self._db.execute("SELECT field, total FROM counters WHERE name = ? ORDER BY field", (name,)))

    @guarded
    async def tidy(self, now: float | None = None) -> None:
        """See the port."""
        self._write_counts()
        await self._tidy(now)

    async def close(self) -> None:
        """Close the file; what was counted last is written when it can be."""
        with suppress(sqlite3.Error, StoreUnavailable):
            self._write_counts()
        await super().close()

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
            seen = db.execute("SELECT tokens, at FROM buckets WHERE key = ?", (bucket,)).fetchone()
            tokens = _filled(seen or (burst, moment), rate_per_s, burst, moment)
            wait = 0.0 if tokens >= cost else (cost - tokens) / rate_per_s
            left = tokens - cost if wait == 0.0 else tokens
            db.execute("INSERT OR REPLACE INTO buckets VALUES (?, ?, ?)", (bucket, left, moment))
        return wait

    @guarded
    async def take_all(self, buckets: Sequence[tuple[str, float, float]], *, now: float | None = None) -> int | None:
        """See the port."""
        empty, _ = self._begin(buckets, (), self._now(now))
        return empty

    @guarded
    async def begin(
        self, buckets: Sequence[tuple[str, float, float]], keys: Sequence[str], *, now: float | None = None
    ) -> tuple[int | None, dict[str, object]]:
        """See the port."""
        return self._begin(buckets, keys, self._now(now))

    def _begin(
        self, buckets: Sequence[tuple[str, float, float]], keys: Sequence[str], now: float
    ) -> tuple[int | None, dict[str, object]]:
        wanted = [(records.mark_of(name, self._salt), rate_per_s, burst) for name, rate_per_s, burst in buckets]
        values = {"buckets": json.dumps(wanted), "keys": json.dumps(list(keys)), "now": now}
        if not wanted:
            return None, _parsed(self._do(SMALL, **values).fetchone()[0])
        rows = self._db.execute(TAKE, {**values, "first": wanted[0][0]}).fetchall()
        if rows:
            return None, _parsed(next(found for (found,) in rows if found is not None))
        empty: int = self._do(EMPTY, **values).fetchone()[0]
        self._do(ANEW, **values)
        return empty, {}

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


def _parsed(pairs: str) -> dict[str, object]:
    return {key: json.loads(value) for key, value in json.loads(pairs)}


def _filled(seen: tuple[float, float], rate_per_s: float, burst: float, now: float) -> float:
    """What is in a bucket now. One that was last seen in the future (the clock was set back) fills from now on."""
    tokens, at = seen
    return min(burst, tokens + max(0.0, now - at) * rate_per_s)
