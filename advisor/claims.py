"""What sources say of a card, where they differ, and which peak figures may stand side by side.

A claim is one source's word. Where claims on one attribute differ by more than rounding, a ruling names the source
that is followed; without one the catalogue is faulty. Peak figures carry their counting basis: tensor cores with FP32
or FP16 accumulation, or the plain vector units, always dense. Two cards are only compared on one basis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from advisor.kept import kept
from advisor.models import Claim, Frozen, Gpu, Precision, Ruling, Step, step_of

ROUNDING = 0.015
"""Relative difference up to which two figures are the same one, rounded ("about 71" for 71.2, "1 TB/s" for 1008)."""


class PeakBasis(StrEnum):
    """How a peak figure is counted. All are dense; figures with sparsity are never stored."""

    TENSOR_FP32_ACCUMULATE = "tensor_fp32_accumulate"
    TENSOR_FP16_ACCUMULATE = "tensor_fp16_accumulate"
    TENSOR = "tensor"
    """Tensor units of a format without a choice of accumulator (TF32, FP8, INT8)."""
    VECTOR = "vector"
    """Plain shader units, no tensor cores."""


class Peak(Frozen):
    """One peak figure with everything needed to compare it honestly."""

    gpu: str
    precision: Precision
    basis: PeakBasis
    value: float
    unit: str
    attribute: str
    """Field of Gpu it is read from."""
    source: str
    verified: bool


_FIELDS: dict[tuple[Precision, PeakBasis], str] = {
    (Precision.FP32, PeakBasis.VECTOR): "fp32_tflops",
    (Precision.FP16, PeakBasis.TENSOR_FP32_ACCUMULATE): "fp16_tensor_fp32acc_tflops",
    (Precision.FP16, PeakBasis.TENSOR_FP16_ACCUMULATE): "fp16_tensor_fp16acc_tflops",
    (Precision.FP16, PeakBasis.VECTOR): "fp16_nontensor_tflops",
    (Precision.BF16, PeakBasis.TENSOR_FP32_ACCUMULATE): "bf16_tflops",
    (Precision.TF32, PeakBasis.TENSOR): "tf32_tflops",
    (Precision.FP8, PeakBasis.TENSOR): "fp8_tflops",
    (Precision.INT8, PeakBasis.TENSOR): "int8_tops",
}
_BASES: dict[Precision, tuple[PeakBasis, ...]] = {}
for _precision, _basis in _FIELDS:
    _BASES[_precision] = (*_BASES.get(_precision, ()), _basis)


def source_of(gpu: Gpu, attribute: str) -> str:
    """Source id of one attribute, empty when none is recorded."""
    return gpu.sources.get(attribute) or gpu.sources.get("*", "")


def sources_of(gpu: Gpu, attribute: str) -> tuple[str, ...]:
    """The same as the sources of a step: one id, or none."""
    source = source_of(gpu, attribute)
    return (source,) if source else ()


def comparable_peak(gpu: Gpu, precision: Precision, basis: PeakBasis) -> Peak | None:
    """The peak of a card in one number format, counted on exactly this basis; None when it is not known or has none."""
    attribute = _FIELDS.get((precision, basis))
    value = getattr(gpu, attribute) if attribute else None
    if attribute is None or value is None:
        return None
    return Peak(
        gpu=gpu.id,
        precision=precision,
        basis=basis,
        value=value,
        unit="TOPS" if attribute.endswith("_tops") else "TFLOPS",
        attribute=attribute,
        source=source_of(gpu, attribute),
        verified=attribute not in gpu.unverified,
    )


def common_basis(gpus: Sequence[Gpu], precision: Precision) -> PeakBasis | None:
    """The first basis on which every one of these cards has a figure; None when they share none."""
    for basis in _BASES.get(precision, ()):
        if all(comparable_peak(gpu, precision, basis) for gpu in gpus):
            return basis
    return None


def comparable_peaks(gpus: Sequence[Gpu], precision: Precision) -> tuple[Peak, ...]:
    """Peaks of several cards on the basis they share, in their order; empty when they share none."""
    basis = common_basis(gpus, precision)
    if basis is None:
        return ()
    return tuple(peak for gpu in gpus if (peak := comparable_peak(gpu, precision, basis)))


# --- claims ----------------------------------------------------------------------------------------------------------


def same_figure(one: object, other: object) -> bool:
    """Whether two values agree up to rounding."""
    numbers = [
        float(value) for value in (one, other) if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    if len(numbers) < 2:
        return one == other
    largest = max(abs(numbers[0]), abs(numbers[1]))
    return largest == 0 or abs(numbers[0] - numbers[1]) / largest <= ROUNDING


def value_claims(gpu: Gpu, attribute: str) -> tuple[Claim, ...]:
    """Every claim about one attribute, the catalogue's own value first."""
    value = getattr(gpu, attribute, None)
    own: tuple[Claim, ...] = ()
    if value is not None:
        if isinstance(value, date):
            value = value.isoformat()
        shown = value if isinstance(value, (int, float, str, bool)) else float(value)
        own = (Claim(entity=gpu.id, attribute=attribute, value=shown, source=source_of(gpu, attribute)),)
    return own + tuple(claim for claim in gpu.claims if claim.attribute == attribute)


def divergent_attributes(gpu: Gpu) -> tuple[str, ...]:
    """Attributes on which claims differ by more than rounding."""
    named = dict.fromkeys(claim.attribute for claim in gpu.claims)
    found = []
    for attribute in named:
        claims = value_claims(gpu, attribute)
        if any(not same_figure(claims[0].value, claim.value) for claim in claims[1:]):
            found.append(attribute)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Dissent:
    """Sources that differ on one attribute of a card, and the ruling."""

    gpu: str
    attribute: str
    followed: Claim
    others: tuple[Claim, ...]
    """Claims that say something else."""
    ruling: Ruling | None


def dissents(gpu: Gpu, rulings: tuple[Ruling, ...]) -> tuple[Dissent, ...]:
    """All dissents about a card."""
    found = []
    for attribute, followed, others in _differing(gpu):
        found.append(Dissent(gpu.id, attribute, followed, others, _by_key(rulings).get((gpu.id, attribute))))
    return tuple(found)


@kept(most=8)
def _by_key(rulings: tuple[Ruling, ...]) -> dict[tuple[str, str], Ruling]:
    return {(one.entity, one.attribute): one for one in rulings}


@kept(most=1024)
def _differing(gpu: Gpu) -> tuple[tuple[str, Claim, tuple[Claim, ...]], ...]:
    """Attributes on which claims differ, each with the claim that is followed and those that say something else."""
    found = []
    for attribute in divergent_attributes(gpu):
        claims = value_claims(gpu, attribute)
        others = tuple(claim for claim in claims[1:] if not same_figure(claims[0].value, claim.value))
        found.append((attribute, claims[0], others))
    return tuple(found)


def plain_value(value: object) -> float | int | str | bool | None:
    """A figure as a trail holds it: dates as ISO text, several sizes as one text, decimals as numbers."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, date):
        return value.isoformat()
    return ", ".join(f"{one:g}" for one in value) if isinstance(value, tuple) else float(str(value))


def claim_step(gpu: Gpu, attribute: str, unit: str = "") -> Step:
    """A catalogue figure as a step of a trail, with its source and the rows of the fact list that name it."""
    value = getattr(gpu, attribute)
    agreeing = [claim for claim in gpu.claims if claim.attribute == attribute and same_figure(claim.value, value)]
    source = source_of(gpu, attribute)
    return step_of(
        name=f"{gpu.name}: {attribute}",
        value=plain_value(value),
        unit=unit,
        how="claim",
        sources=tuple(dict.fromkeys(one for one in (source, *(claim.source for claim in agreeing)) if one)),
        rows=tuple(row for claim in agreeing for row in claim.rows),
    )
