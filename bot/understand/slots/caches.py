"""Number formats that are not those of the weights: of the KV cache and of an optimizer, beside their words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from advisor.errors import BadData, Problem
from bot.lexicons import load_lexicons
from bot.resources import lexicon_directory

_LATIN: Final = (
    r"(?<![a-z0-9_.])(?:(?:q[458](?:_[01])?|fp8(?:_e[45]m[23])?|int[48]|fp16|f16|bf16|(?:16|[48]) ?-?bits?)"
    r"(?![a-z0-9_])"
)
_CACHE: Final = r"(?:cache[-_]type[-_][kv]|-ct[kv]|ollama_kv_cache_type|(?<![a-z])kv(?![a-z]))"
_LETTERS: Final = ("kv", "-ct", "cache-type", "cache_type")


class _Patterns(NamedTuple):
    """The patterns, with the words of all languages in them."""

    one: re.Pattern[str]
    """A format."""
    behind: re.Pattern[str]
    """KV cache at fp16 and q8."""
    before: re.Pattern[str]
    """An 8-bit KV cache."""
    optimizer: re.Pattern[str]
    """AdamW in 8 bits."""


@cache
def _patterns() -> _Patterns:
    """The patterns of lexicon/formats.yaml.

    Raises:
        BadData: the file is faulty.
    """
    path = lexicon_directory() / "formats.yaml"
    problems: list[Problem] = []
    loaded = load_lexicons([path], problems, salt="formats")
    if problems:
        raise BadData(problems)
    words: Mapping[str, str] = loaded[str(path)]
    bits, of = words["bits"], words["of"]
    form = rf"{_LATIN}|(?:16|[48]) ?(?:{bits}))"
    glue = rf"(?:(?!{words['or_else']})[^\d\n,;.?\uff0c\u3002\uff1b\uff1f]){{0,24}}?"
    joined = rf"(?: ?(?:{words['joined']}) ?)(?:{words['led']})?"
    no_weights = rf"(?! ?(?:{words['weights']}))"
    formats = rf"(?P<formats>{form}(?:{joined}{form})*)"
    size = rf"[48](?: ?-?bits?|bit| ?(?:{bits}))"
    return _Patterns(
        re.compile(form),
        re.compile(rf"{_CACHE}{glue}{formats}{no_weights}"),
        re.compile(rf"(?<![0-9]b )(?<![0-9]b-){formats}{of}(?:quanti[sz]ed )?{_CACHE}"),
        re.compile(
            rf"(?:paged[ _-]?)?(?:adam|lion|ademamix)w?[ _-]?(?P<after>{size})"
            rf"|(?P<before>{size}){of}(?:paged[ _-]?)?(?:{words['optimizer']})"
        ),
    )


def spans_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where formats of a cache stand. `text` in lower case."""
    if not any(letters in text for letters in _LETTERS):
        return ()
    behind = [(one.start(), one.end(), one.span("formats")) for one in _patterns().behind.finditer(text)]
    before = [
        one.span("formats")
        for one in _patterns().before.finditer(text)
        if not any(start < one.end() and one.start() < end for start, end, _ in behind)
    ]
    return tuple(sorted([*(span for _, _, span in behind), *before]))


def spans_aside(text: str) -> tuple[tuple[int, int], ...]:
    """Where formats stand that are those of a cache or of an optimizer. `text` in lower case."""
    named = [one.span("after") if one["after"] else one.span("before") for one in _patterns().optimizer.finditer(text)]
    return (*spans_of(text), *named)


def formats_of(text: str) -> tuple[str, ...]:
    """Formats of a cache in the order of the text, each once: fp16 | fp8 | int8 | int4. `text` in lower case."""
    found = (_format(one[0]) for start, end in spans_of(text) for one in _patterns().one.finditer(text[start:end]))
    return tuple(dict.fromkeys(found))


def without(text: str) -> str:
    """The text with blanks where formats of a cache stand. `text` in lower case."""
    for start, end in spans_of(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _format(word: str) -> str:
    """The number format that a word for one means."""
    if word.startswith("fp8"):
        return "fp8"
    if word.startswith(("q4", "int4", "4")):
        return "int4"
    return "int8" if word.startswith(("q8", "q5", "int8", "8")) else "fp16"
