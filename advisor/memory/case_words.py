"""Words in rows of published cases: what was moved to RAM, how cards share the job, at which level was counted.

Rows come from many hands, so a column is read by what it contains. Of the notes, which may repeat measurements, only
settings are looked for: each pattern here names a switch of a program, and none of them reads a size in bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import Final

from advisor.memory.job import Kind, Metric, Trains
from advisor.memory.runtimes import ENGINE, GGML
from advisor.memory.stacks import Stack
from advisor.models import Loss, MlModel, Offload, Optimizer, Parallel, Recompute

Row = Mapping[str, str]

_KV_WORDS: Final = re.compile(r"\bkv\b|kv[- _]?cache", re.IGNORECASE)
_KV_FORMAT: Final = re.compile(
    r"\bkv\b(?:[- _]?cache)?[^;,]{0,16}?(q4|q5|q8|tq3|int8|fp8|8[- ]?bit|4[- ]?bit)"
    r"|(int8|8[- ]?bit|fp8)[^;,]{0,12}\bkv",
    re.IGNORECASE,
)
_KV_BYTES: Final = {"q4": 0.5625, "4bit": 0.5625, "q5": 0.6875, "tq3": 0.4, "fp8": 1.0}
_EIGHT_BITS: Final = 1.0625
_SWAPPED: Final = re.compile(r"blocks_to_swap[ =]+(\d+)|(\d+) of (\d+) blocks swapped", re.IGNORECASE)
_USUAL_BLOCKS: Final = 60
_SEQUENTIAL: Final = re.compile(
    r"options stacked: \+|sequential offload|ramtorch|streamed|block.?swap|blocks_to_swap|blocks swapped", re.IGNORECASE
)
_TAKEN: Final = re.compile(r"(?:memory[_-]utilization|mem[_-]fraction[_-]static)[ =:]*(0?\.\d+)", re.IGNORECASE)
_WINDOWED: Final = re.compile(r"windows of (\d+)", re.IGNORECASE)
_TILED: Final = re.compile(r"vae tiling|tiling as|tiled", re.IGNORECASE)
_CACHED: Final = re.compile(r"(outputs|latents|embeddings)[^;]{0,40}(cached|precomputed)", re.IGNORECASE)
_WRITES: Final = frozenset({"text-decoder", "multimodal"})
_CACHES_ALWAYS: Final = ("simpletuner", "musubi", "ai-toolkit")
"""Trainers that run text encoder and VAE beforehand and train from what they wrote down."""
_DEGREES: Final = {
    "tensor": re.compile(r"\b(?:TP ?=? ?|tensor[- ]parallel ?)(\d+)", re.IGNORECASE),
    "pipeline": re.compile(r"\b(?<!V)(?:PP ?=? ?|pipeline[- ]parallel ?)(\d+)", re.IGNORECASE),
    "expert": re.compile(r"\b(?:EP ?=? ?|expert[- ]parallel ?)(\d+)", re.IGNORECASE),
    "context": re.compile(r"\b(?:CP ?=? ?|context[- ]parallel(?: over)? ?)(\d+)", re.IGNORECASE),
}


def number_in(text: str) -> float | None:
    """The first number of a text."""
    match = re.search(r"\d+(?:\.\d+)?", text or "")
    return float(match[0]) if match else None


def edges_in(text: str) -> tuple[int, int] | None:
    """Width and height of "832x480" or "1024"."""
    found = [int(part) for part in re.findall(r"\d{2,5}", text or "")]
    if not found:
        return None
    return (found[0], found[1]) if len(found) > 1 else (found[0], found[0])


def settings_of(row: Row) -> str:
    """Columns in which settings are looked for."""
    return "; ".join((row["method"], row["quant"], row["optimizer"], row["framework"], row["notes"]))


_GRAPHS: Final = re.compile(r"reduce-overhead|max-autotune(?!-no)", re.IGNORECASE)
"""Modes of torch.compile that record graphs of a step (its documentation)."""
_COMPILED: Final = re.compile(r"(?<!no )(?:torch\.)?compiled?\b(?! off)", re.IGNORECASE)


def compiled(row: Row) -> bool:
    """Whether the model runs through a compiler."""
    return _COMPILED.search(settings_of(row)) is not None


def speaks_of_cache(text: str) -> bool:
    """Whether a number format is that of the key-value cache."""
    return _KV_WORDS.search(text) is not None


def kv_bytes(row: Row) -> float:
    """Bytes per cached number."""
    found = _KV_FORMAT.search(f"{row['quant']}; {row['method']}; {row['notes']}")
    if not found:
        return 2.0
    said = re.sub(r"[- ]", "", (found[1] or found[2]).lower())
    return _KV_BYTES.get(said, _EIGHT_BITS)


_BY_NAME: Final = (
    *((kind.value, kind) for kind in (Optimizer.ADAFACTOR, Optimizer.LION, Optimizer.MUON, Optimizer.PRODIGY)),
    ("apollo", Optimizer.ADAFACTOR),
    ("sgd", Optimizer.SGD),
)
"""Optimizers by the words that name them."""


def optimizer_of(row: Row) -> Optimizer:
    """The optimizer a row names, Adam where it names none."""
    text = row["optimizer"].lower()
    paged = "paged" in text
    if "4-bit" in text or "4bit" in text:
        return Optimizer.ADAM_4BIT
    if any(word in text for word in ("8bit", "8-bit", "fp8")):
        return Optimizer.PAGED_ADAM_8BIT if paged else Optimizer.ADAM_8BIT
    adam = Optimizer.PAGED_ADAM if paged else Optimizer.ADAM
    return next((kind for word, kind in _BY_NAME if word in text), adam)


_TRAINING_SHARES: Final = (
    (("fsdp", "verl", "torchtitan"), Parallel.FSDP),
    (("total", "deepspeed", "zero-3"), Parallel.ZERO3),
    (("megatron",), Parallel.ZERO1),
)
"""Words that say how a training run is cut over cards."""


def parallel_of(row: Row, n_gpus: int, trains: Trains, model: MlModel) -> Parallel:
    """How several cards share the job."""
    if n_gpus <= 1:
        return Parallel.NONE
    words = f"{row['sharding']} {row['method']} {row['framework']} {row['optimizer']}".lower()
    if "ktransformers" in words:
        return Parallel.PIPELINE
    if trains is Trains.NOTHING:
        return Parallel.TENSOR if re.search(r"tp|vllm|sglang", words) else Parallel.PIPELINE
    if re.search(r"zero-?2", words):
        return Parallel.ZERO2
    named = (way for marks, way in _TRAINING_SHARES if any(mark in words for mark in marks))
    return next(named, None) or _usual_share(trains, model)


def _usual_share(trains: Trains, model: MlModel) -> Parallel:
    """Large language models that are trained as a whole are cut, everything else is copied to each card."""
    large = model.modality not in ("vision", "image-gen") and model.parameters >= _SHARDED_FROM
    return Parallel.FSDP if large and trains is Trains.ALL else Parallel.DATA


_SHARDED_FROM: Final = 1.5e9


def _degrees_said(row: Row) -> dict[str, int]:
    words = f"{row['sharding']} {row['method']} {row['notes']}"
    return {name: int(match[1]) for name, pattern in _DEGREES.items() if (match := pattern.search(words))}


def cards_of(row: Row) -> int:
    """How many cards share the job: as said, else as many as its ways of sharing need."""
    said = number_in(row["n_gpus"])
    if said is not None:
        return max(int(said), 1)
    degrees = _degrees_said(row)
    experts = degrees.pop("expert", 1)
    return max(prod(degrees.values()), experts)


def degrees_of(row: Row, n_gpus: int, parallel: Parallel) -> dict[str, int]:
    """Cards per matrix, stages and slices of the sequence, as said or as the way of sharing implies."""
    found = _degrees_said(row)
    cut = [name for name in found if name != "expert"]
    if not cut and parallel is Parallel.TENSOR:
        found["tensor"] = n_gpus
    if not cut and parallel is Parallel.PIPELINE:
        found["pipeline"] = n_gpus
    while found and n_gpus % (found.get("tensor", 1) * found.get("pipeline", 1) * found.get("context", 1)):
        found.popitem()
    return found


def memory_in(text: str) -> float | None:
    """Memory of a card that its name states: "24 GB card", "B200 184 GiB"."""
    match = re.search(r"(\d+(?:\.\d+)?) ?Gi?B\b", text)
    return float(match[1]) if match else None


def recompute_of(row: Row, stack: Stack, model: MlModel, quantised: bool, sharded: bool) -> Recompute:
    """What is recomputed: the column of its own, then the older one, then what the program does by default.

    Graphs that torch.compile records keep their buffers, those of what would be recomputed among them, so that nothing
    is saved.
    """
    if _GRAPHS.search(settings_of(row)):
        return Recompute.NONE
    if row["recompute"]:
        return Recompute(row["recompute"].lower())
    said = row["grad_ckpt"].lower()
    if not said:
        return _usual_recompute(stack, model, quantised)
    if "select" in said:
        return Recompute.SELECTIVE
    on = said.startswith("yes") and ("policy" not in said or sharded)
    return Recompute.FULL if on else Recompute.NONE


def _usual_recompute(stack: Stack, model: MlModel, quantised: bool) -> Recompute:
    """What a program's recipes do: peft turns it on for quantised models, trainers of large image models always."""
    if stack.selective:
        return Recompute.SELECTIVE
    plain = quantised and stack.name in ("pytorch", "transformers", "peft", "unknown")
    drawn = model.modality == "image-gen" and model.parameters >= _SHARDED_FROM
    return Recompute.FULL if stack.checkpoints or plain or drawn else Recompute.NONE


def loss_of(row: Row, stack: Stack) -> Loss:
    """How the loss is taken: as said, else as the program does it."""
    return Loss(row["loss"].lower()) if row["loss"] else stack.loss


def offloads_of(row: Row, kind: Kind, model: MlModel, stack: Stack) -> frozenset[Offload]:
    """What lies in RAM: as said; where nothing is said, what the program moves by itself."""
    said, settings = row["offload"].lower() or _offload_in_method(row), settings_of(row)
    found: set[Offload] = set()
    if said in ("optimizer", "activations", "experts"):
        found.add(Offload(said))
    if said == "weights":
        by_turns = kind is not Kind.TRAIN and model.modality == "image-gen" and not _SEQUENTIAL.search(settings)
        found.add(Offload.PARTS if by_turns else Offload.WEIGHTS)
    if "ramtorch" in settings.lower():
        found.add(Offload.WEIGHTS)
    if not said and stack.moves_activations and kind is Kind.TRAIN:
        found.add(Offload.ACTIVATIONS)
    return frozenset(found)


def _offload_in_method(row: Row) -> str:
    """What the words of a method move: the optimizer, unless they are about activations."""
    method = row["method"].lower()
    return "optimizer" if "offload" in method and "activation" not in method else ""


def offload_share(row: Row, model: MlModel) -> float:
    """Share of the weights in RAM where a row counts blocks, or of the experts where its command names layers."""
    found = _SWAPPED.search(settings_of(row))
    if found:
        return min(int(found[1] or found[2]) / int(found[3] or _USUAL_BLOCKS), 1.0)
    moved = _layers_named(settings_of(row), model.layers or 0)
    return min(moved / model.layers, 1.0) if moved and model.layers else 1.0


def _layers_named(settings: str, layers: int) -> int:
    """Of how many layers a command leaves the experts in RAM; 0 where it names none."""
    named, counted = _NAMED_LAYERS.search(settings), _FIRST_LAYERS.search(settings)
    if named:
        return sum(_matches(named[1], number) for number in range(layers))
    return int(counted[1]) if counted else 0


_NAMED_LAYERS: Final = re.compile(r"blk\\*\.((?:\([^()]*\)|\[[^\]]*\]|[\d|])+)\\*\.[^=]*exps[^=]*=CPU")
"""llama.cpp's override of where tensors lie: "blk\\.(3[3-9])\\.ffn_.*_exps=CPU"."""
_FIRST_LAYERS: Final = re.compile(r"(?:--n-cpu-moe|-ncmoe)[ =](\d+)")
_PIECE: Final = re.compile(r"(?:-ub|--ubatch-size)[ =](\d+)\b")
_SEGMENTS: Final = re.compile(r"\binterval(\d)\b")
_LAYERWISE: Final = re.compile(r"layer-?wise update|fused in backward|not stated", re.IGNORECASE)


def _matches(pattern: str, number: int) -> bool:
    """Whether a pattern of a command means this layer; one that is none means no layer."""
    try:
        return re.fullmatch(pattern, str(number)) is not None
    except re.error:
        return False


def piece_of(row: Row) -> int:
    """Tokens of a prompt that are read at a time, where a command says so; else 0."""
    found = _PIECE.search(settings_of(row))
    return int(found[1]) if found else 0


def segment_of(row: Row) -> int:
    """Blocks that are recomputed together."""
    found = _SEGMENTS.search(row["notes"])
    return int(found[1]) if found else 1


def steps_in_backward(row: Row) -> bool:
    """Whether the optimizer takes each gradient as it is made, so that they never lie there together."""
    return _LAYERWISE.search(f"{row['optimizer']}; {row['method']}") is not None or "layer-wise update" in row["notes"]


def left_open(row: Row, kind: Kind, model: MlModel, stack: Stack) -> bool:
    """Whether a row leaves open what decides its need: of training its batch, and of texts their length, too; of a
    local run the context, for which all of the cache is taken at once."""
    if kind is Kind.INFER and stack.runtime is GGML and model.modality in _WRITES:
        return not row["seq_len"]
    if kind is not Kind.TRAIN or row["batch"] or row["concurrency"]:
        return False
    return model.modality == "vision" or (model.modality != "image-gen" and not row["seq_len"])


def frames_of(row: Row) -> int:
    """Frames that are worked on together; 0 where a row does not say."""
    window = _WINDOWED.search(row["method"])
    return int(window[1]) if window else int(number_in(row["frames"]) or 0)


def taken_share(row: Row) -> float:
    """Share of the card that a server was told to take; 0 where a row does not say."""
    found = _TAKEN.search(settings_of(row))
    return float(found[1]) if found else 0.0


def tiled(row: Row) -> bool:
    """Whether the VAE works in tiles."""
    return _TILED.search(settings_of(row)) is not None


_CACHES_TEXT: Final = ("peft",)
"""Programs that embed the prompts beforehand, but keep the VAE at work."""


def text_cached(stack: Stack) -> bool:
    """Whether only the text encoder ran before training."""
    return stack.name in _CACHES_TEXT


def cached_beforehand(row: Row, stack: Stack) -> bool:
    """Whether text encoder and VAE ran before training and are gone."""
    return stack.name in _CACHES_ALWAYS or _CACHED.search(row["notes"]) is not None


def metric_of(row: Row, stack: Stack) -> Metric:
    """At which level a row counts."""
    text = row["metric"].lower()
    if row["n_gpus"] == "0":
        return Metric.ALLOCATED  # no card, no context
    if any(word in text for word in ("allocated", "active", "reported by pytorch")):
        return Metric.ALLOCATED
    if any(word in text for word in ("reserved", "peak memory", "after load", "used print", "vram as stated")):
        return Metric.RESERVED
    unnamed = "counter not stated" in text and stack.runtime not in (GGML, ENGINE)
    return Metric.RESERVED if unnamed else Metric.DEVICE
