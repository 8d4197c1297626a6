"""The spellings of a card's name, made from its parts: maker, series, number, suffix, memory and form.

A record names the card once; people leave out the maker or the series, write the parts together, say "16G" for
"16GB" and put the memory first. What two records could mean is the name of neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

from advisor.models import Gpu, MlModel
from advisor.names import name_key

_SERIES: Final = frozenset(
    [
        "geforce",
        "gtx",
        "rtx",
        "gt",
        "rx",
        "tesla",
        "quadro",
        "radeon",
        "instinct",
        "arc",
        "titan",
        "jetson",
        "grid",
        "apple",
        "ascend",
        "mtt",
        "dcu",
        "pro",
        "ai",
    ]
)
_WRITTEN_ON: Final = frozenset({"", "rtx", "gtx", "rx", "gt", "pro", "rtx pro"})
"""Series that people write on to the number ("rtx4090")."""
_FORMS: Final = frozenset(["pcie", "sxm", "sxm2", "sxm4", "sxm5", "nvl", "oam", "laptop"])
_MEMORY: Final = re.compile(r"\d+GB", re.IGNORECASE)
_REMARK: Final = re.compile(r"\(.*?\)")
_MIXTURE: Final = re.compile(r"(.*\d[BT])[-_ ]A\d+(?:\.\d+)?B", re.IGNORECASE)
"""A mixture's name: total and active parameters."""
_FIGURES: Final = re.compile(r"\d+(?:\.\d+)?")
_TELLING: Final = re.compile(r"(?=.*\d)[^\W_]{4,}|[a-z]+\d\w*", re.IGNORECASE)
"""What stands for a card without its series: four characters or more, or letters before a figure ("A40", "4090")."""


@dataclass(frozen=True, slots=True)
class CardParts:
    """A card's name taken apart; a part that it does not have is empty."""

    maker: str
    series: tuple[str, ...]
    number: str
    suffix: tuple[str, ...]
    memory: str
    form: str


def card_parts(gpu: Gpu) -> CardParts:
    """The parts of a canonical name, in the spelling of its record. Remarks in brackets are no part."""
    words = _REMARK.sub(" ", gpu.name).split()
    memory = next((word for word in words if _MEMORY.fullmatch(word)), "")
    form = next((word for word in words if word.lower() in _FORMS), "")
    left = [word for word in words if word not in (memory, form)]
    first = next((at for at, word in enumerate(left) if word.lower() not in _SERIES), len(left) - 1)
    return CardParts(gpu.vendor, tuple(left[:first]), left[first], tuple(left[first + 1 :]), memory, form)


def card_spellings(gpu: Gpu) -> tuple[str, ...]:
    """Every spelling that its parts make, the canonical name left out."""
    parts = card_parts(gpu)
    memories = (parts.memory, parts.memory[:-1]) if parts.memory else ("",)
    made: dict[str, None] = {}
    for name, memory in product(_named(gpu, parts), memories):
        made[_joined(name, memory, parts.form)] = None
        if memory:
            made[_joined(memory, name, parts.form)] = None
    made.pop(gpu.name, None)
    return tuple(made)


def _named(gpu: Gpu, parts: CardParts) -> tuple[str, ...]:
    """Series, number and suffix with and without what may be left out, apart and written together."""
    core = " ".join((parts.number, *parts.suffix))
    heads = _heads(parts)
    short = " ".join((parts.number, *_suffix(gpu, parts)))
    named = [(head, f"{head} {core}".strip()) for head in heads]
    named += [(head, f"{head} {short}") for head in heads if parts.series and head.endswith(parts.series[-1])]
    glued = [name.replace(" ", "") if head.lower() in _WRITTEN_ON else name for head, name in named]
    return tuple(dict.fromkeys((*(name for _, name in named), *glued)))


def _heads(parts: CardParts) -> tuple[str, ...]:
    """What may stand before a number: series, maker and series, and for a telling number the maker or nothing."""
    series = " ".join(parts.series)
    heads = [series, f"{parts.maker} {series}"] if series else []
    return (*heads, parts.maker, "") if _TELLING.fullmatch(parts.number) else tuple(heads)


def _suffix(gpu: Gpu, parts: CardParts) -> tuple[str, ...]:
    """The suffix without the architecture, which PRO cards go without ("RTX PRO 2000"); others need it."""
    if "PRO" not in parts.series:
        return parts.suffix
    kinds = gpu.architecture.lower().split()
    return tuple(word for word in parts.suffix if word.lower() not in kinds)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def own_spellings(gpus: Iterable[Gpu], taken: Iterable[str]) -> dict[str, str]:
    """Key of each made spelling -> id of its card; what two cards share, or a record has, is left out."""
    held = set(taken)
    found: dict[str, set[str]] = {}
    for gpu in gpus:
        for spelling in card_spellings(gpu):
            found.setdefault(name_key(spelling), set()).add(gpu.id)
    return {key: next(iter(ids)) for key, ids in found.items() if len(ids) == 1 and key not in held}


def total_key(name: str) -> tuple[str, ...]:
    """The key of a name with each of its numbers: "qwen3-30b" and "qwen 330b" are two."""
    return name_key(name), *_FIGURES.findall(name)


def totals_alone(models: Iterable[MlModel]) -> dict[tuple[str, ...], str]:
    """Key of each mixture's name without its active part ("qwen3.5-397b") -> id; what two share is left out."""
    found: dict[tuple[str, ...], set[str]] = {}
    for model in models:
        for name in (model.name, *model.aliases):
            if said := _MIXTURE.fullmatch(name):
                found.setdefault(total_key(said[1]), set()).add(model.id)
    return {key: next(iter(ids)) for key, ids in found.items() if len(ids) == 1}
