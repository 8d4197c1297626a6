"""Reads a row that describes a published memory case into a `Job`. What was measured is never looked at.

What a row leaves open is set to what its framework does by default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from advisor.catalog import Catalog
from advisor.memory import case_words as words
from advisor.memory.adapters import expert_adapters, lora_parameters
from advisor.memory.assume import adapter_bytes
from advisor.memory.case_models import BARE_LAYERS, resolve_model
from advisor.memory.case_recipes import with_recipe
from advisor.memory.case_words import Row, number_in
from advisor.memory.formats import FORMATS, WeightFormat, in_gguf, parse_format
from advisor.memory.image_shapes import VAE_PARAMETERS, ImageShape, find_image_shape
from advisor.memory.images import reference_edge
from advisor.memory.job import Adapter, Job, Kind, Metric, Trains
from advisor.memory.stacks import STACKS, Stack, find_stack
from advisor.models import Attention, MlModel, Optimizer, Parallel

__all__ = ["DESCRIBING", "OPTIONAL", "Case", "read_case", "resolve_model"]

OPTIONAL: Final = (
    "notes", "software_version", "recompute", "loss", "offload", "attention", "quantisation", "concurrency", "frames",
    "steps", "sharding",
)  # fmt: skip
"""Columns that older files do not have."""
DESCRIBING: Final = (
    "case_id", "group", "task", "model", "params_b", "method", "precision", "quant", "optimizer", "batch", "seq_len",
    "image_res", "grad_ckpt", "grad_accum", "lora_rank", "lora_targets", "n_gpus", "gpu", "device_gb", "metric",
    "framework", *OPTIONAL,
)  # fmt: skip
"""The only columns that are read; verdict and measured values are not among them. `group` and `case_id` only label
results: no prediction depends on them. Of the notes nothing is read but settings (`case_words`)."""

_ASSUMED_TOKENS: Final = {"generate": 96, "server": 4096, "tweet": 64, "default": 512}
"""Tokens where a row names none: a short prompt with its answer, the context that llama.cpp lays out by default, the
tweets of the PEFT examples, a usual sample."""
_ROLLOUT_TOKENS: Final = 1024
"""Tokens of a prompt with its answer in reinforcement learning where a row names none."""
_DISTILLED_EDGE: Final = 224
"""Input edge of distillation recipes where a row names none."""


@dataclass(frozen=True, slots=True)
class Case:
    """A job and the level its measurement counts at. `device_gib` is the nominal memory of its card, if named."""

    ident: str
    group: str
    job: Job
    metric: Metric
    summed: bool
    device_gib: float | None
    only: str = ""
    """The part that was measured: kv_cache, loss (with its output head), layers without embeddings."""
    takes_gib: float = 0.0
    """What a server takes for itself, needed or not."""
    open: bool = False
    """The row leaves open what decides its need."""
    most_gib: float = 0.0
    """What the cards can hold at most, where the program runs the rest from RAM by itself."""


_HF_TRAINER: Final = re.compile(r"\btrainer\b")


def _stack(row: Row, kind: Kind, model: MlModel) -> Stack:
    framework = row["framework"].lower()
    default = "diffusers" if model.modality == "image-gen" else "pytorch"
    if _HF_TRAINER.search(framework):
        return STACKS["transformers-2022"]
    if kind is not Kind.TRAIN and "deepspeed" in framework:
        return STACKS["transformers"]
    return find_stack(framework, default, row["software_version"])


@dataclass(frozen=True, slots=True)
class _Numbers:
    """How a row says numbers are stored and computed."""

    half: bool
    master: bool
    true_half: bool
    weights: WeightFormat


_HALF: Final = ("16", "int", "fp8", "4bit", "8bit", "mixed", "amp", "fp4", "float8")
_SMALL_GROUPS: Final = re.compile(r"\bgroup(?: size)? ?32\b")
_QUANTISED: Final = re.compile(r"int\d|4bit|8bit|fp8")
_TRAINED_NARROW: Final = re.compile(r"\b(int8|fp8) weights")
"""Weights that are trained in the format they are stored in (Q-GaLore, Q-APOLLO)."""
_UNQUANTISED: Final = ("none", "bf16", "fp16", "fp32")


def _quant(row: Row) -> str:
    """The weight format a row names, empty where weights are not quantised."""
    said = (row["quant"] or row["quantisation"]).strip()
    return "" if words.speaks_of_cache(said) or said.lower() in _UNQUANTISED else said


def _stored(row: Row, kind: Kind, usual: str) -> WeightFormat | None:
    """The format weights are said to be stored in; `usual` where a run says nothing; None for plain ones."""
    precision, quant = row["precision"].lower(), _quant(row)
    infers = kind is not Kind.TRAIN
    if infers and not (row["precision"] or row["quant"] or row["quantisation"]):
        quant = usual
    if quant:
        return parse_format(quant)
    narrow = _TRAINED_NARROW.search(precision)
    if narrow:
        return parse_format(narrow[1])
    return parse_format(precision) if infers and _QUANTISED.search(precision) else None


def _weights(row: Row, kind: Kind, half: bool, wide: bool, stack: Stack) -> WeightFormat:
    """How the weights lie in memory; `wide` where full training keeps them in fp32."""
    found = _stored(row, kind, stack.usual_quant)
    if found is None:
        plain = half and not wide and "fp32 weights" not in row["precision"].lower()
        return FORMATS["fp16" if plain else "fp32"]
    if stack.gguf:
        return in_gguf(found)
    if found.name == "int4" and _SMALL_GROUPS.search(row["notes"]):
        return FORMATS["int4-32"]
    # torchao's NF4 tensor always quantises its scales, too
    return FORMATS["nf4-dq"] if found.name == "nf4" and stack.name == "torchtune" else found


def _half(row: Row, kind: Kind, stack: Stack) -> bool:
    """Whether arithmetic is in 16 bits or less."""
    precision = row["precision"].lower()
    if precision:
        return any(word in precision for word in _HALF)
    return bool(_quant(row)) or kind is not Kind.TRAIN or stack.fp32_master or stack.half_by_default


def _numbers(row: Row, kind: Kind, trains: Trains, stack: Stack) -> _Numbers:
    precision, half = row["precision"].lower(), _half(row, kind, stack)
    mixed = "mixed" in precision or "amp" in precision or (stack.fp32_master and "true" not in precision)
    full = trains is Trains.ALL and half
    weights = _weights(row, kind, half, mixed and trains is Trains.ALL, stack)
    return _Numbers(half, full and mixed, full and not mixed, weights)


def _kind(row: Row) -> Kind:
    task = row["task"].lower()
    if task == "load":
        return Kind.LOAD
    return Kind.INFER if "infer" in task else Kind.TRAIN


def _trains(row: Row, kind: Kind, stack: Stack) -> Trains:
    if kind is not Kind.TRAIN:
        return Trains.NOTHING
    method = row["method"].lower()
    if any(word in method for word in ("p-tuning", "prompt", "prefix")):
        return Trains.PROMPT
    adapters = "lora" in row["task"].lower() or (row["task"] == "grpo" and ("lora" in method or stack.every_matrix))
    return Trains.ADAPTER if adapters or "frozen base" in method else Trains.ALL


def _size(row: Row, model: MlModel) -> tuple[int, int]:
    said = words.edges_in(row["image_res"])
    if said:
        return said
    known = find_image_shape(model)
    if "distillation" in row["method"].lower():
        return _DISTILLED_EDGE, _DISTILLED_EDGE
    edge = known.at if known else reference_edge(model)
    return (known.wide or edge if known else edge), edge


def _tokens(row: Row, kind: Kind, stack: Stack) -> int:
    said = number_in(row["seq_len"])
    if said:
        return min(int(said), _ASSUMED_TOKENS["default"]) if "unpacked" in row["method"].lower() else int(said)
    if kind is not Kind.TRAIN:
        return stack.lays_out or _ASSUMED_TOKENS["server" if stack.spills else "generate"]
    if row["task"] == "grpo":
        return _ROLLOUT_TOKENS
    return _ASSUMED_TOKENS["tweet" if stack.name == "peft" else "default"]


def _batch(row: Row, kind: Kind, stack: Stack, model: MlModel) -> int:
    said = number_in(row["batch"]) or number_in(row["concurrency"])
    if said:
        return max(int(said), 1)
    if stack.usual_batch and kind is Kind.TRAIN and model.modality == "vision":
        return stack.usual_batch
    tweets = stack.name == "peft" and kind is Kind.TRAIN and find_image_shape(model) is None
    return 8 if tweets else 1


def _adapter(row: Row, trains: Trains, stack: Stack) -> Adapter:
    method, targets = row["method"].lower(), row["lora_targets"].lower()
    if trains is not Trains.ADAPTER:
        return Adapter.NONE
    if "adapter v2" in method or "ia3" in method:
        return Adapter.SCALES
    if "adapter" in method or "norm" in method:
        return Adapter.PREFIX
    wide = any(word in targets for word in ("all", "linear", "config")) or (not targets and stack.every_matrix)
    return Adapter.EVERY_MATRIX if wide else Adapter.QUERY_VALUE


_ON_EXPERTS: Final = re.compile(r"\bon (?:the |all )?experts\b", re.IGNORECASE)


def _adapter_parameters(row: Row, model: MlModel, trains: Trains, adapter: Adapter) -> float:
    rank = int(number_in(row["lora_rank"]) or 16.0)
    if trains is Trains.PROMPT:
        return 30e6
    if trains is not Trains.ADAPTER:
        return 0.0
    if adapter in (Adapter.PREFIX, Adapter.SCALES):
        return 2e6
    on_experts = expert_adapters(model, rank) if _ON_EXPERTS.search(f"{row['method']} {row['lora_targets']}") else 0.0
    return lora_parameters(model, rank, adapter is Adapter.EVERY_MATRIX) + on_experts


def _extra_parameters(model: MlModel, method: str) -> float:
    if "emb" in method and model.vocab and model.hidden:
        return float(model.vocab * model.hidden * (1 if model.tied_embeddings else 2))
    return 0.0


def _trained_share(row: Row, model: MlModel) -> float:
    """Share of the parameters that is trained at a time."""
    return 1.0 / (model.layers or 32) if "block-wise" in row["method"].lower() else 1.0


def _fused_attention(row: Row, model: MlModel, stack: Stack) -> bool:
    if row["attention"]:
        return row["attention"].lower() != Attention.EAGER
    written = model.modality == "text-encoder" or "transformer-xl" in model.name.lower()
    return not (written or stack.eager_attention)


def _job(row: Row, model: MlModel, stack: Stack, kind: Kind, trains: Trains) -> Job:
    numbers = _numbers(row, kind, trains, stack)
    n_gpus = words.cards_of(row)
    parallel = words.parallel_of(row, n_gpus, trains, model)
    degrees = words.degrees_of(row, n_gpus, parallel)
    width, height = _size(row, model)
    adapter = _adapter(row, trains, stack)
    known = find_image_shape(model)
    cached = kind is Kind.TRAIN and words.cached_beforehand(row, stack)
    return Job(
        model=model,
        kind=kind,
        trains=trains,
        weights=numbers.weights,
        stack=stack,
        half=numbers.half,
        master=numbers.master,
        true_half=numbers.true_half,
        optimizer=words.optimizer_of(row) if kind is Kind.TRAIN else Optimizer.NONE,
        batch=_batch(row, kind, stack, model),
        seq_len=_tokens(row, kind, stack),
        width=width,
        height=height,
        frames=words.frames_of(row),
        tiled=words.tiled(row),
        recompute=words.recompute_of(row, stack, model, numbers.weights.quantised, parallel is Parallel.FSDP),
        loss=words.loss_of(row, stack),
        flash=_fused_attention(row, model, stack),
        compiled=words.compiled(row),
        accumulates=(number_in(row["grad_accum"]) or 1) > 1 or stack.name == "litgpt" or row["task"] == "grpo",
        adapter_params=_adapter_parameters(row, model, trains, adapter),
        adapter_bytes=adapter_bytes(stack) if stack.wide_adapters or numbers.half else 16.0,
        extra_params=_extra_parameters(model, row["method"].lower()),
        adapter=adapter,
        fused_backward=words.steps_in_backward(row),
        kv_bytes=words.kv_bytes(row),
        chunk=words.piece_of(row),
        segment=words.segment_of(row),
        n_gpus=n_gpus,
        parallel=parallel,
        tensor=degrees.get("tensor", 1),
        pipeline=degrees.get("pipeline", 1),
        context=degrees.get("context", 1),
        expert=degrees.get("expert", 1),
        offloads=words.offloads_of(row, kind, model, stack),
        offload_share=words.offload_share(row, model),
        trained_share=_trained_share(row, model),
        rollouts=row["task"] == "grpo",
        auxiliary=_companions(known, kind, cached, stack),
        encodes=kind is Kind.TRAIN and not cached,
    )


def _companions(known: ImageShape | None, kind: Kind, cached: bool, stack: Stack) -> float:
    """Parameters of text encoders and VAE that are on the card."""
    if known is None or cached:
        return 0.0
    return VAE_PARAMETERS if kind is Kind.TRAIN and words.text_cached(stack) else known.auxiliary


def _only(row: Row, model: MlModel) -> str:
    """The part that a row measures, empty for a whole job."""
    if "kv cache room" in row["method"].lower():
        return "kv_cache"
    return "layers" if model.id == BARE_LAYERS else ""


def _takes(row: Row, job: Job, device: float | None) -> float:
    """GiB that a server takes for itself, where a row counts what the card shows."""
    shown = "serve" in row["method"].lower() or "nvidia-smi" in row["metric"].lower()
    serves = shown and job.kind is not Kind.TRAIN and "weights" not in row["method"].lower()
    share = words.taken_share(row) or job.stack.takes
    return share * device if device and serves else 0.0


def _engine_gib(row: Row, job: Job, device: float | None) -> float:
    """GiB that the engine of rollouts sets aside, where a row names it."""
    named = job.rollouts and "vllm" in row["method"].lower()
    return (words.taken_share(row) or STACKS["verl"].takes) * device if device and named else 0.0


def read_case(row: Mapping[str, str], catalog: Catalog) -> Case:
    """The job a row describes. Raises UnsupportedCombination when it cannot be made out."""
    row = {name: (row.get(name) or "") for name in DESCRIBING}
    kind = _kind(row)
    if row["task"] == "loss kernel":
        return read_loss(row, catalog)
    model = resolve_model(
        catalog, row["model"], number_in(row["params_b"]), drawn=bool(row["image_res"] and not row["seq_len"])
    )
    stack = _stack(row, kind, model)
    device = number_in(row["device_gb"]) or words.memory_in(row["gpu"])
    job = with_recipe(row, _job(row, model, stack, kind, _trains(row, kind, stack)), device)
    job = job._replace(engine_gib=_engine_gib(row, job, device))
    spills = stack.spills and kind is Kind.INFER and device is not None
    return Case(
        row["case_id"],
        row["group"],
        job,
        words.metric_of(row, stack),
        "sum" in row["metric"].lower(),
        device,
        _only(row, model),
        _takes(row, job, device),
        words.left_open(row, kind, model, stack),
        (device or 0.0) * _FILLED if spills else 0.0,
    )


_VOCABULARY: Final = re.compile(r"vocabulary (\d+)")
_WIDTH: Final = re.compile(r"hidden (\d+)")


def read_loss(row: Row, catalog: Catalog) -> Case:
    """A loss by itself, or on top of a loaded model: `batch` counts its tokens where the row names only a vocabulary.

    Raises UnsupportedCombination when neither vocabulary nor model is named.
    """
    vocabulary, width = _VOCABULARY.search(row["model"]), _WIDTH.search(row["model"])
    if vocabulary:
        hidden = int(width[1]) if width else 0
        model = MlModel(
            id="head", name=row["model"], modality="text-decoder", parameters=max(float(vocabulary[1]) * hidden, 1.0),
            layers=1, hidden=max(hidden, 1), vocab=int(vocabulary[1]), tied_embeddings=True, generic=True,
        )  # fmt: skip
    else:
        model = resolve_model(catalog, row["model"], number_in(row["params_b"]))
    stack = _stack(row, Kind.TRAIN, model)
    job = _job(row, model, stack, Kind.TRAIN, Trains.ALL if vocabulary else Trains.ADAPTER)
    if vocabulary:
        job = job._replace(batch=1, seq_len=max(int(number_in(row["batch"]) or 1), 1))
    return Case(row["case_id"], row["group"], job, Metric.ALLOCATED, False, None, only="loss")


_FILLED: Final = 0.95
"""Share of a card that a program fills before layers stay in RAM."""
