"""Reads a line of throughput_cases.csv as a job: model, card, precision, batch, software. Never what was measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.catalog import Catalog
from advisor.errors import AdvisorError, OutOfRange, UnsupportedCombination
from advisor.models import Gpu, Method, MlModel, Optimizer, Parallel, Precision, Recompute, Workload
from advisor.speed.case_names import check_settled, find_gpu, find_model
from advisor.speed.denoise import denoiser_named
from advisor.speed.engines import EARLY_LLAMA_CPP, LLAMA_CPP
from advisor.speed.rate import MOST_GPUS
from advisor.speed.said import Said, said_of
from advisor.speed.speech import recogniser_named
from advisor.speed.weights import stored_as

DESCRIBING = (
    "case_id",
    "group",
    "kind",
    "model",
    "task",
    "gpu",
    "n_gpus",
    "precision",
    "batch_total",
    "seq_len",
    "image_res",
    "unit",
    "software",
    "notes",
    "software_version",
    "recompute",
    "loss",
    "offload",
    "attention",
    "quantisation",
    "cpu_ram_type",
    "concurrency",
    "frames",
    "steps",
)
"""Columns a prediction may see. Of `notes` only settings (micro-batch, accumulation, host, depth) are looked for."""

PLAIN = DESCRIBING[: DESCRIBING.index("notes") + 1]
"""The columns that every case file has; the others are empty where a file lacks them."""

_PRECISIONS = {
    "fp32": Precision.FP32,
    "tf32": Precision.TF32,
    "fp32 (tf32 on ampere and later)": Precision.TF32,
    "fp16-mixed": Precision.FP16_MIXED,
    "fp16": Precision.FP16,
    "bf16": Precision.BF16,
    "bf16-mixed": Precision.BF16_MIXED,
    "int8": Precision.INT8,
    "gptq-int8": Precision.INT8,
    "gptq-int4": Precision.INT4,
    "nf4": Precision.INT4,
    "fp8": Precision.FP8,
    "mxfp8": Precision.FP8,
    "fp8 (transformer engine)": Precision.FP8,
    "float8 tensorwise": Precision.FP8,
    "float8 rowwise": Precision.FP8,
    "nvfp4": Precision.FP8,
    "nvfp4 (last 5 layers bf16)": Precision.FP8,
    "nvfp4 (last 6 layers bf16)": Precision.FP8,
    "fp16 (amp)": Precision.FP16_MIXED,
    "fp16-mixed (amp)": Precision.FP16_MIXED,
    "bf16-true": Precision.BF16,
    "bf16-mixed (fp32 master)": Precision.BF16_MIXED,
}

_MODELS = {
    "resnet-50 v1.5": "resnet50",
    "stablelm alpha 3b": "stablelm-base-alpha-3b",
    "phi-1.5 1.3b": "phi-1_5",
    "mistral-7b-v0.2": "Mistral-7B-v0.1",
}


@dataclass(frozen=True, slots=True)
class Case:
    """Settings of one line, resolved."""

    case_id: str
    group: str
    """Carried along for summaries; no prediction looks at it."""
    kind: str
    unit: str
    task: str
    gpu: Gpu | None
    """None where the processor does everything."""
    n_gpus: int
    workload: Workload | None
    stack: str
    model: str = ""
    """The network as the line writes it."""
    said: Said = field(default_factory=Said)


_RELEASE = re.compile(r"NGC [A-Za-z]+ (\d\d)\.\d\d")
_TUNED = re.compile(
    r"torchtune|simpletuner|torchtitan|foundry|megatron|nemo|litgpt|unsloth|mindspeed|compile|liger|apex|fused"
    r"|llm\.c|nanotron|optimum habana",
    re.IGNORECASE,
)


def _stack(software: str, notes: str) -> str:
    """Behaviour of the training software, a key of calibration.STACKS, from what it is called."""
    release = _RELEASE.search(software)
    if release and release[1] != "21":
        return {"20": "ngc-20", "22": "ngc-22", "23": "ngc-22", "24": "ngc-24"}.get(release[1], "ngc-24")
    if software.startswith("NGC"):
        return "examples"
    if _ENGINE.search(software):
        return "engine"
    if _COMPILES.search(software) or _COMPILES.search(notes):
        return "compiled"
    return "tuned" if _TUNED.search(software) else "ngc-22"


_ENGINE = re.compile(r"megatron|nemo|transformer engine", re.IGNORECASE)
_COMPILES = re.compile(r"(?<!un)compile(?!d? off)|foundry", re.IGNORECASE)


def _number(text: str) -> int | None:
    first = text.split("/")[0].strip()
    return int(first) if first.isdigit() else None


def usual_batch(
    model: MlModel, gpu: Gpu, seq_len: int | None, precision: Precision | None, fill: float = 1.0
) -> int | None:
    """Benchmarks that name no batch fill the card: in proportion to its memory, half as many in 32 bit."""
    if model.modality == "text-decoder":
        return None
    memory = (gpu.vram_gib or 16.0) * fill
    half = 0.5 if precision in {Precision.FP32, Precision.TF32} else 1.0
    if model.modality == "vision":
        return max(1, int(memory * half * 130.0 / (model.gflops_per_sample or 8.0)))
    if model.modality == "recurrent":
        return max(1, int(memory * half * 19.0 * 50 / (seq_len or 50)))
    return max(1, int(memory * half * 440e6 / model.parameters * 384 / (seq_len or 384)))


def _cards(text: str, notes: str) -> int:
    """Number of cards; one when the line leaves it out without a word.

    Raises:
        UnsupportedCombination: it says that the number is not stated.
        OutOfRange: no such number of cards.
    """
    if not text.strip():
        if "number of cards not stated" in notes:
            raise UnsupportedCombination("the line does not say how many cards shared the work")
        return 1
    if not text.strip().isdigit() or not 1 <= int(text) <= MOST_GPUS:
        raise OutOfRange("the number of cards is no count", name="n_gpus", value=text)
    return int(text)


def _method(task: str) -> Method:
    lowered = task.lower().replace("-", "").replace("_", " ")
    if "qlora" in lowered:
        return Method.QLORA
    if "lora" in lowered:
        return Method.LORA
    if "inference" in lowered or "generation" in lowered:
        return Method.INFERENCE
    if "pretraining" in lowered:
        return Method.PRETRAIN
    return Method.FULL if "finetune" in lowered else Method.TRAIN


def _checkpointing(row: Mapping[str, str], model: MlModel) -> bool | None:
    """As stated; else what the usual recipe of this software does."""
    notes, said = row["notes"], row.get("recompute", "")
    if said:
        return said == "full"
    if "checkpointing" in notes:
        return "checkpointing on" in notes
    return True if _RECOMPUTING.search(row["software"]) else None


_RECOMPUTING = re.compile("deepspeed|torchtune|axolotl|unsloth|llama-factory", re.IGNORECASE)
"""Programs whose recipes recompute activations unless told otherwise."""


def _micro_batch(row: Mapping[str, str], n_gpus: int, stack: str) -> tuple[int | None, int]:
    """Samples per card and forward pass, and how many of those make a step."""
    stated = _number(row["batch_total"])
    made = re.search(r"bs(\d+) x accumulation (\d+)", row["notes"])
    if made:
        return int(made[1]), int(made[2])
    made = re.search(r"micro-batch (\d+), accumulation (\d+)", row["notes"])
    if made:
        return int(made[1]), int(made[2])
    piece = _MICRO_BATCH.search(row["notes"])
    if piece and "train" in row["kind"]:
        together = max(1, round((stated or 0) / n_gpus / int(piece[1])))
        return int(piece[1]), together
    if stated is None:
        return None, 1
    return max(1, stated if "micro-batch" in row["notes"] else round(stated / n_gpus)), 1


_SEQ_OF_TASK = {"GNMT v2": 50}
"""Tokens of a sentence pair's side in translation benchmarks."""
_TENSORFLOW_FILL = 0.3
"""TensorFlow's recipes name no batch and run smaller ones than the card would hold."""


_MICRO_BATCH = re.compile(r"(?:local batch|batch per device|micro-batch) (\d+)")
_FORMATS_OF_FILES = re.compile(r"(?:gguf|q\d_|iq\d_|mxfp4)", re.IGNORECASE)


def _quant(row: Mapping[str, str], model: MlModel, said: Said, method: Method) -> str | None:
    """How weights are stored: as stated, as the name of the file says, else as the software usually has them."""
    written = row["precision"].lower()
    if "mlperf" in row["task"].lower() and method is Method.INFERENCE:
        return "fp8"
    if "+" in written:
        return written.split("+")[1].strip()
    if written.startswith(("gptq", "nf4", "int8")):
        return written
    stated = row.get("quantisation", "")
    for text in (stated, row["model"] if method is Method.INFERENCE else ""):
        name = _format_in(text)
        if name:
            return name
    if method is not Method.INFERENCE or model.modality not in _WRITERS:
        return None
    if model.weights_format:
        return model.weights_format
    return _USUAL_FORMAT.get(said.engine)


_WRITERS = frozenset({"text-decoder", "multimodal", "vision-language"})
_USUAL_FORMAT = {LLAMA_CPP.name: "q4_k_m", EARLY_LLAMA_CPP.name: "q4_k_m", "mlx": "mlx 4-bit"}
_FILE_BITS = re.compile(
    r"(?:ud[-_])?i?q\d(?:_[a-z0-9]+)*|nvfp4|mxfp4|awq|gptq|exl[23] [\d.]+ ?bpw"
    r"|(?<![a-z])bf16|(?<![a-z])f(?:p)?16|\d-?bit|fp[468]|int[48]|nf4",
    re.IGNORECASE,
)
_STATED_BYTES = re.compile(r"mixed, ([\d.]+) GiB")


def _format_in(text: str) -> str | None:
    found = _FILE_BITS.search(text)
    if found is None or text.lower().startswith("none"):
        return "fp16" if text.lower().startswith("none") else None
    try:
        stored_as(text[found.start() :])
    except AdvisorError:
        return None
    return text[found.start() :]


def _card(row: Mapping[str, str], said: Said, catalog: Catalog) -> Gpu | None:
    if said.processor:
        if "not named" in row["gpu"].lower():
            raise UnsupportedCombination("the line does not name the processor, which sets the pace of all of it")
        return None
    gpu = find_gpu(catalog, row["gpu"])
    limit = _WATTS.search(row["gpu"])
    if limit is None or int(limit[1]) >= (gpu.board_power_w or 0.0):
        return gpu
    return gpu.model_copy(update={"board_power_w": int(limit[1])})


_WATTS = re.compile(r"\b(\d{2,4}) ?W\b")
"""What a board may draw, beside its name."""


def _model_of(row: Mapping[str, str], catalog: Catalog) -> MlModel:
    check_settled(row["model"])
    renamed = _MODELS.get(row["model"].lower(), row["model"])
    if row["kind"].startswith("asr"):
        shape = recogniser_named(row["model"])
        return MlModel(id="", name=shape.name, modality="speech", parameters=(shape.encoder_m + shape.decoder_m) * 1e6)
    drawn = denoiser_named(row["model"]) if _draws(row) else None
    if drawn is not None:
        return MlModel(id="", name=drawn.name, modality="image-gen", parameters=max(1e9, drawn.per_token * 1e9))
    return find_model(catalog, renamed)


def _draws(row: Mapping[str, str]) -> bool:
    """The line is about pictures or videos that are generated."""
    words = f"{row['task']} {row['model']}".lower()
    return row["kind"] in {"infer-image", "infer-video"} or any(
        word in words for word in ("lora training", "lokr training", "stable_diffusion", "stable-diffusion", "sdxl")
    )


def read_case(row: Mapping[str, str], catalog: Catalog) -> Case:
    """Settings of one line as a job.

    Raises:
        UnsupportedCombination: the line leaves out what a prediction needs.
    """
    said = said_of(row)
    gpu = _card(row, said, catalog)
    n_gpus = 1 if said.processor else _cards(row["n_gpus"], row["notes"])
    stack = _stack(row["software"], row["notes"])
    model = None if row["kind"] == "matmul" else _model_of(row, catalog)
    return Case(
        case_id=row["case_id"],
        group=row["group"],
        kind=row["kind"],
        unit=row["unit"],
        task=row["task"],
        gpu=gpu,
        n_gpus=n_gpus,
        workload=_workload(row, model, gpu, n_gpus, stack, said) if model else None,
        stack=stack,
        model=row["model"],
        said=said,
    )


_INFERRED = ("infer", "serve", "asr")
"""Beginnings of the kinds of lines in which nothing is trained."""


def _fills_the_card(kind: str) -> bool:
    """Whether a line of this kind that names no batch is taken to run as large a one as the card holds."""
    return kind == "infer-throughput" or not kind.startswith(_INFERRED)


def _quantised(method: Method, quant: str | None) -> Method:
    """Adapters on weights in 4 bits are QLoRA, whatever a line calls them."""
    return Method.QLORA if method is Method.LORA and "nf4" in (quant or "") else method


def _in_training(precision: str, quant: str | None, method: Method) -> str | None:
    """The format of weights, or of the factors that training rounds to 4 bits."""
    return "nvfp4" if method is not Method.INFERENCE and "nvfp4" in precision.lower() else quant


_RECOMPUTED = {one.value: one for one in Recompute}


def _workload(row: Mapping[str, str], model: MlModel, gpu: Gpu | None, n_gpus: int, stack: str, said: Said) -> Workload:
    stated = Method.INFERENCE if row["kind"].startswith(_INFERRED) else _method(row["task"])
    quant = _quant(row, model, said, stated)
    precision = _PRECISIONS.get(row["precision"].lower().split("+")[0].strip())
    seq_len = _number(row["seq_len"]) or _SEQ_OF_TASK.get(row["model"])
    batch, accumulated = _micro_batch(row, n_gpus, stack)
    if batch is None and gpu is not None and _fills_the_card(row["kind"]):
        fill = _TENSORFLOW_FILL if "TensorFlow" in said.software else 1.0
        batch = usual_batch(model, gpu, seq_len, precision, fill)
    sized = model.gflops_at or model.modality == "image-gen"
    method = _quantised(stated, quant)
    return Workload(
        ml_model=model,
        method=method,
        precision=precision,
        quant=_in_training(row["precision"], quant, method),
        kv_precision=_cache_precision(said, quant, row["task"]),
        batch=batch,
        seq_len=seq_len,
        resolution=said.size if sized else None,
        checkpointing=_checkpointing(row, model),
        recompute=_RECOMPUTED.get(said.recompute),
        optimizer=Optimizer.NONE if row["task"].startswith("forward+backward") else None,
        grad_accum=accumulated,
        n_gpus=n_gpus,
        parallel=_parallel(row, n_gpus, method, said),
    )


def _cache_precision(said: Said, quant: str | None, task: str) -> Precision | None:
    """Of the cache: as the notes say; checkpoints in 8 or 4 bit floating point keep it in 8 bits where served."""
    named = re.search(r"kv cache (q8_0|q4_0|f16|fp8|int8)", said.notes, re.IGNORECASE)
    if named:
        return {"q8": Precision.INT8, "q4": Precision.INT4, "fp": Precision.FP8, "in": Precision.INT8}.get(
            named[1].lower()[:2]
        )
    served_narrow = quant is not None and quant.lower() in {"fp8", "fp4", "nvfp4"} and "serving" in task.lower()
    return Precision.FP8 if served_narrow or "mlperf" in task.lower() else None


def _parallel(row: Mapping[str, str], n_gpus: int, method: Method, said: Said) -> Parallel | None:
    words = f"{row['software']} {row['task']} {row['notes']}".lower()
    if n_gpus == 1 or method is Method.INFERENCE:
        return None
    if said.tensor or said.stages > 1 or re.search(r"(?<![a-z])ep\d", words):
        return Parallel.TENSOR
    return Parallel.FSDP if any(word in words for word in ("fsdp", "zero-3", "zero3", "litgpt")) else None
