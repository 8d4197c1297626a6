"""A power supply in a later message: which one is asked for, or the one that was judged named once more."""

from __future__ import annotations

import re
from typing import Final

from bot.dialogue.ground import Ground, has_any, small_words
from bot.dialogue.slots import Stated

_SUPPLY: Final = "power_supply"
_VERSIONED: Final = "cuda_compat"
_LEAST_LIMIT: Final = 50
"""Watts below which nobody limits a card."""
_RATED: Final = re.compile(r"\s{0,2}(?:is |of )?([3-9]\d\d|[12]\d\d\d)(?!\d| ?(?:w|rpm|mm))")
"""Watts of a supply."""
_FIGURES: Final = re.compile(r"\d+")


def otherwise(text: str, stated: Stated, ground: Ground) -> bool:
    """Another supply or version than the one that was judged, or that one again."""
    return other_supply(text, stated, ground) or other_version(text, stated, ground)


def other_supply(text: str, stated: Stated, ground: Ground) -> bool:
    """Another supply than the one that was judged, or that one again."""
    changed = _asked_for(text, stated, ground) or _named_again(text, stated, ground)
    return _limited(text, stated, ground) or _beside_its_word(text, stated) or changed


def _asked_for(text: str, stated: Stated, ground: Ground) -> bool:
    """The size of a supply is asked for where one was judged: that one is no condition any more."""
    judged = ground.intent == _SUPPLY and "psu_w" in ground.earlier and "psu_w" not in stated.values
    if not judged or not has_any(text, small_words()["which_supply"]):
        return False
    stated.dropped.add("psu_w")
    stated.belongs = True
    return True


def _named_again(text: str, stated: Stated, ground: Ground) -> bool:
    """A supply that was judged before is named once more by its figure alone."""
    if ground.intent != _SUPPLY or "psu_w" in ground.earlier or "psu_w" in stated.values:
        return False
    judged = {int(slots["psu_w"].value) for slots in ground.before if "psu_w" in slots}
    named = judged.intersection(map(int, _FIGURES.findall(text)))
    if len(named) != 1:
        return False
    stated.values["psu_w"] = named.pop()
    return True


def _beside_its_word(text: str, stated: Stated) -> bool:
    """Watts of a supply said without their unit, right beside the word for it."""
    for word in small_words()["supply_words"] if "psu_w" not in stated.values else ():
        at = text.find(word)
        found = _RATED.match(text[at + len(word) :]) if at >= 0 else None
        if found:
            stated.values["psu_w"] = int(found[1])
            return True
    return False


def _limited(text: str, stated: Stated, ground: Ground) -> bool:
    """Watts that each card is limited to, said without their unit where a supply is spoken of."""
    figures = {int(one) for one in _FIGURES.findall(text)} - {0}
    limits = ground.intent == _SUPPLY and has_any(text, small_words()["limits"]) and "psu_w" in ground.earlier
    named = [one for one in figures if _LEAST_LIMIT <= one < ground.earlier["psu_w"].value] if limits else []
    if len(named) != 1 or not {"psu_w", "gpu"}.isdisjoint(stated.values):
        return False
    stated.values["limit_w"] = named[0]
    stated.belongs = True
    return True


def other_version(text: str, stated: Stated, ground: Ground) -> bool:
    """The version that a card takes is asked for where another one was judged: that is no condition any more."""
    judged = ground.intent == _VERSIONED and "cuda_version" in ground.earlier and not stated.values
    if not judged or not has_any(text, small_words()["which_version"]):
        return False
    stated.dropped |= {"cuda_version", "framework"}
    stated.belongs = True
    return True
