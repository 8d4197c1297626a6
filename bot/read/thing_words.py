"""Words of sums of whatever is counted: their lists, what stands before a number, nouns in the singular, shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Final, TypedDict

from advisor.calculators.reckon import ANY, MEASURED
from bot.read.measured_units import Measure
from bot.read.units import PER_HOURS, PER_TOKENS

CUT: Final = re.compile(r"[,;?!:()\uff0c\uff1b\u3002\uff1f\uff01\uff1a\n]|\.(?=\s|$)")
"""Ends a part of a text."""
_WHOLE: Final = r"(?<![a-z])(?<!one-)"
"""Before a Latin word: no part of another one; what is "one-off" is not taken off."""
_SHAPE: Final = re.compile(r"(?<![\w.])\d+(?:\s*[x\u00d7*]\s*\d+)+(?![\w.])")
_SIDES: Final = re.compile(r"\d+")
_BOARD: Final = "card"


class ThingWords(TypedDict):
    """lexicon/things.yaml."""

    classifiers: str
    no_nouns: str
    no_counted: list[str]
    to_each: list[str]
    to_each_before: list[str]
    recurring: list[str]
    minus: list[str]
    taken: list[str]
    smaller: list[str]
    larger: list[str]
    working: list[str]
    sizes: list[str]
    asked: dict[str, list[str]]
    left: list[str]
    no_product: list[str]
    full_hours: list[str]
    each_of: list[str]
    down: list[str]
    up: list[str]
    same_unit: dict[str, list[str]]
    joins: dict[str, list[str]]


class Near(TypedDict):
    """What of lexicon/measures.yaml is said around numbers."""

    each: list[str]
    per: list[str]
    adds: list[str]
    no_adds: list[str]
    billions: dict[str, float]
    value_formats: dict[str, float]
    rows: list[dict[str, str | float | list[str]]]


def shaped(text: str, measures: Sequence[Measure]) -> list[tuple[Measure, tuple[Measure, ...]]]:
    """The measures, those of one shape ("3x384x384") as one number, each with those it stands for."""
    shapes = [
        (found, tuple(one for one in measures if found.start() <= one.start < found.end()))
        for found in _SHAPE.finditer(text)
    ]
    whole = [
        (_shape(found, within), within) for found, within in shapes if len(within) == len(_SIDES.findall(found[0]))
    ]
    inside = {one.start for _, within in whole for one in within}
    return sorted(
        [*whole, *((one, (one,)) for one in measures if one.start not in inside)], key=lambda entry: entry[0].start
    )


def _shape(found: re.Match[str], within: Sequence[Measure]) -> Measure:
    """A shape as the number of its places; so many times an amount as an amount: 3 x 285 W."""
    value, last = float(prod(map(int, _SIDES.findall(found[0])))), within[-1]
    if last.kind and last.kind != _BOARD and last.number:
        text = " \N{MULTIPLICATION SIGN} ".join([*_SIDES.findall(found[0])[:-1], last.text.strip()])
        times = value / last.number
        return replace(last, value=last.value * times, number=value, start=found.start(), text=text, rated="")
    return Measure(value, "", "", found.start(), found.end(), number=value, text=found[0])


def piece_before(text: str, behind: int, start: int) -> str:
    """What stands before a number in its part, back to the number before."""
    piece = text[behind:start]
    cut = max((found.end() for found in CUT.finditer(piece)), default=0)
    return piece[cut:]


def singular(word: str) -> str:
    """A noun in the singular, as far as its ending tells."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def typed_noun(text: str) -> tuple[str, str]:
    """The Latin noun at the end of what was typed, in the singular, and as typed; else that for anything."""
    words = text.lower().split()
    latin = len(words) > 1 and words[-1].isascii() and words[-1].isalpha()
    return (singular(words[-1]), words[-1]) if latin else (ANY, "")


def rate_of(value: float, kind: str, spelt: str) -> tuple[float, str]:
    """A value that is counted for a unit, for one of its base, and that base."""
    if kind == "time":
        return value / PER_HOURS.get(spelt, 1.0), "hour"
    if kind == "token":
        return value / (PER_TOKENS.get(spelt, 1e-6) * 1e6), kind
    if kind in {"data", "energy"}:
        return value / (1000.0 if spelt.startswith("terabyte") else 1.0), {"data": "gigabyte", "energy": "kwh"}[kind]
    return value, kind


def is_amount(unit: Mapping[str, int]) -> bool:
    """Whether a unit is of so much of what is measured, for each of nothing."""
    return any(name in MEASURED for name in unit) and min(unit.values()) > 0


def words_of(rows: Iterable[Mapping[str, str | float | list[str]]], quantities: frozenset[str]) -> list[object]:
    """The words that stand near a number of these quantities."""
    told = [row.get("cues") for row in rows if row["quantity"] in quantities]
    return [word for words in told if isinstance(words, list) for word in words]


def any_of(words: Iterable[object], even: Callable[[str], str]) -> str:
    """A pattern of any of these words, whole ones where they are Latin, the longer first."""
    listed = sorted({even(str(word)) for word in words}, key=lambda word: (-len(word), word))
    return "|".join(rf"{_WHOLE}{re.escape(one)}(?![a-z])" if one.isascii() else re.escape(one) for one in listed)


__all__ = [
    "CUT",
    "Near",
    "ThingWords",
    "any_of",
    "is_amount",
    "piece_before",
    "rate_of",
    "shaped",
    "singular",
    "typed_noun",
    "words_of",
]
