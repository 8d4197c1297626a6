"""What the constants of the speed model stand for; their values are in `calibration`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CardConstants:
    """How much of a card's figures a real job sees."""

    memory_efficiency: float
    """Share of nominal bandwidth; 1 because the traffic constants below were fitted on nominal bandwidth."""
    hbm3_efficiency: float
    """The same for HBM3 and later, whose figure outgrew what kernels of these benchmarks draw."""
    hbm3_reference: float
    """GB/s at which that share was fitted."""
    hbm3_saturation: float
    """Above it the share falls with the figure to this power: the faster the memory, the less of it kernels draw."""
    watts_per_tflops: Mapping[str, float]
    """Board power per vector TFLOPS at which a chip of this compute capability holds its boost clock."""
    power_exponent: float
    """Below that power, rates fall with the ratio to this power (a 250 W card against its 400 W sister)."""


@dataclass(frozen=True, slots=True)
class ClassConstants:
    """One class of workload. `per unit` is a forward operation for images, token x layer x width for transformers."""

    tensor_efficiency: float
    """Share of the tensor peak that matrix products reach."""
    tf32_efficiency: float
    vector_efficiency: float
    """Share of the FP32 peak when matrix products run without tensor units."""
    vector_ops: float
    """Work outside matrix products, FP32 operations per unit (normalisation, activation, loss, input layout)."""
    traffic: float
    """Bytes of memory traffic per unit in 16-bit formats, forward and backward."""
    fp32_traffic: float
    """Traffic of 32-bit formats over 16-bit."""
    launch_s: float
    """Time per step that does not shrink with the card: launches, host work, hand-over. Per layer for transformers."""
    imbalance: float
    """Slowdown per doubling of cards beyond communication (stragglers, shared host)."""
    overlap: float
    """Share of the step behind which gradient exchange hides."""
    old_cards: float = 0.0
    """Logarithm of the extra time on cards before Ampere (older kernels and containers)."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What training software does, as far as speed is concerned."""

    newer: bool = False
    """Kernels of 2022 or later."""
    recipe: bool = False
    """A recipe tuned for speed: memory layout, input pipeline, fused optimizer."""
    fused: bool = False
    """Norms, rotations, activations and losses of decoders are fused or compiled."""
    casts: float = 1.0
    """Of the bytes that rounding factors to 8 bits moves where each rounding is a kernel of its own: what is left where
    norms and activations write 8 bits at once, so that nothing is read again to seek its range and to round it."""


@dataclass(frozen=True, slots=True)
class LinkConstants:
    """Usable all-reduce bandwidth in bytes per second."""

    nvlink_share: float
    """Of the NVLink figure (both directions) of SXM boards."""
    bridge_share: float
    """Of the NVLink figure of bridged pairs."""
    pcie: Mapping[int, float]
    """Per PCIe generation, cards on one host."""
    consumer: float
    """GeForce cards have no peer-to-peer: data goes through host memory, at this share of the rate for two cards."""
    crowding: float
    """More than two of them share that memory: the rate falls with their number to this power."""
    latency_s: float
    """Per doubling of cards."""
    sharpness: float
    """How abruptly exposed communication sets in once it no longer hides behind the backward pass."""
    spread: float
    """Half-width of the 90 % band of a speed-up, in logarithm."""
