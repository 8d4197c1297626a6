"""`machine`: what this machine has, and what it can do."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Final

from advisor.catalog import Catalog
from advisor.models import Gpu
from advisor.named.asking import shipped
from advisor.named.results import Runs
from advisor.named.running import runs_on, runs_on_processor
from advisor.named.shown import plain
from advisor.named.values import counted
from bot.cli.detect import Box, Found, spellings, this_machine
from bot.cli.shapes import Shape, as_csv, shaped, show, terminal
from bot.cli.telling import Saying

_NEAR: Final = 0.12
"""Share by which a tool's figure of memory may differ from the card's nominal one."""


@dataclass(frozen=True, slots=True)
class Known:
    """Cards that were found, with what the catalogue calls them."""

    found: Found
    name: str
    """Empty where the catalogue does not know it."""
    memory_gib: float | None

    @property
    def shown(self) -> str:
        """Name and count."""
        return counted(self.name or self.found.name, self.found.count)


def known_card(catalog: Catalog, found: Found, ram_gib: float) -> Known:
    """The catalogue's card for what a tool named: of several versions, the one with that much memory."""
    memory = ram_gib if found.shared else found.memory_gib
    named = _named(catalog, found.name, memory)
    alike = next((gpu for gpu in named if _holds(gpu, memory)), None)
    if alike is not None:
        return Known(found, alike.name, None)
    return Known(found, named[0].name if named else "", memory)


def _named(catalog: Catalog, name: str, memory: float | None) -> list[Gpu]:
    """Cards that a tool's name may mean, with and without the amount of memory behind it."""
    size = f"{memory:.0f}GB" if memory else ""
    written = [form for one in spellings(name) for form in (one, f"{one} {size}")]
    return [gpu for spelling in written for gpu in catalog.gpu_variants(spelling)]


def _holds(gpu: Gpu, memory: float | None) -> bool:
    """Whether a card has about as much memory as a tool says."""
    size = gpu.vram_gib
    if not memory or not size:
        return False
    return abs(size - memory) <= _NEAR * size


def tell(shape: Shape, say: Saying, box: Box | None = None) -> int:
    """Write what this machine has and what it can do; gives the exit status: 0, or 1 where there is no card."""
    here = box or this_machine()
    cards = [known_card(shipped(), found, here.ram_gib) for found in here.cards]
    runs = _able(here, cards)
    if shape is Shape.JSON:
        print(
            json.dumps({"machine": plain(here), "runs": [one.as_dict() for one in runs]}, ensure_ascii=False, indent=1)
        )
    elif shape is Shape.TEXT:
        _as_text(here, cards, runs, say)
    elif shape is Shape.CSV:  # a program reads one table; who looks on reads what was found
        print("\n".join(_lines(here, cards, say)), file=sys.stderr)
        print(as_csv([{"gpu": counted(one.gpu, one.gpus), **row} for one in runs for row in one.rows]))
    else:
        print("\n\n".join([*_lines(here, cards, say), *(shaped(one, shape, say) for one in runs)]))
    return 0 if cards else 1


def _able(box: Box, cards: list[Known]) -> list[Runs]:
    """What each card can do; without one, what the memory of the machine can."""
    if not cards:
        return [runs_on_processor(box.ram_gib)] if box.ram_gib else []
    return [runs_on(one.name, gpus=one.found.count, memory_gb=one.memory_gib) for one in cards if _judged(one)]


def _judged(one: Known) -> bool:
    return bool(one.name) or one.memory_gib is not None


def _lines(box: Box, cards: list[Known], say: Saying) -> list[str]:
    if not cards:
        return [say("machine.none", looked=", ".join(box.looked), ram=box.ram_gib)]
    return [say("machine.cards", cards=", ".join(one.shown for one in cards)), say("machine.ram", ram=box.ram_gib)]


def _as_text(box: Box, cards: list[Known], runs: list[Runs], say: Saying) -> None:
    out = terminal()
    for line in _lines(box, cards, say):
        out.print(line, soft_wrap=True, markup=False)
    for one in runs:
        out.print()
        show(one, say, out)
