"""The number a line of a case file should hold, in the line's own unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp
from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.speed.bands import spread_of
from advisor.speed.card import card_rates
from advisor.speed.cases import Case
from advisor.speed.decode import decode_time
from advisor.speed.demand import workload_class
from advisor.speed.estimate import MEASURED_WRITING
from advisor.speed.matmul import matmul_tflops
from advisor.speed.predict_pictures import drawn_training, heard, pictured
from advisor.speed.predict_text import read_prompt, served, written
from advisor.speed.predict_training import trained
from advisor.speed.predict_vision import seen


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


def predict(case: Case) -> Prediction:
    """The number this line should hold.

    Raises:
        UnsupportedCombination: settings that no published figure supports, or that the line leaves out.
    """
    value, basis = value_of(case)
    spread = spread_of(basis, outside=unlike_measured(case, basis))
    return Prediction(
        case.case_id, case.group, case.kind, value, value * exp(-spread), value * exp(spread), case.unit, basis
    )


_WRITING: Final = frozenset({"decode", "prompt", "offload", "offload-prompt"})


def unlike_measured(case: Case, basis: str) -> bool:
    """Whether few sources measured such cards at such work: bands are wider then."""
    if case.gpu is None or case.kind == "matmul" or not card_rates(case.gpu).outside:
        return False
    return basis not in _WRITING or case.gpu.vendor not in MEASURED_WRITING


def _matmul(case: Case) -> tuple[float, str]:
    """Rate of a lone matrix product."""
    if case.gpu is None:
        raise UnsupportedCombination("training on a processor alone is not estimated", task=case.task)
    return matmul_tflops(case.gpu), "matmul"


def _draws(case: Case) -> bool:
    return case.workload is not None and case.workload.ml_model.modality == "image-gen"


def _looked_at(case: Case) -> tuple[float, str]:
    """Samples or tokens a second of a network that is only run."""
    if _draws(case):
        return pictured(case)
    workload = case.workload
    if case.gpu is None or workload is None or workload_class(workload.ml_model) != "decoder":
        return seen(case)
    if "mlperf" in case.task.lower() or case.said.users:
        return served(case)
    engine = case.said.engine or "transformers"
    job = workload.model_copy(update={"seq_len": workload.seq_len or 1024})
    rate = decode_time(card_rates(case.gpu), job, n_gpus=case.n_gpus, users=workload.batch or 1, engine=engine)
    return rate.tokens_per_s, "decode"


_MAKERS: Mapping[str, Callable[[Case], tuple[float, str]]] = {
    "infer-decode": written,
    "infer-prefill": read_prompt,
    "infer-throughput": _looked_at,
    "serve-throughput": served,
    "infer-image": pictured,
    "infer-video": pictured,
    "asr-rtf": heard,
    "asr-time": heard,
    "infer-latency": seen,
    "matmul": _matmul,
}

_REFUSED: tuple[tuple[Callable[[Case], bool], str], ...] = (
    (lambda case: case.gpu is None, "training on a processor alone is not estimated"),
    (
        lambda case: "offload" in case.task.lower(),
        "training with CPU offload depends on the host, which the line does not name",
    ),
    (
        lambda case: case.said.offload in {"experts", "weights"},
        "training with weights in the machine's memory depends on the host",
    ),
    (
        lambda case: "distillation" in case.task.lower(),
        "distillation is not estimated: what the teacher computes is not said",
    ),
    (
        lambda case: "grpo" in case.task.lower(),
        "steps of reinforcement learning (rollouts and update) are not estimated",
    ),
)
"""Trainings that no term of the model describes, and why."""


def value_of(case: Case) -> tuple[float, str]:
    """The number alone, and what it rests on. Raises UnsupportedCombination as `predict` does."""
    make = _MAKERS.get(case.kind)
    if make is not None:
        return make(case)
    if _draws(case) and case.kind != "time-to-train":
        return drawn_training(case)
    for left_out, why in _REFUSED:
        if left_out(case):
            raise UnsupportedCombination(why, task=case.task)
    return trained(case)
