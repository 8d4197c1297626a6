"""Where people who write no commas pause: a line, a space between Chinese words, the words that begin a question.

The sums read a message part by part. A pause is written as a comma in the even text, so that a message without any
sign falls into the same parts as one with all of them; every character keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from bot.understand.normalise import NormalisedText, is_han, rewritten

_GLUED: Final = re.compile(r"[\u3400-\u9fff][0-9]|[0-9][\u3400-\u9fff]")
_SIGNS: Final = frozenset(",;.?!:()/-~+=")
_ENDS: Final = (", ", "; ", ". ", "? ", "! ", ": ")
_LEAST_RUN: Final = 2.0
"""Han characters between spaces, on the average, from which on a space is a pause and does not part every word."""
_RUNS: Final = re.compile(r"[\u3400-\u9fff]+")


class Pauses:
    """Words before which a new part begins, lexicon/asking.yaml."""

    def __init__(self, content: dict[str, Any], even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are."""
        opens = _either(content["asks_anew"], even)
        leads = frozenset(even(str(word)) for word in content["leads"])
        joins = _either(content["joins"], even)
        self._leads = leads
        self._opens = re.compile(rf" (?:(?P<join>{joins}) )?(?:{opens})(?![a-z0-9])")

    def written(self, normalised: NormalisedText) -> NormalisedText:
        """The text with a comma for the space at each pause."""
        text = normalised.text
        spaces = {(place, place + 1) for place in self._questions(text)}
        pauses = sorted(spaces | set(_gaps(normalised)))
        return rewritten(normalised, [(start, end, ",") for start, end in pauses]) if pauses else normalised

    def _questions(self, text: str) -> Iterable[int]:
        """The spaces before words that begin a question, behind a part that holds a number."""
        start = 0
        for found in self._opens.finditer(text):
            before = text[start : found.start()]
            before = before[max(map(before.rfind, _ENDS)) + 1 :].lstrip()
            last = before.rsplit(" ", 1)[-1]
            asked = found["join"] is None and self._opens.match(f" {before}") is not None
            if asked or before[-1:] in _SIGNS or last in self._leads or not any(map(str.isdigit, before)):
                continue
            start = found.start() + 1
            yield found.start()


def _gaps(normalised: NormalisedText) -> Iterable[tuple[int, int]]:
    """What stands between characters of the even text for the end of a line, or between Chinese words apart."""
    raw, text, offsets = normalised
    lines = "\n" in raw
    if not lines and raw.isascii():
        return
    pausing = _pausing(raw)
    for place in range(1, len(text)):
        gap = raw[offsets[place - 1] + 1 : offsets[place]]
        if not gap or not gap.isspace() or text[place - 1] in _SIGNS or text[place] in _SIGNS:
            continue
        start = place - (text[place - 1] == " ")
        if "\n" in gap or pausing(text[start - 1], text[place]):
            yield start, place


def _pausing(raw: str) -> Callable[[str, str], bool]:
    """Whether the space between two characters is a pause, by how this message sets its spaces."""
    runs = [len(run) for run in _RUNS.findall(raw)]
    apart = bool(runs) and sum(runs) / len(runs) >= _LEAST_RUN
    glued = _GLUED.search(raw) is not None

    def pausing(before: str, behind: str) -> bool:
        return apart and is_han(behind) and (is_han(before) or (glued and before.isdigit()))

    return pausing


def _either(words: Iterable[Any], even: Callable[[str], str]) -> str:
    """Any of some words, longer before shorter."""
    return "|".join(re.escape(word) for word in sorted({even(str(one)) for one in words}, key=lambda w: (-len(w), w)))
