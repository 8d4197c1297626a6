"""What a job asks of a card per sample: matrix work, other work, memory traffic, and what a step costs besides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.kept import kept, kept_by
from advisor.models import Method, MlModel, Optimizer, Parallel, Precision, Recompute, Workload
from advisor.models.workload import job_key
from advisor.speed import calibration
from advisor.speed.constants import ClassConstants
from advisor.speed.fitted import FITTED

_DEPTHWISE = ("efficientnet", "mobilenet", "mnasnet")
_DETECTORS = ("ssd", "yolo", "faster", "mask", "retina", "deeplab", "u-net", "rcnn")
_VISION_TRANSFORMERS = ("vit", "swin")
_ENCODERS = frozenset({"text-encoder", "text-enc-dec", "vit", "speech", "multimodal"})
_SEEING = frozenset({"multimodal", "vision-language"})
_TRAIN_PASSES = 3.0
"""Forward once, backward twice: with respect to inputs and to weights."""
_ADAPTER_PASSES = 2.0
"""Frozen weights need no gradient of their own: forward and the backward to the inputs."""
_ADAPTER_SHARE = 0.01
"""Adapters hold about a hundredth of the parameters; only they are updated and exchanged."""
_WIDE = (Precision.FP32, Precision.TF32)
_REPEATED: Final = {Recompute.NONE: 0.0, Recompute.SELECTIVE: 0.2, Recompute.FULL: 1.0}
"""Of a forward pass; attention and other cheap parts are a fifth of one (arXiv 2205.05198: 4 % of a step and more)."""
_LAUNCHES_OF_AN_EXPERT: Final = 1.0 / 6.0
"""Of those of a layer: three products, their unpacking, adapters and the choice of tokens."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Per sample unless said otherwise; operations count a multiply-add as two."""

    workload_class: str
    constants: ClassConstants
    precision: Precision
    unit: str
    """What a sample is counted in: img, seq, tok."""
    units_per_sample: float
    matrix_ops: float
    vector_ops: float
    traffic: float
    """Bytes, in the number format of the job."""
    step_traffic: float
    """Bytes a step moves whatever its batch: optimizer update, weights that are unpacked."""
    launch_s: float
    exchanged_bytes: float
    """Gradients (and sharded weights) that several cards exchange a step."""
    batch: int
    trains: bool
    four_bits: bool = False
    """Products of 4-bit floating point where the card has them; `precision` is FP8 then."""
    casts: float = 0.0
    """Bytes that rounding the factors of narrow products moves, where the card multiplies such: both sides of each
    product are read, their range is sought, and they are written twice, as they lie and turned."""


_VISION_KINDS: Final = ((_VISION_TRANSFORMERS, "vit"), (_DETECTORS, "detector"), (_DEPTHWISE, "depthwise"))
"""Words in the names of networks that look at pictures, and their classes; all others are plain convolutions."""


def _writes(model: MlModel) -> bool:
    """Whether it is a decoder, perhaps with a small encoder before it that sees pictures."""
    seeing = model.modality in _SEEING and (model.kv_heads or model.max_seq)
    return bool(model.modality == "text-decoder" or seeing)


@kept(most=2048)
def workload_class(model: MlModel) -> str:
    """Which class of constants a model is described by."""
    family = f"{model.family} {model.name}".lower()
    if model.modality == "recurrent":
        return "recurrent" if "xl" in family else "lstm"
    if model.modality == "vision":
        return next((kind for words, kind in _VISION_KINDS if any(word in family for word in words)), "cnn")
    if _writes(model):
        return "decoder"
    return "encoder" if model.modality in _ENCODERS else model.modality


def compute_precision(precision: Precision | None) -> Precision:
    """Format that matrix products run in; weight-only quantisation computes in 16 bit."""
    if precision in _WIDE or precision is Precision.FP8:
        return precision
    return Precision.FP16_MIXED


def _checked(workload: Workload) -> None:
    """Raises OutOfRange for a batch or length that no job can have."""
    for name in ("batch", "seq_len", "grad_accum"):
        stated = getattr(workload, name)
        if stated is not None and not 0 < stated <= 10_000_000:
            raise OutOfRange(f"{name} must lie between 1 and 10,000,000", name=name, value=stated)
    for edge in workload.resolution or ():
        if not 0 < edge <= 100_000:
            raise OutOfRange("an image edge must lie between 1 and 100,000 pixels", name="resolution", value=edge)


def demand_of(workload: Workload) -> Demand:
    """What this job asks for.

    Raises:
        UnsupportedCombination: no published figure supports an estimate for this kind of model.
        OutOfRange: a batch or length that no job can have.
    """
    _checked(workload)
    kind = workload_class(workload.ml_model)
    if kind not in _DEMANDS:
        raise UnsupportedCombination(
            "no published speed figures support an estimate for this kind of model",
            model=workload.ml_model.name,
            modality=workload.ml_model.modality,
        )
    make, constants = _DEMANDS[kind]
    return make(workload, kind, calibration.class_constants(constants))


@kept_by(job_key, most=256)
def asked(workload: Workload) -> Demand:
    """`demand_of` with the calibrated constants; the newest jobs are remembered, for asking many cards about one."""
    return demand_of(workload)


def _trains(workload: Workload) -> bool:
    return workload.method is not Method.INFERENCE


def _adapts(workload: Workload) -> bool:
    return workload.method in (Method.LORA, Method.QLORA, Method.PTUNING)


def _passes(workload: Workload) -> float:
    if not _trains(workload):
        return 1.0
    return (_ADAPTER_PASSES if _adapts(workload) else _TRAIN_PASSES) + _repeated(workload)


def _repeated(workload: Workload) -> float:
    """Forward passes that are run again because what they gave was not kept."""
    if workload.recompute is not None:
        return _REPEATED[workload.recompute]
    return 1.0 if workload.checkpointing else 0.0


def image_scale(workload: Workload) -> float:
    """Operations at the wished input size over those at the counted one (area ratio)."""
    counted = "".join(ch for ch in (workload.ml_model.gflops_at or "").split("x")[0] if ch.isdigit())
    if not workload.resolution or not counted:
        return 1.0
    width, height = workload.resolution
    return width * height / float(counted) ** 2


def _image(workload: Workload, kind: str, constants: ClassConstants) -> Demand:
    model, trains = workload.ml_model, _trains(workload)
    if not model.gflops_per_sample:
        raise UnsupportedCombination("no operation count is known for this model", model=model.name)
    ops = model.gflops_per_sample * 1e9 * image_scale(workload)
    heavier = FITTED["train.depthwise"] if kind == "depthwise" else 1.0
    return _finish(workload, kind, constants, "img", 1.0, ops, ops * heavier, model.parameters if trains else 0.0)


def _encoder(workload: Workload, kind: str, constants: ClassConstants) -> Demand:
    model = workload.ml_model
    if kind == "vit":
        if not model.gflops_per_sample:
            raise UnsupportedCombination("no operation count is known for this model", model=model.name)
        ops = model.gflops_per_sample * 1e9 * image_scale(workload)
        units = ops / (calibration.OPS_PER_UNIT * _width(model))
        return _finish(workload, kind, constants, "img", 1.0, ops, units, model.parameters)
    if not (model.layers and model.hidden):
        raise UnsupportedCombination("no layer sizes are known for this model", model=model.name)
    length = workload.seq_len or 128
    embedding = (model.vocab or 30_000) * model.hidden
    body = max(model.parameters - embedding, 0.5 * model.parameters)
    ops = length * (2.0 * body + 4.0 * model.layers * length * model.hidden)
    units = length * model.layers * model.hidden * (1.0 + length / calibration.ATTENTION_LENGTH)
    return _finish(workload, kind, constants, "seq", 1.0, ops, units, model.parameters)


def _width(model: MlModel) -> float:
    """Model width; from the parameters (12 x layers x width squared, 12 layers) where it is not recorded."""
    return float(model.hidden or (model.parameters / 144.0) ** 0.5)


def _recurrent(workload: Workload, kind: str, constants: ClassConstants) -> Demand:
    model = workload.ml_model
    if not model.gflops_per_sample:
        raise UnsupportedCombination("no operation count is known for this model", model=model.name)
    tokens = float(workload.seq_len or 50)
    ops = model.gflops_per_sample * 1e9 * tokens
    return _finish(workload, kind, constants, "tok", tokens, ops, ops, model.parameters)


def _finish(
    workload: Workload,
    kind: str,
    constants: ClassConstants,
    unit: str,
    units_per_sample: float,
    forward_ops: float,
    units: float,
    parameters: float,
) -> Demand:
    trains = _trains(workload)
    precision, accumulated = compute_precision(workload.precision), workload.grad_accum or 1
    layers = float(workload.ml_model.layers or 12) if kind in {"encoder", "vit"} else 1.0
    share = 1.0 if trains else calibration.INFERENCE_SHARE
    wide = constants.fp32_traffic if precision in _WIDE else 1.0
    repeat = 1.33 if workload.checkpointing and trains else 1.0
    updated = parameters if trains else 0.0
    return Demand(
        workload_class=kind,
        constants=constants,
        precision=precision,
        unit=unit,
        units_per_sample=units_per_sample,
        matrix_ops=forward_ops * _passes(workload),
        vector_ops=units * constants.vector_ops * share * repeat,
        traffic=units * constants.traffic * wide * share * repeat,
        step_traffic=updated * calibration.UPDATE_BYTES / accumulated,
        launch_s=layers * repeat * constants.launch_s if trains else calibration.INFERENCE_LAUNCH_S,
        exchanged_bytes=updated * calibration.GRADIENT_BYTES / accumulated,
        batch=workload.batch or calibration.USUAL_BATCH[kind],
        trains=trains,
    )


def _expert_share(model: MlModel, active: float) -> float:
    """Of the share of the peak, what products of experts reach; one for a dense model."""
    return FITTED["train.expert_share"] if active < _MIXED_BELOW * model.parameters else 1.0


@dataclass(frozen=True, slots=True)
class _Division:
    """How a decoder's weights are divided among cards."""

    sharded: bool
    """Everybody holds a piece and gathers the rest (ZeRO-3, FSDP)."""
    split: bool
    """Everybody holds and computes a piece (tensors, stages)."""
    cards: int

    @property
    def owners(self) -> float:
        """Cards that weights and the optimizer's state are divided among."""
        return float(self.cards) if self.sharded or self.split else 1.0


def _division(workload: Workload) -> _Division:
    return _Division(
        workload.parallel in (Parallel.ZERO3, Parallel.FSDP),
        workload.parallel in (Parallel.TENSOR, Parallel.PIPELINE),
        workload.n_gpus,
    )


def _trained_parameters(workload: Workload) -> float:
    """Parameters that a step updates."""
    if not _trains(workload) or workload.optimizer is Optimizer.NONE:
        return 0.0
    return workload.ml_model.parameters * (_ADAPTER_SHARE if _adapts(workload) else 1.0)


def _exchanged(workload: Workload, division: _Division, trained: float) -> float:
    """Bytes that cards exchange a step: gradients, and weights that are gathered."""
    narrow = workload.precision in (Precision.BF16, Precision.FP16)
    gradients = trained * (2.0 if narrow else calibration.GRADIENT_BYTES) / (workload.grad_accum or 1)
    gradients /= division.owners**0.5 if division.split else 1.0
    return gradients + (2.0 * workload.ml_model.parameters if division.sharded else 0.0)


def _moved(workload: Workload, division: _Division, trained: float) -> float:
    """Bytes that a step moves whatever its batch: the update, every pass over the weights, their unpacking."""
    parameters, passes = workload.ml_model.parameters, _passes(workload)
    unpacked = parameters * calibration.UNPACK_BYTES * passes if _narrow_base(workload) else 0.0
    update = trained * calibration.UPDATE_BYTES / (workload.grad_accum or 1) / division.owners
    return update + parameters * 2.0 * passes / (division.owners if division.split else 1.0) + unpacked


_FOUR_BITS: Final = frozenset({"nf4", "fp4", "nvfp4", "mxfp4", "int4", "awq", "gptq"})


def _narrow_base(workload: Workload) -> bool:
    """Weights are stored in 4 bits, and widened for every product."""
    stored = _adapts(workload) and (workload.quant or "").lower() in _FOUR_BITS
    return stored or workload.method is Method.QLORA or workload.precision is Precision.INT4


def training_basis(workload: Workload, n_gpus: int) -> str:
    """What an estimate of training rests on: the class of the network, or that of frozen experts shared by cards.

    Programs differ by what they do about frozen experts that lie on several cards: visit them one by one, gather
    them layer by layer, widen them first. Few sources have measured it, so that it is a class of its own.
    """
    kind, model = workload_class(workload.ml_model), workload.ml_model
    mixed = (model.active_parameters or model.parameters) < _MIXED_BELOW * model.parameters
    return SHARED_EXPERTS if kind == "decoder" and n_gpus > 1 and mixed and _frozen_base(workload) else kind


def _frozen_base(workload: Workload) -> bool:
    """Adapters are trained beside weights that stay as they are."""
    return _adapts(workload) or _narrow_base(workload)


SHARED_EXPERTS: Final = "shared experts"
"""The class of training adapters beside frozen experts over several cards."""
_MIXED_BELOW: Final = 0.9
"""Share of active parameters below which a model counts as a mixture of experts."""


def _launches(workload: Workload) -> float:
    """Launches of a layer over those of a dense one: experts in 4 bits are visited one by one from Python."""
    experts = workload.ml_model.experts or 0
    return 1.0 + experts * _LAUNCHES_OF_AN_EXPERT if _narrow_base(workload) else 1.0


def _decoder(workload: Workload, kind: str, constants: ClassConstants) -> Demand:
    model = workload.ml_model
    if not (model.layers and model.hidden):
        raise UnsupportedCombination("no layer sizes are known for this model", model=model.name)
    length = workload.seq_len or 2048
    active = model.active_parameters or model.parameters
    token_ops = 2.0 * active + 2.0 * model.layers * length * model.hidden / FITTED["train.attention_share"]
    passes, division, trained = _passes(workload), _division(workload), _trained_parameters(workload)
    units = float(length * model.layers * model.hidden)
    return Demand(
        workload_class=kind,
        constants=constants,
        precision=compute_precision(workload.precision),
        unit="tok",
        units_per_sample=float(length),
        matrix_ops=length * token_ops * passes / _expert_share(model, active),
        vector_ops=units * constants.vector_ops * passes / _TRAIN_PASSES,
        traffic=units * constants.traffic * passes / _TRAIN_PASSES,
        step_traffic=_moved(workload, division, trained),
        launch_s=constants.launch_s * model.layers * passes / _TRAIN_PASSES * _launches(workload),
        exchanged_bytes=_exchanged(workload, division, trained),
        batch=workload.batch or 1,
        trains=_trains(workload),
        four_bits=workload.quant == "nvfp4" and not _adapts(workload),
        casts=units * FITTED["train.cast_traffic"] * passes / _TRAIN_PASSES,
    )


_DEMANDS: Final[dict[str, tuple[Callable[[Workload, str, ClassConstants], Demand], str]]] = {
    "cnn": (_image, "cnn"),
    "depthwise": (_image, "cnn"),
    "detector": (_image, "detector"),
    "encoder": (_encoder, "encoder"),
    "vit": (_encoder, "encoder"),
    "lstm": (_recurrent, "lstm"),
    "recurrent": (_recurrent, "recurrent"),
    "decoder": (_decoder, "decoder"),
}
"""How each class of models is counted, and whose constants it takes."""
