"""Number formats that are not those of the weights: of the KV cache and of an optimizer, beside their words."""

from __future__ import annotations

import re
from typing import Final

_FORMAT: Final = (
    r"(?<![a-z0-9_.])(?:(?:q[458](?:_[01])?|fp8(?:_e[45]m[23])?|int[48]|fp16|f16|bf16|(?:16|[48]) ?-?bits?)"
    r"(?![a-z0-9_])|(?:16|[48]) ?(?:\u4f4d|\u6bd4\u7279))"
)
_CACHE: Final = r"(?:cache[-_]type[-_][kv]|-ct[kv]|ollama_kv_cache_type|(?<![a-z])kv(?![a-z]))"
_GLUE: Final = r"(?:(?! vs| or |\u8fd8\u662f)[^\d\n,;.?\uff0c\u3002\uff1b\uff1f]){0,24}?"
"""What may stand between the cache and its format."""
_NEXT: Final = (
    r"(?: ?(?:vs\.?|versus|or|and|to|instead of|/|,|\u3001|\u548c|\u4e0e"
    r"|\u8fd8\u662f|\u8ddf|\u5bf9|\u6bd4|\u5230|\u6362\u6210|\u6539\u6210|\u6216) ?)"
    r"(?:at |in |\u7528 ?|\u6539 ?)?"
)
_NO_WEIGHTS: Final = r"(?! ?(?:weights?|models?|quants?(?![a-z])|ggufs?|files?|\u6743\u91cd|\u6a21\u578b))"
_BEHIND: Final = re.compile(rf"{_CACHE}{_GLUE}(?P<formats>{_FORMAT}(?:{_NEXT}{_FORMAT})*){_NO_WEIGHTS}")
"""KV cache at fp16 and q8."""
_BEFORE: Final = re.compile(
    rf"(?<![0-9]b )(?<![0-9]b-)(?P<formats>{_FORMAT}(?:{_NEXT}{_FORMAT})*) ?(?:\u7684 ?)?(?:quanti[sz]ed )?{_CACHE}"
)
"""An 8-bit KV cache."""
_ONE: Final = re.compile(_FORMAT)
_LETTERS: Final = ("kv", "-ct", "cache-type", "cache_type")
_OPTIMIZER: Final = re.compile(
    r"(?:paged[ _-]?)?(?:adam|lion|ademamix)w?[ _-]?(?P<after>[48](?: ?-?bits?|bit| ?\u4f4d))"
    r"|(?P<before>[48](?: ?-?bits?| ?\u4f4d)) ?(?:\u7684 ?)?(?:paged[ _-]?)?"
    r"(?:adam|lion|optimi[sz]er|\u4f18\u5316\u5668)"
)
"""AdamW in 8 bits."""


def spans_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where formats of a cache stand. `text` in lower case."""
    if not any(letters in text for letters in _LETTERS):
        return ()
    behind = [(one.start(), one.end(), one.span("formats")) for one in _BEHIND.finditer(text)]
    before = [
        one.span("formats")
        for one in _BEFORE.finditer(text)
        if not any(start < one.end() and one.start() < end for start, end, _ in behind)
    ]
    return tuple(sorted([*(span for _, _, span in behind), *before]))


def spans_aside(text: str) -> tuple[tuple[int, int], ...]:
    """Where formats stand that are those of a cache or of an optimizer. `text` in lower case."""
    named = [one.span("after") if one["after"] else one.span("before") for one in _OPTIMIZER.finditer(text)]
    return (*spans_of(text), *named)


def formats_of(text: str) -> tuple[str, ...]:
    """Formats of a cache in the order of the text, each once: fp16 | fp8 | int8 | int4. `text` in lower case."""
    found = (_format(one[0]) for start, end in spans_of(text) for one in _ONE.finditer(text[start:end]))
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
