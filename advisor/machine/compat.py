"""Which CUDA, driver and framework a card works with."""

from __future__ import annotations

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
        if works_with(gpu, machine.cuda):
            return Verdict.PASS, "machine_cuda_yes"
        if runs_code_of(gpu, machine.cuda):
            return Verdict.WARN, "machine_cuda_by_code"
        too_new = gpu.last_cuda is not None and version(machine.cuda) > version(gpu.last_cuda)
        return Verdict.FAIL, "machine_cuda_too_new" if too_new else "machine_cuda_too_old"
    return by_framework or (Verdict.OPEN, "machine_cuda_need")


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


def _values(gpu: Gpu, machine: Machine) -> dict[str, object]:
    rule = rules().compat
    _, release = split_framework(machine.framework)
    builds = builds_for(gpu)
    drivers = find_driver(gpu.min_cuda) if gpu.min_cuda else None
    stated = find_driver(machine.cuda) if machine.cuda else None
    return {
        "gpu": gpu.name,
        "sm": (gpu.compute_capability or "").replace(".", ""),
        "capability": gpu.compute_capability,
        "architecture": gpu.architecture,
        "min": gpu.min_cuda,
        "last": gpu.last_cuda,
        "unverified": any(name in gpu.unverified for name in ("min_cuda", "last_cuda")),
        "cuda": machine.cuda,
        "release": release,
        "release_builds": [b.cuda for b in builds_of_release(release) if in_build(gpu, b)],
        "release_left_out": [b.cuda for b in builds_of_release(release) if not in_build(gpu, b)],
        "newest": builds[0].model_dump() if builds else None,
        "first": builds[-1].model_dump() if builds and builds[-1].pytorch != _oldest() else None,
        "newest_release": rule.pytorch_newest,
        "current": bool(builds and builds[0].pytorch == rule.pytorch_newest),
        "driver": drivers[0] if drivers else None,
        "driver_windows": drivers[1] if drivers else None,
        "cuda_driver": stated[0] if stated else None,
        "cuda_driver_windows": stated[1] if stated else None,
        "family_driver": family_driver(machine.cuda or gpu.min_cuda or ""),
        "build_driver": family_driver(builds[0].cuda) if builds else None,
        "kepler": rule.kepler.model_dump() if gpu.compute_capability == rule.kepler.capability else None,
        "legacy": rule.legacy_cuda,
    }


def _reasons(gpu: Gpu, machine: Machine, values: dict[str, object], code: str) -> tuple[Note, ...]:
    notes = [note_of("machine_cuda_range", values)]
    if machine.cuda and values["cuda_driver"] and works_with(gpu, machine.cuda):
        notes.append(note_of("machine_cuda_driver", values))
    elif values["driver"] and gpu.last_cuda is None:
        notes.append(note_of("machine_cuda_min_driver", values))
    left_out = [build for build in builds_with(machine.cuda) if not in_build(gpu, build)]
    if machine.cuda and left_out and works_with(gpu, machine.cuda):
        holds = [build.pytorch for build in builds_with(machine.cuda) if in_build(gpu, build)]
        out = [build.pytorch for build in left_out]
        notes.append(note_of("machine_torch_left_out", values | {"out": out, "holds": holds}))
    if values["build_driver"]:
        notes.append(note_of("machine_cuda_build_driver", values))
    if machine.driver:
        notes.append(
            note_of("machine_driver_holds", {"driver": machine.driver, "cuda": newest_cuda_of_driver(machine.driver)})
        )
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


def _steps(gpu: Gpu, machine: Machine) -> tuple[Step, ...]:
    rule = rules().compat
    steps = []
    for attribute in ("min_cuda", "last_cuda"):
        value = getattr(gpu, attribute)
        if value is not None:
            source = gpu.sources.get(attribute) or gpu.sources.get("*", "")
            rows = rule.min_cuda.rows if gpu.architecture == "Ampere" and attribute == "min_cuda" else ()
            steps.append(
                step_of(
                    name=f"{gpu.name} {attribute}",
                    value=value,
                    how="claim" if attribute not in gpu.unverified else "assumption",
                    sources=(source,) if source else (),
                    rows=rows,
                )
            )
    builds = builds_for(gpu)
    if builds:
        steps.append(
            step_of(
                name="pytorch_build",
                value=f"{builds[0].pytorch}+cu{builds[0].cuda.replace('.', '')}",
                how="claim",
                sources=(rule.pytorch_source,),
                as_of=rule.pytorch_as_of,
            )
        )
    if gpu.last_cuda and builds:
        steps.append(step_of(name="builds_end", value=rule.legacy_cuda, how="claim", sources=(rule.legacy_source,)))
    drivers = find_driver(machine.cuda or gpu.min_cuda or "")
    if drivers:
        steps.append(step_of(name="driver", value=drivers[0], how="claim", sources=(rule.drivers_source,)))
        steps.append(
            step_of(
                name="family_driver",
                value=family_driver(machine.cuda or gpu.min_cuda or ""),
                how="claim",
                sources=(rule.families_source,),
            )
        )
    if machine.cuda:
        steps.append(given("cuda", machine.cuda))
    return tuple(steps)
