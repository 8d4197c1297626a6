"""Lines about pictures, videos and sound: generated, trained on, recognised."""

from __future__ import annotations

from advisor.errors import UnsupportedCombination
from advisor.models import Method, Precision
from advisor.speed.card import card_rates
from advisor.speed.cases import Case
from advisor.speed.denoise import (
    Denoiser,
    Pace,
    around_seconds,
    denoise_step,
    denoiser_named,
    offloaded_activations_s,
    train_step,
)
from advisor.speed.hosts import usual_host
from advisor.speed.offload import room_of
from advisor.speed.speech import Listening, recogniser_named, speech_on_card, speech_on_host
from advisor.speed.weights import stored_as

_ARITHMETIC = ("dq", "dynamic", "fp8 (transformer", "nvfp4", "float8")
"""Spellings that say products are done in few bits, not only weights stored."""
_SHARED = 0.8
"""Several cards on one picture: exponent of what they give."""
_THREADS_OF_A_MACHINE = 16.0


def _shape(case: Case) -> Denoiser:
    found = denoiser_named(case.model)
    if found is None:
        raise UnsupportedCombination(f"no shape is known for {case.model!r}", model=case.model)
    return found


def pace_of(case: Case) -> Pace:
    """How steps are run, from software and format."""
    said = case.said
    quant = said.quant.lower()
    narrow = ""
    if any(word in quant for word in _ARITHMETIC) or "fp8 matmul" in said.notes or "flux-fp8" in said.software:
        narrow = "int8" if "int8" in quant else "fp4" if "fp4" in quant else "fp8"
    if case.workload and case.workload.precision in (Precision.FP8, Precision.INT8):
        narrow = case.workload.precision.value
    return Pace(compiled=said.compiled, narrow=narrow)


def pictured(case: Case) -> tuple[float, str]:
    """Seconds, or steps a second, of generated pictures or videos in the line's unit."""
    if case.gpu is None or case.workload is None:
        raise UnsupportedCombination("pictures on a processor alone are not estimated", task=case.task)
    shape, said, card = _shape(case), case.said, card_rates(case.gpu)
    size, frames = said.size or shape.size, (said.frames or shape.frames) if shape.time else 1
    batch = case.workload.batch or 1
    steps = said.steps or (20 if "mlperf" in case.task.lower() else shape.steps)
    step = denoise_step(card, shape, size, frames, batch, pace_of(case))
    seconds_of_step = step.total + _copied(case, shape)
    basis = "video" if shape.time else "image"
    if case.unit == "it/s":
        return 1.0 / seconds_of_step, basis
    if case.unit in {"s/step", "ms/step"}:
        return seconds_of_step * (1000.0 if case.unit == "ms/step" else 1.0) / case.n_gpus**_SHARED, basis
    whole = steps * seconds_of_step
    if "denoising only" not in case.task:
        whole += around_seconds(card, shape, size, frames, batch)
    if case.unit == "s/batch":
        return whole, basis
    if case.unit == "s/frame":
        return whole / frames / batch, basis
    if case.unit.startswith(("samples", "queries")):
        return case.n_gpus * batch / whole, basis
    return whole / batch, basis


def _copied(case: Case, shape: Denoiser) -> float:
    """Seconds a step waits for weights that are streamed from the machine's memory."""
    if case.said.offload != "weights" or case.gpu is None:
        return 0.0
    bits = stored_as(case.said.quant).linear_bits if case.said.quant else 16.0
    weights = (shape.per_token or 1.0) * 1e9 * bits / 8.0 * 1.5
    missing = max(0.3 * weights, weights - room_of(case.gpu, 1))
    return missing / ((case.said.host or usual_host()).pcie_gb_per_s * 1e9)


def drawn_training(case: Case) -> tuple[float, str]:
    """Seconds of a training step of an image or video model."""
    if case.gpu is None or case.workload is None:
        raise UnsupportedCombination("training on a processor alone is not estimated", task=case.task)
    shape, said = _shape(case), case.said
    size, frames = said.size or shape.size, (said.frames or shape.frames) if shape.time else 1
    adapters = "lora" in case.task.lower() or "lokr" in case.task.lower()
    batch, quant = case.workload.batch or 1, said.quant.lower()
    step = train_step(
        card_rates(case.gpu),
        shape,
        size,
        frames,
        batch,
        method=Method.LORA if adapters else Method.FULL,
        recompute=said.recompute or "full",
        unpacked=bool(quant) and not quant.startswith("none") and "wo" not in quant,
        compiled=said.compiled,
    )
    seconds = step.total + _copied(case, shape)
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
    how = Listening(_listener(said.software), batch, said.beams, _bits(case))
    if case.gpu is None:
        host = said.host or usual_host()
        share = min(1.0, (said.users or 8.0) / _THREADS_OF_A_MACHINE)
        made = speech_on_host(host, shape, how, share)
    else:
        made = speech_on_card(card_rates(case.gpu), shape, how)
    value = made.times_real_time
    if case.unit.startswith("s per"):
        minutes = float(case.unit.split()[2])
        return minutes * 60.0 / value, "speech"
    return value, "speech"


def _listener(software: str) -> str:
    lowered = software.lower()
    for word in ("faster-whisper", "whisper.cpp", "ctranslate2"):
        if word in lowered:
            return "faster-whisper"
    return "engine" if "llama.cpp" in lowered or "vllm" in lowered else "transformers"


def _bits(case: Case) -> int:
    said = f"{case.said.quant} {case.workload.precision if case.workload else ''} {case.said.software}".lower()
    return 8 if "int8" in said or "8bit" in said or "q8" in said else 32 if "fp32" in said else 16
