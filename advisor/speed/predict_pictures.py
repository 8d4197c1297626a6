"""Lines about pictures, videos and sound: generated, trained on, recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import ceil
from typing import Final, NamedTuple

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu, Method, Precision
from advisor.speed.card import CardRates, card_rates
from advisor.speed.cases import Case
from advisor.speed.denoise import (
    Denoiser,
    Pace,
    around_seconds,
    denoise_step,
    denoiser_named,
    guided_passes,
    offloaded_activations_s,
    train_step,
)
from advisor.speed.hosts import usual_host
from advisor.speed.offload import room_of
from advisor.speed.speech import Listening, recogniser_named, speech_on_card, speech_on_host
from advisor.speed.weights import stored_as

_ARITHMETIC = ("dq", "dynamic", "fp8 (transformer", "nvfp4", "float8")
"""Spellings that say products are done in few bits, not only weights stored."""
_DYNAMIC = ("dq", "dynamic")
"""Spellings that say scales are found while running."""
_NARROW_PRODUCTS = re.compile(r"(?:^|[;,] ?)fp8 matmul(?:;|$)")
_HALF_SUMS = ("onediff", "oneflow", "stable-fast", "tensorrt", "flux-fp8")
"""Software that sums products of 16 bits in 16 bits, as GeForce cards do at twice the rate."""
_SHARED = 0.8
"""Several cards on one picture: exponent of what they give."""


class _Drawn(NamedTuple):
    """What a line draws, or trains to draw, and on which card."""

    shape: Denoiser
    gpu: Gpu
    card: CardRates
    size: tuple[int, int]
    frames: int
    batch: int


def _drawn(case: Case) -> _Drawn:
    """Raises UnsupportedCombination for a model without a shape, or a line without a card."""
    if case.gpu is None or case.workload is None:
        raise UnsupportedCombination("pictures on a processor alone are not estimated", task=case.task)
    shape = denoiser_named(case.model)
    if shape is None:
        raise UnsupportedCombination(f"no shape is known for {case.model!r}", model=case.model)
    size, frames = case.said.size or shape.size, shape.length(case.said.frames)
    return _Drawn(shape, case.gpu, card_rates(case.gpu), size, frames, case.workload.batch or 1)


def pace_of(case: Case) -> Pace:
    """How steps are run, from software and format."""
    said = case.said
    quant = said.quant.lower()
    narrow = ""
    if any(word in quant for word in _ARITHMETIC) or _NARROW_PRODUCTS.search(said.notes):
        narrow = "int8" if "int8" in quant else "fp4" if "fp4" in quant else "fp8"
    if case.workload and case.workload.precision in (Precision.FP8, Precision.INT8):
        narrow = case.workload.precision.value
    half = any(word in said.software.lower() for word in _HALF_SUMS)
    dynamic, tiled = any(word in quant for word in _DYNAMIC), "int4wo" in quant
    return Pace(compiled=said.compiled, narrow=narrow, half_sums=half, rounded=dynamic, tiled=tiled)


def _estimable(pace: Pace) -> Pace:
    """Products of 8-bit whole numbers whose scales are found from Python fall to roads that differ twentyfold.

    Raises:
        UnsupportedCombination: for those; PyTorch's own pages ask for torch.compile there.
    """
    if pace.rounded and pace.narrow == "int8" and not pace.compiled:
        raise UnsupportedCombination("dynamic int8 without torch.compile falls to kernels that are not known")
    return pace


def pictured(case: Case) -> tuple[float, str]:
    """Seconds, or steps a second, of generated pictures or videos in the line's unit."""
    shape, _, card, size, frames, batch = drawn = _drawn(case)
    pace, basis = _estimable(pace_of(case)), "video" if shape.time else "image"
    steps = case.said.steps or (20 if "mlperf" in case.task.lower() else shape.steps)
    passes = shape.passes if case.unit in _PER_STEP else guided_passes(shape, steps)
    at_once, windows = _windows(case.task, frames)
    step = denoise_step(card, shape, size, at_once, batch, pace, passes)
    of_step = windows * step.total + _copied(case, drawn)
    if case.unit in _PER_STEP:
        return _PER_STEP[case.unit](of_step, case.n_gpus), basis
    whole = steps * of_step
    if "denoising only" not in case.task:
        whole += around_seconds(card, shape, size, frames, batch)
    if case.unit.startswith(("samples", "queries")):
        return case.n_gpus * batch / whole, basis
    return whole / {"s/batch": 1, "s/frame": frames * batch}.get(case.unit, batch), basis


_WINDOWED: Final = re.compile(r"windows of (\d+)", re.IGNORECASE)
_OVERLAP: Final = 16
"""Frames that two windows share where nothing is said (ComfyUI-WanVideoWrapper)."""


def _windows(task: str, frames: int) -> tuple[int, int]:
    """Frames that a step works on together, and how many such windows a clip takes."""
    found = _WINDOWED.search(task)
    if not found or int(found[1]) >= frames:
        return frames, 1
    window = int(found[1])
    return window, ceil((frames - window) / max(window - _OVERLAP, 1)) + 1


_PER_STEP: Mapping[str, Callable[[float, int], float]] = {
    "it/s": lambda seconds, _: 1.0 / seconds,
    "s/step": lambda seconds, cards: float(seconds / cards**_SHARED),
    "ms/step": lambda seconds, cards: float(seconds * 1000.0 / cards**_SHARED),
}
"""Units of a single step, from its seconds on one card and the number of cards."""


def _copied(case: Case, drawn: _Drawn) -> float:
    """Seconds a step waits for weights that are streamed from the machine's memory."""
    if case.said.offload != "weights":
        return 0.0
    bits = stored_as(case.said.quant).linear_bits if case.said.quant else 16.0
    weights = (drawn.shape.per_token or 1.0) * 1e9 * bits / 8.0 * 1.5
    missing = max(0.3 * weights, weights - room_of(drawn.gpu, 1))
    return missing / ((case.said.host or usual_host()).pcie_gb_per_s * 1e9)


_WEIGHTS_ALONE = re.compile(r"nf4|fp4|int4|int8-torchao|gguf|q[48]_|wo")
"""Formats in which only weights are stored in few bits and one kernel widens them; others round activations as well, or
widen in several steps (quanto)."""


def _narrow(quant: str) -> bool:
    """Whether the base is stored in fewer bits than 16."""
    return bool(quant) and not quant.startswith("none")


def drawn_training(case: Case) -> tuple[float, str]:
    """Seconds of a training step of an image or video model."""
    drawn, said, task = _drawn(case), case.said, case.task.lower()
    shape, size, frames, batch = drawn.shape, drawn.size, drawn.frames, drawn.batch
    step = train_step(
        drawn.card,
        shape,
        size,
        frames,
        batch,
        method=Method.LORA if "lora" in task or "lokr" in task else Method.FULL,
        recompute=said.recompute or "full",
        unpacked=_narrow(said.quant.lower()),
        rounded=_narrow(said.quant.lower()) and not _WEIGHTS_ALONE.search(said.quant.lower()),
        compiled=said.compiled,
    )
    seconds = step.total + _copied(case, drawn)
    if said.offload == "activations":
        seconds += offloaded_activations_s(shape, size, frames, batch, said.host or usual_host(server=True))
    if case.unit == "s/sample":
        seconds /= batch
    return seconds * (1000.0 if case.unit.startswith("ms") else 1.0), "image-training"


def heard(case: Case) -> tuple[float, str]:
    """Times real time, or seconds for the sound that the unit names."""
    if case.workload is None:
        raise UnsupportedCombination("the line names no job", task=case.task)
    shape, said = recogniser_named(case.model), case.said
    batch = case.workload.batch or 1
    listener = _listener(said.software)
    how = Listening(listener, batch, said.beams, _bits(case), in_turn=listener == "whisper.cpp" and said.early)
    if case.gpu is None:
        made = speech_on_host(said.host or usual_host(), shape, how)
    else:
        made = speech_on_card(card_rates(case.gpu), shape, how)
    value = made.times_real_time
    if case.unit.startswith("s per"):
        minutes = float(case.unit.split()[2])
        return minutes * 60.0 / value, "speech"
    return value, "speech"


def _listener(software: str) -> str:
    lowered = software.lower()
    for word, name in (("faster-whisper", "faster-whisper"), ("ctranslate2", "faster-whisper"), ("whisper.cpp",) * 2):
        if word in lowered:
            return name
    return "engine" if "llama.cpp" in lowered or "vllm" in lowered else "transformers"


def _bits(case: Case) -> int:
    said = f"{case.said.quant} {case.workload.precision if case.workload else ''} {case.said.software}".lower()
    return 8 if "int8" in said or "8bit" in said or "q8" in said else 32 if "fp32" in said else 16
