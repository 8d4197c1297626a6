"""Estimates with band, trail and remarks, built on the plain rates."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from advisor.kept import kept
from advisor.models import Gpu, Note, Step, Workload, note_of, step_of
from advisor.speed.bands import banded, spread_of
from advisor.speed.demand import SHARED_EXPERTS, training_basis
from advisor.speed.rate import Drawing, Rate, rate_of
from advisor.speed.results import Part, SpeedEstimate

SOURCES: dict[str, tuple[str, ...]] = {
    "cnn": ("speed-lambda", "speed-nvidia-examples"),
    "depthwise": ("speed-nvidia-examples",),
    "detector": ("speed-lambda", "speed-nvidia-examples"),
    "encoder": ("speed-lambda", "speed-nvidia-examples", "speed-hf-trainer"),
    "vit": ("speed-lambda", "speed-nvidia-examples"),
    "lstm": ("speed-lambda",),
    "recurrent": ("speed-lambda",),
    "decoder": ("speed-litgpt", "speed-qwen", "speed-torchtune"),
    "decode": ("speed-llamacpp", "speed-qwen", "speed-5090-qwen3"),
}
"""Published measurements behind each class of workload."""


def _given(name: str, value: float | str, unit: str = "") -> Step:
    return step_of(name=name, value=value, unit=unit, how="given")


@lru_cache(maxsize=256, typed=True)
def _count(name: str, value: int) -> Step:
    """A small whole number that many trails share: cards, batch."""
    return _given(name, value)


def card_steps(gpu: Gpu, peak: float, basis: str) -> tuple[Step, ...]:
    """The card's figures that enter, as claims of the catalogue."""
    return (_peak_step(basis, peak, gpu.sources.get("*", "")), _bandwidth_step(gpu))


@lru_cache(maxsize=512)
def _peak_step(basis: str, peak: float, source: str) -> Step:
    value = round(peak / 1e12, 1)
    return step_of(name=f"peak_{basis}", value=value, unit="TFLOPS", how="claim", sources=(source,) if source else ())


@kept(most=2048)
def _bandwidth_step(gpu: Gpu) -> Step:
    source = gpu.sources.get("*", "")
    return step_of(
        name="memory_bandwidth",
        value=gpu.memory_bandwidth_gb_per_s,
        unit="GB/s",
        how="claim",
        sources=(source,) if source else (),
    )


@kept(most=2048)
def _card_step(gpu: Gpu) -> Step:
    return _given("gpu", gpu.name)


def parts_of(rate: Rate) -> tuple[Part, ...]:
    """Shares of the time, largest first."""
    if rate.decode:
        made = rate.decode
        pairs = {
            "memory": made.weights + made.cache,
            "compute": made.compute if made.compute > made.weights else 0.0,
            "launch": made.launch + made.choice,
            "exchange": made.exchange,
        }
    elif rate.drawing:
        seconds = rate.drawing.seconds
        pairs = {"compute": seconds.compute, "memory": seconds.traffic, "launch": seconds.launch}
    elif rate.step:
        pairs = {
            "compute": rate.step.matrix,
            "other": rate.step.vector,
            "memory": rate.step.memory,
            "launch": rate.step.launch,
            "exchange": max(0.0, rate.seconds - rate.one_card_seconds),
        }
    else:
        return ()
    total = sum(pairs.values()) or 1.0
    found = [Part(name=name, share=value / total) for name, value in pairs.items() if value / total >= 0.005]
    return tuple(sorted(found, key=lambda part: -part.share))


def trace_of(rate: Rate) -> Step:
    """How the rate came about, down to the card's figures."""
    gpu, workload = rate.card.gpu, rate.workload
    if rate.drawing is not None:
        return _trace_of_drawing(rate, rate.drawing)
    if rate.demand and rate.step:
        demand = rate.demand
        peak, units = rate.card.matrix(demand.precision)
        step = step_of(
            name="step_time",
            value=rate.one_card_seconds,
            unit="s",
            how="matrix work / peak + other work / FP32 rate + traffic / bandwidth, launches as floor",
            inputs=(
                _given("matrix_work", round(demand.matrix_ops * demand.batch / 1e9, 1), "GFLOP"),
                _given("traffic", round((demand.traffic * demand.batch + demand.step_traffic) / 1e9, 2), "GB"),
                *card_steps(gpu, peak, units),
            ),
            sources=SOURCES.get(demand.workload_class, ()),
        )
        how = "cards x batch / seconds per step"
        parts: tuple[Step, ...] = (_count("batch", demand.batch), step)
        if rate.n_gpus > 1:
            exchange = step_of(
                name="step_time_together",
                value=rate.seconds,
                unit="s",
                how="step + exchange that does not hide behind the backward pass",
                inputs=(_given("exchanged_gradients", round(demand.exchanged_bytes / 1e9, 2), "GB"),),
                sources=("speed-lambda",),
            )
            parts = (*parts, exchange)
    else:
        read = rate.decode.weight_bytes / 1e9 if rate.decode else 0.0
        how = "users / (weights / (bandwidth x share) + launches)"
        peak, units = rate.card.matrix(workload.precision) if workload.precision else (0.0, "tensor")
        parts = (_given("weights_read", round(read, 2), "GB"), *card_steps(gpu, peak, units)[1:])
    kind = rate.demand.workload_class if rate.demand else "decode"
    return step_of(
        name="throughput",
        value=rate.per_second,
        unit=f"{rate.unit}/s",
        how=how,
        inputs=(_card_step(gpu), _count("gpu_count", rate.n_gpus), *parts),
        sources=SOURCES.get(kind, ()),
        rows=("000-038", "002-049") if rate.step else ("002-049",),
    )


def basis_of(rate: Rate) -> str:
    """What the estimate rests on: its class, and whether it trains."""
    if rate.drawing is not None:
        return rate.drawing.basis
    if rate.decode or rate.demand is None:
        return "decode"
    if rate.demand.trains:
        return training_basis(rate.workload, rate.n_gpus)
    return f"inference:{rate.demand.workload_class}"


def _trace_of_drawing(rate: Rate, drawing: Drawing) -> Step:
    """How the pace of pictures or clips came about."""
    parts = (
        _count("steps", drawing.steps),
        step_of(
            name="step_time", value=drawing.seconds.total, unit="s", how="passes x operations / usual share of the peak"
        ),
        step_of(name="tokens", value=round(drawing.tokens), how="size / edge of a token, frames"),
        *card_steps(
            rate.card.gpu, rate.card.tensor or rate.card.vector_peak, "tensor" if rate.card.tensor else "vector"
        ),
    )
    return step_of(
        name="throughput",
        value=rate.per_second,
        unit=f"{rate.unit}/s",
        how="cards x batch / (steps x seconds of a step + text and decoding)",
        inputs=(_card_step(rate.card.gpu), _count("gpu_count", rate.n_gpus), *parts),
    )


MEASURED_WRITING = frozenset({"AMD", "Apple"})
"""Makers beside NVIDIA whose cards several published families measured writing text."""


def unlike_published(rate: Rate) -> bool:
    """No published case supports this kind of card at this kind of work."""
    if rate.decode is not None:
        return rate.card.outside and rate.card.gpu.vendor not in MEASURED_WRITING
    return rate.card.outside


_THIN: Final = frozenset({"depthwise", "vit", SHARED_EXPERTS})
"""Classes of networks that few sources measured."""


def remarks(rate: Rate) -> tuple[Note, ...]:
    """What a reader should know of the estimate's limits."""
    gpu = rate.card.gpu
    notes = []
    if unlike_published(rate):
        notes.append(note_of("speed_outside", {"gpu": gpu.name}))
    thin = basis_of(rate) if rate.demand and rate.demand.trains else rate.demand and rate.demand.workload_class
    if thin in _THIN:
        notes.append(note_of("speed_thin_support", {"kind": thin}))
    if rate.step and rate.step.launch > 0.5 * rate.step.total and rate.demand:
        notes.append(note_of("speed_launch_bound", {"batch": rate.demand.batch}))
    if rate.n_gpus > 1 and rate.seconds > 1.5 * rate.one_card_seconds:
        notes.append(note_of("speed_exchange_bound", {"efficiency": rate.one_card_seconds / rate.seconds}))
    return tuple(notes)


def speed_estimate(rate: Rate) -> SpeedEstimate:
    """A rate with band, trail and remarks."""
    basis = basis_of(rate)
    spread = spread_of(basis, outside=rate.card.outside)
    peak, units = rate.card.matrix(rate.demand.precision) if rate.demand else (rate.card.tensor or 0.0, "tensor")
    return SpeedEstimate(
        gpu=rate.card.gpu.name,
        n_gpus=rate.n_gpus,
        model=rate.workload.ml_model.name,
        unit=rate.unit,
        rate=banded(rate.per_second, spread, f"{rate.unit}/s", f"roofline calibrated for {basis}", trace_of(rate)),
        per_gpu=rate.per_second / rate.n_gpus,
        step_seconds=rate.seconds,
        bound=rate.bound,
        parts=parts_of(rate),
        peak_tflops=peak / 1e12,
        peak_basis=units,
        notes=remarks(rate),
    )


def estimate_throughput(
    workload: Workload,
    gpu: Gpu,
    n_gpus: int = 1,
    *,
    stack: str = "",
    link: str = "",
    nodes: int | None = None,
    network: str = "",
) -> SpeedEstimate:
    """Samples or tokens per second of a job on n cards of one kind.

    Args:
        workload: model, method, number format, batch per card (assumed when None), length or input size.
        gpu: the card; only its figures enter, so a card that nobody measured works too.
        n_gpus: all cards together, over all nodes.
        stack: generation of the software, a key of calibration.STACKS; what such jobs are run with when empty.
        link: nvlink | pcie3 | pcie4 | pcie5 instead of what the card suggests.
        nodes: machines the cards are spread over; as many as such cards usually fill when None.
        network: what joins the machines, a key of network.NETWORKS_GBIT; the usual one when empty and nothing is said.

    Raises:
        UnsupportedCombination: no published figure supports this kind of model or this card.
        OutOfRange: counts, batches or lengths that no job has.
    """
    return speed_estimate(rate_of(workload, gpu, n_gpus, stack=stack, link=link, nodes=nodes, network=network))
