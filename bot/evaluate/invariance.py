"""What changes when only the writing changes: width, script, case, spacing, a particle, one slip of the finger."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Final, TypedDict

from bot.evaluate.records import Record
from bot.pipeline import Understander

_WORD: Final = re.compile(r"[A-Za-z]{5,}")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]{2,}")
_SHOWN: Final = 20
"""Lines named in the report."""
_Reading = tuple[str, tuple[tuple[str, str], ...]]
"""An intent and the slots with their values."""


def full_width(text: str) -> str:
    """Letters, digits and signs as wide as a Han character."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else "\u3000" if c == " " else c for c in text)


def upper_case(text: str) -> str:
    """All capitals."""
    return text.upper()


def spaced(text: str) -> str:
    """Spaces around everything Latin that stands in Chinese, doubled spaces elsewhere."""
    text = re.sub(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])", " ", text)
    return f"  {text.replace(' ', '  ')} "


def with_mark(text: str) -> str:
    """A question mark added or taken away."""
    bare = text.rstrip("?\uff1f ")
    return bare if bare != text else f"{text}?"


def one_slip(text: str) -> str:
    """One slip in one word: two neighbours swapped or one letter left out, the place chosen by the text itself."""
    pick = int(hashlib.sha256(text.encode()).hexdigest(), 16)
    words = [*_WORD.finditer(text), *_HAN.finditer(text)]
    if not words:
        return text
    word = words[pick % len(words)]
    at = word.start() + (pick // 97) % (len(word.group()) - 1)
    if word.group()[0].isascii() and pick % 2:
        return text[:at] + text[at + 1 :]
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


CHANGES: Final[dict[str, Callable[[str], str]]] = {
    "full_width": full_width,
    "upper_case": upper_case,
    "spaced": spaced,
    "question_mark": with_mark,
    "one_slip": one_slip,
}


class Changed(TypedDict):
    """What one change of the writing did to the readings of all lines."""

    lines: int
    accuracy_before: float | None
    accuracy_after: float | None
    other_intent: int
    other_slots: int
    differing: list[str]


def invariance(understander: Understander, records: Sequence[Record]) -> dict[str, Changed]:
    """For each change: accuracy before and after, and how many readings differ in intent or in slots."""
    alone = [record for record in records if not record.context]
    before = [_read(understander, record.text) for record in alone]
    return {
        name: _changed(alone, before, [_read(understander, change(record.text)) for record in alone])
        for name, change in CHANGES.items()
    }


def _changed(records: Sequence[Record], before: Sequence[_Reading], after: Sequence[_Reading]) -> Changed:
    pairs = list(zip(before, after, strict=True))
    differing = [record.id for record, (old, new) in zip(records, pairs, strict=True) if old != new]
    return {
        "lines": len(records),
        "accuracy_before": _accuracy(records, before),
        "accuracy_after": _accuracy(records, after),
        "other_intent": sum(old[0] != new[0] for old, new in pairs),
        "other_slots": sum(old[1] != new[1] for old, new in pairs),
        "differing": differing[:_SHOWN],
    }


def _accuracy(records: Sequence[Record], readings: Sequence[_Reading]) -> float | None:
    if not records:
        return None
    right = sum(record.accepts(intent) for record, (intent, _) in zip(records, readings, strict=True))
    return round(right / len(records), 4)


def _read(understander: Understander, text: str) -> _Reading:
    """Intent and slot values; free texts of CPUs compare without case."""
    reading = understander.understand(text)
    best = reading.ranking[0].intent if reading.ranking else "out_of_scope"
    return best, tuple((found.slot, str(found.value).lower()) for found in reading.slots if not found.negated)
