"""Signs of a mention's clause and message: concepts on either side, other mentions beside it, head nouns, what asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from bot.read.candidates import Candidate
from bot.read.clauses import Part
from bot.understand.slots.found import Reading

_FAR: Final = 3
"""Clauses from the asking one from which on how many there are makes no difference."""
_MANY: Final = 4


class Context(NamedTuple):
    """What the mentions of one message share."""

    concepts: list[list[tuple[int, int, str]]]
    """Of each clause: start, end and name of each concept."""
    together: list[list[Candidate]]
    """Of each clause its mentions."""
    heads: list[str]
    """Signs of the head nouns of the message."""
    asked: int
    """The clause that most likely asks."""


def context_of(
    reading: Reading,
    candidates: Sequence[Candidate],
    part_of: Sequence[int],
    parts: Sequence[Part],
    heads: Mapping[str, int],
    asking: Sequence[float],
) -> Context:
    """What the mentions of a message share.

    Args:
        reading: the message.
        candidates: its names, numbers and qualifiers.
        part_of: the clause of each.
        parts: the clauses.
        heads: how often head nouns of each kind stand in it.
        asking: for each clause how likely it asks.
    """
    concepts: list[list[tuple[int, int, str]]] = [[] for _ in parts]
    at = 0
    for place in reading.places:
        while at + 1 < len(parts) and parts[at + 1].start <= place.start:
            at += 1
        concepts[at] += [(place.start, place.end, name) for name in place.concepts]
    together: list[list[Candidate]] = [[] for _ in parts]
    for candidate, part in zip(candidates, part_of, strict=True):
        together[part].append(candidate)
    asked = max(range(len(asking)), key=lambda number: asking[number]) if asking else 0
    return Context(concepts, together, [f"H{name}" for name in heads], asked)


def signs_of(candidate: Candidate, part: int, context: Context) -> list[str]:
    """The signs of one mention in clause number `part`."""
    base, start, end = candidate.base, candidate.start, candidate.end
    its: list[str] = []
    for first, last, name in context.concepts[part]:
        side = "<" if last <= start else ">" if first >= end else "="
        its += (f"C{side}{name}", f"C{side}{name}|{base}")
    its += context.heads
    its += [f"{head}|{base}" for head in context.heads]
    its.append(f"O{max(-_FAR, min(_FAR, part - context.asked))}|{base}")
    others = [other for other in context.together[part] if other is not candidate]
    its += [f"O{'b' if other.start < start else 'a'}{other.base}|{base}" for other in others]
    its.append(f"O{min(len(others), _MANY)}m|{base}")
    return its
