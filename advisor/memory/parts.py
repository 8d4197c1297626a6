"""Puts the pieces together: gibibytes per component on one GPU at the highest moment of the job.

A job goes through phases that follow each other: loading and quantising, forward and backward pass, the step of the
optimizer; or reading the prompt, denoising, decoding. Each phase is a list of what lies in memory at its highest
moment. The need is that of the largest phase, never the sum of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import log2
from typing import Final

from advisor.memory import activations, diffusion, images, rollouts, speech
from advisor.memory.calibration import CALIBRATION, Calibration
from advisor.memory.image_shapes import find_image_shape
from advisor.memory.job import Job, Kind, Metric, Trains
from advisor.memory.runtimes import DRAWING_SLACK, NCCL_GIB
from advisor.memory.shapes import TEXT, Shape, shape_of
from advisor.memory.stacks import Cached
from advisor.memory.state import State, companion_bytes, training_state
from advisor.models import Offload, Optimizer, Parallel

GIB: Final = float(2**30)
_MOVING: Final = frozenset({"activations", "logits", "kv_cache", "gathered"})
"""Components that come and go, whose freed blocks the allocator keeps."""

_NCCL_GROWTH: Final = 0.4
"""Communication buffers grow slowly with the doublings of cards, which share their channels; reasoned."""

Items = list[tuple[str, float]]
Phase = tuple[str, Items]


@dataclass(frozen=True, slots=True)
class Parts:
    """GiB per component of the largest phase; `items` keeps the order in which people read them."""

    items: tuple[tuple[str, float], ...]
    phase: str = ""
    """load | backward | step | write | prefill | encode | denoise | decode"""

    @property
    def total(self) -> float:
        """Sum of all components."""
        return sum([gib for _, gib in self.items])

    @property
    def states(self) -> float:
        """Share of weights, gradients and the optimizer's state in it."""
        return sum([gib for name, gib in self.items if name in _STATES]) / (self.total or 1.0)


_STATES: Final = frozenset({"weights", "gradients", "optimizer"})


def _is_text(job: Job) -> bool:
    return job.model.modality in TEXT


def _keeps_weights(job: Job) -> bool:
    return job.trains is Trains.ALL and job.stack.sharding_keeps_weights


@lru_cache(maxsize=512)
def _untied(shape: Shape) -> Shape:
    return replace(shape, head=shape.embedding, parameters=shape.parameters + shape.embedding)


def _shape(job: Job) -> Shape:
    shape = shape_of(job.model)
    return _untied(shape) if job.stack.unties_embeddings and not shape.head and shape.decoder else shape


# --- training --------------------------------------------------------------------------------------------------------


def _gathered(job: Job, shape: Shape) -> float:
    """Weights that FSDP or ZeRO-3 gathers for the moment, in the width of the arithmetic: two layers (the one at work
    and the next), and the embedding or the head."""
    if not job.sharded or _keeps_weights(job):
        return 0.0
    width = 2.0 if job.half and not job.weights.quantised else job.weights.other_bits / 8.0
    whole = shape.parameters * (job.weights.linear_bits / 8.0 if job.weights.quantised else width)
    root = max(shape.embedding, shape.head) * width
    each = (root + 2.0 * max(whole - root, 0.0) / shape.layers) / job.split
    if job.trains is Trains.ALL:
        each += 2.0 * width * shape.parameters / shape.layers / job.split  # gradients before they are scattered
    return (1.0 - 1.0 / job.shards) * each


_ALL_AT_ONCE: Final = frozenset({Optimizer.ADAM, Optimizer.SGD})


def _step_copies(job: Job, trained: float) -> float:
    """Temporaries of an optimizer that works on all tensors at once; those of fewer bits take one after the other."""
    if not job.stack.foreach_step or job.trains is not Trains.ALL or job.fused_backward:
        return 0.0
    if job.optimizer not in _ALL_AT_ONCE or Offload.OPTIMIZER in job.offloads:
        return 0.0
    return (2.0 if job.true_half else 4.0) * trained / (job.split * (job.shards if job.sharded else 1))


def _released(job: Job) -> bool:
    """Whether gradients appear only while activations go."""
    return not job.stack.keeps_gradients and not job.accumulates


def _training_phases(
    job: Job, state: State, kept: float, scores: float, gathered: float, trained: float
) -> list[Phase]:
    backward = [
        ("weights", state.weights),
        ("gradients", 0.0 if _released(job) else state.gradients),
        ("optimizer", state.optimizer),
        ("activations", kept),
        ("logits", scores),
        ("gathered", gathered),
    ]
    step = [
        ("weights", state.weights),
        ("gradients", state.gradients),
        ("optimizer", state.optimizer),
        ("step", _step_copies(job, trained)),
        ("gathered", gathered if job.sharded else 0.0),
    ]
    return [("backward", backward), ("step", step)]


def _text_training(job: Job, cal: Calibration) -> list[Phase]:
    shape = _shape(job)
    state = training_state(job, shape.matrices, shape.embedding + shape.head, cal)
    kept = activations.training_activations(job, shape, cal)
    scores = activations.logits(job, shape, cal)
    phases = _training_phases(job, state, kept, scores, _gathered(job, shape), shape.parameters)
    if job.rollouts:
        beside = rollouts.standing(job, state, shape)
        phases = [(name, [*items, *beside]) for name, items in phases]
        phases.append(("write", rollouts.writing_phase(job, state, shape)))
    if job.sharded and job.stack.loads_before_sharding:
        whole = state.weights * (1 if _keeps_weights(job) else job.shards)
        phases.append(
            (
                "load",
                [
                    ("weights", state.weights),
                    ("loading", cal.sharding_load * whole * (1.0 + 1.0 / job.shards) - state.weights),
                ],
            )
        )
    return phases


def _image_training(job: Job, cal: Calibration) -> list[Phase]:
    known = find_image_shape(job.model)
    # of experts that take turns one is trained at a time, the other waits in RAM
    share = known.active if known and job.trains is not Trains.ALL else 1.0
    state = training_state(job, job.model.parameters * share, 0.0, cal)
    if job.model.modality == "image-gen":
        kept = diffusion.diffusion_training(job, cal)
    else:
        kept = images.vision_training(job, cal)
    return _training_phases(job, state, kept, 0.0, 0.0, job.model.parameters)


# --- inference -------------------------------------------------------------------------------------------------------


def _staging(job: Job, shape: Shape, cal: Calibration) -> float:
    """Bytes of 16-bit matrices on the card while weights are quantised there."""
    if not (job.weights.staged and job.stack.unties_embeddings):
        return 0.0
    return cal.staging_bytes * max(shape.embedding, shape.hidden * shape.hidden * shape.ffn_ratio)


def _text_inference(job: Job, cal: Calibration) -> list[Phase]:
    split = float(job.split)
    shape = _shape(job)
    table = 0.0 if job.stack.gguf and shape.head else shape.embedding
    state = training_state(job, shape.matrices, table + shape.head, cal)
    items = [("weights", state.weights)]
    if job.kind is Kind.INFER:
        growth = cal.cache_growth if job.stack.cached is Cached.GROWS else 1.0
        items.append(("kv_cache", activations.kv_cache(job, shape) * growth / split))
        items.append(("activations", activations.inference_activations(job, shape) / job.tensor))
    items.append(("loading", _staging(job, shape, cal) / split))
    return [("prefill", items)]


def _drawing(job: Job, cal: Calibration) -> list[Phase]:
    """Prompt, denoising, decoding: all parts stay on the card, or come to it by turns, or layer by layer."""
    state = training_state(job, job.model.parameters, 0.0, cal)
    encoders = companion_bytes(job)
    model = state.weights - encoders
    step, decoding = diffusion.diffusion_drawing(job, cal), diffusion.diffusion_decoding(job, cal)
    if job.kind is Kind.LOAD:
        return [("load", [("weights", model + encoders)])]
    known = find_image_shape(job.model)
    model *= known.active if known and job.offloads else 1.0
    if Offload.WEIGHTS in job.offloads and job.offload_share >= 1.0:
        encoders *= _STREAMED
    if not job.offloads:
        everything = model + encoders
        return [
            ("denoise", [("weights", everything), ("activations", step)]),
            ("decode", [("weights", everything), ("activations", decoding)]),
        ]
    floor = 0.0
    if known and not job.weights.quantised and job.offloads == _BY_TURNS:
        floor = known.floor_gib * GIB - job.stack.runtime.context_gib * GIB - model
    return [
        ("encode", [("weights", encoders), ("activations", 0.0)]),
        ("denoise", [("weights", model), ("activations", max(step, floor))]),
        ("decode", [("weights", 0.0), ("activations", decoding)]),
    ]


_BY_TURNS: Final = frozenset({Offload.PARTS})
_STREAMED: Final = 0.1
"""Share of a text encoder on the card while its layers come one after the other."""


def _phases(job: Job, cal: Calibration) -> list[Phase]:
    """All phases of a job, in bytes."""
    text = _is_text(job)
    if job.kind is Kind.TRAIN:
        return _text_training(job, cal) if text else _image_training(job, cal)
    if job.model.modality == "speech":
        return speech.phases(job, cal)
    if text:
        return _text_inference(job, cal)
    if job.model.modality == "image-gen":
        return _drawing(job, cal)
    state = training_state(job, job.model.parameters, 0.0, cal)
    working = images.vision_inference(job, cal) if job.kind is Kind.INFER else 0.0
    return [("prefill", [("weights", state.weights), ("activations", working)])]


def _slack(job: Job) -> float:
    """Share of what comes and goes that the allocator keeps beyond it: much for the VAE of a pipeline, whose large
    blocks fit nothing else. What image training keeps was measured with it."""
    if _is_text(job):
        return job.stack.runtime.slack - 1.0
    draws = job.model.modality == "image-gen" and job.kind is not Kind.TRAIN
    return DRAWING_SLACK if draws else 0.0


def _overhead(job: Job, items: Items, metric: Metric) -> Items:
    """What the metric counts beyond tensors: blocks that the allocator keeps, context, communication buffers."""
    if metric is Metric.ALLOCATED:
        return []
    slack = _slack(job)
    found: Items = [("allocator", slack * sum([size for name, size in items if name in _MOVING]))]
    if metric is Metric.DEVICE:
        context = job.stack.runtime.context_gib
        if job.n_gpus > 1 and job.parallel is not Parallel.NONE:
            context += NCCL_GIB * log2(job.n_gpus) ** _NCCL_GROWTH
        found.append(("framework", context * GIB))
    return found


def parts_of(job: Job, metric: Metric = Metric.DEVICE, cal: Calibration = CALIBRATION) -> Parts:
    """GiB per component on one GPU in the largest phase, at the level of the metric."""
    most, phase, largest = -1.0, "", []
    for name, items in _phases(job, cal):
        found = items + _overhead(job, items, metric)
        total = sum([size for _, size in found])
        if total > most:
            most, phase, largest = total, name, found
    return Parts(tuple([(part, size / GIB) for part, size in largest if size > 0.0 or part == "weights"]), phase)
