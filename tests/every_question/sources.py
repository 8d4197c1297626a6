"""The numbers of a computed answer that come from nowhere.

A number comes from a field of the answer: a fact, a step of its trail, its result, a note, a slot.

What may stand in an answer besides, and is listed here by name: numbers of the fixed wording (the templates, notes
and labels themselves, with what is filled in left out), what the user typed, and "and 7 more" at the end of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final

import yaml
from pydantic import BaseModel

from bot.core.answers import Answer, Decline
from bot.core.line import Figure
from bot.core.message import Reply
from bot.pipeline import Assistant, Explained
from bot.render import num, pct
from bot.resources import templates_directory
from bot.words.figures import readable

COMPUTED: Final = frozenset(
    {
        "recommend_gpu", "check_fit", "estimate_memory", "compare_gpus", "gpu_specs", "price_lookup", "estimate_time",
        "estimate_cost", "rent_or_buy", "carbon_footprint", "multi_gpu_scaling", "gpu_count", "mixed_gpu_types",
        "upgrade_or_not", "used_or_cheap", "vendor_choice", "reduce_memory",
    }
)  # fmt: skip
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_END = object()
_NONE: Final = frozenset[str]()
_SCALARS: Final = (str, bool, int, float, Decimal, date, Enum, NoneType)
_FILLED = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)


def _numbers(text: str) -> set[str]:
    return {found.rstrip(",").replace(",", "") for found in _NUMBER.findall(text)}


def _leaves(value: Any) -> Iterator[Any]:
    """Every scalar inside a value, through models, data classes, mappings and sequences, properties included."""
    seen: set[int] = set()
    held: list[Any] = []  # what a property makes would go, and another thing get its identity
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, _SCALARS):
            yield value
            continue
        if id(value) in seen:
            continue
        seen.add(id(value))
        held.append(value)
        if isinstance(value, dict):
            inside = [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield len(value)
            inside = list(value)
        else:
            if isinstance(value, Figure):
                yield from _told_as(value)
            inside = [getattr(value, name, None) for name in _fields(type(value))]
        left += reversed(inside)  # the first part of an answer holds most of what is told of it


def _told_as(figure: Figure) -> Iterator[float]:
    """A figure is told in the unit that reads best, both ends of its band in that of the upper one."""
    ends = [end for end in (figure.value, figure.low, figure.high) if end is not None]
    scales = [readable(end, figure.unit)[0] / end for end in ends if end]
    scales += _told_in(figure.unit)
    return (end * scale for end in ends for scale in scales)


@cache
def _told_in(unit: str) -> list[float]:
    """What a large number of a unit is told in: thousand millions, and in Chinese hundred millions."""
    return [1.0 / float(labels[f"{unit}.large_from"]) for labels in _units() if f"{unit}.large_from" in labels]


@cache
def _units() -> list[dict[str, str]]:
    files = (templates_directory() / language / "units.yaml" for language in ("zh", "en"))
    return [yaml.safe_load(file.read_text("utf-8")) for file in files]


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """Names of the fields and properties of a class."""
    named = kind.model_fields if issubclass(kind, BaseModel) else getattr(kind, "__dataclass_fields__", ())
    own = (base for base in kind.__mro__ if base not in BaseModel.__mro__)
    return (*named, *(name for base in own for name, value in vars(base).items() if isinstance(value, property)))


@cache
def _forms(value: float) -> frozenset[str]:
    """The ways in which the renderer may show a number."""
    size = abs(value)
    exact = Decimal(str(size))
    shown = {f"{number:.{digits}f}" for digits in range(4) for number in (size, exact)} | {
        num(size, digits) for digits in (1, 2, 3, 4)
    }
    shown |= {pct(part, digits).rstrip("%") for part in (size, abs(1 - size)) for digits in (2, 3)}
    shown |= {f"{size:g}", str(size)}
    trimmed = {text.rstrip("0").rstrip(".") for text in shown if "." in text and "," not in text}
    return frozenset({text.replace(",", "") for text in shown} | trimmed)


@cache
def _wording(language: str) -> frozenset[str]:
    """Numbers of the fixed wording of one language."""
    found: set[str] = set()
    root = templates_directory()
    files = [*root.glob(f"*/{language}.md.j2"), *(root / "_shared").rglob(f"*{language}.*")]
    files += root.glob(f"{language}/*.yaml")
    for path in files:
        found |= _numbers(_FILLED.sub(" ", Path(path).read_text(encoding="utf-8")))
    return frozenset(found)


def _rests(outcome: Answer | Decline) -> set[str]:
    """ "And 7 more": how many a list has beyond those that are named (two sources, three cards, six without a price)."""
    result = outcome.result if isinstance(outcome, Answer) else None
    rests = [len(outcome.sources) - 2, len(getattr(result, "unpriced", ())) - 6]
    rests += [group.count - 3 for group in getattr(result, "ruled_out", ())]
    return {str(rest) for rest in rests if rest > 0}


def _said_by(leaf: Any) -> Set[str]:
    """The numbers that a scalar of an answer stands for."""
    if isinstance(leaf, (datetime, date)):
        return _numbers(leaf.isoformat())
    if isinstance(leaf, str):
        return _numbers(leaf)
    return _forms(float(leaf)) if isinstance(leaf, (int, float, Decimal)) and not isinstance(leaf, bool) else _NONE


def _loose(outcome: Answer | Decline, reply: Reply, explained: Explained, typed: str) -> set[str]:
    """The numbers of a reply that nothing of its answer stands for; what is left is looked for leaf by leaf."""
    loose: Set[str] = _numbers(reply.text) - _wording(reply.language) - _numbers(typed) - _rests(outcome)
    leaves = _leaves((outcome, reply.sources, reply.slots, explained.decision.slots))
    while loose and (leaf := next(leaves, _END)) is not _END:
        loose = loose - _said_by(leaf)  # the few that are looked for, not the many that a figure may be shown as
    return loose


def untraced(assistant: Assistant, explained: Explained, text: str, language: str) -> list[str]:
    """Numbers of the answer to a text that come from nowhere; none where nothing was computed."""
    reply, outcome = explained.reply, explained.outcome
    if reply.intent not in COMPUTED or not isinstance(outcome, (Answer, Decline)):
        return []
    lines = [
        getattr(assistant.services.library.conflicts[name].line, language)
        for name in getattr(outcome, "conflicts", ())
        if name in assistant.services.library.conflicts
    ]
    return sorted(_loose(outcome, reply, explained, " ".join((text, *lines))))
