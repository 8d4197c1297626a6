"""Who stands at the door by address, and how much each address may ask and send. Kept in this process only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Scope

_MOST_ADDRESSES: Final = 20_000
"""Whose budgets are remembered; the one that came last longest ago is forgotten first, with a full budget."""
_HOME_BITS: Final = 64
"""One household or server gets so much of an IPv6 address: all of it is one address here."""


class Proxies:
    """The proxies whose word about an address counts."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        """Addresses or networks ("10.0.0.0/8"). Raises ValueError for anything else."""
        self._networks: tuple[IPv4Network | IPv6Network, ...] = tuple(map(ip_network, networks))

    def trust(self, address: str) -> bool:
        """Whether an address is one of them."""
        if not self._networks:
            return False
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._networks)

    def client(self, scope: Scope) -> str:
        """Whom a request comes from: the peer, or whom the nearest trusted proxies name; "" for a proxy itself."""
        peer = scope["client"][0] if scope.get("client") else ""
        if not self.trust(peer):
            return _home(peer)
        named = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
        return next((_home(one.strip()) for one in reversed(named) if one.strip() and not self.trust(one.strip())), "")


def _home(address: str) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped or ip_network((int(found) >> _HOME_BITS << _HOME_BITS, _HOME_BITS)))


class Budgets:
    """One budget of an amount a minute for each address."""

    def __init__(self, per_minute: float) -> None:
        """`per_minute` is also the most that is saved up; 0 or less: no limit."""
        self._most = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, amount: float, now: float) -> float:
        """Take an amount: 0.0 when it was there, else the seconds until it will be.

        Args:
            address: whose budget; "" has none.
            amount: how much; more than a minute's worth counts as a minute's worth.
            now: seconds of a clock that only goes forward.
        """
        if self._most <= 0 or not address:
            return 0.0
        amount = min(amount, self._most)
        left, at = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - at) * self._most / 60)
        wait = 0.0 if left >= amount else (amount - left) * 60 / self._most
        self._left[address] = (left if wait else left - amount, now)
        if len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return wait
