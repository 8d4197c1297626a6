"""Fits the calibrated constants to published cases, and fits them again without some, to see how well they carry over.

A coordinate search in the logarithm of each constant. Each family of sources weighs the same, however many rows it
has; errors are cut off so that a few odd reports cannot pull a constant. A constant is only searched on the cases it
touches. Nothing here runs when an estimate is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from advisor.memory import activations
from advisor.memory.calibration import CALIBRATION, Calibration
from advisor.memory.cases import Case
from advisor.memory.formats import GGUF
from advisor.memory.job import Job
from advisor.memory.parts import GIB, parts_of
from advisor.memory.shapes import shape_of
from advisor.memory.stacks import STACKS

FITTED: Final = (
    "norm_units_rms",
    "norm_units_layer",
    "encoder_units",
    "adapter_input_units",
    "quantised_input_units",
    "attention_copies",
    "relative_attention_copies",
    "compiled_share",
    "staging_bytes",
    "sharding_load",
    "bucket_bytes",
    "vision_fp32_bytes",
    "vision_half_share",
    "diffusion_fp32_gib",
    "diffusion_scores_gib",
    "diffusion_decode_gib",
    "diffusion_units",
    "dynamic_factor",
)
"""Constants that cases decide; the others are set by counting or by single observations."""

_CUT: Final = 0.35
_STEPS: Final = (1.12, 1.04)
_PROBE: Final = 1.3
"""Factor by which a constant is moved to see which cases it touches."""
_TOUCHED: Final = 1e-3


class Side(StrEnum):
    """What a report says of the need: its size, or only a bound."""

    EXACT = "exact"
    AT_MOST = "at most"
    """A card filled on purpose, or words like "under 5 GB": the job needs that or less."""
    AT_LEAST = "at least"


@dataclass(frozen=True, slots=True)
class Measured:
    """A case with what was measured, kept apart from the predictor."""

    case: Case
    gib: float
    side: Side = Side.EXACT

    def off(self, predicted: float) -> float:
        """Logarithm of measured over predicted; nothing where a prediction is on the open side of a bound."""
        found = math.log(self.gib / predicted)
        if self.side is Side.AT_MOST:
            return min(found, 0.0)
        return max(found, 0.0) if self.side is Side.AT_LEAST else found


def predicted_gib(case: Case, calibration: Calibration = CALIBRATION) -> float:
    """The figure a case's own metric would show, in GiB."""
    if case.only == "kv_cache":
        return activations.kv_cache(case.job, shape_of(case.job.model)) / case.job.tensor / GIB
    if case.only == "loss":
        return activations.loss_alone(case.job, shape_of(case.job.model), calibration) / GIB
    total = parts_of(case.job, case.metric, calibration).total
    if case.summed:
        total *= case.job.n_gpus
    total = max(total, case.takes_gib)
    return min(total, case.most_gib) if case.most_gib else total


def _error(one: Measured, calibration: Calibration) -> float:
    """Absolute logarithm of predicted over measured, cut off at 35 %."""
    return min(abs(one.off(predicted_gib(one.case, calibration))), _CUT)


def loss(cases: Sequence[Measured], calibration: Calibration) -> float:
    """Mean over families of the mean error of their cases. `cases` must not be empty."""
    families = grouped(cases).values()
    return sum(sum(_error(one, calibration) for one in family) / len(family) for family in families) / len(families)


def touched_by(cases: Iterable[Measured], calibration: Calibration = CALIBRATION) -> dict[str, list[Measured]]:
    """For each fitted constant the cases whose prediction it changes."""
    found: dict[str, list[Measured]] = {name: [] for name in FITTED}
    moved = {name: replace(calibration, **{name: getattr(calibration, name) * _PROBE}) for name in FITTED}
    for one in cases:
        base = predicted_gib(one.case, calibration)
        for name, trial in moved.items():
            if abs(predicted_gib(one.case, trial) / base - 1.0) > _TOUCHED:
                found[name].append(one)
    return found


def refit(
    cases: Sequence[Measured],
    start: Calibration = CALIBRATION,
    sweeps: int = 2,
    touched: Mapping[str, Sequence[Measured]] | None = None,
) -> Calibration:
    """Constants that fit these cases best, searched one at a time from `start`.

    Args:
        cases: what to fit to.
        start: where the search begins.
        sweeps: rounds over all constants for each of two widths of step.
        touched: cases by constant, where they are known; constants that are not named stay.
    """
    chosen = {id(one) for one in cases}
    sets = {
        name: [one for one in members if id(one) in chosen]
        for name, members in (touched if touched is not None else touched_by(cases, start)).items()
    }
    best = start
    for step in _STEPS:
        for _ in range(sweeps):
            better = _sweep(sets, step, best)
            if better is best:
                break
            best = better
    return best


def _sweep(sets: Mapping[str, Sequence[Measured]], step: float, start: Calibration) -> Calibration:
    """One round over the constants; `start` itself where nothing became better."""
    best = start
    for name, members in sets.items():
        if not members:
            continue
        best_loss = loss(members, best)
        for factor in (step, 1.0 / step):
            trial = replace(best, **{name: getattr(best, name) * factor})
            trial_loss = loss(members, trial)
            if trial_loss < best_loss - 1e-6:
                best, best_loss = trial, trial_loss
    return best


def in_plain_stack(job: Job) -> Job:
    """The same job as if nothing were known about its software beyond what usually does such a job."""
    if job.weights.name in GGUF:
        return job._replace(stack=STACKS["llama.cpp"])
    text = job.model.modality not in ("vision", "image-gen", "speech")
    if not text:
        return job._replace(stack=STACKS["pytorch" if job.model.modality == "vision" else "diffusers"])
    return job._replace(stack=STACKS["unknown" if job.optimizer.value != "none" else "engine"])


def grouped(cases: Iterable[Measured]) -> Mapping[str, list[Measured]]:
    """Cases by source family, in order of appearance."""
    groups: dict[str, list[Measured]] = {}
    for one in cases:
        groups.setdefault(one.case.group, []).append(one)
    return groups
