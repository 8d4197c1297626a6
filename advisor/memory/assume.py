"""From a workload with gaps to a `Job` without any. Every gap that is filled is named, so that an answer can say it.

Defaults are what common tools do when nothing is set: 16-bit weights for inference and adapters, mixed precision with
Adam for full training, checkpointing from 1.5 billion parameters on, paged 8-bit Adam for QLoRA (bitsandbytes).
"""

from __future__ import annotations

from typing import Any

from advisor.errors import UnsupportedCombination
from advisor.memory.adapters import lora_parameters
from advisor.memory.formats import FORMATS, WeightFormat, format_of, parse_format
from advisor.memory.images import find_image_shape, is_video, usual_resolution
from advisor.memory.job import Adapter, Job, Kind, Trains
from advisor.memory.limits import check_workload
from advisor.memory.shapes import TEXT
from advisor.memory.stacks import Stack, find_stack
from advisor.models import Method, MlModel, Optimizer, Parallel, Precision, Workload

LARGE = 1.5e9
"""Parameters from which on training is assumed to recompute activations and to shard over several cards."""

_ALL = (Method.FULL, Method.PRETRAIN, Method.TRAIN)
_MIXED = (Precision.FP16_MIXED, Precision.BF16_MIXED)
_PROMPT_PARAMETERS = 30e6
_SPEECH_FRAMES = 1_500
_USUAL_SEQ = {"text-encoder": 128, "text-enc-dec": 512, "speech": _SPEECH_FRAMES}
_USUAL_BATCH = {"text-encoder": 16, "text-enc-dec": 8, "vision": 32}
_DEFAULT_RANK = 16


def usual_precision(model: MlModel, method: Method) -> tuple[Precision, str | None]:
    """Number format and quantisation that people use when they name none."""
    if method is Method.QLORA:
        return Precision.INT4, "nf4-dq"
    if method is Method.INFERENCE:
        return (Precision.FP32 if model.modality == "vision" else Precision.FP16), None
    if method in (Method.LORA, Method.PTUNING):
        return Precision.BF16, None
    return (Precision.BF16_MIXED if model.parameters >= LARGE else Precision.FP16_MIXED), None


def _usual_optimizer(method: Method, model: MlModel) -> Optimizer:
    if method is Method.INFERENCE:
        return Optimizer.NONE
    if method is Method.QLORA:
        return Optimizer.PAGED_ADAM_8BIT
    return Optimizer.SGD if model.modality == "vision" and "vit" not in model.id else Optimizer.ADAM


def _usual_parallel(workload: Workload) -> Parallel:
    if workload.n_gpus == 1:
        return Parallel.NONE
    if workload.method is Method.INFERENCE:
        return Parallel.TENSOR
    return Parallel.FSDP if workload.ml_model.parameters >= LARGE else Parallel.DATA


def _usual_tokens(workload: Workload) -> int:
    model = workload.ml_model
    usual = _USUAL_SEQ.get(model.modality, 4_096 if workload.method is Method.INFERENCE else 2_048)
    return min(usual, model.max_seq or usual)


def complete(workload: Workload) -> tuple[Workload, tuple[str, ...]]:
    """The workload with all open fields set, and their names."""
    check_workload(workload)
    filled: dict[str, Any] = {}
    model, method = workload.ml_model, workload.method
    training = method is not Method.INFERENCE
    if workload.precision is None:
        precision, quant = usual_precision(model, method)
        filled["precision"] = precision
        if quant and workload.quant is None:
            filled["quant"] = quant
    if workload.optimizer is None:
        filled["optimizer"] = _usual_optimizer(method, model)
    if workload.batch is None:
        filled["batch"] = workload.users or (_USUAL_BATCH.get(model.modality, 1) if training else 1)
    if model.modality in TEXT:
        if workload.seq_len is None:
            filled["seq_len"] = _usual_tokens(workload)
    elif workload.resolution is None:
        filled["resolution"] = usual_resolution(model)
    if training and workload.checkpointing is None:
        filled["checkpointing"] = model.parameters >= LARGE or is_video(model)
    if training and method in (Method.LORA, Method.QLORA) and workload.lora_rank is None:
        filled["lora_rank"] = _DEFAULT_RANK
    if workload.parallel is None:
        filled["parallel"] = _usual_parallel(workload)
    if not filled:
        return workload, ()
    named = tuple(name for name in filled if not (name in ("parallel", "optimizer") and _plain(filled[name])))
    return workload.model_copy(update=filled), named


def _plain(value: Any) -> bool:
    return value in (Parallel.NONE, Optimizer.NONE)


def _refuse(message: str, **values: object) -> UnsupportedCombination:
    return UnsupportedCombination(message, **values)


def _trains(workload: Workload) -> Trains:
    if workload.method is Method.INFERENCE:
        return Trains.NOTHING
    if workload.method in _ALL:
        return Trains.ALL
    return Trains.PROMPT if workload.method is Method.PTUNING else Trains.ADAPTER


def _weights(workload: Workload) -> WeightFormat:
    precision, method = workload.precision or Precision.FP16, workload.method
    stored = parse_format(workload.quant) if workload.quant else format_of(precision)
    if method is Method.QLORA and not stored.quantised:
        stored = FORMATS["nf4-dq"]
    if method in _ALL:
        if precision is Precision.FP8:
            return FORMATS["fp32"]
        if stored.quantised:
            raise _refuse("quantised weights are not trained themselves", setting="full_quantised", value=stored.name)
        return stored
    if precision in _MIXED and not workload.quant:
        return FORMATS["fp16"]
    return stored


def _check_method(workload: Workload) -> None:
    model, method = workload.ml_model, workload.method
    if model.modality == "vision" and method in (Method.LORA, Method.QLORA, Method.PTUNING):
        raise _refuse("no published figure for adapters on image classifiers", setting="vision_adapter", value=method)
    if method is not Method.INFERENCE and workload.optimizer is Optimizer.NONE:
        raise _refuse("training needs an optimizer", setting="optimizer", value="none")
    if workload.parallel in (Parallel.ZERO1, Parallel.ZERO2) and method is Method.INFERENCE:
        raise _refuse("ZeRO-1 and ZeRO-2 shard training state only", setting="parallel", value=workload.parallel)


def _stack(workload: Workload) -> Stack:
    modality = workload.ml_model.modality
    default = {"vision": "pytorch", "image-gen": "diffusers"}.get(modality, "transformers")
    if workload.method is Method.INFERENCE and modality in ("text-decoder", "multimodal"):
        default = "engine"  # what serves language models keeps one copy of the cache and reads prompts in pieces
    if workload.ml_model.family == "Whisper" and workload.method is Method.INFERENCE:
        default = "whisper"
    if workload.quant and workload.quant.lower().startswith("q") and workload.quant[1:2].isdigit():
        default = "llama.cpp"
    elif workload.users and workload.users > 1:
        default = "vllm"
    return find_stack(workload.framework, default)


def job_of(workload: Workload) -> Job:
    """The job of a complete workload (see `complete`). Raises UnsupportedCombination."""
    _check_method(workload)
    model, precision = workload.ml_model, workload.precision or Precision.FP16
    trains, stack = _trains(workload), _stack(workload)
    known = find_image_shape(model)
    rank = workload.lora_rank or _DEFAULT_RANK
    wide = (workload.lora_targets or "all").lower() not in ("qv", "q+v", "q_proj+v_proj")
    adapter = Adapter.NONE
    if trains is Trains.ADAPTER:
        adapter = Adapter.EVERY_MATRIX if wide else Adapter.QUERY_VALUE
    width, height = workload.resolution or (0, 0)
    if trains is Trains.ADAPTER:
        adapted = lora_parameters(model, rank, wide)
    else:
        adapted = _PROMPT_PARAMETERS if trains is Trains.PROMPT else 0.0
    full = trains is Trains.ALL
    half = precision not in (Precision.FP32, Precision.TF32)
    return Job(
        model=model,
        kind=Kind.INFER if trains is Trains.NOTHING else Kind.TRAIN,
        trains=trains,
        weights=FORMATS["fp32"] if stack.casts_weights and not workload.quant else _weights(workload),
        stack=stack,
        half=half,
        master=full and (precision in _MIXED or precision is Precision.FP8),
        true_half=full and precision in (Precision.FP16, Precision.BF16),
        optimizer=workload.optimizer or Optimizer.NONE,
        batch=workload.batch or 1,
        seq_len=workload.seq_len or 1,
        width=width,
        height=height,
        checkpointing=bool(workload.checkpointing),
        flash=workload.flash_attention if workload.flash_attention is not None else model.modality != "text-encoder",
        accumulates=(workload.grad_accum or 1) > 1,
        adapter_params=adapted,
        adapter=adapter,
        kv_bytes=_kv_bytes(workload),
        n_gpus=workload.n_gpus,
        parallel=workload.parallel or Parallel.NONE,
        offload=workload.offload,
        auxiliary=known.auxiliary if known and not workload.cached_text else 0.0,
    )


def _kv_bytes(workload: Workload) -> float:
    precision = workload.kv_precision
    if precision is None:
        return 2.0 if workload.precision not in (Precision.FP32, Precision.TF32) else 4.0
    if precision is Precision.INT4:
        return 0.5625
    if precision in (Precision.INT8, Precision.FP8):
        return 1.0625 if precision is Precision.INT8 else 1.0
    return 4.0 if precision in (Precision.FP32, Precision.TF32) else 2.0
