"""Reads a line of throughput_cases.csv as a job: model, card, precision, batch, software. Never what was measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalog import Catalog
from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Gpu, Method, MlModel, Parallel, Precision, Workload
from advisor.speed.benchmarks import BENCHMARK_MODELS
from advisor.speed.rate import MOST_GPUS

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
)
"""Columns a prediction may see. Of `notes` only settings (micro-batch, accumulation, checkpointing) are looked for."""

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
}

_MODELS = {
    "resnet-50 v1.5": "resnet50",
    "stablelm alpha 3b": "stablelm-base-alpha-3b",
    "phi-1.5 1.3b": "phi-1_5",
    "mistral-7b-v0.2": "Mistral-7B-v0.1",
}

_V100 = {"16": "Tesla V100 SXM2 16GB", "32": "Tesla V100 SXM2 32GB"}
"""Published V100 systems (DGX-1, p3, Lambda) carry the SXM2 board."""


@dataclass(frozen=True, slots=True)
class Case:
    """Settings of one line, resolved."""

    case_id: str
    group: str
    kind: str
    unit: str
    task: str
    gpu: Gpu
    n_gpus: int
    workload: Workload | None
    stack: str


def find_gpu(catalog: Catalog, name: str) -> Gpu:
    """The card a table means, whatever it adds to the name (NVLink, Gen5, a chassis)."""
    volta = re.match(r"V100 (16|32)GB", name)
    if volta and "PCIe" not in name:
        return catalog.get_gpu(_V100[volta[1]])
    plain = re.sub(r"\(.*?\)|NVLink|Gen\d", " ", name.replace("RTX Quadro", "Quadro RTX"))
    plain = " ".join(plain.split())
    if plain == "A100 80GB":
        plain = "A100 80GB SXM4"
    shorter = re.sub(r" \d+GB( SXM\d?)?$", "", plain)
    found = catalog.find_gpu(plain) or catalog.find_gpu(shorter)
    if found is None:
        raise UnsupportedCombination("the line names no card of the catalogue", gpu=name)
    return found


def find_model(catalog: Catalog, name: str) -> MlModel:
    """The network a table means; a size within an unknown name gives a decoder of that size."""
    for made in BENCHMARK_MODELS:
        if made.name == name:
            return made
    found = catalog.find_ml_model(_MODELS.get(name.lower(), name)) or catalog.size_stand_in(name)
    if found is None:
        raise UnsupportedCombination("the line names no network that is known here", model=name)
    return found


_STACKS = {"lambda-v0": "ngc-20", "lambda-v1": "ngc-22", "lambda-v2": "ngc-24"}


def _stack(row: Mapping[str, str]) -> str:
    """Generation of the software, from the columns `group` and `software`."""
    software = row["software"]
    if row["group"] in _STACKS:
        return _STACKS[row["group"]]
    if "TensorFlow" in software:
        return "tensorflow"
    if software.startswith("NGC PyTorch"):
        return "examples"
    if "torchtune" in software:
        return "torchtune-compile" if "compile" in software else "torchtune"
    for name in ("litgpt", "deepspeed", "Trainer"):
        if name in software:
            return {"deepspeed": "deepspeed", "litgpt": "litgpt", "Trainer": "trainer"}[name]
    return "ngc-22"


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


def _cards(text: str) -> int:
    """Number of cards; one when the line leaves it out."""
    if not text.strip():
        return 1
    if not text.strip().isdigit() or not 1 <= int(text) <= MOST_GPUS:
        raise OutOfRange("the number of cards is no count", name="n_gpus", value=text)
    return int(text)


def _method(task: str) -> Method:
    lowered = task.lower().replace("-", "")
    if "qlora" in lowered:
        return Method.QLORA
    if "lora" in lowered:
        return Method.LORA
    if "inference" in lowered or "generation" in lowered:
        return Method.INFERENCE
    if "pretraining" in lowered:
        return Method.PRETRAIN
    return Method.FULL if "finetune" in lowered else Method.TRAIN


def _checkpointing(row: Mapping[str, str], stack: str, model: MlModel) -> bool | None:
    """As stated in the notes; else what the recipe of this stack does."""
    notes = row["notes"]
    if "checkpointing" in notes:
        return "checkpointing on" in notes
    return True if stack in {"deepspeed", "torchtune", "torchtune-compile"} else None


def _micro_batch(row: Mapping[str, str], n_gpus: int, stack: str) -> tuple[int | None, int]:
    """Samples per card and forward pass, and how many of those make a step."""
    stated = _number(row["batch_total"])
    made = re.search(r"bs(\d+) x accumulation (\d+)", row["notes"])
    if made:
        return int(made[1]), int(made[2])
    made = re.search(r"micro-batch (\d+), accumulation (\d+)", row["notes"])
    if made:
        return int(made[1]), int(made[2])
    if stated is None:
        return None, 1
    return max(1, stated if "micro-batch" in row["notes"] else round(stated / n_gpus)), 1


_SEQ_OF_TASK = {"GNMT v2": 50}
"""Tokens of a sentence pair's side in translation benchmarks."""
_TENSORFLOW_FILL = 0.3
"""TensorFlow's recipes name no batch and run smaller ones than the card would hold."""


def read_case(row: Mapping[str, str], catalog: Catalog) -> Case:
    """Settings of one line as a job.

    Raises:
        UnsupportedCombination: the line leaves out what a prediction needs.
    """
    common = {"case_id": row["case_id"], "group": row["group"], "kind": row["kind"], "unit": row["unit"]}
    gpu = find_gpu(catalog, row["gpu"])
    n_gpus = _cards(row["n_gpus"])
    stack = _stack(row)
    if row["kind"] == "matmul":
        return Case(**common, task=row["task"], gpu=gpu, n_gpus=n_gpus, workload=None, stack=stack)
    model = find_model(catalog, row["model"])
    method = _method(row["task"])
    written = row["precision"].lower()
    quant = (
        written.split("+")[1].strip() if "+" in written else written if written.startswith(("gptq", "nf4")) else None
    )
    precision = _PRECISIONS.get(written.split("+")[0].strip())
    if quant and "nf4" in quant and method is Method.LORA:
        method = Method.QLORA
    seq_len = _number(row["seq_len"]) or _SEQ_OF_TASK.get(row["model"])
    batch, accumulated = _micro_batch(row, n_gpus, stack)
    edge = _number(row["image_res"])
    workload = Workload(
        ml_model=model,
        method=method,
        precision=precision,
        quant=quant,
        batch=batch or usual_batch(model, gpu, seq_len, precision, _TENSORFLOW_FILL if stack == "tensorflow" else 1.0),
        seq_len=seq_len,
        resolution=(edge, edge) if edge and model.gflops_at else None,
        checkpointing=_checkpointing(row, stack, model),
        grad_accum=accumulated,
        n_gpus=n_gpus,
        parallel=Parallel.FSDP if stack == "litgpt" and n_gpus > 1 and method is Method.FULL else None,
    )
    return Case(**common, task=row["task"], gpu=gpu, n_gpus=n_gpus, workload=workload, stack=stack)
