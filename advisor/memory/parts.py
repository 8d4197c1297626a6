"""Puts the pieces together: gibibytes per component on one GPU at the highest moment of the job."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.memory import activations, images
from advisor.memory.calibration import CALIBRATION, Calibration
from advisor.memory.job import Job, Kind, Metric, Trains
from advisor.memory.shapes import TEXT, Shape, shape_of
from advisor.memory.state import State, companion_bytes, training_state
from advisor.models import Parallel

GIB = float(2**30)
_SHARDED = (Parallel.ZERO3, Parallel.FSDP)
_STREAMED_LAYERS = 2
"""Layers on the card at a time when weights stay in RAM: the one computing and the one arriving."""
_SPLIT_COMPUTE = (Parallel.TENSOR, Parallel.PIPELINE)


@dataclass(frozen=True, slots=True)
class Parts:
    """GiB per component; `items` keeps the order in which people read them."""

    items: tuple[tuple[str, float], ...]

    @property
    def total(self) -> float:
        """Sum of all components."""
        return sum([gib for _, gib in self.items])


def _is_text(job: Job) -> bool:
    return job.model.modality in TEXT


def _split(job: Job) -> float:
    return float(job.n_gpus) if job.parallel in _SPLIT_COMPUTE else 1.0


def _keeps_weights(job: Job) -> bool:
    return job.trains is Trains.ALL and job.stack.sharding_keeps_weights


def _unsharded(job: Job, shape: Shape, state: State) -> float:
    """Weights that FSDP or ZeRO-3 gathers for the moment: two layers and the embedding or the head."""
    if job.parallel not in _SHARDED or job.n_gpus == 1 or _keeps_weights(job):
        return 0.0
    whole = state.weights * job.n_gpus
    root = max(shape.embedding, shape.head) * job.weights.other_bits / 8.0
    return (1.0 - 1.0 / job.n_gpus) * root + 2.0 * max(whole - root, 0.0) / shape.layers


def _load_peak(job: Job, shape: Shape, cal: Calibration) -> float:
    """Bytes while weights come in: quantising stages a matrix, some stacks shard only after loading all."""
    peak = 0.0
    if job.weights.staged and job.stack.unties_embeddings:
        peak = cal.staging_bytes * max(shape.embedding, shape.hidden * shape.hidden * shape.ffn_ratio)
    return peak


def _training(job: Job, cal: Calibration) -> list[tuple[str, float]]:
    if _is_text(job):
        shape = _shape(job)
        state = training_state(job, shape.matrices, shape.embedding + shape.head)
        kept = activations.training_activations(job, shape, cal) / _split(job)
        scores = activations.logits(job, shape) / _split(job)
        gathered = _unsharded(job, shape, state)
    else:
        state = training_state(job, job.model.parameters, 0.0)
        diffusion = job.model.modality == "image-gen"
        kept = images.diffusion_training(job, cal) if diffusion else images.vision_training(job, cal)
        scores = gathered = 0.0
    gradients = state.gradients
    if job.stack.grads_overlap and not job.accumulates and job.parallel is Parallel.NONE:
        gradients = max(gradients - kept - scores, 0.0)
    step = 0.0
    if job.trains is Trains.ALL and job.stack.step_copies:
        element = 2.0 if job.true_half else 4.0
        step = job.stack.step_copies * element * job.model.parameters
        step = max(state.gradients + step - gradients - kept - scores, 0.0)
    items = [
        ("weights", state.weights),
        ("gradients", gradients),
        ("optimizer", state.optimizer),
        ("step", step),
        ("activations", kept),
        ("logits", scores),
        ("gathered", gathered),
    ]
    if _is_text(job) and job.parallel in _SHARDED and job.stack.loads_before_sharding and job.n_gpus > 1:
        whole = state.weights * (1 if _keeps_weights(job) else job.n_gpus)
        peak = cal.sharding_load * whole * (1.0 + 1.0 / job.n_gpus)
        items.append(("loading", max(peak - sum(size for _, size in items), 0.0)))
    return items


def _shape(job: Job) -> Shape:
    shape = shape_of(job.model)
    if job.stack.unties_embeddings and not shape.head and shape.decoder:
        from dataclasses import replace

        return replace(shape, head=shape.embedding, parameters=shape.parameters + shape.embedding)
    return shape


def _inference(job: Job, cal: Calibration) -> list[tuple[str, float]]:
    split = _split(job)
    if not _is_text(job):
        state = training_state(job, job.model.parameters, 0.0)
        diffusion = job.model.modality == "image-gen"
        working = images.diffusion_inference(job, cal) if diffusion else images.vision_inference(job, cal)
        if diffusion and job.offload:
            return _by_turns(job, state.weights, cal)
        return [("weights", state.weights), ("activations", working if job.kind is Kind.INFER else 0.0)]
    shape = _shape(job)
    state = training_state(job, shape.matrices, shape.embedding + shape.head)
    resident = state.weights * (_STREAMED_LAYERS / max(shape.layers, _STREAMED_LAYERS) if job.offload else 1.0)
    items = [("weights", resident)]
    if job.kind is Kind.INFER:
        cache = activations.kv_cache(job, shape) * job.stack.kv_growth
        items.append(("kv_cache", cache / split))
        items.append(("activations", activations.inference_activations(job, shape) / split))
    items.append(("loading", _load_peak(job, shape, cal) / split))
    return items


def _by_turns(job: Job, weights: float, cal: Calibration) -> list[tuple[str, float]]:
    """A pipeline whose parts come to the card one after the other: text encoders, then the model, then the VAE."""
    encoding = companion_bytes(job)
    known = images.find_image_shape(job.model)
    model = (weights - encoding) * (known.active if known else 1.0)
    drawing, decoding = images.diffusion_drawing(job, cal), images.diffusion_decoding(job, cal)
    turns = ((model, drawing), (encoding, 0.0), (0.0, decoding))
    resident, moving = max(turns, key=sum)
    if known and not job.weights.quantised:
        moving = max(moving, known.floor_gib * GIB - job.stack.context_gib * GIB - resident)
    return [("weights", resident), ("activations", moving)]


def parts_of(job: Job, metric: Metric = Metric.DEVICE, cal: Calibration = CALIBRATION) -> Parts:
    """GiB per component on one GPU, at the level of the metric."""
    items = _training(job, cal) if job.kind is Kind.TRAIN else _inference(job, cal)
    if metric is not Metric.ALLOCATED:
        moving = sum([size for name, size in items if name in ("activations", "logits", "kv_cache", "gathered")])
        slack = job.stack.slack - 1.0 if _is_text(job) else 0.0
        items.append(("allocator", moving * slack))
    if metric is Metric.DEVICE:
        items.append(("framework", job.stack.context_gib * GIB))
    return Parts(tuple([(name, size / GIB) for name, size in items if size > 0.0 or name == "weights"]))
