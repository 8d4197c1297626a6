"""What speaks for each side of a comparison: memory, speed, power, age, what its units can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.memory import Verdict
from advisor.models import Note, note_of

if TYPE_CHECKING:
    from advisor.speed.contest import Contender

EVEN = 1.07
"""Within this factor two speeds are called even: less than what machines of one kind differ by."""


def best_of(values: list[float | None], higher: bool = True, clear_by: float = 1.02) -> int | None:
    """Index of the value that is best by this factor at least; None where none is, or where one is not known."""
    known = [(value, index) for index, value in enumerate(values) if value is not None]
    if len(known) < 2 or len(known) < len(values):
        return None
    ordered = sorted(known, key=lambda pair: pair[0], reverse=higher)
    (first, index), (second, _) = ordered[0], ordered[1]
    clear = first > second * clear_by if higher else first * clear_by < second
    return index if clear else None


def _memory_merits(index: int, sides: list[Contender]) -> Iterator[Note]:
    one = sides[index]
    if best_of([side.vram_gib for side in sides]) == index:
        rest = max(side.vram_gib or 0.0 for side in sides if side is not one)
        yield note_of("speed_merit_vram", {"gib": one.vram_gib, "other": rest})
    if one.n > 1 and best_of([side.total_vram_gib for side in sides]) == index:
        yield note_of("speed_merit_total", {"gib": one.total_vram_gib, "n": one.n})


def _speed_merits(index: int, sides: list[Contender]) -> Iterator[Note]:
    for number, result in enumerate(sides[index].results):
        rivals = [side.results[number].factor for side in sides]
        if result.fits == Verdict.NO.value or not result.factor:
            continue
        if best_of([rival.value if rival else None for rival in rivals], clear_by=EVEN) == index:
            yield note_of("speed_merit_faster", {"job": result.code, "factor": result.factor.value})


def _figure_merits(index: int, sides: list[Contender]) -> Iterator[Note]:
    if best_of([side.power_w for side in sides], higher=False) == index:
        yield note_of("speed_merit_power", {"watts": sides[index].power_w})
    if best_of([float(side.year) if side.year else None for side in sides]) == index:
        yield note_of("speed_merit_newer", {"year": sides[index].year})


def _ability_merits(index: int, sides: list[Contender]) -> Iterator[Note]:
    for ability in ("bf16", "fp8", "nvlink"):
        has = [bool(getattr(side, ability)) for side in sides]
        if has[index] and not all(has):
            yield note_of(f"speed_merit_{ability}", {})


def merits_of(index: int, sides: list[Contender]) -> tuple[Note, ...]:
    """Reasons to take this side, whoever wins."""
    kinds = (_memory_merits, _speed_merits, _figure_merits, _ability_merits)
    return tuple(note for kind in kinds for note in kind(index, sides))
