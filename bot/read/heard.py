"""What a message says beside its values: words that do something, numbers of any kind, what is ruled out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.core.understanding import Number, Said
from bot.read.build import ruled_out_by
from bot.read.candidates import Candidate, measured

if TYPE_CHECKING:
    from bot.read.reader import Read

_TOUCHING: Final = 1
"""Characters between a word of denial and what it denies."""
_WALL_WORD: Final = "watts"
"""Sign words that make a bare number one of watts."""
_REACH: Final = 2
"""Characters between a bare number and such a word."""


def heard(read: Read, roles: Sequence[str], candidates: Sequence[Candidate]) -> Said:
    """What is said beside the values of a message.

    Args:
        read: the message.
        roles: the part of each candidate; none where they were not read.
        candidates: its names, numbers and qualifiers.
    """
    played = roles or [""] * len(candidates)
    return Said(
        acts=frozenset(read.marks.acts),
        numbers=tuple(_number(read, one, role) for one, role in zip(candidates, played, strict=True) if one.quantity),
        ruled_out=ruled_out_by(candidates, played),
        denied=_denied(read),
        label=_label(read),
    )


def _number(read: Read, candidate: Candidate, role: str) -> Number:
    value, unit = measured(candidate)
    said = candidate.quantity.value if candidate.quantity is not None else 0.0
    thousands = candidate.quantity is not None and candidate.quantity.magnitude == "k"
    kind = candidate.base.removeprefix("n:")
    whole = value if isinstance(value, (int, float)) else said
    if role != "wall_power" and not kind and _at_the_wall(read, candidate):
        role = "wall_power"
    return Number(whole, unit, kind, said, thousands, role)


def _at_the_wall(read: Read, candidate: Candidate) -> bool:
    """Whether a word for the whole machine's power stands right behind a bare number."""
    return any(name == _WALL_WORD and 0 <= start - candidate.end <= _REACH for start, _, name in read.marks.places)


def _denied(read: Read) -> frozenset[int]:
    """Places of the slot values that a word of denial stands right before."""
    offsets, flat = read.analysis.reading.offsets, read.analysis.reading.flat
    found: set[int] = set()
    ends = [end for start, end, name in read.marks.places if name == "deny" and _denies(flat, start, end, len(offsets))]
    for place, value in enumerate(read.analysis.understanding.slots if ends else ()):
        if any(0 <= value.span.start - offsets[end - 1] - 1 <= _TOUCHING for end in ends):
            found.add(place)
    return frozenset(found)


def _denies(flat: str, start: int, end: int, size: int) -> bool:
    """Whether a word of denial is one: between the same word twice it asks, and denies nothing."""
    asks = start > 0 and start + 1 < len(flat) and flat[start - 1] == flat[start + 1]
    return end <= size and not asks


def _label(read: Read) -> str:
    """A letter or a figure that stands alone at the head."""
    tokens = read.analysis.reading.tokens
    alone = len(tokens) == 1 or (len(tokens) > 1 and tokens[1].kind == "s")
    return tokens[0].text if alone else ""
