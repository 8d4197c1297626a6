"""A power supply in a later message: which one is asked for, or the one that was judged named once more."""

from __future__ import annotations

import re
from typing import Final

from bot.dialogue.ground import Ground, has_any, small_words
from bot.dialogue.slots import Stated

_SUPPLY: Final = "power_supply"
_FIGURES: Final = re.compile(r"\d+")


def other_supply(text: str, stated: Stated, ground: Ground) -> bool:
    """Another supply than the one that was judged, or that one again."""
    return _asked_for(text, stated, ground) or _named_again(text, stated, ground)


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
