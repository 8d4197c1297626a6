"""The number a line of a case file should hold, in the line's own unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

from advisor.errors import UnsupportedCombination
from advisor.models import Workload
from advisor.speed import calibration
from advisor.speed.card import card_rates
from advisor.speed.cases import Case, usual_batch
from advisor.speed.constants import ClassConstants
from advisor.speed.datasets import Dataset, find_dataset
from advisor.speed.demand import workload_class
from advisor.speed.matmul import matmul_tflops
from advisor.speed.rate import rate_of

Classes = Mapping[str, ClassConstants]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a line is predicted to say, in its own unit; `low` and `high` bound 90 % of cases."""

    case_id: str
    group: str
    kind: str
    predicted: float
    low: float
    high: float
    unit: str
    basis: str


_SECONDS = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "GPU-hours": 3600.0, "days": 86400.0}
_PHASES = ((461_400_000, 128), (51_200_000, 512))
"""BERT pre-training with LAMB in two phases, sequences and their length: 7038 steps of 65,536 and 1563 of 32,768."""
_EVALUATION = 1.12
"""Whole ImageNet runs take this much longer than their training throughput says: validation after each epoch,
checkpoints, start-up (published hours against published rates of the same runs: 1.05 to 1.5)."""
_LOADER_IMAGES_PER_S = 450.0
"""Mosaic-augmented images one host process feeds a card: YOLOv5's small sizes wait for them."""


def _dataset(task: str) -> Dataset | None:
    found = (find_dataset(word) for word in re.split(r"[ ,]+", task))
    return next((one for one in found if one), None)


def _samples(case: Case) -> float:
    """Samples (or tokens) of a whole training run, as far as the task says them."""
    task = case.task
    epochs = re.search(r"(\d+) epochs", task)
    tokens = re.search(r"(\d+)B tokens", task)
    if tokens:
        return float(tokens[1]) * 1e9
    steps = re.search(r"([\d,]+) (?:micro-)?steps", task)
    if steps and case.workload:
        return float(steps[1].replace(",", "")) * (case.workload.batch or 1)
    dataset = _dataset(task)
    if dataset is None or epochs is None:
        raise UnsupportedCombination("the line does not say how many samples it trains on", task=task)
    return float(dataset.samples * int(epochs[1]))


def _with_length(case: Case) -> Workload:
    workload = case.workload
    if workload is None:
        raise UnsupportedCombination("the line names no job", task=case.task)
    if workload.seq_len and "Alpaca" not in case.task:
        return workload
    dataset = _dataset(case.task)
    length = dataset.tokens_per_sample if dataset else None
    return workload.model_copy(update={"seq_len": length}) if length else workload


def _training_seconds(case: Case, classes: Classes | None) -> float:
    if "phase 1+2" in case.task and case.workload:
        total = 0.0
        for sequences, length in _PHASES:
            job = case.workload.model_copy(
                update={"seq_len": length, "batch": usual_batch(case.workload.ml_model, case.gpu, length, None)}
            )
            nodes = max(1, case.n_gpus // 8)
            rate = rate_of(job, case.gpu, case.n_gpus, stack=case.stack, nodes=nodes, network="8xhdr", classes=classes)
            total += sequences / rate.per_second
        return total
    workload = _with_length(case)
    rate = rate_of(workload, case.gpu, case.n_gpus, stack=case.stack, classes=classes)
    per_second = rate.per_second
    if "B tokens" not in case.task and rate.unit == "tok" and rate.demand:
        per_second /= rate.demand.units_per_sample
    if "YOLO" in workload.ml_model.name:
        per_second = min(per_second, _LOADER_IMAGES_PER_S * case.n_gpus)
    longer = _EVALUATION if workload_class(workload.ml_model) in {"cnn", "depthwise"} else 1.0
    return _samples(case) / per_second * longer


def predict(case: Case, classes: Classes | None = None) -> Prediction:
    """The number this line should hold; `classes` replaces the calibrated constants.

    Raises:
        UnsupportedCombination: settings that no published figure supports, or that the line leaves out.
    """
    if "offload" in case.task.lower():
        raise UnsupportedCombination("training with CPU offload depends on the host, which the line does not name")
    value, basis = _value(case, classes)
    outside = case.kind != "matmul" and card_rates(case.gpu).outside
    spread = calibration.spread_of(basis, case.n_gpus, outside=outside)
    return Prediction(
        case.case_id, case.group, case.kind, value, value * exp(-spread), value * exp(spread), case.unit, basis
    )


def _value(case: Case, classes: Classes | None = None) -> tuple[float, str]:
    if case.kind == "matmul":
        return matmul_tflops(case.gpu), "matmul"
    workload = _with_length(case)
    kind = workload_class(workload.ml_model)
    if case.kind == "time-to-train":
        if case.unit not in _SECONDS:
            raise UnsupportedCombination("the line gives its time in no unit that is known here", unit=case.unit)
        return _training_seconds(case, classes) / _SECONDS[case.unit], f"time:{kind}"
    if case.kind == "infer-throughput" and kind == "decoder":
        engine = "litgpt" if case.stack == "litgpt" else "transformers"
        rate = rate_of(workload.model_copy(update={"seq_len": 1024}), case.gpu, case.n_gpus, engine=engine)
        return rate.per_second, "decode"
    rate = rate_of(workload, case.gpu, case.n_gpus, stack=case.stack, classes=classes)
    if case.kind == "train-step-time":
        return rate.seconds * (workload.grad_accum or 1), kind
    return rate.per_second, kind if case.kind == "train-throughput" else f"inference:{kind}"
