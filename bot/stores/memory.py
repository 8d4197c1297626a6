"""State for tests and the console: the SQLite store on a database that lives in memory."""

from __future__ import annotations

from bot.stores.clock import Clock
from bot.stores.sqlite import SqliteStore


class MemoryStore(SqliteStore):
    """Forgets everything when it is closed."""

    def __init__(self, clock: Clock | None = None, salt: bytes = b"") -> None:
        """Nothing to name; `clock` is for tests."""
        super().__init__(":memory:", clock, salt)
