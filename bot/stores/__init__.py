"""Where state lives: memory for tests and the console, SQLite for one machine, Valkey for many replicas."""

from __future__ import annotations

from bot.core.ports import Store


def open_store(address: str, salt: bytes = b"") -> Store:
    """The store that an address names: `memory:`, `sqlite:///path` or `valkey://host:port/db`.

    redis:// works alike, valkeys:// and rediss:// are the same with TLS, `?cluster=true` is for a cluster.

    Only the chosen kind is imported. `salt` is alike on all replicas: marks of limits and owners are made with it.

    Raises:
        ValueError: the address names no known kind.
    """
    if address == "memory:":
        from bot.stores.memory import MemoryStore

        return MemoryStore(salt=salt)
    if address.startswith("sqlite:///"):
        from bot.stores.sqlite import SqliteStore

        return SqliteStore(address.removeprefix("sqlite:///"), salt=salt)
    if address.startswith(("valkey://", "valkeys://", "redis://", "rediss://")):
        from bot.stores.valkey import ValkeyStore

        return ValkeyStore(address, salt)
    raise ValueError(f"{address!r} names no store: use sqlite:///PATH, valkey://HOST:PORT/DB or memory:")
