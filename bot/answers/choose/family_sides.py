"""Chips meant by a machine's name beside a card, where its chip was not named."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from advisor.models import Frozen, Gpu
from bot.answers.common import NamedGpu
from bot.core.request import Request

_FILE = Path(__file__).with_name("family_sides.yaml")


class Machine(Frozen):
    """One kind of machine."""

    kind: str
    """Of bot/lexicon/signs/machines.yaml; empty: any."""
    chips: tuple[str, ...]
    """Gpu.id."""
    source: str


@lru_cache(maxsize=1)
def _machines() -> dict[str, tuple[Machine, ...]]:
    problems: list[Problem] = []
    content = load_yaml_files([_FILE], problems).get(str(_FILE), {})
    if problems:
        raise BadData(problems)
    return {family: tuple(Machine.model_validate(row) for row in rows) for family, rows in content.items()}


def chips_of_family(request: Request) -> tuple[list[NamedGpu], str]:
    """The chips of the machine that was named by its maker's family alone, and the source that says so."""
    for family in str(request.slot("gpu_family") or "").split(","):
        for machine in _machines().get(family.strip(), ()):
            if not machine.kind or request.heard.shows("machine_kind", machine.kind):
                found = [request.services.catalog.find_gpu(ident) for ident in machine.chips]
                return [NamedGpu(gpu.name, gpu) for gpu in found if gpu is not None], machine.source
    return [], ""


def sized(card: NamedGpu) -> NamedGpu:
    """A machine with shared memory whose size nobody named, with the most it is sold with."""
    gpu: Gpu = card.gpu
    if gpu.vram_gib or not gpu.memory_options_gib:
        return card
    most = gpu.model_copy(update={"vram_gib": max(gpu.memory_options_gib)})
    return replace(card, gpu=most)
