"""The small things of the Valkey store: JSON values, counters, token buckets, leases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from valkey.asyncio.cluster import ValkeyCluster

from bot.stores.valkey_client import ValkeyClient, guarded

_COUNTER_TTL_S: Final = 400 * 86_400
_RENEW_EVERY: Final = 100


def given(now: float | None) -> float | str:
    """A time that a test gives; the scripts take the server's for the empty text."""
    return "" if now is None else now


class ValkeyValues(ValkeyClient):
    """See the port `Store`."""

    @guarded
    async def get(self, key: str) -> object:
        """See the port."""
        value = await self._db.get(f"xuanka:small:{key}")
        return json.loads(value) if value is not None else None

    @guarded
    async def put(self, key: str, value: object, ttl_s: float | None = None, *, owner: str = "") -> None:
        """See the port."""
        expiry = None if ttl_s is None else max(1, int(ttl_s * 1000))
        if owner:  # found before it is there: whatever happens in between, `forget` erases it
            await self._note_owner(f"xuanka:of:{self._mark(owner)}", f"xuanka:small:{key}", ttl_s)
        await self._db.set(f"xuanka:small:{key}", json.dumps(value), px=expiry)

    async def _note_owner(self, index: str, key: str, ttl_s: float | None) -> None:
        """Keep for whom a key is, as long as the longest-lived one of his."""
        life = _COUNTER_TTL_S if ttl_s is None else int(ttl_s) + 60
        await self._db.sadd(index, key)
        await self._db.expire(index, life, nx=True)
        await self._db.expire(index, life, gt=True)

    @guarded
    async def delete(self, key: str) -> None:
        """See the port."""
        await self._db.delete(f"xuanka:small:{key}")

    @guarded
    async def left(self, key: str) -> float:
        """See the port."""
        left = int(await self._db.pttl(f"xuanka:small:{key}"))
        return float("inf") if left == -1 else max(0, left) / 1000

    @guarded
    async def count(self, name: str, field: str, by: int = 1) -> None:
        """See the port."""
        key = f"xuanka:count:{name}"
        total = await self._db.hincrby(key, field, by)
        if total % _RENEW_EVERY == by:  # the counter's life is renewed now and then, not with each count
            await self._db.expire(key, _COUNTER_TTL_S)

    @guarded
    async def counts(self, name: str) -> dict[str, int]:
        """See the port."""
        found = await self._db.hgetall(f"xuanka:count:{name}")
        return {field.decode(): int(total) for field, total in sorted(found.items())}

    @guarded
    async def uncount(self, name: str, field: str) -> None:
        """See the port."""
        await self._db.hdel(f"xuanka:count:{name}", field)

    @guarded
    async def take(
        self, bucket: str, *, rate_per_s: float, burst: float, cost: float = 1.0, now: float | None = None
    ) -> float:
        """See the port."""
        return float(
            await self._run("take", f"xuanka:bucket:{self._mark(bucket)}", given(now), rate_per_s, burst, cost)
        )

    @guarded
    async def take_all(self, buckets: Sequence[tuple[str, float, float]], *, now: float | None = None) -> int | None:
        """See the port. In a cluster the buckets lie apart: they are taken from one after the other."""
        if not isinstance(self._db, ValkeyCluster):
            numbers = [number for _, rate_per_s, burst in buckets for number in (rate_per_s, burst)]
            keys = [f"xuanka:bucket:{self._mark(key)}" for key, _, _ in buckets]
            place = int(await self._eval("take_all", keys, given(now), *numbers))
            return place - 1 if place else None
        for place, (key, rate_per_s, burst) in enumerate(buckets):
            if await self.take(key, now=now, rate_per_s=rate_per_s, burst=burst) > 0:
                return place
        return None

    @guarded
    async def lead(self, name: str, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """See the port."""
        return bool(await self._run("lead", f"xuanka:lease:{name}", owner, given(now), lease_s))

    @guarded
    async def resign(self, name: str, owner: str) -> None:
        """See the port."""
        await self._run("resign", f"xuanka:lease:{name}", owner)
