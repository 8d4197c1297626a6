"""Which disk keeps up with a training, and how much room it wants."""

from __future__ import annotations

from advisor.errors import OutOfRange
from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.rules import given, rules
from advisor.models import Frozen, Step, note_of, step_of
from advisor.speed.loading import IMAGE_KB

KINDS = ("nvme", "ssd", "hdd")
_WEIGHT_BYTES, _CHECKPOINT_BYTES = 2, 14
_COPIES, _KEPT = 2, 3
"""Copies of the data while unpacking, and checkpoints kept."""
_SYSTEM_GB = 100.0
"""Operating system, CUDA, a few Python environments."""
_SIZES_GB = (256, 512, 1000, 2000, 4000, 8000)
_CLOSE = 0.7
"""Share of a disk's rate from which nothing is left for other readers."""


class DiskRate(Frozen):
    """What a kind of disk gives in random access, MB/s."""

    kind: str
    read: float
    write: float
    times_hdd: float
    images_per_s: float
    """Pictures of ImageNet size."""


def disk_rates() -> tuple[DiskRate, ...]:
    """The documents' table, fastest first."""
    kinds = rules().disk.kinds
    slow = kinds["hdd"].read
    return tuple(
        DiskRate(
            kind=kind,
            read=kinds[kind].read,
            write=kinds[kind].write,
            times_hdd=kinds[kind].read / slow,
            images_per_s=kinds[kind].read * 1000 / IMAGE_KB,
        )
        for kind in KINDS
    )


def samples_per_s(disk: str | float, sample_kb: float) -> Step:
    """Most samples a second that a disk delivers: its rate over the size of one sample.

    Raises:
        OutOfRange: an unknown kind of disk, or a rate or size that is not above zero.
    """
    rule = rules().disk
    if isinstance(disk, str):
        if disk not in rule.kinds:
            raise OutOfRange("the disk must be nvme, ssd, hdd or a figure in MB/s", name="disk", value=disk)
        rate, rows = rule.kinds[disk].read, rule.kinds[disk].rows
    else:
        rate, rows = float(disk), ()
    if not (0 < rate < 1e7 and 0 < sample_kb < 1e9):
        raise OutOfRange("rate and sample size must be above zero", name="disk", value=rate)
    return step_of(
        name="samples_per_s",
        value=rate * 1000 / sample_kb,
        unit="samples/s",
        how="disk MB/s / MB of one sample",
        inputs=(
            step_of(
                name="disk", value=rate, unit="MB/s", how="claim", sources=(rule.source,), as_of=rule.as_of, rows=rows
            ),
            given("sample", sample_kb, "kB"),
        ),
        sources=(rule.source,),
        rows=rule.bound.rows,
    )


def example_rate() -> Step:
    """MB/s that eight V100 read at the documents' 8000 pictures a second."""
    example = rules().disk.example
    return step_of(
        name="eight_v100_read",
        value=example.images_per_s * IMAGE_KB / 1000,
        unit="MB/s",
        how="pictures a second x size of one",
        inputs=(
            step_of(
                name="images_per_s",
                value=example.images_per_s,
                how="claim",
                sources=(example.source,),
                as_of=example.as_of,
                rows=example.rows,
            ),
            step_of(name="image", value=IMAGE_KB, unit="kB", how="ImageNet: 148 GB over 1.28 million files"),
        ),
    )


def _gb(parameters: float | None, bytes_each: int) -> float | None:
    """Room for so many bytes a parameter; None without a model."""
    return parameters * bytes_each / 1e9 if parameters else None


def space_need(dataset_gb: float | None = None, parameters: float | None = None) -> Item:
    """Room for data and models: the data twice (packed and unpacked), weights in 16 bits, checkpoints with optimizer.

    A checkpoint that can resume holds 14 bytes a parameter: 16-bit weights, a 32-bit copy and two moments.
    """
    weights, checkpoint = _gb(parameters, _WEIGHT_BYTES), _gb(parameters, _CHECKPOINT_BYTES)
    total = (_COPIES * (dataset_gb or 0.0)) + (weights or 0.0) + _KEPT * (checkpoint or 0.0) + _SYSTEM_GB
    values = {
        "data": dataset_gb,
        "weights": weights,
        "checkpoint": checkpoint,
        "kept": _KEPT,
        "total": total,
        "size": next((size for size in _SIZES_GB if size >= total), None),
        "system": _SYSTEM_GB,
    }
    known = dataset_gb is not None or parameters is not None
    stated = (("data", dataset_gb), ("weights", weights))
    step = step_of(
        name="disk_space",
        value=round(total),
        unit="GB",
        how="2 x data + weights + 3 checkpoints of 14 bytes a parameter + system and packages",
        inputs=tuple(given(name, amount, "GB") for name, amount in stated if amount),
    )
    return Item(
        name="space",
        verdict=Verdict.OPEN,
        headline=note_of("machine_space_need" if known else "machine_space_rule", values),
        reasons=(note_of("machine_space_why", values),),
        steps=(step,),
    )


def check_disk(machine: Machine) -> Item:
    """Verdict on a stated disk, against the wanted rate when that is known."""
    rule = rules().disk
    rates = {rate.kind: rate for rate in disk_rates()}
    rate = machine.disk_mb_per_s or (rates[machine.disk].read if machine.disk in rates else None)
    example = example_rate()
    values = {
        "disk": machine.disk,
        "rate": rate,
        "wanted": machine.wanted_mb_per_s,
        "rates": [rates[kind].model_dump() for kind in KINDS],
        "example": example.value,
        "images": rule.example.images_per_s,
        "gpus": rule.example.gpus,
    }
    verdict, code = _verdict(machine.disk, rate, machine.wanted_mb_per_s)
    steps = [rule.bound.step("disk_may_be_the_limit"), example]
    steps += [
        step_of(
            name=kind,
            value=rule.kinds[kind].read,
            unit="MB/s",
            how="claim",
            sources=(rule.source,),
            as_of=rule.as_of,
            rows=rule.kinds[kind].rows,
        )
        for kind in KINDS
    ]
    reasons = [note_of("machine_disk_rates", values), note_of("machine_disk_example", values)]
    if machine.disk == "hdd" or not machine.disk:
        reasons.append(note_of("machine_disk_hdd_small"))
    return Item(
        name="disk",
        verdict=verdict,
        headline=note_of(code, values),
        reasons=tuple(reasons),
        actions=(note_of("machine_disk_pack"),) + ((note_of("machine_disk_rented"),) if machine.rented else ()),
        steps=tuple(steps),
        conflicts=("E29", "E30"),
    )


def _verdict(disk: str, rate: float | None, wanted: float | None) -> tuple[Verdict, str]:
    if rate is None:
        return Verdict.OPEN, "machine_disk_choose"
    if wanted:
        if wanted > rate:
            return Verdict.FAIL, "machine_disk_behind"
        if wanted > _CLOSE * rate:
            return Verdict.WARN, "machine_disk_close"
        return Verdict.PASS, "machine_disk_keeps_up"
    if disk == "hdd" or rate <= rules().disk.kinds["hdd"].read:
        return Verdict.WARN, "machine_disk_hdd"
    return Verdict.PASS, "machine_disk_fine"
