"""A change of an amount in force: so many times it, a part of it, so much more or less, another in its place.

A message that holds no more than that asks the last question again with the new amount. Which amount is meant is said
by a noun (`quantities` of languages/dialogue.yaml), else by the value that is given up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from bot.core.conversation import Episode, HeldSlot
from bot.core.left import opened
from bot.core.numbers import counted, figure
from bot.core.understanding import Number, Understanding
from bot.dialogue.ground import Ground, has_any, small_words
from bot.dialogue.slots import Stated

_LONGEST: Final = 60
"""Characters: more ask something of their own."""
_WHOLE: Final = 1.0
_WEEK: Final = 7
_FEW: Final = 14
"""Characters of a message that names no amount and changes the one that was said last."""
_SUPPLIES: Final = (300, 2500)
"""Watts that supplies are sold with."""
_OF_NAME: Final = frozenset({"gpu", "model"})
"""Slots beside which a change is one of the names, and of no amount."""
_LISTED: Final = re.compile(r"^(\d+(?:\.\d+)?) ([a-z]+)$")
"""A number of samples as the slot of the data holds it."""
_UNITS: Final[Mapping[str, str]] = {"step": "epochs", "sample": "dataset"}
"""Units of numbers that no other rule counts on, and the slots that hold them."""
Slots = Mapping[str, HeldSlot]
_TRAILED: Final = frozenset({"epochs", "batch"})
"""Amounts that trails name like their slots."""
_LEAST_ROUNDS: Final = 1


def rescaled(text: str, understanding: Understanding, stated: Stated, ground: Ground, subject: Episode | None) -> bool:
    """Write the new value of an amount in force onto what a message states; whether there was one.

    Args:
        text: the message.
        understanding: its reading.
        stated: what it states; changed in place.
        ground: what was said before.
        subject: the answer that it is about; its trail tells amounts that were assumed.
    """
    lowered = text.casefold()
    if ground.pending is not None or len(lowered) > _LONGEST:
        return False
    numbers = understanding.said.numbers
    _supply(numbers, stated, ground)
    if _on_days(lowered, stated, ground):
        return True
    named = _said_of(lowered, ground, subject)
    found = _changed(lowered, numbers, stated, named, ground.earlier) if _OF_NAME.isdisjoint(stated.values) else None
    if found is None:
        return False
    slot, value = found
    stated.values[slot] = value
    stated.operation, stated.belongs = "increment", True
    return True


# --- beside names, and of the days of a week ------------------------------------------------------------------------


def _supply(numbers: Sequence[Number], stated: Stated, ground: Ground) -> None:
    """A number alone beside the name of a card is the watts of another supply, where one was judged."""
    bare = [one.value for one in numbers if not one.unit and not one.kind]
    low, high = _SUPPLIES
    judged = "psu_w" in ground.earlier and "psu_w" in ground.uses and stated.values.keys() == {"gpu"}
    if judged and len(bare) == 1 and low <= bare[0] <= high:
        stated.values["psu_w"] = int(bare[0])


def _on_days(text: str, stated: Stated, ground: Ground) -> bool:
    """Hours of a day that are used on some days of the week alone."""
    days = _days(text)
    if _office_hours(text, stated, ground):
        return True
    hours = next((held for slots in (ground.earlier, *ground.before) if (held := _of_a_day(slots))), None)
    if not days or hours is None or stated.values or "duration" not in ground.uses:
        return False
    a_week = {"amount": hours["amount"] * days, "unit": "hour", "per": "week"}
    stated.values["duration"] = dict(hours) if days == _WEEK else a_week
    stated.operation, stated.belongs = "increment", True
    return True


def _office_hours(text: str, stated: Stated, ground: Ground) -> bool:
    """Hours of a week that have a name, where something is paid for by its hours."""
    words = small_words()["hours_named"]
    found = next((int(hours) for word, hours in words.items() if word in text), 0)
    if not found or stated.values or "duration" not in ground.uses:
        return False
    stated.values["duration"] = {"amount": found, "unit": "hour", "per": "week"}
    stated.operation, stated.belongs = "increment", True
    return True


def _of_a_day(slots: Mapping[str, HeldSlot]) -> Mapping[str, float] | None:
    """The hours of a day that something is used."""
    for name in ("duration", "usage"):
        value = slots[name].value if name in slots else None
        if isinstance(value, Mapping) and value.get("per") == "day" and value.get("unit") == "hour":
            return value
    return None


def _days(text: str) -> int:
    """How many days of a week are spoken of, 0 for none; those that are left out, or come on top, are counted so."""
    words = small_words()
    found = next((int(days) for word, days in words["days_of_week"].items() if word in text), 0)
    if found and has_any(text, words["also_days"]):
        return _WEEK
    return _WEEK - found if found and has_any(text, words["not_days"]) else found


# --- which amount ----------------------------------------------------------------------------------------------------


def _said_of(text: str, ground: Ground, subject: Episode | None) -> dict[str, HeldSlot | None]:
    """Amounts whose noun stands in a message, in the order of the list, with what they are now."""
    nouns: Mapping[str, Mapping[str, object]] = small_words()["quantities"]
    named = [slot for slot, words in nouns.items() if has_any(text, list(words))]
    one = {"gpu_count": HeldSlot(value=1)} if "gpu" in ground.earlier else {}
    return {slot: ground.earlier.get(slot) or one.get(slot) or _assumed(slot, subject) for slot in named}


def _assumed(slot: str, subject: Episode | None) -> HeldSlot | None:
    """What an answer counted with where nobody said it, by a step of its trail."""
    steps = list(opened(subject).trace) if subject is not None and slot in _TRAILED else []
    while steps:
        step = steps.pop()
        if step.name == slot and isinstance(step.value, (int, float)):
            return HeldSlot(value=step.value)
        steps.extend(step.inputs)
    return None


def _amount(held: HeldSlot | None) -> float | None:
    """The number of a slot: of money and time their amount, of data how many there are."""
    value: object = held.value if held is not None else None
    if isinstance(value, Mapping):
        value = value.get("amount")
    if isinstance(value, str):
        listed = _LISTED.match(value)
        value = float(listed[1]) if listed else None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or value <= 0:
        return None
    return float(value)


def _with(slot: str, held: HeldSlot | None, amount: float) -> object:
    """A slot with another number in the form that it has; None where it can hold no such number."""
    value: object = held.value if held is not None else None
    whole = int(amount) if amount == int(amount) else round(amount, 4)
    if isinstance(value, Mapping):
        return {**value, "amount": whole}
    if slot == "dataset":
        listed = _LISTED.match(str(value)) if value is not None else None
        return f"{amount:.0f} {listed[2] if listed else 'samples'}"
    if slot == "epochs":
        return max(_LEAST_ROUNDS, whole)
    return counted(slot, whole)


# --- so many times, so much more -------------------------------------------------------------------------------------


@cache
def _factors() -> tuple[tuple[re.Pattern[str], float], ...]:
    """Words for so many times and for parts, the longest first."""
    listed = sorted(small_words()["factors"].items(), key=lambda one: -len(one[0]))
    return tuple(
        (re.compile(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)), float(size))
        for word, size in listed
    )


@cache
def _fold() -> re.Pattern[str]:
    """So many times, in figures."""
    return re.compile(rf"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s?(?:{'|'.join(small_words()['fold'])})(?![a-z0-9])")


def _factor(text: str) -> float | None:
    """By how much an amount is multiplied, None where nothing says so."""
    told = _fold().search(text)
    factor = figure(told[1]) if told else next((size for word, size in _factors() if word.search(text)), None)
    if factor is None or factor <= 0:
        return None
    less = factor < _WHOLE and has_any(text, small_words()["part_less"])
    return _WHOLE - factor if less else factor


def _times(text: str, said: Mapping[str, HeldSlot | None], stated: Stated) -> tuple[str, object] | None:
    """So many times, or a part of, the amount that is named."""
    factor = _factor(text) if len(said) == 1 else None
    if factor is None:
        return None
    slot, held = next(iter(said.items()))
    before = _amount(held)
    value = _with(slot, held, before * factor) if before is not None and slot not in stated.values else None
    return (slot, value) if value is not None else None


def _more(numbers: Sequence[Number], said: Mapping[str, HeldSlot | None]) -> tuple[str, object] | None:
    """So many rounds or so much data more or less than there were."""
    alone = next((slot for slot in _UNITS.values() if slot in said), "")
    for one in numbers:
        sign = ("more" in one.beside) - ("fewer" in one.beside)
        named = _UNITS.get(one.unit, "" if one.unit else alone)
        held = said.get(named)
        before = _amount(held) if sign else None
        left = before + sign * one.value if before is not None else 0.0
        value = _with(named, held, left) if left > 0 else None
        if value is not None:
            return named, value
    return None


def _newest(text: str, earlier: Slots) -> Mapping[str, HeldSlot | None]:
    """The amount that was said last, for a few words that change one and name none; nothing where several were."""
    if len(text) > _FEW:
        return {}
    held = {slot: one for slot, one in earlier.items() if slot in small_words()["quantities"] and _amount(one)}
    last = max((one.turn for one in held.values()), default=0)
    newest = {slot: one for slot, one in held.items() if one.turn == last}
    return newest if len(newest) == 1 else {}


def _so_many(
    numbers: Sequence[Number], stated: Stated, said: Mapping[str, HeldSlot | None]
) -> tuple[str, object] | None:
    """The only amount that a message states, where it is a number of rounds and such a number was counted with."""
    rounds = [one.value for one in numbers if one.unit == "step"]
    known = said.get("epochs") is not None and not stated.values
    return ("epochs", int(rounds[0])) if known and len(numbers) == len(rounds) == 1 and rounds[0] >= 1 else None


def _set_to(
    numbers: Sequence[Number], said: Mapping[str, HeldSlot | None], stated: Stated
) -> tuple[str, object] | None:
    """The only number of a message that names only one amount in force, where it has no unit of its own."""
    if len(numbers) != 1 or len(said) != 1 or numbers[0].unit or stated.values:
        return None
    slot, held = next(iter(said.items()))
    value = _with(slot, held, numbers[0].value) if held is not None and numbers[0].value > 0 else None
    return (slot, value) if value is not None else None


def _changed(
    text: str, numbers: Sequence[Number], stated: Stated, said: Mapping[str, HeldSlot | None], earlier: Slots
) -> tuple[str, object] | None:
    """The new value of the amount that is named, or given up."""
    named = said or _newest(text, earlier)
    found = _moved(text, said, earlier) or _times(text, named, stated) or _more(numbers, said)
    found = found or _so_many(numbers, stated, said)
    return found or (_set_to(numbers, said, stated) if has_any(text, small_words()["moved_to"]) else None)


# --- one in the place of another -------------------------------------------------------------------------------------


@cache
def _moves() -> tuple[tuple[re.Pattern[str], int], ...]:
    """Ways to say that one number takes the place of another, and which of the two is the new one."""
    words, scales = small_words(), "|".join(map(re.escape, small_words()["scales"]))
    number = rf"(?<![a-z0-9.])(\d[\d,]*(?:\.\d+)?)\s?({scales})?(?![0-9])"
    to, for_it = ("|".join(map(re.escape, words[kind])) for kind in ("moved_to", "in_place_of"))
    between = r"[^\d,.;?]{0,14}?"
    return (
        (re.compile(rf"{number}{between}(?:{to}){between}{number}"), 1),
        (re.compile(rf"{number}{between}(?:{for_it}){between}{number}"), 0),
    )


def _moved(text: str, said: Mapping[str, HeldSlot | None], earlier: Slots) -> tuple[str, object] | None:
    """The amount that is put in the place of another one of its kind."""
    for pattern, place in _moves():
        found = pattern.search(text)
        if found is None:
            continue
        both = [_scaled(found[1], found[2]), _scaled(found[3], found[4])]
        new, old = both[place], both[1 - place]
        slot = next(iter(said), "") if len(said) == 1 else _holding(old, said or earlier)
        value = _with(slot, said.get(slot) or earlier.get(slot), new) if slot and new > 0 else None
        if value is not None:
            return slot, value
    return None


def _holding(old: float, slots: Mapping[str, HeldSlot | None] | Slots) -> str:
    """The slot whose number is the one that is given up, "" where none or several are."""
    found = [slot for slot, held in slots.items() if _amount(held) == old]
    return found[0] if len(found) == 1 else ""


def _scaled(digits: str, scale: str | None) -> float:
    """A number with its scale."""
    return (figure(digits) or 0.0) * float(small_words()["scales"].get(scale or "", 1))
