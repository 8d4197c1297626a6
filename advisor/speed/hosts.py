"""The machine around the card: how fast its memory is read, what its processor computes, how wide the slot is.

A processor that is named gives its usual equipment (`data/hosts.yaml`); kind and channels of memory that are stated
replace the bandwidth; where nothing is said a desktop of 2023 or, beside data-centre cards and where more is kept in
memory than a desktop holds, a server stands in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from advisor.datafiles import read_data
from advisor.models import Frozen

_CHANNELS: Final = re.compile(r"(\d+)[ -]?channels?|(\d+) x ddr\d|(single|dual|quad)[ -]?channel", re.IGNORECASE)
_KIND: Final = re.compile(r"(?<![a-z])ddr([3-5])(?:[- ]?(\d{4})(?!\d))?", re.IGNORECASE)
_SPEEDS: Final = (800, 9600)
"""Million transfers a second that modules of DDR3 to DDR5 are made for."""
_BYTES: Final = 8
"""Of one transfer of a channel."""
_SERVER_WORDS: Final = re.compile(r"xeon|epyc|threadripper", re.IGNORECASE)
_TWO_SOCKETS: Final = re.compile(r"(?:(?<!\d)2 ?x|dual) (?:intel |amd )?(?:xeon|epyc)|dual[ -]socket", re.IGNORECASE)
_PCIE_GB_PER_S: Final[Mapping[int, float]] = {2: 6.0, 3: 12.0, 4: 24.0, 5: 48.0}
"""Usable GB/s of a x16 slot: nominal less protocol, as copies from pinned memory see it."""
_SERVER_CHANNELS: Final = 8
_DESKTOP_CHANNELS: Final = 2
_WORDS_OF_CHANNELS: Final[Mapping[str, int]] = {"single": 1, "dual": 2, "quad": 4}


class _Processor(Frozen):
    """One line of the table."""

    words: tuple[str, ...] = ()
    gb_per_s: float
    tflops: float
    pcie: int
    channels: int = _DESKTOP_CHANNELS
    sockets: int = 1
    dots: bool = False
    tiles: bool = False
    memory: str = ""


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
    channels: int = _DESKTOP_CHANNELS
    """Of one socket."""
    memory: str = ""
    """Kind and speed ("DDR5-5200"), where it is known or assumed."""
    threads: int = 0
    """That work; 0 for one on every core."""

    @property
    def working_tflops(self) -> float:
        """FP32 of the cores that work."""
        return min(self.tflops, self.threads * _CORE_TFLOPS) if self.threads else self.tflops

    @property
    def drawn_gb_per_s(self) -> float:
        """What the cores that work can ask of the memory, at most its nominal rate."""
        return min(self.memory_gb_per_s, self.threads * _CORE_GB_PER_S) if self.threads else self.memory_gb_per_s


_CORE_TFLOPS: Final = 0.15
"""FP32 of a core of desktops: two products and sums of eight numbers, at 4.5 GHz."""
_CORE_GB_PER_S: Final = 40.0
"""That one core streams at most: 48 to 64 lines of 64 bytes under way at 80 to 100 ns (Zen 4, Golden Cove)."""


class Bank(NamedTuple):
    """Memory as it was named."""

    kind: str
    """DDR4, DDR5-6000 ..."""
    channel_gb_per_s: float
    channels: int | None
    """None where nothing was said of them."""

    def rate(self, usual_channels: int) -> float:
        """GB/s of all channels, the usual number of them where nothing was said."""
        return round(self.channel_gb_per_s * (self.channels or usual_channels), 1)


_BIG_CARD_GIB: Final = 40.0
"""Cards from this size on stand in servers, with a server's channels."""
_TWO_CHANNELS_GB: Final = 192.0
"""What boards with two channels hold: four modules of 48 GB. What is larger stands on a board with more channels."""


def is_server(card_gib: float | None, in_ram_gb: float = 0.0) -> bool:
    """Whether a machine of which nothing is said is a server: by its cards' memory, or by what its own has to hold."""
    return (card_gib or 0.0) >= _BIG_CARD_GIB or in_ram_gb > _TWO_CHANNELS_GB


@lru_cache(maxsize=1)
def _table() -> _Table:
    made: _Table = read_data("hosts.yaml", _Table)
    return made


def usual_host(server: bool = False) -> Host:
    """The machine assumed when none is described."""
    one = _table().usual["server" if server else "desktop"]
    return Host(
        "",
        one.gb_per_s,
        one.tflops,
        _PCIE_GB_PER_S[one.pcie],
        stated=False,
        dots=one.dots,
        channels=one.channels,
        memory=one.memory,
    )


_TRADE_MARKS: Final = re.compile(r"\((?:r|tm)\)")


def _processor(plain: str) -> _Processor | None:
    """The line of the table whose words stand in a description."""
    return next((one for one in _table().processors for word in one.words if word in plain), None)


def _machine(text: str, plain: str, *, server: bool) -> Host:
    """The machine by its processor alone; one without a known processor has the usual equipment, once a socket."""
    found, two = _processor(plain), bool(_TWO_SOCKETS.search(plain))
    if found:
        sockets = 2 if two or found.sockets == 2 else 1
        rates = found.gb_per_s * sockets, found.tflops * sockets, _PCIE_GB_PER_S[found.pcie]
        return Host(
            text,
            *rates,
            stated=True,
            sockets=sockets,
            dots=found.dots,
            tiles=found.tiles,
            channels=found.channels,
            memory=found.memory,
        )
    many = bool(_SERVER_WORDS.search(plain))
    host, each = usual_host(server or many), 2 if many and two else 1
    return replace(host, memory_gb_per_s=each * host.memory_gb_per_s, tflops=each * host.tflops, sockets=each)


@lru_cache(maxsize=256)
def host_of(text: str, memory: str = "", *, server: bool = False) -> Host:
    """The machine that a description means.

    Args:
        text: anything that names a processor ("Ryzen 9 7950X, 64 GB"); may be empty.
        memory: kind, speed and channels ("DDR5-4800, 8 channels per socket"); may be empty. Where nothing is said of
            channels, those of the processor, of a desktop (two) or of a server (eight) count.
        server: without a known processor, assume a server rather than a desktop.
    """
    plain = _TRADE_MARKS.sub("", text.lower().replace("intel(r) ", "")).replace("  ", " ")
    host, bank = _machine(text, plain, server=server), bank_of(memory)
    if bank is None or (host.stated and not bank.channels and _same_kind(host, bank)):
        return host  # the kind alone says less than the processor's own memory
    channels = bank.channels or host.channels
    each = not bank.channels or bank.channels <= host.channels or "per socket" in memory
    sockets = host.sockets if each else 1  # more channels than a socket has are those of all
    rate = bank.rate(channels) * sockets
    return replace(host, memory_gb_per_s=rate, memory=bank.kind, channels=channels, stated=True)


_FASTEST_OF_KIND: Final = ((16.0, "DDR3"), (36.0, "DDR4"))
"""GB/s of a channel up to which modules are of a kind; faster ones are DDR5."""


def _same_kind(host: Host, bank: Bank) -> bool:
    """Whether a kind that was named without a speed is that of the processor's usual memory."""
    each = host.memory_gb_per_s / (host.channels * host.sockets)
    return bank.kind == next((kind for most, kind in _FASTEST_OF_KIND if each <= most), "DDR5")


def processor_in(text: str) -> str:
    """The words of a text that name a processor of data/hosts.yaml, else a family for servers; "" for none.

    Two sockets are kept ("2 x xeon platinum 8480").
    """
    plain = _TRADE_MARKS.sub("", text.lower())
    family = _SERVER_WORDS.search(plain)
    found = next((word for one in _table().processors for word in one.words if word in plain), "")
    named = found or (family[0] if family else "")
    if family is None or not _TWO_SOCKETS.search(plain):
        return named
    return f"2 x {named}" if named.startswith(family[0]) else f"2 x {family[0]} {named}"


def bank_of(text: str) -> Bank | None:
    """The memory that a text names by kind, speed and channels, or None.

    Without a speed that of usual modules of the kind (data/hosts.yaml).

    >>> bank_of("DDR5-4800, 8 channels per socket")
    Bank(kind='DDR5-4800', channel_gb_per_s=38.4, channels=8)
    >>> bank_of("dual channel DDR4 3200")
    Bank(kind='DDR4-3200', channel_gb_per_s=25.6, channels=2)
    >>> bank_of("64 GB DDR4")
    Bank(kind='DDR4', channel_gb_per_s=25.6, channels=None)
    """
    found = _KIND.search(text)
    if found is None or "unified" in text.lower():
        return None
    speed = int(found[2] or 0)
    said = _SPEEDS[0] <= speed <= _SPEEDS[1]
    kind = f"DDR{found[1]}-{speed}" if said else f"DDR{found[1]}"
    rate = speed * _BYTES / 1000.0 if said else _table().memory.get(kind.lower())
    return Bank(kind, round(rate, 1), _channels(text)) if rate else None


def _channels(text: str) -> int | None:
    """Channels that a text names."""
    found = _CHANNELS.search(text)
    if found is None:
        return None
    word = next(part for part in found.groups() if part).lower()
    return int(word) if word.isdigit() else _WORDS_OF_CHANNELS[word]
