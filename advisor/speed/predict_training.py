"""Lines about training: samples or tokens a second, seconds of a step, time of a whole run."""

from __future__ import annotations

import re

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu, Workload
from advisor.speed.cases import Case, usual_batch
from advisor.speed.clusters import divided
from advisor.speed.datasets import Dataset, find_dataset
from advisor.speed.demand import training_basis, workload_class
from advisor.speed.rate import Rate, rate_of
from advisor.speed.to_quality import seconds_to_quality

_SECONDS = {"seconds": 1.0, "minutes": 60.0, "min": 60.0, "hours": 3600.0, "GPU-hours": 3600.0, "days": 86400.0}
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


def _training_seconds(case: Case, gpu: Gpu) -> float:
    if "phase 1+2" in case.task and case.workload:
        total = 0.0
        for sequences, length in _PHASES:
            job = case.workload.model_copy(
                update={"seq_len": length, "batch": usual_batch(case.workload.ml_model, gpu, length, None)}
            )
            rate = rate_of(job, gpu, case.n_gpus, stack=case.stack)
            total += sequences / rate.per_second
        return total
    workload = _with_length(case)
    rate = rate_of(workload, gpu, case.n_gpus, stack=case.stack)
    per_second = rate.per_second
    if "B tokens" not in case.task and rate.unit == "tok" and rate.demand:
        per_second /= rate.demand.units_per_sample
    if "YOLO" in workload.ml_model.name:
        per_second = min(per_second, _LOADER_IMAGES_PER_S * case.n_gpus)
    longer = _EVALUATION if workload_class(workload.ml_model) in {"cnn", "depthwise"} else 1.0
    return _samples(case) / per_second * longer


_BENCHMARK = re.compile(r"mlperf (\w+)", re.IGNORECASE)


def _unit_seconds(case: Case) -> float:
    """Seconds of the unit that a whole run is told in."""
    if case.unit not in _SECONDS:
        raise UnsupportedCombination("the line gives its time in no unit that is known here", unit=case.unit)
    return _SECONDS[case.unit]


def _to_quality(case: Case, workload: Workload, gpu: Gpu) -> float:
    named = _BENCHMARK.search(case.task)
    unit = _unit_seconds(case)
    batch = (workload.batch or 1) * case.n_gpus if case.said.batch is None else case.said.batch
    return seconds_to_quality(named[1].lower() if named else "", workload, gpu, case.n_gpus, batch) / unit


def _step_rate(case: Case, workload: Workload, gpu: Gpu) -> Rate:
    """Speed of the steps, on the machines and the network that such cards usually have."""
    rate = rate_of(workload, gpu, case.n_gpus, stack=case.stack)
    return divided(rate, case.said.tensor or 1, case.said.stages)


def _in_unit(case: Case, rate: Rate) -> float:
    """Samples or tokens a second as the line counts them."""
    per_card = "/GPU" in case.unit or "per device" in case.unit
    value = rate.per_second / (case.n_gpus if per_card else 1)
    if case.unit.startswith("seq") and rate.unit == "tok" and rate.demand:
        value /= rate.demand.units_per_sample
    return value


def trained(case: Case) -> tuple[float, str]:
    """The value of a training line in its own unit, and what it rests on."""
    if case.gpu is None:
        raise UnsupportedCombination("training on a processor alone is not estimated", task=case.task)
    whole = case.kind == "time-to-train"
    if whole and case.workload and "mlperf" in case.task.lower():
        return _to_quality(case, case.workload, case.gpu), "cluster"
    workload = _with_length(case)
    kind = training_basis(workload, case.n_gpus)
    if whole:
        return _training_seconds(case, case.gpu) / _unit_seconds(case), f"time:{kind}"
    rate = _step_rate(case, workload, case.gpu)
    if case.kind == "train-step-time":
        seconds = rate.seconds * (workload.grad_accum or 1)
        return seconds * (1000.0 if case.unit.startswith("ms") else 1.0), kind
    return _in_unit(case, rate), kind
