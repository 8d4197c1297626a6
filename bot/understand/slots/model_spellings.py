"""The spellings of models beside those that their records list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from bot.understand.files import Models
from bot.understand.gazetteer import ModelName
from bot.understand.slots.names import squeeze

_WRITTEN_PLUS: Final = re.compile(r"(?<=\w)\+(?!\w)")
_VERSIONED: Final = re.compile(r"[-_ ]v\d+(?:\.\d+)?$", re.IGNORECASE)
_PARTED: Final = re.compile(r"[^-_ ]{2,}[-_ ][^-_ ]{2,}")


def spellings(models: Iterable[ModelName]) -> list[tuple[str, str]]:
    """Every spelling of the records with the name it stands for, a plus written on to a word as a word of its own."""
    spelt = [
        (_WRITTEN_PLUS.sub(" plus", spelling), model.name)
        for model in models
        for spelling in (model.name, *model.aliases)
    ]
    return [*spelt, *_without_version(spelt)]


def _without_version(spelt: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Names without the version that they end with ("nomic-embed-text"), where one record alone goes by it."""
    found: dict[str, set[str]] = {}
    for spelling, name in spelt:
        short = _VERSIONED.sub("", spelling)
        if short != spelling and _PARTED.search(short):
            found.setdefault(squeeze(short), set()).add(name)
    taken = {squeeze(spelling) for spelling, _ in spelt}
    return [
        (_VERSIONED.sub("", spelling), name)
        for spelling, name in spelt
        if (key := squeeze(_VERSIONED.sub("", spelling))) not in taken and found.get(key) == {name}
    ]


def _other_heads(spelt: Iterable[tuple[str, str]], grammar: Models) -> list[tuple[str, str]]:
    """Names that begin with a family of several words, begun with its other spellings ("R1-Distill-Qwen-7B")."""
    spelt, made = list(spelt), []
    for heads in grammar["families"].values():
        for long in (head for head in heads if " " in head):
            begins = re.compile(re.escape(long).replace(r"\ ", "[-_ ]?") + r"(?=[-_ ])", re.IGNORECASE)
            rests = [(spelling[found.end() :], name) for spelling, name in spelt if (found := begins.match(spelling))]
            made += [(head + rest, name) for rest, name in rests for head in heads if head != long]
    taken = {squeeze(spelling) for spelling, _ in spelt}
    return [(spelling, name) for spelling, name in made if squeeze(spelling) not in taken]


def others(models: Iterable[ModelName], grammar: Models) -> list[tuple[str, str, bool]]:
    """Further names, each by that of its record where one is spelt alike; whether one that is listed goes before it."""
    models = list(models)
    recorded = {squeeze(model.name): model.name for model in models}
    listed = [(s, recorded.get(squeeze(name), name), False) for name, ss in grammar["other"].items() for s in ss]
    return [*listed, *((s, name, True) for s, name in _other_heads(spellings(models), grammar))]
