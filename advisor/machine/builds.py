"""Which toolkits, drivers and PyTorch builds know a card: look-ups in the tables of data/machine.yaml."""

from __future__ import annotations

from advisor.machine.rules import BuildFloor, rules, version
from advisor.models import Frozen, Gpu


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
    """Newest toolkit whose own driver is not newer than this one (Linux numbers); a branch alone is all of it."""
    have = version(driver)
    drivers = rules().compat.drivers.items()
    fitting = [cuda for cuda, (linux, _) in drivers if have and version(linux)[: len(have)] <= have]
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


def builds_of_release(release: str) -> tuple[Build, ...]:
    """All builds of a release, newest CUDA first."""
    return tuple(Build(pytorch=release, cuda=cuda) for cuda in rules().compat.pytorch.get(release, ()))


def builds_with(cuda: str) -> tuple[Build, ...]:
    """Builds that come with exactly this CUDA."""
    wanted = version(cuda)
    return tuple(
        Build(pytorch=release, cuda=one)
        for release, cudas in rules().compat.pytorch.items()
        for one in cudas
        if version(one) == wanted
    )
