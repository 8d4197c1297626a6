"""One writer at a time for a value of the store that is read, changed and written back."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bot.core.ports import Store

_LOCK_S: Final = 2.0
_TRIES: Final = 100


@asynccontextmanager
async def alone_with(store: Store, key: str) -> AsyncIterator[None]:
    """Hold a value's lease: two members who speak at once, on two replicas, must not overwrite each other."""
    owner, lock = secrets.token_hex(6), f"lock:{key}"
    for _ in range(_TRIES):
        if await store.lead(lock, owner, lease_s=_LOCK_S):
            break
        await asyncio.sleep(_LOCK_S / _TRIES)
    try:
        yield
    finally:
        await store.resign(lock, owner)
