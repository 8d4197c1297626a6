"""Networks between machines: what is left of a card's exchange rate when gradients leave the box."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu

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


_CARDS_OF_A_MACHINE: Final = 8
_RACK: Final = ("NVL72", 72)
"""Boards that NVLink joins over a whole rack (GB200 and GB300 NVL72), by the end of their form factor."""
_OF_BOARDS: Final = "8xhdr"
_OF_BOARDS_SINCE_HOPPER: Final = "8xndr"
_OF_CARDS: Final = "100gbe"


def machines_of(gpu: Gpu, n_gpus: int) -> int:
    """Machines, or racks joined by NVLink, that so many cards fill: eight in each, 72 of those made for such racks."""
    ending, cards = _RACK
    each = cards if (gpu.form_factor or "").endswith(ending) else _CARDS_OF_A_MACHINE
    return -(-n_gpus // each)


def usual_network(gpu: Gpu) -> str:
    """What joins machines of such cards, a key of NETWORKS_GBIT.

    One adapter a card beside NVLink boards (HDR in DGX A100 and before, NDR since DGX H100, from NVIDIA's data sheets);
    one fast Ethernet port a machine beside cards in slots, assumed.
    """
    if not (gpu.form_factor or "").startswith(("SXM", "OAM")):
        return _OF_CARDS
    major = (gpu.compute_capability or "9").split(".")[0]
    return _OF_BOARDS if int(major) < 9 else _OF_BOARDS_SINCE_HOPPER


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
