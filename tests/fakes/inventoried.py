"""A store that refuses what stands in no inventory, or is kept for longer or for somebody else than it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.core.inventory import Owner, kind_of
from bot.core.ports import Small
from bot.stores.memory import MemoryStore


class Inventoried(MemoryStore):
    """In memory, and strict."""

    async def put(self, key: str, value: Any, ttl_s: float | None = None, *, owner: str = "") -> None:
        kept = kind_of("small", key)
        assert bool(owner) == (kept.owner is Owner.USER), key
        assert kept.setting or kept.life_s is None or (ttl_s is not None and ttl_s <= kept.life_s), key
        await super().put(key, value, ttl_s, owner=owner)

    async def count(self, name: str, field: str, by: int = 1, **more: Any) -> None:
        kind_of("counters", name)
        await super().count(name, field, by, **more)

    async def handled(self, *args: Any, beside: Sequence[Small] = (), **more: Any) -> bool:
        for small in beside:
            assert bool(small.owner) == (kind_of("small", small.key).owner is Owner.USER), small.key
        return await super().handled(*args, beside=beside, **more)

    async def begin(
        self, buckets: Sequence[tuple[str, float, float]], keys: Sequence[str], **more: Any
    ) -> tuple[int | None, dict[str, Any]]:
        for key, _, _ in buckets:
            kind_of("buckets", key)
        for key in keys:
            kind_of("small", key)
        return await super().begin(buckets, keys, **more)

    async def take(self, bucket: str, **more: Any) -> float:
        kind_of("buckets", bucket)
        return await super().take(bucket, **more)

    async def take_all(self, buckets: Sequence[tuple[str, float, float]], **more: Any) -> int | None:
        for key, _, _ in buckets:
            kind_of("buckets", key)
        return await super().take_all(buckets, **more)

    async def lead(self, name: str, owner: str, **more: Any) -> bool:
        kind_of("leases", name)
        return await super().lead(name, owner, **more)
