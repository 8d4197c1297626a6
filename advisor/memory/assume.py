"""From a workload with gaps to a `Job` without any. Every gap that is filled is named, so that an answer can say it.

Defaults are what common tools do when nothing is set: 16-bit weights for inference and adapters, mixed precision with
Adam for full training, checkpointing from 1.5 billion parameters on, paged 8-bit Adam for QLoRA (bitsandbytes).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from advisor.errors import UnsupportedCombination
from advisor.memory.adapters import expert_adapters, lora_parameters
from advisor.memory.calibration import CALIBRATION, Calibration
from advisor.memory.formats import FORMATS, WeightFormat, format_of, in_gguf, parse_format
from advisor.memory.image_shapes import find_image_shape
from advisor.memory.images import is_video, usual_resolution
from advisor.memory.job import Adapter, Job, Kind, Trains
from advisor.memory.limits import check_workload
from advisor.memory.shapes import TEXT
from advisor.memory.stacks import Stack, find_stack
from advisor.models import (
    Attention,
    Method,
    MlModel,
    Offload,
    Optimizer,
    Parallel,
    Precision,
    Recompute,
    Workload,
)

LARGE = 1.5e9
"""Parameters from which on training is assumed to recompute activations and to shard over several cards."""

_ALL = (Method.FULL, Method.PRETRAIN, Method.TRAIN)
_MIXED = (Precision.FP16_MIXED, Precision.BF16_MIXED)
_PROMPT_PARAMETERS = 30e6
_SPEECH_FRAMES = 1_500
_USUAL_SEQ = {"text-encoder": 128, "text-enc-dec": 512, "speech": _SPEECH_FRAMES}
_USUAL_BATCH = {"text-encoder": 16, "text-enc-dec": 8, "vision": 32}
_DEFAULT_RANK = 16
_UNPACKED_TOKENS: Final = 512
"""Tokens of a usual sample where samples are not joined."""


def usual_precision(model: MlModel, method: Method, program: str | None = None) -> tuple[Precision, str | None]:
    """Number format and quantisation that people use when they name none, or the recipes of the program they name."""
    if method is Method.QLORA:
        return Precision.INT4, "nf4-dq"
    loaded = find_stack(program, "unknown").usual_quant if program and method is Method.INFERENCE else ""
    if loaded:
        return Precision.INT4, loaded
    if method is Method.INFERENCE:
        return (Precision.FP32 if model.modality == "vision" else Precision.FP16), None
    if method in (Method.LORA, Method.PTUNING):
        return Precision.BF16, None
    if program and find_stack(program, "unknown").all_in_half:
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
    model, infers = workload.ml_model, workload.method is Method.INFERENCE
    laid_out = find_stack(workload.framework, "unknown").lays_out if workload.framework and infers else 0
    usual = _USUAL_SEQ.get(model.modality, laid_out or (4_096 if infers else 2_048))
    return min(usual, model.max_seq or usual)


def complete(workload: Workload) -> tuple[Workload, tuple[str, ...]]:
    """The workload with all open fields set, and their names."""
    check_workload(workload)
    filled = {name: value for gaps in _GAPS for name, value in gaps(workload) if getattr(workload, name) is None}
    if not filled:
        return workload, ()
    named = tuple(name for name in filled if not (name in ("parallel", "optimizer") and _plain(filled[name])))
    return workload.model_copy(update=filled), named


_Gaps = Iterator[tuple[str, object]]
"""Fields that may be open, with what is usual there."""


def _format_gaps(workload: Workload) -> _Gaps:
    if workload.precision is None:
        precision, quant = usual_precision(workload.ml_model, workload.method, workload.framework)
        yield "precision", precision
        if quant:
            yield "quant", quant


def _step_gaps(workload: Workload) -> _Gaps:
    model, training = workload.ml_model, workload.method is not Method.INFERENCE
    if workload.optimizer is None:
        yield "optimizer", _usual_optimizer(workload.method, model)
    if workload.batch is None:
        yield "batch", workload.users or (_USUAL_BATCH.get(model.modality, 1) if training else 1)


def _size_gaps(workload: Workload) -> _Gaps:
    text = workload.ml_model.modality in TEXT
    if text and workload.seq_len is None:
        yield "seq_len", _usual_tokens(workload)
    if not text and workload.resolution is None:
        yield "resolution", usual_resolution(workload.ml_model)


def _training_gaps(workload: Workload) -> _Gaps:
    if workload.method is Method.INFERENCE:
        return
    if workload.checkpointing is None and workload.recompute is None:
        yield "checkpointing", workload.ml_model.parameters >= LARGE or is_video(workload.ml_model)
    if workload.method in (Method.LORA, Method.QLORA):
        yield "lora_rank", _DEFAULT_RANK


def _sharing_gaps(workload: Workload) -> _Gaps:
    if workload.parallel is None:
        yield "parallel", _usual_parallel(workload)


_GAPS: Final[tuple[Callable[[Workload], _Gaps], ...]] = (
    _format_gaps,
    _step_gaps,
    _size_gaps,
    _training_gaps,
    _sharing_gaps,
)
"""What is filled, in the order in which it is named."""


def _plain(value: object) -> bool:
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
    """The program that is named, else the one that usually does this kind of job."""
    model = workload.ml_model
    infers = workload.method is Method.INFERENCE
    default = {"vision": "pytorch", "image-gen": "diffusers"}.get(model.modality, "unknown")
    if infers and model.modality in ("text-decoder", "multimodal"):
        default = "engine"  # what serves language models keeps one copy of the cache and reads prompts in pieces
    if model.family == "Whisper" and infers:
        default = "ctranslate2" if workload.quant or workload.precision is Precision.INT8 else "whisper"
    if _gguf(workload.quant):
        default = "llama.cpp"
    elif workload.users and workload.users > 1:
        default = "vllm"
    return find_stack(workload.framework, default, workload.framework_version)


def _gguf(quant: str | None) -> bool:
    """Whether a weight format is one of GGUF files."""
    return bool(quant) and re.match(r"i?q\d", (quant or "").lower()) is not None


def recompute_of(workload: Workload, stack: Stack) -> Recompute:
    """What training recomputes: as said, else as the program's recipes do."""
    if workload.method is Method.INFERENCE:
        return Recompute.NONE
    if workload.recompute is not None:
        return workload.recompute
    said = workload.checkpointing if workload.checkpointing is not None else stack.checkpoints
    return Recompute.FULL if said else Recompute.NONE


def offloads_of(workload: Workload, stack: Stack) -> frozenset[Offload]:
    """What lies in RAM: as said, else what is usual for this kind of job and this program."""
    if workload.offloads:
        return frozenset(workload.offloads)
    if not workload.offload:
        recomputes = recompute_of(workload, stack) is Recompute.FULL
        return frozenset({Offload.ACTIVATIONS}) if stack.moves_activations and recomputes else frozenset()
    if workload.method in _ALL:
        return frozenset({Offload.OPTIMIZER})
    drawn = workload.ml_model.modality == "image-gen" and workload.method is Method.INFERENCE
    return frozenset({Offload.PARTS if drawn else Offload.WEIGHTS})


def _fused_attention(workload: Workload, stack: Stack) -> bool:
    if workload.attention is not None:
        return workload.attention is not Attention.EAGER
    if workload.flash_attention is not None:
        return workload.flash_attention
    return workload.ml_model.modality != "text-encoder" and not stack.eager_attention


def _degrees(workload: Workload) -> tuple[int, int, int]:
    """Cards that share each matrix, stages of a pipeline, slices of a sequence."""
    tensor, pipeline = workload.tensor_parallel or 1, workload.pipeline_parallel or 1
    if workload.tensor_parallel is None and workload.parallel is Parallel.TENSOR:
        tensor = workload.n_gpus
    if workload.pipeline_parallel is None and workload.parallel is Parallel.PIPELINE:
        pipeline = workload.n_gpus
    return tensor, pipeline, workload.context_parallel or 1


def adapter_bytes(stack: Stack, cal: Calibration = CALIBRATION) -> float:
    """Bytes of state per parameter of an adapter: fp32 with Adam, all in 16 bits, or with ZeRO's copies."""
    if stack.half_adapters:
        return 8.0
    return cal.wide_adapter_bytes if stack.wide_adapters else 16.0


def _adapted(workload: Workload, trains: Trains) -> tuple[Adapter, float]:
    """Where adapters sit and how many parameters they train."""
    if trains is Trains.PROMPT:
        return Adapter.NONE, _PROMPT_PARAMETERS
    if trains is not Trains.ADAPTER:
        return Adapter.NONE, 0.0
    wide = (workload.lora_targets or "all").lower() not in ("qv", "q+v", "q_proj+v_proj")
    rank = workload.lora_rank or _DEFAULT_RANK
    found = lora_parameters(workload.ml_model, rank, wide)
    if "experts" in (workload.lora_targets or ""):
        found += expert_adapters(workload.ml_model, rank)
    return (Adapter.EVERY_MATRIX if wide else Adapter.QUERY_VALUE), found


def _sample(workload: Workload) -> tuple[int, int, int, int]:
    """One sample: tokens that a step holds at once, width, height, frames; nought for what it has none of."""
    tokens, (width, height) = workload.seq_len or 1, workload.resolution or (0, 0)
    held = min(tokens, _UNPACKED_TOKENS) if workload.packing is False else tokens
    return held, width, height, workload.frames or 0


class _Arithmetic(NamedTuple):
    """Widths of arithmetic, master weights and training state."""

    half: bool
    master: bool
    true_half: bool


def _arithmetic(workload: Workload, trains: Trains) -> _Arithmetic:
    precision, full = workload.precision or Precision.FP16, trains is Trains.ALL
    return _Arithmetic(
        half=precision not in (Precision.FP32, Precision.TF32),
        master=full and precision in (*_MIXED, Precision.FP8),
        true_half=full and precision in (Precision.FP16, Precision.BF16),
    )


def _companions(workload: Workload) -> float:
    """Parameters of text encoders and VAE that run beside the model."""
    known = find_image_shape(workload.ml_model)
    return known.auxiliary if known and not workload.cached_text else 0.0


def job_of(workload: Workload) -> Job:
    """The job of a complete workload (see `complete`). Raises UnsupportedCombination."""
    _check_method(workload)
    trains, stack = _trains(workload), _stack(workload)
    training = trains is not Trains.NOTHING
    arithmetic = _arithmetic(workload, trains)
    adapter, adapted = _adapted(workload, trains)
    tensor, pipeline, context = _degrees(workload)
    tokens, width, height, frames = _sample(workload)
    return Job(
        model=workload.ml_model,
        kind=Kind.TRAIN if training else Kind.INFER,
        trains=trains,
        weights=_held_weights(workload, stack),
        stack=stack,
        half=arithmetic.half,
        master=arithmetic.master,
        true_half=arithmetic.true_half,
        optimizer=workload.optimizer or Optimizer.NONE,
        batch=workload.batch or 1,
        seq_len=tokens,
        width=width,
        height=height,
        frames=frames,
        tiled=bool(workload.tiled_decode),
        recompute=recompute_of(workload, stack),
        loss=workload.loss or stack.loss,
        flash=_fused_attention(workload, stack),
        compiled=workload.compiled,
        accumulates=_accumulates(workload),
        adapter_params=adapted,
        adapter_bytes=adapter_bytes(stack),
        adapter=adapter,
        fused_backward=workload.fused_backward,
        kv_bytes=_kv_bytes(workload),
        n_gpus=workload.n_gpus,
        parallel=workload.parallel or Parallel.NONE,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        expert=workload.expert_parallel or 1,
        offloads=offloads_of(workload, stack),
        offload_share=1.0 if workload.offload_share is None else workload.offload_share,
        auxiliary=_companions(workload),
        encodes=training and not workload.cached_text,
        rollouts=workload.rollouts,
        critic=workload.rollouts and workload.critic,
    )


def _accumulates(workload: Workload) -> bool:
    """Whether gradients of several passes are added up; a group of answers is learned from in pieces."""
    return workload.rollouts or (workload.grad_accum or 1) > 1


def _held_weights(workload: Workload, stack: Stack) -> WeightFormat:
    """The format weights have on the card; some programs widen plain ones while they load, others know their own files
    alone."""
    if stack.casts_weights and not workload.quant:
        return FORMATS["fp32"]
    found = _weights(workload)
    return in_gguf(found) if stack.gguf else found


_KV_BYTES: Final = {
    Precision.INT4: 0.5625,
    Precision.INT8: 1.0625,
    Precision.FP8: 1.0,
    Precision.FP32: 4.0,
    Precision.TF32: 4.0,
}
"""Bytes per cached number, scales of blocks included; two for everything else."""


def _kv_bytes(workload: Workload) -> float:
    precision = workload.kv_precision
    if precision is None:
        return 4.0 if workload.precision in (Precision.FP32, Precision.TF32) else 2.0
    return _KV_BYTES.get(precision, 2.0)
