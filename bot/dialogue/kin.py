"""Names said by halves: a size for a model of the series spoken of, an edition for one of the card spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from bot.core.conversation import HeldSlot

_SIZE_ONLY = re.compile(r"^llm-(\d+(?:\.\d+)?)b$")
_SIZE_IN_NAME = re.compile(r"(?<![a-z0-9.])\d+(?:\.\d+)?(?=b(?![a-z]))", re.IGNORECASE)
_NUMBER = re.compile(r"[a-z]*\d+", re.IGNORECASE)
"""The model number of a card, with its letters."""
_ANY_OF_SIZE = re.compile(r"\b(?:an?|any|some)\s+\d")
_WORD = re.compile(r"[a-z]{4,}")
_EDITION = re.compile(r"(?<![a-z0-9])(ti\s?super|ti|(?<=the )super(?!\s[a-z])|xtx|xt)(?![a-z])")
"""A lone super is an edition only behind an article."""
_TAIL = re.compile(r"(?:\s(?:Ti Super|Ti|Super|XTX|XT|\d+GB))+$", re.IGNORECASE)


_FORM = re.compile(r"(?<![a-z0-9])(sxm\d?|nvl|pcie(?= (?:one|version|card|variant)\b))(?![a-z0-9])")
"""A form of a card; what a slot is called too is one only before a word for a card."""
_FORM_TAIL = re.compile(r"\s(?:SXM\d?|PCIe|NVL)(?:\s\d+GB)?$", re.IGNORECASE)


class Named(Protocol):
    """A record of the catalogue."""

    @property
    def name(self) -> str:
        """Its canonical name."""
        ...


class NamedModel(Named, Protocol):
    """A model of the catalogue."""

    @property
    def modality(self) -> str:
        """What it works on: text-decoder, vision, image-gen ..."""
        ...

    @property
    def family(self) -> str:
        """Its kind within that, such as video."""
        ...


class NamedGpu(Named, Protocol):
    """A card of the catalogue."""

    @property
    def vendor(self) -> str:
        """Who makes it."""
        ...

    @property
    def family(self) -> str:
        """Its line of products."""
        ...

    @property
    def vram_gib(self) -> float | None:
        """Its memory."""
        ...

    @property
    def unified_memory(self) -> bool:
        """Whether it shares the memory of the computer."""
        ...


class Names(Protocol):
    """What the catalogue knows names to be."""

    def find_gpu(self, name: str) -> NamedGpu | None:
        """The card of this name, if any."""
        ...

    def find_ml_model(self, name: str) -> NamedModel | None:
        """The model of this name, if any."""
        ...


def of_series(text: str, said: object, earlier: Iterable[Mapping[str, HeldSlot]], names: Names) -> str | None:
    """The model of that size in the series spoken of last.

    Args:
        text: the message, in lower case; with an indefinite article it is any model of that size.
        said: the stated models.
        earlier: slots in force, then those of earlier answers, the newest first.
        names: the catalogue.
    """
    size = _SIZE_ONLY.match(said[0]) if isinstance(said, list) and len(said) == 1 else None
    if size is None or _ANY_OF_SIZE.search(text):
        return None
    for before in filter(None, map(_one_sized, earlier)):
        found = names.find_ml_model(_SIZE_IN_NAME.sub(size.group(1), before))
        if found is not None:
            return found.name
    return None


def of_family(said: object, earlier: Iterable[Mapping[str, HeldSlot]], names: Names) -> str | None:
    """The model spoken of last that a name without its size or version stands for."""
    name = str(said[0]).casefold() if isinstance(said, list) and len(said) == 1 else ""
    found = names.find_ml_model(name) if name and not _SIZE_ONLY.match(name) else None
    if not name or (found is not None and found.name.casefold() == name):
        return None
    parts = set(name.split("-"))
    spoken = (_only(slots.get("model")) for slots in earlier)
    return next((one for one in spoken if parts < set(one.casefold().split("-"))), None)


def _one_sized(slots: Mapping[str, HeldSlot]) -> str:
    """The only model among slots, if its name holds a size; else ""."""
    held = slots.get("model")
    if held is None or not isinstance(held.value, list) or len(held.value) != 1:
        return ""
    name = str(held.value[0])
    return name if not _SIZE_ONLY.match(name) and len(_SIZE_IN_NAME.findall(name)) == 1 else ""


def of_variant(text: str, earlier: Mapping[str, HeldSlot], names: Names) -> str | None:
    """Another variant of the one model spoken of, by the word that tells it apart: turbo, schnell, instruct."""
    name = _only(earlier.get("model"))
    words = set(_WORD.findall(text)).difference(name.casefold().split("-")) if name else ()
    stems = dict.fromkeys((name, name.rpartition("-")[0] or name))
    found = (names.find_ml_model(f"{stem}-{word}") for word in words for stem in stems)
    known = {one.name for one in found if one is not None} - {name}
    return known.pop() if len(known) == 1 else None


def _only(held: HeldSlot | None) -> str:
    """The only name of a list, "" where there are several or none."""
    names = held.value if held is not None and isinstance(held.value, list) else []
    return str(names[0]) if len(names) == 1 else ""


def of_edition(text: str, earlier: Mapping[str, HeldSlot], names: Names) -> str | None:
    """Another edition of the one card spoken of."""
    held = earlier.get("gpu")
    if held is None or not isinstance(held.value, list) or len(held.value) != 1:
        return None
    before = str(held.value[0])
    editions, forms = set(_EDITION.findall(text)), set(_FORM.findall(text))
    if len(editions) + len(forms) != 1:
        return None
    told = (*editions, *forms)[0]
    # a form is one of the card with its memory, an edition another card of that number
    stems = (
        (_FORM_TAIL.sub("", before), _TAIL.sub("", _FORM_TAIL.sub("", before))) if forms else (_TAIL.sub("", before),)
    )
    found = next(filter(None, (names.find_gpu(f"{stem} {told}") for stem in stems)), None)
    return found.name if found is not None and found.name != before else None


def plain_of(earlier: Mapping[str, HeldSlot], names: Names) -> str | None:
    """The card of which the one spoken of is an edition."""
    before = _only(earlier.get("gpu"))
    stem = _TAIL.sub("", before).removesuffix(" D")
    found = names.find_gpu(stem) if stem and stem != before else None
    return found.name if found is not None else None


def with_replaced(before: Any, said: Any) -> Any:
    """The cards that stood, one of them corrected: that of the same number, else the last."""
    several = isinstance(before, list) and len(before) > 1
    if not several or not isinstance(said, list) or len(said) != 1 or said[0] in before:
        return said
    numbers = _NUMBER.findall(said[0])
    alike = [place for place, name in enumerate(before) if numbers and _NUMBER.findall(name)[:1] == numbers[:1]]
    place = alike[0] if len(alike) == 1 else len(before) - 1
    return [*before[:place], said[0], *before[place + 1 :]]


def of_other_kind(model: object, kinds: Iterable[str], names: Names) -> bool:
    """Whether the models spoken of are all known to be of none of these kinds."""
    found = [names.find_ml_model(str(name)) for name in (model if isinstance(model, list) else [model])]
    return bool(found) and all(
        one is not None and {one.modality, one.family.lower()}.isdisjoint(kinds) for one in found
    )
