"""What two calculators of the package index say: whichllm 0.5.21 (fit and local speed), ftuneai 0.3.0 (fine-tuning).

Read on 2026-11-24 in their wheels and stated here in this project's words; nothing of theirs is run.
"""

from __future__ import annotations

from typing import Final

from advisor.memory.job import Adapter, Job, Kind, Trains
from advisor.memory.shapes import Shape
from advisor.models import Method, Parallel, Recompute
from advisor.scoring_throughput import Outcome
from advisor.speed.decode import asked_reading
from advisor.speed.weights import stored_as

_GIB: Final = 2.0**30
_NARROW: Final = 6.0
"""Bits between weights of 8 and of 4 bits."""

_SHARES: Final = (
    ("iq1", 0.33),
    ("iq2", 0.40),
    ("iq3", 0.45),
    ("iq4", 0.51),
    ("q2", 0.45),
    ("q3", 0.49),
    ("q4_0", 0.53),
    ("q4", 0.55),
    ("q5", 0.52),
    ("q6", 0.50),
    ("q8", 0.45),
    ("mxfp4", 0.55),
    ("nvfp4", 0.56),
    ("fp16", 0.40),
    ("bf16", 0.40),
    ("f16", 0.40),
    ("f32", 0.30),
)
"""whichllm: share of bandwidth by format, others `_OTHER_SHARE`."""
_OTHER_SHARE: Final = 0.45
_MAKERS: Final = {"NVIDIA": 1.0, "AMD": 0.78, "Apple": 0.82, "Intel": 0.65}
_LEAST_READ: Final = (0.05, 256.0, 0.25)
"""Share of a mixture's weights that is read at least: this much at so many GB/s, in proportion, up to that."""


def whichllm_tokens(one: Outcome) -> float | None:
    """Bandwidth over the weights read, times a share by format and one by maker."""
    case = one.case
    if case is None or case.gpu is None or case.workload is None or not case.gpu.memory_bandwidth_gb_per_s:
        return None
    model, rate = case.workload.ml_model, case.gpu.memory_bandwidth_gb_per_s
    stored = stored_as(case.said.quant or case.workload.quant or "fp16")
    share = next((part for word, part in _SHARES if stored.name.startswith(word)), _OTHER_SHARE)
    read = asked_reading(case.workload).total  # it takes the file's size where there is a file
    active = (model.active_parameters or model.parameters) / model.parameters
    if active < 1.0:
        least, beside, most = _LEAST_READ
        read *= max(active, min(most, least * max(1.0, rate / beside)))
    return rate * 1e9 / read * share * _MAKERS.get(case.gpu.vendor, 0.7)


def whichllm(job: Job, shape: Shape) -> float | None:
    """GiB of a model that is run: file, 3.5 MiB of cache a billion parameters and thousand tokens, 0.9 GB and more."""
    if job.kind is not Kind.INFER:
        return None
    each = job.weights.linear_bits / 8.0 if job.stack.gguf else 2.0
    if job.weights.quantised and not job.stack.gguf:
        each = 1.0 if job.weights.linear_bits > _NARROW else 0.5
    active = job.model.active_parameters or shape.parameters
    billions = (4.0 * active if active < shape.parameters else active) / 1e9
    cache = billions * job.seq_len / 1024.0 * 3.5 * 2.0**20
    working = 0.4e9 + 0.08 * active + job.seq_len / 4096.0 * 0.15e9
    return (shape.parameters * each + cache + working + 0.5e9) / _GIB


def ftune(job: Job, shape: Shape) -> float | None:
    """GiB of a fine-tuning: weights, adapter, gradients and states, layers kept, a fifth on top of all."""
    if job.kind is not Kind.TRAIN or job.trains not in (Trains.ALL, Trains.ADAPTER):
        return None
    full, narrow = job.trains is Trains.ALL, job.weights.quantised and job.weights.linear_bits < _NARROW
    if not full and job.adapter not in (Adapter.QUERY_VALUE, Adapter.EVERY_MATRIX):
        return None
    weights = shape.parameters * (0.51 if narrow else 1.01 if job.weights.quantised else 2.0)
    trained = shape.parameters if full else job.adapter_params
    layers = 4.0 if job.recompute is not Recompute.NONE else 10.0
    kept = 2.0 * layers * job.batch * job.seq_len * shape.hidden * shape.layers
    model = job.model
    if model.experts and model.experts_per_token:
        kept *= model.experts_per_token / model.experts
    kept *= (0.5 if job.flash else 1.0) * (2.0 if narrow else 1.0)
    return 1.2 * (weights + trained * (2.0 + 8.0 + (0.0 if full else 2.0)) + kept) / _GIB


_WORKS: Final = {Method.LORA: (0.35, 0.75), Method.QLORA: (0.30, 0.75)}
"""ftune: share of the 16-bit peak, and of the six operations a parameter and token, by method; full tuning (0.35, 1)."""
_SCALING: Final = {Parallel.FSDP: (0.82, 0.60), Parallel.ZERO3: (0.82, 0.60), Parallel.ZERO2: (0.90, 0.70)}
_MACHINE: Final = 8


def ftune_tokens(one: Outcome) -> float | None:
    """Tokens a second in the line's unit: a share of the peak over six operations a parameter that works."""
    case = one.case
    if case is None or case.gpu is None or case.workload is None or case.n_gpus > _MACHINE:
        return None
    job, model = case.workload, case.workload.ml_model
    peak = case.gpu.bf16_tflops or case.gpu.fp16_tensor_fp32acc_tflops
    if not peak:
        return None
    share, work = _WORKS.get(job.method, (0.35, 1.0))
    working = model.parameters
    if model.experts and model.experts_per_token:
        working *= model.experts_per_token / model.experts
    per_card, least = _SCALING.get(job.parallel, (0.95, 0.80)) if job.parallel else (0.95, 0.80)
    cards = case.n_gpus * max(per_card ** (case.n_gpus - 1), least)
    rate = peak * 1e12 * share * cards / (6.0 * working * work)
    return rate / (case.n_gpus if "/GPU" in case.unit else 1)
