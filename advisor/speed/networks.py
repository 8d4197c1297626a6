"""Image networks that published tables measure and nobody asks for by name: operations and size only."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from advisor.datafiles import read_data
from advisor.models import Frozen, MlModel

_MARK: Final = "network-"
_FAMILY: Final = {"cnn": "ResNet", "depthwise": "MobileNet", "vit": "ViT", "detector": "RetinaNet"}
"""The family whose class of constants fits the kind, see demand.workload_class."""


class Network(Frozen):
    """One line of data/networks.yaml, whose head says what the fields mean."""

    name: str
    million: float
    gmac: float
    mact: float | None = None
    at: int
    kind: str
    words: tuple[str, ...]


@lru_cache(maxsize=1)
def networks() -> tuple[Network, ...]:
    """All of data/networks.yaml."""
    made: tuple[Network, ...] = read_data("networks.yaml", tuple[Network, ...])
    return made


_ACTIVATIONS_PER_GMAC: Final = {"cnn": 2.2e6, "depthwise": 6e6, "vit": 1.05e6, "detector": 3e6}


@lru_cache(maxsize=256)
def activations_of(name: str, kind: str, gmac: float) -> float:
    """Values that one forward pass puts out at the input size at which `gmac` was counted.

    Args:
        name: of the network; one that is in the table has its own count.
        kind: cnn | depthwise | vit | detector, for the others.
        gmac: thousand millions of multiply-adds of one pass.
    """
    one = _line(name)
    if one is not None and one.mact:
        return one.mact * 1e6 * gmac / one.gmac
    return _ACTIVATIONS_PER_GMAC.get(kind, 2e6) * gmac


def _line(text: str) -> Network | None:
    lowered = text.lower()
    hits = [(len(word), one) for one in networks() for word in (*one.words, one.name.lower()) if word in lowered]
    return max(hits, key=lambda hit: hit[0])[1] if hits else None


@lru_cache(maxsize=256)
def network_named(text: str) -> MlModel | None:
    """The network that a table's name means, the longest of the known words in it, or None."""
    one = _line(text)
    if one is None:
        return None
    return MlModel(
        id=_MARK + one.name.lower().replace(" ", "-"),
        name=one.name,
        modality="vision",
        family=_FAMILY[one.kind],
        parameters=one.million * 1e6,
        gflops_per_sample=2.0 * one.gmac,
        gflops_at=str(one.at),
    )
