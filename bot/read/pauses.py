"""Where people who write no commas pause: a line, a space between Chinese words, the words that begin a question.

The sums read a message part by part. A pause is written as a comma in the even text, so that a message without any
sign falls into the same parts as one with all of them; every character knows where it came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from bot.understand.normalise import NormalisedText, is_han, rewritten

_GLUED: Final = re.compile(r"[\u3400-\u9fff][0-9]")
_SPACED: Final = re.compile(r"[\u3400-\u9fff]\s+[0-9]")
_GROUPED: Final = re.compile(r"(?<=\d),(\d{3})(?!\d)")
_WIDE: Final = "\uff0c"
_NOUGHTS: Final = "000"
_SIGNS: Final = frozenset(",;.?!:()/-~+=")
_ENDS: Final = (", ", "; ", ". ", "? ", "! ", ": ")
_NEXT: Final = 2
"""How far apart two characters are that have one between them."""
_FEW: Final = 4
"""Words between a number and the question that is asked of it."""
_LEAST_RUN: Final = 2.0
"""Han characters between spaces, on the average, from which on a space is a pause and does not part every word."""
_RUNS: Final = re.compile(r"[\u3400-\u9fff]+")


class Pauses:
    """Words before which a new part begins, lexicon/asking.yaml."""

    def __init__(
        self, content: Mapping[str, Iterable[object]], glued: Iterable[object], even: Callable[[str], str]
    ) -> None:
        """`even` normalises a word as messages are; between a word of `glued` and a number people leave no space."""
        self._glued = re.compile(rf"(?<![a-z0-9])(?:{_either(glued, even)})(?=\d)")
        joins, asks, auxiliaries, askers = (
            _either(content[kind], even) for kind in ("openers", "asks_anew", "auxiliaries", "askers")
        )
        opens = rf"(?:{asks}|(?:{auxiliaries}) (?:{askers}))(?![a-z0-9])"
        self._opens = re.compile(rf" (?:(?P<join>{joins}) )?{opens}")
        self._last: tuple[NormalisedText, NormalisedText] | None = None

    def written(self, normalised: NormalisedText) -> NormalisedText:
        """The text with a comma for the space at each pause, and a space before a number that is glued to its word.

        All that is looked for in a message looks at this form of it: that of the last one is kept.
        """
        last = self._last
        if last is None or last[0] is not normalised:
            self._last = last = (normalised, self._written(normalised))
        return last[1]

    def _written(self, normalised: NormalisedText) -> NormalisedText:
        pauses = {(start, end, ",") for start, end in (*self._questions(normalised.text), *_gaps(normalised))}
        pauses |= {(found.end(), found.end(), " ") for found in self._glued.finditer(normalised.text)}
        pauses |= {(at, at, " ") for at in _wide_commas(normalised)}
        return rewritten(normalised, sorted(pauses)) if pauses else normalised

    def _questions(self, text: str) -> Iterable[tuple[int, int]]:
        """The spaces before words that begin a question, a few words behind a number."""
        start = 0
        for found in self._opens.finditer(text):
            before = text[start : found.start()]
            before = before[max(map(before.rfind, _ENDS)) + 1 :].lstrip()
            asked = found["join"] is None and self._opens.match(f" {before}") is not None
            near = any(map(str.isdigit, "".join(before.rsplit(" ", _FEW)[1:])))
            if asked or before[-1:] in _SIGNS or not near:
                continue
            start = found.start() + 1
            yield found.start(), start


def _wide_commas(normalised: NormalisedText) -> Iterable[int]:
    """The places behind full-width commas between figures: such a comma parts two numbers, unless noughts follow."""
    for found in _GROUPED.finditer(normalised.text):
        if found[1] != _NOUGHTS and normalised.raw[normalised.offsets[found.start()]] == _WIDE:
            yield found.start() + 1


def _gaps(normalised: NormalisedText) -> Iterable[tuple[int, int]]:
    """What stands between characters of the even text for the end of a line, or between Chinese words apart."""
    raw, text, offsets = normalised
    lines = "\n" in raw
    if not lines and raw.isascii():
        return
    pausing = _pausing(raw)
    for place in _apart(text, offsets):
        start = place - (text[place - 1] == " ")
        if not start or offsets[place] - offsets[start - 1] < _NEXT:
            continue
        gap = raw[offsets[start - 1] + 1 : offsets[place]]
        if not gap.isspace() or text[start - 1] in _SIGNS or text[place] in _SIGNS:
            continue
        if "\n" in gap or pausing(text[start - 1], text[place]):
            yield start, place


def _apart(text: str, offsets: Sequence[int]) -> list[int]:
    """The characters behind a space, or behind something that the even text leaves out."""
    return [at for at in range(1, len(text)) if text[at - 1] == " " or offsets[at] - offsets[at - 1] >= _NEXT]


def _pausing(raw: str) -> Callable[[str, str], bool]:
    """Whether the space between two characters is a pause, by how this message sets its spaces."""
    runs = [len(run) for run in _RUNS.findall(raw)]
    apart = bool(runs) and sum(runs) / len(runs) >= _LEAST_RUN
    glued = len(_GLUED.findall(raw)) > len(_SPACED.findall(raw))

    def pausing(before: str, behind: str) -> bool:
        return apart and is_han(behind) and (is_han(before) or (glued and before.isdigit()))

    return pausing


def _either(words: Iterable[object], even: Callable[[str], str]) -> str:
    """Any of some words, longer before shorter."""
    listed = sorted({even(str(one)) for one in words}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word) for word in listed if word.isascii())
