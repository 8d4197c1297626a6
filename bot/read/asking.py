"""Which clause asks: signs of a clause, weighed by what was learned from messages whose asking parts are labelled."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from bot.read.clauses import Part
from bot.read.features import Marks
from bot.understand.slots.found import Reading

ASKS, TELLS = "asks", "tells"
_EDGE: Final = 3
"""Words at the head and at the tail of a clause that count with their place."""
_SHORT: Final = 4


def clause_signs(reading: Reading, parts: Sequence[Part], marks: Marks) -> list[list[str]]:
    """The signs of each clause."""
    concepts = _concepts(reading, parts)
    return [_signs(reading, parts, number, marks, concepts[number]) for number in range(len(parts))]


def _signs(reading: Reading, parts: Sequence[Part], number: int, marks: Marks, concepts: Sequence[str]) -> list[str]:
    part = parts[number]
    words = _words(reading, part)
    its = [f"k{part.kind}", f"q{part.asked}", f"e{min(len(parts) - number, 4)}", f"f{min(number, 3)}"]
    its.append(f"z{len(words) <= _SHORT}")
    its += [f"w{word}" for word in words]
    its += [f"h{place}{word}" for place, word in enumerate(words[:_EDGE])]
    its += [f"t{place}{word}" for place, word in enumerate(reversed(words[-_EDGE:]))]
    its += [f"p{left} {right}" for left, right in itertools.pairwise(words)]
    its += [f"m{name}" for name in sorted(marks.by_part[number])]
    its += [f"c{concept}" for concept in concepts]
    for step, letter in ((1, "n"), (-1, "b")):
        its += _of_neighbour(parts, number, step, letter, marks)
    return list(dict.fromkeys(its))


def _of_neighbour(parts: Sequence[Part], number: int, step: int, letter: str, marks: Marks) -> list[str]:
    """Sign words of the next or the last clause of the same sentence."""
    other = number + step
    if not 0 <= other < len(parts) or parts[other].sentence != parts[number].sentence:
        return []
    return [f"{letter}q{parts[other].asked}", *(f"{letter}{name}" for name in sorted(marks.by_part[other]))]


def _words(reading: Reading, part: Part) -> list[str]:
    return [
        token.text if token.kind != "n" else "<n>"
        for token in reading.tokens[part.first : part.last]
        if token.kind != "s"
    ]


def _concepts(reading: Reading, parts: Sequence[Part]) -> list[list[str]]:
    """The concepts of each clause, in the order of the text."""
    found: list[list[str]] = [[] for _ in parts]
    at = 0
    for place in reading.places:
        while at + 1 < len(parts) and parts[at + 1].start <= place.start:
            at += 1
        if parts:
            found[at] += place.concepts
    return found
