"""The SQLite file: opening, migrations, transactions, cleaning. A kill at any instruction leaves a whole state."""

from __future__ import annotations

import asyncio
import functools
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from bot.core.ports import StoreUnavailable
from bot.core.times import steady_now
from bot.stores.clock import Clock, anchor_of, boot_name
from bot.stores.sqlite_statements import CUT

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="SqliteFile")
_MIGRATIONS = Path(__file__).parent / "migrations"
_LEAST_VERSION = (3, 35, 0)
"""Statements that change rows give them back since then."""
_BUSY_MS = 2000
_SWEEP_EVERY_S = 60.0
_SWEEP_ROWS = 2000
"""Rows dropped in one step, so that a sweep after a busy day holds nobody up."""
_SWEEPS = 50
_MODE = 0o600
_PROBE = "probe"
_PROBE_BYTES = 16_384
_DEAD_LEASE_S = 86_400.0
_SCRUB_EVERY_S = 10.0
_SCRUB_WORDS_EVERY_S = 3600.0
_IDLE_BUCKET_S = 3600.0


def guarded(
    method: Callable[Concatenate[S, P], Awaitable[R]],
) -> Callable[Concatenate[S, P], Coroutine[object, object, R]]:
    """Turn database trouble into `StoreUnavailable`; the message names the trouble, never the data."""

    @functools.wraps(method)
    async def wrapper(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await method(self, *args, **kwargs)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"sqlite: {error}") from None

    return wrapper


class SqliteFile:
    """One connection to one file."""

    def __init__(self, path: str, clock: Clock | None = None, salt: bytes = b"") -> None:
        """Name the file; `:memory:` keeps nothing. `clock` is for tests; the file has a clock of its own."""
        self._path, self._salt = path, salt
        self._connection: sqlite3.Connection | None = None
        self._swept = self._cut = float("-inf")
        self._counted: Counter[tuple[str, str]] = Counter()
        self._clock, self._anchor = clock, 0.0
        self._forgot, self._dropped, self._scrubbed = False, False, float("-inf")
        self._room = (0, 0)

    def _now(self, given: float | None = None) -> float:
        """The file's time, unless a test gives another."""
        if given is not None:
            return given
        return self._clock() if self._clock is not None else self._anchor + steady_now()

    @guarded
    async def open(self) -> None:
        """Open the file and bring its schema up to date.

        Raises:
            StoreUnavailable: the folder is missing or read-only, the file is no database, or a newer version wrote it.
        """
        if self._connection is not None:
            return
        if sqlite3.sqlite_version_info < _LEAST_VERSION:
            raise StoreUnavailable(f"sqlite: {sqlite3.sqlite_version} is too old, 3.35 is needed")
        if self._path != ":memory:" and not Path(self._path).resolve().parent.is_dir():
            raise StoreUnavailable(f"sqlite: the folder of {self._path} does not exist")
        if self._path != ":memory:":
            _make_private(self._path)
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=_BUSY_MS / 1000)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")
            self._migrate(connection)
            self._set_clock(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _set_clock(self, connection: sqlite3.Connection) -> None:
        """Take the file's clock over, or set it when the machine was started since."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            known = connection.execute("SELECT boot, distance, seen FROM clock WHERE name = 'epoch'").fetchone()
            boot, steady = boot_name(), steady_now()
            self._anchor = anchor_of(known, boot, steady, time.time())
            connection.execute(
                "INSERT OR REPLACE INTO clock VALUES ('epoch', ?, ?, ?)", (boot, self._anchor, self._anchor + steady)
            )
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Run what the file has not seen yet, each step whole or not at all."""
        steps = sorted(_MIGRATIONS.glob("[0-9]*.sql"))
        version = _version(connection)
        if version > len(steps):
            raise StoreUnavailable(f"sqlite: {self._path} was written by a newer version of the bot")
        if version == len(steps):
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been faster between the look and the lock.
            for number, step in enumerate(steps[_version(connection) :], start=_version(connection) + 1):
                for statement in _statements(step.read_text(encoding="utf-8")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={number}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    async def close(self) -> None:
        """Close the file; the last to close it folds the log into it."""
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
            connection.execute("COMMIT")
        except BaseException:
            # Also when the commit itself failed (disk full): the next transaction must find none open.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    async def _tidy(self, now: float | None = None) -> None:
        """Drop what has expired, and fold the write-ahead log into the file, so that no dropped text stays in it."""
        for _ in range(_SWEEPS):
            with self._transaction() as db:
                if self._sweep(db, self._now(now)) < _SWEEP_ROWS:
                    break
            await asyncio.sleep(0)
        await self._scrub()
        self._fold()

    async def _scrub(self) -> None:
        """Write the file anew when something was dropped since: pages keep scraps of what was moved and then deleted.

        At once (once in `_SCRUB_EVERY_S`) after somebody was forgotten, else once an hour; beside the loop, because a
        large file takes a while. The copy is made in memory and the log, never in a file of its own.
        """
        every = _SCRUB_EVERY_S if self._forgot else _SCRUB_WORDS_EVERY_S
        if self._path == ":memory:" or not (self._forgot or self._dropped) or steady_now() - self._scrubbed < every:
            return
        await asyncio.to_thread(_write_anew, self._path)
        self._scrubbed, self._forgot, self._dropped = steady_now(), False, False

    def _fold(self) -> None:
        """Fold the write-ahead log into the file; it keeps what it held before until then."""
        if self._path != ":memory:":
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @guarded
    async def probe(self) -> None:
        """See the port. A page of its own has to be found for it, on a full disk as well."""
        with self._transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO small (key, value, expires) VALUES (?, zeroblob(?), 0)", (_PROBE, _PROBE_BYTES)
            )
        with self._transaction() as db:
            db.execute("DELETE FROM small WHERE key = ?", (_PROBE,))

    def _do(self, statement: str, **values: object) -> sqlite3.Cursor:
        """Begin a statement, a transaction of its own where none is open: one that gives rows ends with the last."""
        return self._db.execute(statement, values)

    def _sweep_sometimes(self, now: float) -> None:
        if now - self._swept >= _SWEEP_EVERY_S:
            with self._transaction() as db:
                self._sweep(db, now)

    def _sweep(self, db: sqlite3.Connection, now: float) -> int:
        """Drop a bounded number of expired rows; gives how many went from the largest table."""
        self._swept, gone = now, 0
        for table, key, expired in (
            ("inbox", "id", "open = 0 AND keep_until <= ?"),
            ("conversations", "key", "expires <= ?"),
            ("small", "key", "expires <= ?"),
        ):
            cursor = db.execute(
                f"DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} WHERE {expired} LIMIT {_SWEEP_ROWS})",  # noqa: S608 - names from the lines above
                (now,),
            )
            gone = max(gone, cursor.rowcount)
        db.execute("DELETE FROM buckets WHERE at <= ? OR at > ?", (now - _IDLE_BUCKET_S, now + _IDLE_BUCKET_S))
        db.execute("DELETE FROM leases WHERE expires <= ?", (now - _DEAD_LEASE_S,))
        db.execute(CUT, {"now": now})
        db.execute("UPDATE clock SET seen = ?", (self._now(),))
        return gone


def _write_anew(path: str) -> None:
    """Rebuild the file; only what is still in it is in it afterwards."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_MS / 1000)
    try:
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def _make_private(path: str) -> None:
    """Let nobody but the owner read the file; what SQLite makes beside it gets the same rights."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE))
    for file in (Path(path), Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(FileNotFoundError, PermissionError):
            if file.stat().st_mode & 0o077:
                file.chmod(_MODE)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit before it begins."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
