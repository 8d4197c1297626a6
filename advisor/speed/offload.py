"""What fits and how fast, when part of the weights stands in the machine's memory.

Layers in memory run on the processor while single tokens are written (llama.cpp's `-ngl`); of a mixture of experts the
experts stay behind and attention stays on the card (`--n-cpu-moe`, KTransformers). Each token waits for both in turn:
bytes on the card over its bandwidth, bytes in memory over the channels'. For prompts the weights in memory are copied
over the slot for every piece, or the processor multiplies them, whichever is faster.
"""

from __future__ import annotations

from math import hypot
from typing import Final, NamedTuple

from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Estimate, Gpu, Workload, note_of, step_of
from advisor.speed.bands import banded, spread_of
from advisor.speed.card import CardRates, card_rates
from advisor.speed.decode import (
    Reading,
    asked_reading,
    gathered_share,
    layer_seconds,
    memory_rate,
    unpacking_s,
    with_unpacking,
)
from advisor.speed.engines import BY_NAME
from advisor.speed.fitted import FITTED
from advisor.speed.hosts import Host, is_server, usual_host
from advisor.speed.prompt import prompt_time
from advisor.speed.results import OffloadEstimate

_GIB: Final = 2.0**30
_USABLE: Final = 0.94
"""Share of a card's memory that weights and cache may fill, beside the display and the driver."""
_WORKING_BYTES: Final = 0.9 * _GIB
"""Context of the driver and buffers of one piece of prompt."""
_DOTS: Final = 2.0
"""Times the FP32 rate for products of 8-bit numbers where a processor has instructions for them."""
_SECOND_SOCKET: Final = 0.4
"""What a second socket adds to the first where weights are placed by socket (KTransformers' own table: 8.7 tokens a
second on one, 12.2 on two)."""
_HOP_S: Final = 0.00003
"""Handing one layer's activations between card and processor."""
_SPLIT_HOP_S: Final = 0.00005
"""The same where each hand-over ends a graph, so that what follows is launched piece by piece (llama.cpp's scheduler):
some ten launches of two microseconds more."""
_USUAL_PROMPT: Final = 512


class Placement(NamedTuple):
    """Bytes of weights on the cards and in the machine's memory, and what one token reads of each."""

    on_card: float
    in_ram: float
    read_on_card: float
    read_in_ram: float
    experts_only: bool
    cache_bytes: float

    @property
    def share(self) -> float:
        """Of the weights, on the cards."""
        return self.on_card / max(1.0, self.on_card + self.in_ram)


def room_of(gpu: Gpu, n_gpus: int, vram_gib: float | None = None) -> float:
    """Bytes that weights and cache may fill on these cards.

    Raises:
        UnsupportedCombination: the card's memory is not known.
    """
    memory = vram_gib or gpu.vram_gib or (max(gpu.memory_options_gib) if gpu.memory_options_gib else None)
    if not memory:
        raise UnsupportedCombination("no memory size is known for this card", gpu=gpu.name, missing="vram_gib")
    usable = 0.75 if gpu.unified_memory and gpu.vendor == "Apple" else _USABLE
    return n_gpus * max(0.0, memory * _GIB * usable - _WORKING_BYTES)


def place(asked: Reading, room: float, card_share: float | None = None, experts: bool | None = None) -> Placement:
    """What stands where.

    Args:
        asked: the model as stored.
        room: bytes on the cards.
        card_share: share of the layers (or of the experts) on the cards as stated; what fits when None.
        experts: only experts are left behind; the usual way for a mixture of experts when None.
    """
    cache = asked.context_bytes(asked.length)
    looked_up = max(0.0, asked.total - asked.common - asked.routed)
    by_experts = bool(asked.routed) if experts is None else experts and bool(asked.routed)
    movable = asked.routed if by_experts else asked.common + asked.routed
    fixed = asked.common if by_experts else 0.0
    if card_share is None:
        card_share = min(1.0, max(0.0, (room - cache - fixed) / movable)) if movable else 1.0
    stays = fixed + card_share * movable
    read = asked.chosen if by_experts else asked.common + asked.chosen
    return Placement(
        on_card=stays,
        in_ram=(1.0 - card_share) * movable + looked_up,
        read_on_card=(fixed and asked.common) + card_share * read,
        read_in_ram=(1.0 - card_share) * read,
        experts_only=by_experts,
        cache_bytes=cache,
    )


class OffloadTime(NamedTuple):
    """Seconds of one written token by where they pass."""

    card: float
    ram: float
    hops: float

    @property
    def total(self) -> float:
        """Card and processor take turns."""
        return self.card + self.ram + self.hops


def host_rate(host: Host, engine: str = "engine") -> float:
    """Bytes a second that reading weights reaches in the machine's memory.

    Software that does not place weights by socket reads half of them over the link between sockets, which takes back
    what the second socket's memory gives; one that does still joins halves.
    """
    each = 1.0 / host.sockets
    within = each * (1.0 + _SECOND_SOCKET * (host.sockets - 1)) if BY_NAME[engine].sockets else each
    return host.drawn_gb_per_s * 1e9 * within * FITTED["host.memory_share"]


def offloaded_token(
    card: CardRates | None, asked: Reading, put: Placement, host: Host, engine: str, *, bench: bool = False
) -> OffloadTime:
    """Seconds per token. `card` is None where the processor does everything; `bench` as in `decode_time`."""
    software = BY_NAME[engine]
    narrow = put.read_in_ram / max(1.0, put.read_in_ram + put.read_on_card) * asked.narrow
    harder = asked.effort / (FITTED["host.repacked_gain"] if software.repacks or asked.rearranged else 1.0)
    unpack_ram = FITTED["host.unpack_ops"] * harder * narrow / (host.working_tflops * 1e12)
    ram = hypot(put.read_in_ram / host_rate(host, engine), unpack_ram)  # unpacking hides behind reading in part
    if card is None:
        return OffloadTime(0.0, ram + put.cache_bytes / host_rate(host, engine), 0.0)
    rate, share = memory_rate(card, software), put.share
    read = put.read_on_card / (rate * gathered_share(asked))
    on_card = with_unpacking(card, read, unpacking_s(card, asked) * share) + put.cache_bytes / rate
    on_card += layer_seconds(card, asked, software) * max(share, 1.0 if put.experts_only else 0.0)
    hops = 2.0 * asked.layers * (_SPLIT_HOP_S if software.unpacks else _HOP_S) if put.read_in_ram else 0.0
    choice = FITTED["decode.choose_s"] if software.waits and not bench else 0.0
    return OffloadTime(on_card, ram, (hops if put.experts_only else min(hops, 4.0 * _HOP_S)) + choice)


def host_prompt_seconds(asked: Reading, host: Host, engine: str, share: float = 1.0) -> float:
    """Seconds per prompt token of the part (by active parameters) that the processor multiplies.

    Weights are unpacked for every product unless they were laid out anew.
    """
    software = BY_NAME[engine]
    laid_out = software.repacks or asked.rearranged
    reached = FITTED["host.compute_share"] * (FITTED["host.repacked_gain"] if laid_out else 1.0)
    reached *= _DOTS if host.dots and asked.total < 1.5 * asked.parameters else 1.0
    reached /= 1.0 if laid_out else asked.effort
    sockets = 1.0 if software.sockets else float(host.sockets)
    return 2.0 * asked.active * share / (host.working_tflops / sockets * 1e12 * reached)


def _sent(host: Host, engine: str) -> float:
    """Bytes a second at which weights go from the machine's memory to the card: what the processor copies first is read
    and written once more."""
    slot = host.pcie_gb_per_s * 1e9
    return min(slot, host_rate(host, engine) / 2.0) if BY_NAME[engine].maps else slot


def offloaded_prompt(
    card: CardRates,
    workload: Workload,
    put: Placement,
    host: Host,
    engine: str,
    *,
    depth: float = 0.0,
    together: int | None = None,
) -> float:
    """Seconds per prompt token: weights in memory are copied for every piece, or multiplied where they are.

    `depth` tokens stand before the prompt; `together` are worked on at once, the software's usual number when None.
    """
    asked = asked_reading(workload)
    length = workload.seq_len or _USUAL_PROMPT
    piece = min(together or BY_NAME[engine].piece, max(1, length))
    part = put.read_in_ram / max(1.0, put.read_in_ram + put.read_on_card)
    touched = put.in_ram * (asked.experts_read(piece) / asked.routed if asked.routed else 1.0)
    copied = touched / _sent(host, engine) / piece
    on_card = prompt_time(card, workload, depth=depth, engine=engine, piece=together).total
    multiplied = on_card * (1.0 - part) + host_prompt_seconds(asked, host, engine, part)
    return min(on_card + copied, multiplied) if BY_NAME[engine].copies else multiplied


def offloaded_generation(
    workload: Workload,
    gpu: Gpu,
    n_gpus: int = 1,
    *,
    host: Host | None = None,
    engine: str = "engine",
    vram_gib: float | None = None,
    card_share: float | None = None,
) -> OffloadEstimate:
    """What fits on the cards, what stays in the machine's memory, and how fast a token is written then.

    Args:
        workload: model, weight format, `seq_len` as context.
        gpu: the card.
        n_gpus: cards that share the layers.
        host: processor and memory, see hosts.host_of; a desktop when None, a server beside large cards and where more
            stays in memory than two channels hold.
        engine: software, a key of engines.BY_NAME.
        vram_gib: memory of one card where it differs from the record.
        card_share: share of layers or experts kept on the cards; as much as fits when None.

    Returns:
        Tokens a second with a 90 % band, the share of the weights on the cards, GB in the machine's memory, and which
        of the two a token mostly waits for. Assumes that the machine has that much memory.

    Raises:
        UnsupportedCombination: no layer sizes, no bandwidth or no memory size is known.
        OutOfRange: a share outside of 0 to 1.
    """
    if card_share is not None and not 0.0 <= card_share <= 1.0:
        raise OutOfRange("a share lies between 0 and 1", name="card_share", value=card_share)
    card, asked = card_rates(gpu), asked_reading(workload)
    put = place(asked, room_of(gpu, n_gpus, vram_gib), card_share)
    machine = host or usual_host(server=is_server(vram_gib or gpu.vram_gib, put.in_ram / 1e9))
    made = offloaded_token(card, asked, put, machine, engine)
    spread = spread_of("offload" if put.in_ram > 0.02 * asked.total else "decode", outside=card.outside)
    trace = step_of(
        name="throughput",
        value=1.0 / made.total,
        unit="tok/s",
        how="1 / (bytes on the card / its bandwidth + bytes in RAM / its bandwidth + hand-overs)",
        inputs=(
            step_of(name="weights_on_card", value=round(put.on_card / 1e9, 1), unit="GB", how="what fits"),
            step_of(name="weights_in_ram", value=round(put.in_ram / 1e9, 1), unit="GB", how="the rest"),
            step_of(name="ram_bandwidth", value=machine.memory_gb_per_s, unit="GB/s", how=_how(machine)),
        ),
    )
    notes = (
        ()
        if machine.stated
        else (note_of("speed_host_assumed", {"gb_per_s": machine.memory_gb_per_s, "kind": machine.memory}),)
    )
    return OffloadEstimate(
        gpu=gpu.name,
        n_gpus=n_gpus,
        model=workload.ml_model.name,
        decode=banded(1.0 / made.total, spread, "tok/s", "bytes on the card and in RAM over their bandwidths", trace),
        prompt=_prompt(card, workload, put, machine, engine),
        card_share=put.share,
        on_card_gb=put.on_card / 1e9,
        in_ram_gb=put.in_ram / 1e9,
        experts_only=put.experts_only,
        bound="ram" if made.ram > made.card else "card",
        host_gb_per_s=machine.memory_gb_per_s,
        host_memory=machine.memory,
        host_channels=machine.channels * machine.sockets,
        host_stated=machine.stated,
        notes=notes,
    )


def processor_generation(workload: Workload, host: Host, engine: str = "engine") -> Estimate:
    """Tokens a second that a processor writes without any card, for one user.

    Args:
        workload: model, weight format, `seq_len` as context.
        host: processor and memory, see hosts.host_of and hosts.usual_host.
        engine: software, a key of engines.BY_NAME.

    Raises:
        UnsupportedCombination: no layer sizes are known.
    """
    asked = asked_reading(workload)
    made = offloaded_token(None, asked, place(asked, 0.0, 0.0, experts=False), host, engine)
    trace = step_of(
        name="throughput",
        value=1.0 / made.total,
        unit="tok/s",
        how="1 / (bytes read for a token / bandwidth of the memory)",
        inputs=(step_of(name="ram_bandwidth", value=host.memory_gb_per_s, unit="GB/s", how=_how(host)),),
    )
    return banded(1.0 / made.total, spread_of("offload"), "tok/s", "bytes in RAM over its bandwidth", trace)


def _prompt(card: CardRates, workload: Workload, put: Placement, host: Host, engine: str) -> Estimate | None:
    """Prompt tokens a second; None where no compute figure of the card is known."""
    if not card.prompt_peak:
        return None
    rate = 1.0 / offloaded_prompt(card, workload, put, host, engine)
    trace = step_of(name="throughput", value=rate, unit="tok/s", how="weights copied for every piece, or multiplied")
    return banded(rate, spread_of("offload-prompt", outside=card.outside), "tok/s", "slot, card and processor", trace)


def _how(host: Host) -> str:
    return "given" if host.stated else "assumption"
