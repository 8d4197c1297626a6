"""`check_fit`: need against what a card really gives, and how sure that is."""

from __future__ import annotations

from typing import Final, NamedTuple

from advisor.memory.bands import BANDS, Band, probability_of_fit
from advisor.memory.estimate import estimate_memory
from advisor.memory.figure import Figure, figure_of
from advisor.memory.limits import check_vram
from advisor.memory.results import FitResult, MemoryEstimate, Verdict
from advisor.models import Banded, Gpu, Note, Workload, note_of

SURE: Final = 0.95
"""Probability from which a job is said to fit."""
LIKELY: Final = 0.25
"""Probability below which it is said not to fit; in between it is tight."""
BY_A_HAIR: Final = 0.05
"""Probability from which a job that does not fit is called just too big: leaner software might hold it."""
_DESKTOP_GIB: Final = 0.5
"""What a driver and an idle desktop keep on a consumer card (nvidia-smi on an idle desktop shows 0.3 to 0.8 GiB)."""
_NOTEBOOK_GIB: Final = 0.25
"""What the driver keeps in a notebook, whose desktop is drawn by the processor's graphics (NVIDIA Optimus)."""
_ECC_SHARE: Final = 15.0 / 16.0
"""GDDR cards of data centres keep one sixteenth for error correction (T4: 15.0 of 16 GB, A10: 22.5 of 24)."""
_DRIVER_GIB: Final = 0.4
"""What the driver keeps of the rest before any program starts: PyTorch finds 14.6 to 14.75 GiB on a T4, 22.0 to 22.2 on
an A10 or L4, 44.4 to 44.5 on an L40S ("total capacity" of its error messages)."""
_HBM_SHARE: Final = 0.985
"""HBM cards show a little less than their nominal size (A100 80GB: 79.3 GiB at most)."""
_UNIFIED_SHARE: Final = 0.75
"""Share of its RAM that macOS lets the GPU wire down by default on larger machines; about two thirds below 36 GB."""
_UNIFIED_SMALL: Final = (36.0, 0.67)
_MODULE_SYSTEM_GIB: Final = 1.5
"""What a module whose GPU shares its memory leaves to the system, assumed."""
_BAND_DEFAULT: Final = next(iter(BANDS.values()))


def usable_gib(gpu: Gpu | None, nominal_gib: float) -> float:
    """Memory a job can get from a card of this nominal size."""
    if gpu is None:
        return _beside_a_desktop(nominal_gib)
    if gpu.unified_memory:
        small, share = _UNIFIED_SMALL
        return nominal_gib * (share if nominal_gib <= small else _UNIFIED_SHARE)
    if "shared memory" in (gpu.form_factor or ""):
        return max(nominal_gib - _MODULE_SYSTEM_GIB, 0.6 * nominal_gib)
    if gpu.form_factor == "laptop":
        return nominal_gib - min(_NOTEBOOK_GIB, 0.1 * nominal_gib)
    if (gpu.memory_type or "").startswith("HBM"):
        return nominal_gib * _HBM_SHARE
    if "data center" in gpu.family.lower():
        return nominal_gib * _ECC_SHARE - min(_DRIVER_GIB, 0.1 * nominal_gib)
    return _beside_a_desktop(nominal_gib)


def _beside_a_desktop(nominal_gib: float) -> float:
    return max(nominal_gib - _DESKTOP_GIB, 0.9 * nominal_gib)


def verdict_of(need: float, probability: float, usable: float) -> Verdict:
    """Words for a need against what is usable: the same everywhere.

    What is expected to need more than there is does not fit, however wide its band.
    """
    if need > usable or probability < LIKELY:
        return Verdict.NO
    return Verdict.FITS if probability >= SURE else Verdict.TIGHT


def band_in(need: Banded) -> Band:
    """The band that an estimate carries."""
    return Band(need.low / need.value, need.high / need.value) if need.value > 0 else _BAND_DEFAULT


class Fit(NamedTuple):
    """A need against a card, in numbers alone; fields as in `FitResult`."""

    verdict: Verdict
    probability: float | None
    nominal_gib: float | None
    usable_gib: float | None
    margin_gib: float | None


_FIT_UNKNOWN: Final = Fit(Verdict.UNKNOWN, None, None, None, None)


def fit_of(need: Banded, gpu: Gpu | None, vram_gib: float | None = None) -> Fit:
    """Whether a need worked out before fits a card: `fit_estimate` without its remarks, for asking many cards.

    Raises OutOfRange for a memory size that no card has.
    """
    nominal = vram_gib if vram_gib is not None else (gpu.vram_gib if gpu else None)
    if nominal is None:
        return _FIT_UNKNOWN
    check_vram(nominal)
    usable = usable_gib(gpu, nominal)
    probability = probability_of_fit(need.value, band_in(need), usable)
    return Fit(verdict_of(need.value, probability, usable), probability, nominal, usable, usable - need.value)


def fit_estimate(estimate: MemoryEstimate, gpu: Gpu | None, vram_gib: float | None = None) -> FitResult:
    """Whether an estimate made before fits a card.

    Raises OutOfRange for a memory size that no card has.
    """
    return fit_result(fit_of(estimate.total, gpu, vram_gib), estimate, gpu)


def fit_result(fit: Fit, estimate: MemoryEstimate, gpu: Gpu | None) -> FitResult:
    """A fit with the estimate it rests on and its remarks."""
    notes: tuple[Note, ...] = (note_of("memory_of_card_unknown"),)
    if fit.nominal_gib is not None:
        notes = _notes(fit, estimate, gpu)
    return FitResult(
        verdict=fit.verdict, probability=fit.probability, need=estimate.total, nominal_gib=fit.nominal_gib,
        usable_gib=fit.usable_gib, margin_gib=fit.margin_gib, n_gpus=estimate.n_gpus, gpu=gpu, estimate=estimate,
        notes=notes,
    )  # fmt: skip


def _notes(fit: Fit, estimate: MemoryEstimate, gpu: Gpu | None) -> tuple[Note, ...]:
    nominal, usable, n = fit.nominal_gib, fit.usable_gib, estimate.n_gpus
    if gpu is not None and gpu.unified_memory and nominal and usable is not None:
        notes = [note_of("memory_unified", {"share": usable / nominal})]
    else:
        notes = [note_of("memory_usable_below_nominal", {"nominal": nominal, "usable": usable})]
    if n > 1:
        notes.append(note_of("memory_split", {"n": n, "parallel": estimate.parallel.value}))
    return tuple(notes)


def fit_on(workload: Workload, gpu: Gpu | None, n_gpus: int = 1, vram_gib: float | None = None) -> tuple[Fit, Figure]:
    """`check_fit` in numbers alone: the verdict and the need behind it. Raises as `check_fit` does."""
    if n_gpus != 1:
        workload = workload.model_copy(update={"n_gpus": n_gpus})
    figure = figure_of(workload)
    return fit_of(figure, gpu, vram_gib), figure


def check_fit(workload: Workload, gpu: Gpu | None, n_gpus: int = 1, vram_gib: float | None = None) -> FitResult:
    """Whether a job fits a card, or each of `n_gpus` cards that share it.

    Args:
        workload: the job; `n_gpus` of the call wins over the workload's own when it is larger than 1.
        gpu: the card, or None when only its memory is known.
        n_gpus: cards that share the job.
        vram_gib: memory per card, for cards with several sizes, modified cards and unified memory.

    Raises:
        OutOfRange, UnsupportedCombination: see estimate_memory.
    """
    if n_gpus != 1:
        workload = workload.model_copy(update={"n_gpus": n_gpus})
    return fit_estimate(estimate_memory(workload, gpu), gpu, vram_gib)
