"""Which CUDA, driver and framework a card works with."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.claims import sources_of
from advisor.machine.builds import (
    builds_for,
    builds_of_release,
    builds_with,
    family_driver,
    find_driver,
    in_build,
    newest_cuda_of_driver,
    runs_code_of,
    split_framework,
    works_with,
)
from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.rules import given, rules, version
from advisor.models import Gpu, Note, Step, note_of, step_of


def check_driver(cuda: str) -> Item | None:
    """Driver that a stated CUDA needs; None for a version that is not on record."""
    rule, drivers = rules().compat, find_driver(cuda)
    if drivers is None:
        return None
    values = {
        "cuda": cuda,
        "cuda_driver": drivers[0],
        "cuda_driver_windows": drivers[1],
        "family_driver": family_driver(cuda),
        "family": version(cuda)[0],
    }
    steps = [step_of(name="driver", value=drivers[0], how="claim", sources=(rule.drivers_source,))]
    if values["family_driver"]:
        steps.append(
            step_of(name="family_driver", value=family_driver(cuda), how="claim", sources=(rule.families_source,))
        )
    return Item(
        name="driver",
        verdict=Verdict.OPEN,
        headline=note_of("machine_driver_need", values),
        reasons=(note_of("machine_driver_family", values), note_of("machine_driver_newer")),
        actions=(note_of("machine_cuda_wheel"),),
        steps=tuple(steps),
    )


_MODULES = "Jetson"
"""Family of modules whose CUDA comes with their system image, so that the tables of cards do not hold for them."""


def check_compat(machine: Machine, label: str = "") -> Item:
    """Verdict on card and CUDA or framework as stated; else the versions to install.

    Args:
        machine: its first card, with CUDA, driver or framework as far as stated.
        label: what to call the card when it stands for a family.
    """
    gpu = machine.cards[0].gpu
    if gpu.vendor != "NVIDIA":
        return Item(
            name="cuda",
            verdict=Verdict.FAIL,
            headline=note_of("machine_cuda_not_nvidia", {"gpu": gpu.name, "vendor": gpu.vendor}),
        )
    if gpu.family == _MODULES:
        return Item(name="cuda", verdict=Verdict.OPEN, headline=note_of("machine_cuda_module", {"gpu": gpu.name}))
    values = _values(gpu, machine) | ({"gpu": label} if label else {})
    verdict, code = _verdict(gpu, machine)
    return Item(
        name="cuda",
        verdict=verdict,
        headline=note_of(code, values),
        reasons=_reasons(gpu, machine, values, code),
        actions=_actions(gpu, values),
        steps=_steps(gpu, machine),
        conflicts=("E19",) if gpu.architecture == "Ampere" else (),
    )


# --- parts -----------------------------------------------------------------------------------------------------------


def _verdict(gpu: Gpu, machine: Machine) -> tuple[Verdict, str]:
    if gpu.min_cuda is None:
        return Verdict.OPEN, "machine_cuda_unknown"
    name, release = split_framework(machine.framework)
    by_framework = _framework_verdict(gpu, release) if name == "pytorch" and release else None
    if by_framework and by_framework[0] is Verdict.FAIL:
        return by_framework
    if machine.cuda:
        return _cuda_verdict(gpu, machine.cuda)
    return by_framework or (Verdict.OPEN, "machine_cuda_need")


def _cuda_verdict(gpu: Gpu, cuda: str) -> tuple[Verdict, str]:
    if works_with(gpu, cuda):
        return Verdict.PASS, "machine_cuda_yes"
    if runs_code_of(gpu, cuda):
        return Verdict.WARN, "machine_cuda_by_code"
    too_new = gpu.last_cuda is not None and version(cuda) > version(gpu.last_cuda)
    return Verdict.FAIL, "machine_cuda_too_new" if too_new else "machine_cuda_too_old"


def _framework_verdict(gpu: Gpu, release: str) -> tuple[Verdict, str]:
    if release not in rules().compat.pytorch:
        older = version(release) < min(map(version, rules().compat.pytorch))
        return Verdict.OPEN, "machine_torch_older" if older else "machine_torch_unknown"
    holds = [in_build(gpu, build) for build in builds_of_release(release)]
    if all(holds):
        return Verdict.PASS, "machine_torch_yes"
    return (Verdict.WARN, "machine_torch_some") if any(holds) else (Verdict.FAIL, "machine_torch_no")


def _oldest() -> str:
    """Where the table of releases begins: older ones may work too, so it is nobody's minimum."""
    return min(rules().compat.pytorch, key=version)


def _driver_pair(cuda: str | None) -> tuple[str | None, str | None]:
    """Drivers that a toolkit came with, for Linux and Windows; nothing for one that is not stated or not on record."""
    return (find_driver(cuda) if cuda else None) or (None, None)


def _release_values(gpu: Gpu, release: str) -> dict[str, object]:
    """Builds of the release that was named: those that hold code for the card, and the others."""
    named = [(build.cuda, bool(in_build(gpu, build))) for build in builds_of_release(release)]
    return {
        "release": release,
        "release_builds": [cuda for cuda, holds in named if holds],
        "release_left_out": [cuda for cuda, holds in named if not holds],
    }


def _build_values(gpu: Gpu) -> dict[str, object]:
    """The newest and the first PyTorch build that hold code for the card."""
    rule, builds = rules().compat, builds_for(gpu)
    newest, oldest = (builds[0], builds[-1]) if builds else (None, None)
    return {
        "newest": newest.model_dump() if newest else None,
        "first": oldest.model_dump() if oldest and oldest.pytorch != _oldest() else None,
        "newest_release": rule.pytorch_newest,
        "current": newest is not None and newest.pytorch == rule.pytorch_newest,
        "build_driver": family_driver(newest.cuda) if newest else None,
    }


def _values(gpu: Gpu, machine: Machine) -> dict[str, object]:
    rule = rules().compat
    _, release = split_framework(machine.framework)
    driver, driver_windows = _driver_pair(gpu.min_cuda)
    cuda_driver, cuda_driver_windows = _driver_pair(machine.cuda)
    return {
        "gpu": gpu.name,
        "sm": (gpu.compute_capability or "").replace(".", ""),
        "capability": gpu.compute_capability,
        "architecture": gpu.architecture,
        "min": gpu.min_cuda,
        "last": gpu.last_cuda,
        "unverified": not {"min_cuda", "last_cuda"}.isdisjoint(gpu.unverified),
        "cuda": machine.cuda,
        **_release_values(gpu, release),
        **_build_values(gpu),
        "driver": driver,
        "driver_windows": driver_windows,
        "cuda_driver": cuda_driver,
        "cuda_driver_windows": cuda_driver_windows,
        "family_driver": family_driver(_toolkit(gpu, machine)),
        "kepler": rule.kepler.model_dump() if gpu.compute_capability == rule.kepler.capability else None,
        "legacy": rule.legacy_cuda,
    }


def _toolkit(gpu: Gpu, machine: Machine) -> str:
    """The CUDA that was stated, else the first that knows the card."""
    return machine.cuda or gpu.min_cuda or ""


def _driver_note(gpu: Gpu, machine: Machine, values: dict[str, object]) -> Iterator[Note]:
    """The driver of the toolkit that was stated and works, else the least one of a card that is still supported."""
    if machine.cuda and values["cuda_driver"] and works_with(gpu, machine.cuda):
        yield note_of("machine_cuda_driver", values)
    elif values["driver"] and gpu.last_cuda is None:
        yield note_of("machine_cuda_min_driver", values)


def _left_out_note(gpu: Gpu, machine: Machine, values: dict[str, object]) -> Iterator[Note]:
    """Builds with the stated toolkit that leave the card out although the toolkit knows it."""
    if not machine.cuda or not works_with(gpu, machine.cuda):
        return
    by_release = [(build.pytorch, bool(in_build(gpu, build))) for build in builds_with(machine.cuda)]
    out = [release for release, holds in by_release if not holds]
    if out:
        holds = [release for release, holds in by_release if holds]
        yield note_of("machine_torch_left_out", values | {"out": out, "holds": holds})


def _reasons(gpu: Gpu, machine: Machine, values: dict[str, object], code: str) -> tuple[Note, ...]:
    notes = [note_of("machine_cuda_range", values)]
    notes += _driver_note(gpu, machine, values)
    notes += _left_out_note(gpu, machine, values)
    if values["build_driver"]:
        notes.append(note_of("machine_cuda_build_driver", values))
    if machine.driver:
        newest = newest_cuda_of_driver(machine.driver)
        notes.append(note_of("machine_driver_holds", {"driver": machine.driver, "cuda": newest}))
    if gpu.min_cuda and gpu.last_cuda is None and code != "machine_cuda_need":
        notes.append(note_of("machine_cuda_no_upper", values))
    return tuple(notes)


def _actions(gpu: Gpu, values: dict[str, object]) -> tuple[Note, ...]:
    notes: list[Note] = []
    if values["kepler"]:
        notes.append(note_of("machine_torch_kepler", values))
    elif values["newest"] is None:
        notes.append(note_of("machine_torch_none", values))
    elif gpu.last_cuda:
        notes.append(note_of("machine_torch_legacy", values))
    else:
        notes.append(note_of("machine_torch_install", values))
    notes.append(note_of("machine_cuda_wheel"))
    return tuple(notes)


def _claimed(gpu: Gpu, attribute: str) -> Iterator[Step]:
    """The step of a version that the card's record states."""
    value = getattr(gpu, attribute)
    if value is None:
        return
    yield step_of(
        name=f"{gpu.name} {attribute}",
        value=value,
        how="claim" if attribute not in gpu.unverified else "assumption",
        sources=sources_of(gpu, attribute),
        rows=rules().compat.min_cuda.rows if gpu.architecture == "Ampere" and attribute == "min_cuda" else (),
    )


def _build_steps(gpu: Gpu) -> Iterator[Step]:
    rule, builds = rules().compat, builds_for(gpu)
    if not builds:
        return
    newest = f"{builds[0].pytorch}+cu{builds[0].cuda.replace('.', '')}"
    told, day = (rule.pytorch_source,), rule.pytorch_as_of
    yield step_of(name="pytorch_build", value=newest, how="claim", sources=told, as_of=day)
    if gpu.last_cuda:
        yield step_of(name="builds_end", value=rule.legacy_cuda, how="claim", sources=(rule.legacy_source,))


def _driver_steps(cuda: str) -> Iterator[Step]:
    """The driver a toolkit came with, and the oldest branch of its family; nothing for an unknown toolkit."""
    rule, drivers = rules().compat, find_driver(cuda)
    if drivers is None:
        return
    yield step_of(name="driver", value=drivers[0], how="claim", sources=(rule.drivers_source,))
    yield step_of(name="family_driver", value=family_driver(cuda), how="claim", sources=(rule.families_source,))


def _steps(gpu: Gpu, machine: Machine) -> tuple[Step, ...]:
    return (
        *_claimed(gpu, "min_cuda"),
        *_claimed(gpu, "last_cuda"),
        *_build_steps(gpu),
        *_driver_steps(_toolkit(gpu, machine)),
        *((given("cuda", machine.cuda),) if machine.cuda else ()),
    )
