"""How fast a host hands samples to its cards: cores decode, the disk delivers."""

from __future__ import annotations

from math import ceil, isfinite

from advisor.errors import OutOfRange
from advisor.models import step_of
from advisor.speed.bands import banded
from advisor.speed.results import LoadingBound

IMAGES_PER_CORE = 200.0
"""JPEGs of ImageNet size that one DataLoader worker decodes a second: 160 to 350 on five server CPUs with 8 workers
(arXiv 2605.08731, table 4); cropping and flipping take their share."""
_CORE_SPREAD = 0.5
IMAGE_KB = 115.0
"""Mean file of ImageNet: 148 GB over 1.28 million."""

DISK_MB_PER_S: dict[str, tuple[float, str]] = {
    "nvme": (2400.0, "001-052"),
    "ssd": (500.0, "001-053"),
    "hdd": (200.0, "001-054"),
}
"""Random reading by kind of disk as the rental guide states it, with its row."""


def data_loading_bound(
    cores: int,
    disk: str | float = "nvme",
    *,
    wanted_per_s: float = 0.0,
    sample_kb: float = IMAGE_KB,
    per_core: float = IMAGES_PER_CORE,
) -> LoadingBound:
    """Samples a second that cores and disk can deliver, and what keeping up with a wanted rate would take.

    Args:
        cores: CPU cores that load data.
        disk: nvme | ssd | hdd, or MB/s.
        wanted_per_s: what the cards would use up.
        sample_kb: mean size of a sample on disk in kB.
        per_core: samples a core prepares a second; less with heavy augmentation, more for prepared arrays.

    Raises:
        OutOfRange: numbers that are not above zero and finite, or an unknown kind of disk.
    """
    for name, value in (("cores", cores), ("sample_kb", sample_kb), ("per_core", per_core)):
        if not isfinite(value) or not 0 < value <= 1e9:
            raise OutOfRange(f"{name} must be above zero", name=name, value=value)
    if not isfinite(wanted_per_s) or wanted_per_s < 0:
        raise OutOfRange("wanted_per_s must not be negative", name="wanted_per_s", value=wanted_per_s)
    speed, row = DISK_MB_PER_S.get(disk, (0.0, "")) if isinstance(disk, str) else (float(disk), "001-055")
    if not speed > 0:
        raise OutOfRange("the disk must be nvme, ssd, hdd or a figure in MB/s", name="disk", value=disk)
    by_cpu, by_disk = cores * per_core, speed * 1000.0 / sample_kb
    value = min(by_cpu, by_disk)
    trace = step_of(
        name="loading_bound",
        value=value,
        unit="samples/s",
        how="smaller of cores x samples per core and disk speed / sample size",
        inputs=(
            step_of(
                name="by_cpu", value=by_cpu, unit="samples/s", how="cores x samples per core", sources=("speed-jpeg",)
            ),
            step_of(
                name="by_disk",
                value=by_disk,
                unit="samples/s",
                how="disk MB/s / MB per sample",
                sources=("seed-001",),
                rows=("001-055", row) if row != "001-055" else ("001-055",),
            ),
        ),
        rows=("001-055",),
    )
    return LoadingBound(
        samples_per_s=banded(value, _CORE_SPREAD if by_cpu < by_disk else 0.2, "samples/s", "host side", trace),
        by_cpu=by_cpu,
        by_disk=by_disk,
        limit="cpu" if by_cpu < by_disk else "disk",
        cores_needed=ceil(wanted_per_s / per_core),
        disk_mb_per_s_needed=wanted_per_s * sample_kb / 1000.0,
        keeps_up=value >= wanted_per_s,
    )
