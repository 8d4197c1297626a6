"""The SQLite file: opening, migrations, transactions, cleaning. A kill at any instruction leaves a whole state."""

from __future__ import annotations

import asyncio
import functools
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from bot.core.ports import StoreUnavailable

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="SqliteFile")
_MIGRATIONS = Path(__file__).parent / "migrations"
_BUSY_MS = 2000
_SWEEP_EVERY_S = 60.0
_SWEEP_ROWS = 2000
"""Rows dropped in one step, so that a sweep after a busy day holds nobody up."""
_SWEEPS = 50


def guarded(
    method: Callable[Concatenate[S, P], Awaitable[R]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
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

    def __init__(self, path: str) -> None:
        """Name the file; `:memory:` keeps nothing."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._swept = 0.0

    @guarded
    async def open(self) -> None:
        """Open the file and bring its schema up to date.

        Raises:
            StoreUnavailable: the folder is missing or read-only, the file is no database, or a newer version wrote it.
        """
        if self._connection is not None:
            return
        if self._path != ":memory:" and not Path(self._path).resolve().parent.is_dir():
            raise StoreUnavailable(f"sqlite: the folder of {self._path} does not exist")
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=_BUSY_MS / 1000)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

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

    @guarded
    async def tidy(self, now: float) -> None:
        """Drop what has expired, and fold the write-ahead log into the file, so that no dropped text stays in it."""
        for _ in range(_SWEEPS):
            with self._transaction() as db:
                if self._sweep(db, now) < _SWEEP_ROWS:
                    break
            await asyncio.sleep(0)
        if self._path != ":memory:":
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _sweep_sometimes(self, db: sqlite3.Connection, now: float) -> None:
        if now - self._swept >= _SWEEP_EVERY_S:
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
        db.execute("DELETE FROM buckets WHERE at <= ?", (now - 3600,))
        return gone


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
