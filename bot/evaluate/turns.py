"""Scores later turns: the operation and what it changes, both equal to the label."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypedDict

from pydantic import ConfigDict, Field

from advisor.catalog import Catalog
from advisor.models import Frozen
from bot.dialogue.ground import small_words
from bot.evaluate.compare import value_set
from bot.evaluate.messages import read_rows
from bot.read.reader import Read, Reader
from bot.talk.operations import operation_of
from bot.talk.standing import Change, Standing
from bot.talk.turn import meaning_of, turn_of

_STATE: Final = frozenset(
    {"listed", "prices", "prices_usd", "topic_stack", "choices", "pending", "answer_parts", "intent"}
)


class LabelledTurn(Frozen):
    """One later turn with what it stands on and what it does."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    lang: str = ""
    context_answer: str = ""
    before: dict[str, object] = Field(default_factory=dict)
    turn: str
    operation: str
    changes: dict[str, object] = Field(default_factory=dict)


class Fault(TypedDict):
    """A turn that differs: operation and changes as labelled; those found, and why."""

    id: str
    turn: str
    gold: list[object]
    found: list[object]


class Figures(TypedDict):
    """Every figure about some files of labelled turns."""

    turns: int
    right: int
    operations: int
    faults: list[Fault]


_ASKED: Final = re.compile(r"asked|\u95ee")
"""How the record of an answer begins that asked something back."""
_PERIODS: Final = ("day", "week", "month", "year")
_NEAR: Final = 2
"""Characters between a word for a condition and the card that was shown with it."""


def standing_of(reader: Reader, row: LabelledTurn, catalog: Catalog) -> Standing:
    """The state of a labelled turn as the conversation would hold it: its labels, and what the answer before showed."""
    before = row.before
    pending = str(before.get("pending", ""))
    assumed = tuple(part.strip() for part in pending.removesuffix("assumed").split(",")) if "assumed" in pending else ()
    slots = {name: value for name, value in before.items() if name not in _STATE}
    shown = reader.look(row.context_answer)
    expecting, ask = _asked(row, shown)
    return Standing(
        slots=slots,
        intent=str(before.get("intent", "")),
        answered=shown.analysis.understanding.ranking[0].intent,
        expecting=expecting,
        assumed=assumed,
        choices=_texts(before, "choices"),
        listed=_texts(before, "listed") or _shown(shown),
        prices=tuple(map(float, _texts(before, "prices") or _texts(before, "prices_usd"))),
        conditions=_conditions(shown),
        topics=_texts(before, "topic_stack"),
        parts=_texts(before, "answer_parts"),
        variants=_variants(slots, catalog),
        ask=ask or pending,
        meaning=lambda words: meaning_of(reader.follow(words)),
        task_of=partial(_task_of, catalog),
    )


def _asked(row: LabelledTurn, shown: Read) -> tuple[str, str]:
    """The slot that the answer before asked for, with its unit: hours, and of which period."""
    if not _ASKED.match(row.context_answer) or "time_question" not in shown.analysis.understanding.concepts:
        return "", ""
    acts = {name for _, _, name in shown.marks.acts}
    period = next((one for one in _PERIODS if f"per_{one}" in acts), "")
    return "duration", f"hour/{period}" if period else "hour"


def _shown(shown: Read) -> tuple[str, ...]:
    """The cards that an answer showed, in their order."""
    return tuple(str(one.value) for one in shown.candidates if one.kind == "gpu")


def _conditions(shown: Read) -> dict[str, str]:
    """Of cards that an answer showed as used: that they were."""
    pairs = itertools.pairwise(shown.candidates)
    used = [right for left, right in pairs if left.value == "second_hand" and right.start - left.end <= _NEAR]
    return {str(one.value): "used" for one in used if one.kind == "gpu"}


def _task_of(catalog: Catalog, name: str) -> str:
    """The task of a model by what it works on."""
    model = catalog.find_ml_model(name)
    kinds = small_words()["model_kinds"].items()
    return next((task for task, made in kinds if model is not None and model.modality in made), "")


def _texts(before: Mapping[str, object], name: str) -> tuple[str, ...]:
    return _listed(before.get(name))


def _listed(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()


def _variants(slots: Mapping[str, object], catalog: Catalog) -> tuple[str, ...]:
    """The sizes between which a lone card without a size would be asked, smallest first."""
    cards = _listed(slots.get("gpu"))
    if len(slots) != 1 or len(cards) != 1 or catalog.generic_gpu(cards[0]) is None:
        return ()
    sizes = sorted({float(card.vram_gib) for card in catalog.gpu_variants(cards[0]) if card.vram_gib})
    return tuple(f"{cards[0]} {size:g}GB" for size in sizes)


def score_turns(reader: Reader, catalog: Catalog, files: Iterable[Path]) -> Figures:
    """How many turns have the operation and the changes of their label, and which have not."""
    rows = [row for path in files for row in read_rows(path, LabelledTurn)]
    found = [_change(reader, row, catalog) for row in rows]
    faults = [_fault(row, got) for row, got in zip(rows, found, strict=True) if not _same(catalog, row, got)]
    operations = sum(row.operation == got.operation.value for row, got in zip(rows, found, strict=True))
    return {"turns": len(rows), "right": len(rows) - len(faults), "operations": operations, "faults": faults}


def _change(reader: Reader, row: LabelledTurn, catalog: Catalog) -> Change:
    standing = standing_of(reader, row, catalog)
    return operation_of(turn_of(reader.follow(row.turn, standing.intent)), standing)


def _fault(row: LabelledTurn, got: Change) -> Fault:
    found: list[object] = [got.operation.value, got.changes, got.why]
    return {"id": row.id, "turn": row.turn, "gold": [row.operation, row.changes], "found": found}


def _same(catalog: Catalog, row: LabelledTurn, got: Change) -> bool:
    if row.operation != got.operation.value or row.changes.keys() != got.changes.keys():
        return False
    return all(_equal(catalog, name, row.changes[name], got.changes[name]) for name in row.changes)


def _equal(catalog: Catalog, name: str, gold: object, got: object) -> bool:
    if isinstance(gold, Mapping) and "op" in gold:
        return isinstance(got, Mapping) and gold.keys() == got.keys() and _same_count(catalog, name, gold, got)
    slot = _slot(name)
    if isinstance(gold, Sequence) and not isinstance(gold, str):
        return isinstance(got, Sequence) and value_set(catalog, slot, gold) == value_set(catalog, slot, got)
    return bool(gold == got) or value_set(catalog, slot, gold) == value_set(catalog, slot, got)


def _same_count(catalog: Catalog, name: str, gold: Mapping[str, object], got: Mapping[str, object]) -> bool:
    """Whether two changes of the form {"op", ...} are the same."""
    return all(_equal(catalog, name, gold[key], got[key]) if key == "value" else gold[key] == got[key] for key in gold)


def _slot(name: str) -> str:
    return "gpu" if name == "exclude" else name


def turns_to_text(result: Figures) -> str:
    """The figures for people, then each turn that differs."""
    lines = [f"turns {result['turns']}, right {result['right']}, operation right {result['operations']}"]
    for fault in result["faults"]:
        lines += [f"  {fault['id']} {fault['turn']}", f"      gold  {fault['gold']}", f"      found {fault['found']}"]
    return "\n".join(lines)
