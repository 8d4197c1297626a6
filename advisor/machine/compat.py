"""Which CUDA, driver and framework a card works with."""

from __future__ import annotations

from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.rules import BuildFloor, given, rules, version
from advisor.models import Frozen, Gpu, Note, Step


class Build(Frozen):
    """A PyTorch build: release and the CUDA inside."""

    pytorch: str
    cuda: str


def find_driver(cuda: str) -> tuple[str, str] | None:
    """Driver that a toolkit came with, for Linux and Windows ("" for none); None for an unknown version.

    A version without a minor part ("12") stands for the family's first.
    """
    table = rules().compat.drivers
    wanted = version(cuda)[:2]
    if len(wanted) == 1:
        members = [key for key in table if version(key)[0] == wanted[0]]
        return table[min(members, key=version)] if members else None
    return next((drivers for key, drivers in table.items() if version(key) == wanted), None)


def family_driver(cuda: str) -> int | None:
    """Oldest driver branch on which toolkits of the family run at all (minor version compatibility)."""
    parts = version(cuda)
    return rules().compat.families.get(str(parts[0])) if parts else None


def newest_cuda_of_driver(driver: str) -> str | None:
    """Newest toolkit whose own driver is not newer than this one (Linux numbers)."""
    have = version(driver)
    fitting = [cuda for cuda, (linux, _) in rules().compat.drivers.items() if have and version(linux) <= have]
    return max(fitting, key=version) if fitting else None


def in_build(gpu: Gpu, build: Build) -> bool | None:
    """Whether a PyTorch build holds code for the card; None when nothing is known of the release."""
    rule = rules().compat
    capability = version(gpu.compute_capability or "")
    if not capability or build.pytorch not in rule.pytorch:
        return None
    if not (works_with(gpu, build.cuda) or runs_code_of(gpu, build.cuda)):
        return False
    floor = _floor(build)
    return floor is None or capability >= version(floor.lowest)


def works_with(gpu: Gpu, cuda: str) -> bool | None:
    """Whether a toolkit can build for the card; None when the card's versions are not on record."""
    wanted = version(cuda)
    if gpu.min_cuda is None or not wanted:
        return None
    if len(wanted) == 1:  # "CUDA 12": some version of the family
        above = wanted[0] >= version(gpu.min_cuda)[0]
        return above and (gpu.last_cuda is None or wanted[0] <= version(gpu.last_cuda)[0])
    if wanted < version(gpu.min_cuda):
        return False
    return gpu.last_cuda is None or wanted <= version(gpu.last_cuda)


def runs_code_of(gpu: Gpu, cuda: str) -> bool:
    """Whether code that an older toolkit made for an earlier card of the same major capability runs on this one.

    An RTX 4090 (8.9) runs what CUDA 11.1 built for 8.6, although that toolkit does not know the card.
    """
    capability, wanted = version(gpu.compute_capability or ""), version(cuda)
    if not capability or not wanted:
        return False
    first = rules().compat.majors.get(str(capability[0]))
    too_new = gpu.last_cuda is not None and wanted > version(gpu.last_cuda)
    return first is not None and wanted >= version(first)[: len(wanted)] and not too_new


def builds_for(gpu: Gpu) -> tuple[Build, ...]:
    """PyTorch builds that hold the card, newest release first and newest CUDA first within it."""
    key = (gpu.compute_capability, gpu.min_cuda, gpu.last_cuda)
    found = _BUILDS.get(key)
    if found is None:
        found = _BUILDS[key] = tuple(
            build
            for release, cudas in rules().compat.pytorch.items()
            for build in (Build(pytorch=release, cuda=cuda) for cuda in cudas)
            if in_build(gpu, build)
        )
    return found


_BUILDS: dict[tuple[str | None, str | None, str | None], tuple[Build, ...]] = {}
"""Builds by capability and toolkits, kept: the tables do not change while the program runs."""


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
    steps = [Step(name="driver", value=drivers[0], how="claim", sources=(rule.drivers_source,))]
    if values["family_driver"]:
        steps.append(
            Step(name="family_driver", value=family_driver(cuda), how="claim", sources=(rule.families_source,))
        )
    return Item(
        name="driver",
        verdict=Verdict.OPEN,
        headline=Note("machine_driver_need", values),
        reasons=(Note("machine_driver_family", values), Note("machine_driver_newer")),
        actions=(Note("machine_cuda_wheel"),),
        steps=tuple(steps),
    )


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
            headline=Note("machine_cuda_not_nvidia", {"gpu": gpu.name, "vendor": gpu.vendor}),
        )
    values = _values(gpu, machine) | ({"gpu": label} if label else {})
    verdict, code = _verdict(gpu, machine)
    return Item(
        name="cuda",
        verdict=verdict,
        headline=Note(code, values),
        reasons=_reasons(gpu, machine, values, code),
        actions=_actions(gpu, values),
        steps=_steps(gpu, machine),
        conflicts=("E19",) if gpu.architecture == "Ampere" else (),
    )


# --- parts -----------------------------------------------------------------------------------------------------------


def _floor(build: Build) -> BuildFloor | None:
    """The entry that says what a build leaves out: same CUDA (or its family's general one), newest release up to it."""
    release, cuda = version(build.pytorch), version(build.cuda)
    for wanted in (cuda, cuda[:1]):
        fitting = [
            f for f in rules().compat.pytorch_floors if version(f.cuda) == wanted and version(f.since) <= release
        ]
        if fitting:
            return max(fitting, key=lambda floor: version(floor.since))
    return None


def split_framework(framework: str) -> tuple[str, str]:
    """Name and release: "pytorch 1.8" gives ("pytorch", "1.8")."""
    name, _, release = framework.strip().lower().partition(" ")
    return name, ".".join(release.split(".")[:2])


def _release_builds(release: str) -> tuple[Build, ...]:
    return tuple(Build(pytorch=release, cuda=cuda) for cuda in rules().compat.pytorch.get(release, ()))


def _builds_with(cuda: str) -> tuple[Build, ...]:
    """Builds that come with exactly this CUDA."""
    wanted = version(cuda)
    return tuple(
        Build(pytorch=release, cuda=one)
        for release, cudas in rules().compat.pytorch.items()
        for one in cudas
        if version(one) == wanted
    )


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
    holds = [in_build(gpu, build) for build in _release_builds(release)]
    if all(holds):
        return Verdict.PASS, "machine_torch_yes"
    return (Verdict.WARN, "machine_torch_some") if any(holds) else (Verdict.FAIL, "machine_torch_no")


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
        "release_builds": [b.cuda for b in _release_builds(release) if in_build(gpu, b)],
        "release_left_out": [b.cuda for b in _release_builds(release) if not in_build(gpu, b)],
        "newest": builds[0].model_dump() if builds else None,
        "first": builds[-1].model_dump() if builds else None,
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
    notes = [Note("machine_cuda_range", values)]
    if machine.cuda and values["cuda_driver"] and works_with(gpu, machine.cuda):
        notes.append(Note("machine_cuda_driver", values))
    elif values["driver"] and gpu.last_cuda is None:
        notes.append(Note("machine_cuda_min_driver", values))
    left_out = [build for build in _builds_with(machine.cuda) if not in_build(gpu, build)]
    if machine.cuda and left_out and works_with(gpu, machine.cuda):
        holds = [build.pytorch for build in _builds_with(machine.cuda) if in_build(gpu, build)]
        out = [build.pytorch for build in left_out]
        notes.append(Note("machine_torch_left_out", values | {"out": out, "holds": holds}))
    if values["build_driver"]:
        notes.append(Note("machine_cuda_build_driver", values))
    if machine.driver:
        notes.append(
            Note("machine_driver_holds", {"driver": machine.driver, "cuda": newest_cuda_of_driver(machine.driver)})
        )
    if gpu.min_cuda and gpu.last_cuda is None and code != "machine_cuda_need":
        notes.append(Note("machine_cuda_no_upper", values))
    return tuple(notes)


def _actions(gpu: Gpu, values: dict[str, object]) -> tuple[Note, ...]:
    notes: list[Note] = []
    if values["kepler"]:
        notes.append(Note("machine_torch_kepler", values))
    elif values["newest"] is None:
        notes.append(Note("machine_torch_none", values))
    elif gpu.last_cuda:
        notes.append(Note("machine_torch_legacy", values))
    else:
        notes.append(Note("machine_torch_install", values))
    notes.append(Note("machine_cuda_wheel"))
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
                Step(
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
            Step(
                name="pytorch_build",
                value=f"{builds[0].pytorch}+cu{builds[0].cuda.replace('.', '')}",
                how="claim",
                sources=(rule.pytorch_source,),
                as_of=rule.pytorch_as_of,
            )
        )
    if gpu.last_cuda and builds:
        steps.append(Step(name="builds_end", value=rule.legacy_cuda, how="claim", sources=(rule.legacy_source,)))
    drivers = find_driver(machine.cuda or gpu.min_cuda or "")
    if drivers:
        steps.append(Step(name="driver", value=drivers[0], how="claim", sources=(rule.drivers_source,)))
        steps.append(
            Step(
                name="family_driver",
                value=family_driver(machine.cuda or gpu.min_cuda or ""),
                how="claim",
                sources=(rule.families_source,),
            )
        )
    if machine.cuda:
        steps.append(given("cuda", machine.cuda))
    return tuple(steps)
