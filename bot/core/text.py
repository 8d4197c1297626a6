"""How much of what people send is taken in, and in what shape: cut once, here, before anything reads it."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator

MOST_KEPT: Final = 4096
"""Characters of a message that are taken in: the most that Telegram sends."""
MOST_READ: Final = 900
"""Characters of a question that are read: a longer one says what it wants at its head or its tail. Of 5,000 questions
that people wrote the longest has 413."""
HEAD: Final = 600
"""Of those, how many stand at the head."""
_WITHOUT_RUNS: Final = 160
"""A text up to here is short enough whatever it is made of."""
_HAN_NUMBERS: Final = (
    "[\u3007\u4e00\u4e03\u4e07\u4e09\u4e24\u4e5d\u4e8c\u4e94\u4ebf\u516b\u516d\u5341\u5343\u56db\u767e\u96f6]"
)
_RUN: Final = re.compile(rf"(\d{{24}})\d+|([!-~]{{80}})[!-~]+|({_HAN_NUMBERS}{{24}}){_HAN_NUMBERS}+")
"""Figures or signs without a space that go on for longer than any number, name or path that is asked about."""
_OVER_AND_OVER: Final = re.compile(r"(\D.{0,15}?)\1{8,}", re.DOTALL)
"""The same few characters more than eight times in a row: said often enough. What begins with a figure stays."""
_OFTEN: Final = 8
_FOREIGN: Final = re.compile("[^\0-\x7f\u2000-\u22ff\u3000-\u303f\u3400-\u9fff\ufe30-\ufe4f\uff00-\uffef]+")
"""Letters and signs of scripts that no lexicon here holds."""
MOST_FOREIGN: Final = 64
"""So many of them show that a text is in another language; more of them say no more."""
_HALF: Final = re.compile("[\ud800-\udfff]")
"""Half of a pair in UTF-16: no character, and nothing that can be stored, hashed or sent."""


def whole_characters(text: str) -> str:
    """The text with every lone surrogate replaced by the sign for an unreadable character."""
    return text if text.isascii() or _HALF.search(text) is None else _HALF.sub("\ufffd", text)


def whole_strings(read: object) -> object:
    """What was read of a JSON, with whole characters in all of its texts: libraries stumble over half ones."""
    if isinstance(read, str):
        return whole_characters(read)
    if isinstance(read, dict):
        return {name: whole_strings(value) for name, value in read.items()}
    if isinstance(read, list):
        return [whole_strings(value) for value in read]
    return read


def kept_part(text: str) -> str:
    """What is taken in of a text."""
    return whole_characters(text if len(text) <= MOST_KEPT else text[: MOST_KEPT - HEAD] + text[-HEAD:])


def read_part(text: str) -> str:
    """What is read of a question: head and tail, nothing for longer than anybody types it.

    A run without a space, the same piece over and over, and letters of scripts that nobody here reads are cut short.
    """
    if len(text) <= _WITHOUT_RUNS:
        return text
    cut = _RUN.sub(r"\1\2\3", text if len(text) <= MOST_READ else text[:HEAD] + text[HEAD - MOST_READ :])
    return _OVER_AND_OVER.sub(_some_of, cut if cut.isascii() else _mostly_ours(cut))


def _some_of(run: re.Match[str]) -> str:
    return run[1] * _OFTEN


def _mostly_ours(text: str) -> str:
    """The text with the first foreign characters only; a space stands for the others."""
    left = MOST_FOREIGN
    for run in _FOREIGN.finditer(text):
        left -= len(run[0])
        if left < 0:
            start = run.end() + left
            return text[:start] + _FOREIGN.sub(" ", text[start:])
    return text


Kept = Annotated[str, AfterValidator(kept_part)]
"""A text of any length from outside, of which a bounded part is kept."""
Name = Annotated[str, AfterValidator(whole_characters)]
"""An id or a name from outside."""
