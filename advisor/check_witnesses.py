"""Holds every hardware figure against a second source: what differs needs a ruling, what stands alone is marked.

`data/witnesses.csv` has the figures of other sources than the one a record follows. A figure counts as seen twice when
two sources that do not rest on each other agree on it within `APART`; figures from memory (C) do not count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from typing import Final

from advisor.check_records import Located, Records
from advisor.claims import source_of
from advisor.errors import Problem
from advisor.models import Gpu, Witness
from advisor.specs import CORE

APART: Final = 0.05
"""Relative difference from which two sources say different things."""
WORDED: Final = frozenset({"mount", "display_outputs", "power_connector"})
_LOOSE: Final = frozenset({"slots", "length_mm", "display_outputs", "power_connector"})
"""Differ from board maker to board maker."""
_ALL: Final = "*"
_SURE: Final = frozenset({"A", "B"})
_FIRST: Final = 1
FORMER: Final = "former value of this record"


def check_witnesses(found: Records) -> Iterator[Problem]:
    """Every figure that another source contradicts without a ruling, or that stands alone without a mark."""
    cards = {one.record.id: one for one in found.gpus}
    settled = {(one.record.entity, one.record.attribute) for one in found.rulings}
    sources = {one.record.id: one.record for one in found.sources}
    for one in found.witnesses:
        card = cards.get(one.record.gpu)
        fault = _unknown(one.record, card is not None, sources.keys())
        if fault:
            yield one.problem(fault)
        elif card is not None and (one.record.gpu, one.record.attribute) not in settled:
            yield from _compared(one, card)
    bases = {ident: source.rests_on or ident for ident, source in sources.items()}
    said = _by_figure(found)
    for card in found.gpus:
        yield from _marked(card, said, bases)
        yield from _placeholder(card, said)


def _unknown(witness: Witness, has_card: bool, sources: Collection[str]) -> str:
    """What a witness names and is nowhere; empty for nothing."""
    if not has_card:
        return f"there is no card {witness.gpu!r}"
    if witness.attribute not in Gpu.model_fields:
        return f"there is no field {witness.attribute!r}"
    return "" if witness.source in sources else f"source {witness.source!r} is not in sources.yaml"


def contested(found: Records) -> set[tuple[str, str]]:
    """The figures that some witness contradicts: what a ruling may be about."""
    cards = {one.record.id: one.record for one in found.gpus}
    return {
        (one.record.gpu, one.record.attribute)
        for one in found.witnesses
        if one.record.gpu in cards and _contradicts(cards[one.record.gpu], one.record)
    }


def _contradicts(gpu: Gpu, witness: Witness) -> bool:
    value = getattr(gpu, witness.attribute, None)
    return value not in (None, "") and not agrees(value, witness.value)


def _by_figure(found: Records) -> dict[tuple[str, str], list[Witness]]:
    said: dict[tuple[str, str], list[Witness]] = {}
    for one in found.witnesses:
        said.setdefault((one.record.gpu, one.record.attribute), []).append(one.record)
    return said


def _compared(one: Located[Witness], card: Located[Gpu]) -> Iterator[Problem]:
    """A figure that is missing though a source has it, or that a source contradicts."""
    witness: Witness = one.record
    value = getattr(card.record, witness.attribute)
    shared = witness.attribute == "vram_gib" and card.record.unified_memory
    if value in (None, "") and witness.confidence in _SURE and not shared:
        yield one.problem(f"{card.record.id}: {witness.attribute} is empty, {witness.source} has {witness.value}")
    elif value not in (None, "") and witness.attribute not in _LOOSE and not agrees(value, witness.value):
        yield one.problem(
            f"{card.record.id}: {witness.attribute} is {value}, {witness.source} says {witness.value}; no ruling"
        )


def agrees(value: object, said: str) -> bool:
    """Whether a figure of a record and what a source says are the same one, within `APART`; days and words exactly."""
    if isinstance(value, (date, str)):
        return str(value) == said
    own, other = float(str(value)), float(said)
    largest = max(abs(own), abs(other))
    return largest == 0 or abs(own - other) / largest <= APART


def seen_once(gpu: Gpu, said: dict[tuple[str, str], list[Witness]], bases: dict[str, str]) -> tuple[str, ...]:
    """The core figures of a card that only one source has, in their order; "*" where that holds for all of them."""
    held = [name for name in CORE if getattr(gpu, name) is not None]
    alone = tuple(name for name in held if not _seen_twice(gpu, name, said, bases))
    return (_ALL,) if alone and len(alone) == len(held) else alone


def _seen_twice(gpu: Gpu, name: str, said: dict[tuple[str, str], list[Witness]], bases: dict[str, str]) -> bool:
    value, own = getattr(gpu, name), source_of(gpu, name)
    agreeing = {
        bases.get(one.source, one.source)
        for one in said.get((gpu.id, name), ())
        if one.confidence in _SURE and one.basis != FORMER and agrees(value, one.value)
    }
    if own and name not in gpu.unverified:
        agreeing.add(bases.get(own, own))
    return len(agreeing) > 1


def _marked(card: Located[Gpu], said: dict[tuple[str, str], list[Witness]], bases: dict[str, str]) -> Iterator[Problem]:
    """A mark that stands where two sources agree, or that is missing where none does."""
    alone = seen_once(card.record, said, bases)
    if set(alone) != set(card.record.one_witness):
        told = ", ".join(alone) or "none"
        yield card.problem(f"one_witness must list the figures that only one source has: {told}", "one_witness")


def _placeholder(card: Located[Gpu], said: dict[tuple[str, str], list[Witness]]) -> Iterator[Problem]:
    """A first of the month that no second source confirms is rather a placeholder than a day."""
    gpu: Gpu = card.record
    day = gpu.release_date
    if day is None or day.day != _FIRST or gpu.release_precision != "day":
        return
    if not any(one.value == day.isoformat() for one in said.get((gpu.id, "release_date"), ()) if one.basis != FORMER):
        yield card.problem(f"release_date {day} looks like a placeholder; say release_precision: month", "release_date")
