"""The small things of the Valkey store: JSON values, counters, token buckets, leases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from valkey.exceptions import ValkeyError

from bot.core.ports import Small, StoreUnavailable
from bot.stores.valkey_client import Script, ValkeyClient, guarded

_COUNTER_TTL_S: Final = 400 * 86_400


def given(now: float | None) -> float | str:
    """A time that a test gives; the scripts take the server's for the empty text."""
    return "" if now is None else now


class ValkeyValues(ValkeyClient):
    """See the port `Store`."""

    def __init__(self, address: str, salt: bytes = b"") -> None:
        """See the client."""
        super().__init__(address, salt)
        self._counted: Counter[tuple[str, str]] = Counter()

    @guarded
    async def get(self, key: str) -> object:
        """See the port."""
        value = await self._db.get(f"xuanka:small:{key}")
        return json.loads(value) if value is not None else None

    @guarded
    async def put(self, key: str, value: object, ttl_s: float | None = None, *, owner: str = "") -> None:
        """See the port."""
        await self._together(*self._putting(Small(key, value, ttl_s, owner)))

    def _putting(self, small: Small) -> list[tuple[object, ...]]:
        """The steps that keep a small value. It is found before it is there: `forget` erases it whatever happens."""
        name, steps = f"xuanka:small:{small.key}", list[tuple[object, ...]]()
        if small.owner:
            index = f"xuanka:of:{self._mark(small.owner)}"
            life = _COUNTER_TTL_S if small.ttl_s is None else int(small.ttl_s) + 60
            # As long as the longest-lived one of his.
            steps = [("SADD", index, name), ("EXPIRE", index, life, "NX"), ("EXPIRE", index, life, "GT")]
        expiry = () if small.ttl_s is None else ("PX", max(1, int(small.ttl_s * 1000)))
        return [*steps, ("SET", name, json.dumps(small.value), *expiry)]

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
    async def count(self, name: str, field: str, by: int = 1, *, later: bool = False) -> None:
        """See the port."""
        if later:
            self._counted[name, field] += by
            return
        await self._together(*_counting(name, field, by))

    async def _write_counts(self) -> None:
        """Write what was counted meanwhile; it stays counted when that fails."""
        counted = dict(self._counted)
        if counted:
            await self._together(
                *[step for (name, field), by in counted.items() for step in _counting(name, field, by)]
            )
            self._counted.subtract(counted)
            self._counted += Counter()

    @guarded
    async def tidy(self, now: float | None = None) -> None:
        """Write what was counted; the server itself drops what has expired."""
        await self._write_counts()

    async def close(self) -> None:
        """Close the connections; what was counted last is written when it can be."""
        with suppress(ValkeyError, OSError, StoreUnavailable):
            await self._write_counts()
        await super().close()

    @guarded
    async def counts(self, name: str) -> dict[str, int]:
        """See the port."""
        await self._write_counts()
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
        empty, _ = await self._begin(buckets, (), now)
        return empty

    @guarded
    async def begin(
        self, buckets: Sequence[tuple[str, float, float]], keys: Sequence[str], *, now: float | None = None
    ) -> tuple[int | None, dict[str, object]]:
        """See the port."""
        return await self._begin(buckets, keys, now)

    async def _begin(
        self, buckets: Sequence[tuple[str, float, float]], keys: Sequence[str], now: float | None
    ) -> tuple[int | None, dict[str, object]]:
        reads = [("GET", f"xuanka:small:{key}") for key in keys]
        if self._is_cluster:
            empty, found = await self._taken_apart(buckets, now), await self._together(*reads)
        else:
            names = tuple(f"xuanka:bucket:{self._mark(name)}" for name, _, _ in buckets)
            numbers = tuple(number for _, rate_per_s, burst in buckets for number in (rate_per_s, burst))
            place, *found = await self._together(Script("take_all", names, (given(now), *numbers)), *reads)
            empty = int(place) - 1 if place else None
        kept = {key: value for key, value in zip(keys, found, strict=True) if isinstance(value, bytes)}
        return empty, {key: json.loads(value) for key, value in kept.items()}

    async def _taken_apart(self, buckets: Sequence[tuple[str, float, float]], now: float | None) -> int | None:
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


def _counting(name: str, field: str, by: int) -> list[tuple[object, ...]]:
    """The steps that count; a counter lives on while it counts."""
    key = f"xuanka:count:{name}"
    return [("HINCRBY", key, field, by), ("EXPIRE", key, _COUNTER_TTL_S)]
