"""Networks between machines: what is left of a card's exchange rate when gradients leave the box."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.errors import UnsupportedCombination

NETWORKS_GBIT: Mapping[str, float] = MappingProxyType(
    {
        "1gbe": 1.0,
        "10gbe": 10.0,
        "25gbe": 25.0,
        "40gbe": 40.0,
        "100gbe": 100.0,
        "edr": 100.0,
        "hdr": 200.0,
        "ndr": 400.0,
        "4xhdr": 800.0,
        "8xhdr": 1600.0,
        "8xndr": 3200.0,
    }
)
"""Nominal Gbit/s of one machine: Ethernet, and InfiniBand EDR, HDR, NDR with one or several adapters."""

_SHARE = 0.7
"""Of the nominal rate, seen by an all-reduce: protocol and rings that share the link."""


def across_nodes(local: float, nodes: int, network: str) -> float:
    """Bytes per second of an all-reduce over several machines: the slower of the box inside and its network.

    Raises:
        UnsupportedCombination: the network is not one of NETWORKS_GBIT.
    """
    if nodes == 1:
        return local
    name = network.lower().replace(" ", "") or "10gbe"
    if name not in NETWORKS_GBIT:
        raise UnsupportedCombination(f"no figure is known for a network called {network!r}", network=network)
    return min(local, NETWORKS_GBIT[name] * 1e9 / 8.0 * _SHARE)
