"""The machine around the card: how fast its memory is read, what its processor computes, how wide the slot is.

A processor that is named gives its usual equipment (`data/hosts.yaml`); kind and channels of memory that are stated
replace the bandwidth; where nothing is said a desktop of 2023 or, beside data-centre cards, a server stands in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from advisor.datafiles import read_data
from advisor.models import Frozen

_CHANNELS: Final = re.compile(r"(\d+)[ -]?channels?|(\d+) x ddr\d", re.IGNORECASE)
_KIND: Final = re.compile(r"ddr\d(?:-\d{4})?", re.IGNORECASE)
_SERVER_WORDS: Final = re.compile(r"xeon|epyc|threadripper", re.IGNORECASE)
_TWO_SOCKETS: Final = re.compile(r"(?<!\d)2 ?x (?:intel |amd )?(?:xeon|epyc)", re.IGNORECASE)
_PCIE_GB_PER_S: Final[Mapping[int, float]] = {2: 6.0, 3: 12.0, 4: 24.0, 5: 48.0}
"""Usable GB/s of a x16 slot: nominal less protocol, as copies from pinned memory see it."""
_SERVER_CHANNELS: Final = 8
_DESKTOP_CHANNELS: Final = 2


class _Processor(Frozen):
    """One line of the table."""

    words: tuple[str, ...] = ()
    gb_per_s: float
    tflops: float
    pcie: int
    sockets: int = 1
    dots: bool = False
    tiles: bool = False


class _Table(Frozen):
    """data/hosts.yaml."""

    memory: Mapping[str, float]
    usual: Mapping[str, _Processor]
    processors: tuple[_Processor, ...]


@dataclass(frozen=True, slots=True)
class Host:
    """A machine without its cards."""

    name: str
    """As it was said; empty for the usual machine."""
    memory_gb_per_s: float
    """Nominal, all channels and sockets together."""
    tflops: float
    """FP32, all sockets together."""
    pcie_gb_per_s: float
    """Usable rate of the card's slot, one direction."""
    stated: bool
    """The processor or its memory was named; otherwise a usual one is assumed."""
    sockets: int = 1
    dots: bool = False
    """Instructions that multiply and add 8-bit numbers at twice the rate of FP32 or more (VNNI, i8mm)."""
    tiles: bool = False
    """Units that multiply blocks of 8-bit numbers, for networks that were compiled for them (AMX)."""


@lru_cache(maxsize=1)
def _table() -> _Table:
    made: _Table = read_data("hosts.yaml", _Table)
    return made


def usual_host(server: bool = False) -> Host:
    """The machine assumed when none is described."""
    one = _table().usual["server" if server else "desktop"]
    return Host("", one.gb_per_s, one.tflops, _PCIE_GB_PER_S[one.pcie], stated=False, dots=one.dots)


_TRADE_MARKS: Final = re.compile(r"\((?:r|tm)\)")
_LEAST_OF_SERVERS: Final = 120.0
"""GB/s above which a machine's memory is a server's, with as many channels."""


def _processor(plain: str) -> _Processor | None:
    """The line of the table whose words stand in a description."""
    return next((one for one in _table().processors for word in one.words if word in plain), None)


def _machine(text: str, plain: str, *, server: bool) -> Host:
    """The machine by its processor alone; one without a known processor has the usual equipment, once a socket."""
    found, two = _processor(plain), bool(_TWO_SOCKETS.search(plain))
    if found:
        sockets = 2 if two or found.sockets == 2 else 1
        rates = found.gb_per_s * sockets, found.tflops * sockets, _PCIE_GB_PER_S[found.pcie]
        return Host(text, *rates, stated=True, sockets=sockets, dots=found.dots, tiles=found.tiles)
    many = bool(_SERVER_WORDS.search(plain))
    host, each = usual_host(server or many), 2 if many and two else 1
    return replace(host, memory_gb_per_s=each * host.memory_gb_per_s, tflops=each * host.tflops, sockets=each)


@lru_cache(maxsize=256)
def host_of(text: str, memory: str = "", *, server: bool = False) -> Host:
    """The machine that a description means.

    Args:
        text: anything that names a processor ("Ryzen 9 7950X, 64 GB"); may be empty.
        memory: kind and channels ("DDR5-4800, 8 channels per socket"); may be empty.
        server: without a known processor, assume a server rather than a desktop.
    """
    plain = _TRADE_MARKS.sub("", text.lower().replace("intel(r) ", "")).replace("  ", " ")
    host = _machine(text, plain, server=server)
    if host.stated and not _CHANNELS.search(memory):
        return host  # the kind alone says less than the processor's own channels
    rate = memory_rate(memory, host_is_server=server or host.memory_gb_per_s > _LEAST_OF_SERVERS)
    if not rate:
        return host
    each = "per socket" in memory and _TWO_SOCKETS.search(plain)
    return replace(host, memory_gb_per_s=rate * (2.0 if each else 1.0), stated=True)


def memory_rate(text: str, *, host_is_server: bool = False) -> float | None:
    """GB/s of the memory that a text names by kind and channels, or None.

    >>> memory_rate("DDR5-4800, 8 channels per socket")
    307.2
    >>> memory_rate("dual channel DDR4-3200")
    51.2
    """
    kind = _KIND.search(text)
    if kind is None or "unified" in text.lower():
        return None
    per_channel = _table().memory.get(kind[0].lower()) or _table().memory.get(kind[0].lower()[:4])
    if per_channel is None:
        return None
    stated = _CHANNELS.search(text)
    if stated:
        channels = int(stated[1] or stated[2])
    elif "dual" in text.lower():
        channels = 2
    else:
        channels = _SERVER_CHANNELS if host_is_server else _DESKTOP_CHANNELS
    return round(per_channel * channels, 1)
