"""What a card is: one figure, a sheet, or cards side by side, each figure with its counting basis and source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from advisor.claims import Dissent, claim_step, dissents, plain_value, source_of
from advisor.models import Frozen, Gpu, Ruling, Step, step_of

if TYPE_CHECKING:
    from advisor.catalog import Catalog

Value = float | int | str | bool | tuple[float, ...] | None

UNITS: dict[str, str] = {
    "vram_gib": "GiB",
    "memory_options_gib": "GiB",
    "memory_bandwidth_gb_per_s": "GB/s",
    "fp32_tflops": "TFLOPS",
    "fp16_nontensor_tflops": "TFLOPS",
    "fp16_tensor_fp32acc_tflops": "TFLOPS",
    "fp16_tensor_fp16acc_tflops": "TFLOPS",
    "bf16_tflops": "TFLOPS",
    "tf32_tflops": "TFLOPS",
    "fp8_tflops": "TFLOPS",
    "fp4_tflops": "TFLOPS",
    "fp64_tflops": "TFLOPS",
    "bus_width_bit": "bit",
    "length_mm": "mm",
    "int8_tops": "TOPS",
    "board_power_w": "W",
    "nvlink_gb_per_s": "GB/s",
    "msrp_usd": "USD",
}
SHEET = (
    *("vram_gib", "memory_options_gib", "memory_type", "memory_bandwidth_gb_per_s", "fp32_tflops"),
    *("fp16_tensor_fp32acc_tflops", "fp16_tensor_fp16acc_tflops", "fp16_nontensor_tflops", "tf32_tflops"),
    *("bf16_supported", "bf16_tflops", "fp8_tflops", "int8_tops", "tensor_cores", "board_power_w", "slots"),
    *("form_factor", "nvlink_gb_per_s", "architecture", "compute_capability", "min_cuda", "last_cuda"),
    *("release_date", "msrp_usd"),
    *("cores", "sm_count", "bus_width_bit", "fp64_tflops", "fp4_tflops", "pcie_gen", "pcie_lanes"),
    *("mount", "power_connector", "display_outputs", "length_mm"),
)
"""Attributes of a full sheet in the order people look for them."""
CORE = (
    *("vram_gib", "memory_bandwidth_gb_per_s", "board_power_w", "fp32_tflops", "fp16_tensor_fp32acc_tflops"),
    *("fp8_tflops", "int8_tops"),
)
"""Figures that decide answers: each needs two witnesses, or the mark that it has one."""
BASES: dict[str, str] = {
    "fp16_tensor_fp32acc_tflops": "tensor_fp32_accumulate",
    "fp16_tensor_fp16acc_tflops": "tensor_fp16_accumulate",
    "fp16_nontensor_tflops": "vector",
    "fp32_tflops": "vector",
    "bf16_tflops": "tensor_fp32_accumulate",
    "tf32_tflops": "tensor",
    "fp8_tflops": "tensor",
    "fp4_tflops": "tensor",
    "fp64_tflops": "vector",
    "int8_tops": "tensor",
}
_MONTH = len("2026-11")
_TENSORLESS = ("Fermi", "Kepler", "Maxwell", "Pascal", "Turing")
"""Architectures without tensor cores; a Turing card that has them states their generation."""


class SpecValue(Frozen):
    """One figure of one card."""

    gpu: str
    gpu_name: str
    attribute: str
    value: Value
    """None: not known."""
    unit: str = ""
    basis: str = ""
    """Counting basis of a peak figure (always dense)."""
    verified: bool = True
    source: str = ""
    as_of: date | None = None
    step: Step


class SpecTable(Frozen):
    """Cards side by side: `rows[i][j]` is attribute i of card j."""

    gpus: tuple[str, ...]
    names: tuple[str, ...]
    attributes: tuple[str, ...]
    rows: tuple[tuple[SpecValue, ...], ...]

    @property
    def known(self) -> tuple[tuple[SpecValue, ...], ...]:
        """Rows in which at least one card has a value."""
        return tuple(row for row in self.rows if any(cell.value not in (None, ()) for cell in row))

    @property
    def steps(self) -> tuple[Step, ...]:
        """Trails of all known values."""
        return tuple(cell.step for row in self.rows for cell in row if cell.value not in (None, ()))

    @property
    def sources(self) -> tuple[str, ...]:
        """Source ids in order of appearance."""
        return tuple(dict.fromkeys(source for step in self.steps for source in step.sources))


def has_tensor_cores(gpu: Gpu) -> bool | None:
    """Whether a card has tensor or matrix units; None when that is not known."""
    if gpu.tensor_core_gen or gpu.fp16_tensor_fp32acc_tflops:
        return True
    if gpu.vendor != "NVIDIA":
        return None
    older = gpu.architecture.startswith(_TENSORLESS) or gpu.series.startswith("GTX")
    return False if older else None


_VALUES: WeakKeyDictionary[Catalog, dict[tuple[str, str], SpecValue]] = WeakKeyDictionary()
"""Figures made once per catalogue, which is immutable."""


def spec_value(catalog: Catalog, gpu: Gpu, attribute: str) -> SpecValue:
    """One attribute of a card. `tensor_cores` is derived from generation and architecture."""
    kept = _VALUES.setdefault(catalog, {})
    key = (gpu.id, attribute)
    if key not in kept:
        kept[key] = _spec_value(catalog, gpu, attribute)
    return kept[key]


def _spec_value(catalog: Catalog, gpu: Gpu, attribute: str) -> SpecValue:
    value: Value
    if attribute == "tensor_cores":
        value = cores = gpu.tensor_core_gen or has_tensor_cores(gpu)
        source = source_of(gpu, "tensor_core_gen")
        step = step_of(name=f"{gpu.name}: {attribute}", value=cores, how="claim", sources=(source,) if source else ())
    else:
        raw = getattr(gpu, attribute) or None if attribute == "mount" else getattr(gpu, attribute)
        value = raw if isinstance(raw, tuple) else plain_value(raw)
        if attribute == "release_date" and isinstance(value, str) and gpu.release_precision == "month":
            value = value[:_MONTH]
        source = source_of(gpu, attribute)
        step = claim_step(gpu, attribute, UNITS.get(attribute, ""))
    record = catalog.sources.get(source)
    return SpecValue(
        gpu=gpu.id,
        gpu_name=gpu.name,
        attribute=attribute,
        value=value,
        unit=UNITS.get(attribute, ""),
        basis=BASES.get(attribute, ""),
        verified=attribute not in gpu.unverified,
        source=source,
        as_of=record.as_of if record else None,
        step=step,
    )


def spec_table(catalog: Catalog, gpus: Sequence[Gpu], attributes: Sequence[str] = SHEET) -> SpecTable:
    """Several cards side by side in these attributes."""
    return SpecTable.model_construct(  # parts are validated values already
        gpus=tuple(gpu.id for gpu in gpus),
        names=tuple(gpu.name for gpu in gpus),
        attributes=tuple(attributes),
        rows=tuple(tuple(spec_value(catalog, gpu, attribute) for gpu in gpus) for attribute in attributes),
    )


def spec_dissents(gpus: Sequence[Gpu], attributes: Sequence[str], rulings: tuple[Ruling, ...]) -> tuple[Dissent, ...]:
    """Where sources differ on what is shown of these cards."""
    wanted = set(attributes)
    return tuple(one for gpu in gpus if gpu.claims for one in dissents(gpu, rulings) if one.attribute in wanted)
