"""Fits the class constants again on some of the cases, so that the rest tells how the model does on what it never saw.

A plain coordinate search on the mean of the capped logarithmic error, class by class, starting from the calibrated
constants moved to a neutral point; enough to show that no case is needed to predict its own kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp, log

from advisor.speed import calibration
from advisor.speed.cases import Case
from advisor.speed.constants import ClassConstants
from advisor.speed.demand import workload_class
from advisor.speed.rate import rate_of

Measured = tuple[Case, float]
"""A training or inference throughput case with its report."""

_FITTED = ("tensor_efficiency", "tf32_efficiency", "vector_efficiency", "vector_ops", "traffic", "fp32_traffic")
_FITTED_TOGETHER = ("imbalance", "overlap")
_NEUTRAL: Mapping[str, float] = {
    "tensor_efficiency": 0.7,
    "tf32_efficiency": 0.5,
    "vector_efficiency": 0.8,
    "fp32_traffic": 1.7,
    "imbalance": 0.02,
    "overlap": 0.5,
}
_CAP = 0.5
_SHARE = frozenset({"tensor_efficiency", "tf32_efficiency"})


def class_of(case: Case) -> str:
    """Key of the constants a case is predicted with."""
    kind = workload_class(case.workload.ml_model) if case.workload else ""
    return {"depthwise": "cnn", "vit": "encoder"}.get(kind, kind)


def log_error(case: Case, measured: float, classes: Mapping[str, ClassConstants]) -> float:
    """Logarithm of predicted over measured throughput."""
    assert case.workload is not None
    rate = rate_of(case.workload, case.gpu, case.n_gpus, stack=case.stack, classes=classes)
    return log(rate.per_second / measured)


def _loss(cases: Sequence[Measured], classes: Mapping[str, ClassConstants]) -> float:
    return sum(min(_CAP, abs(log_error(case, value, classes))) for case, value in cases) / len(cases)


def _moved(constants: ClassConstants, name: str, factor: float) -> ClassConstants:
    value = getattr(constants, name) * factor
    return replace(constants, **{name: min(value, 0.9) if name in _SHARE else value})


def _neutral(constants: ClassConstants) -> ClassConstants:
    return replace(constants, **dict(_NEUTRAL))


def refit(cases: Iterable[Measured], sweeps: int = 3) -> dict[str, ClassConstants]:
    """Class constants fitted on these cases alone; classes without cases keep the calibrated ones."""
    fitted = dict(calibration.CLASSES)
    by_class: dict[str, list[Measured]] = {}
    for one in cases:
        by_class.setdefault(class_of(one[0]), []).append(one)
    for kind, members in sorted(by_class.items()):
        if kind not in fitted or len(members) < 12:
            continue
        fitted[kind] = _neutral(fitted[kind])
        best = _loss(members, fitted)
        width = 0.4
        for _ in range(sweeps):
            for name in (*_FITTED, *_FITTED_TOGETHER):
                for factor in (exp(width), exp(-width)):
                    trial = {**fitted, kind: _moved(fitted[kind], name, factor)}
                    loss = _loss(members, trial)
                    if loss < best:
                        fitted, best = trial, loss
            width *= 0.5
    return fitted
