"""What of a message speaks for one need or another: concepts, slots and traits, and its words between the slots.

A sign is a short text; the same function reads labelled lines when weights are learned and messages when they are
answered. Kinds are told apart by their first character, so that a word never meets a concept of the same spelling.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.understand.slots.found import Reading

KEY = "#"
CONTEXT = "@"
_SPOKEN = frozenset({"task", "method", "deploy", "persona"})
"""Slots whose words say what is wanted too ("rent", "inference"): they stay in the text."""
_LONG_WORD = 5
_HEAD, _TAIL = 5, 4
_FEW = 6
_SEVERAL = KEY + "two:gpu"
_LEANING = ("trait:elliptical", "trait:leaning", "trait:no_sign")


def signs_of(reading: Reading, keys: Sequence[str], context: str = "") -> list[str]:
    """Every sign of one message, without repeats.

    Args:
        reading: the message with its slots.
        keys: its concepts in the order of the text, then slots and traits.
        context: the intent that the turn before was about, if any.
    """
    units = _units(reading)
    signs: dict[str, None] = {}
    before = ""
    for key in keys:
        signs[KEY + key] = None
        if ":" not in key:
            if before:
                signs[f"{KEY}{before}>{key}"] = None
            before = key
        if context and not key.startswith("trait:"):
            signs[f"{CONTEXT}{context}&{key}"] = None
    if _SEVERAL in signs:
        # what is said beside two cards: one of them used, both in one machine, the one in place of the other
        signs.update(dict.fromkeys([f"{_SEVERAL}&{key}" for key in keys if ":" not in key]))
    _add_words(signs, units)
    if context:
        _add_context(signs, context, len(units) <= _FEW)
    return list(signs)


def _add_context(signs: dict[str, None], context: str, is_short: bool) -> None:
    """What the turn before was about: alone, with a message that leans on it, with a short one."""
    signs[CONTEXT + context] = None
    if any(KEY + trait in signs for trait in _LEANING):
        signs[f"{CONTEXT}~{context}"] = None
    if is_short:
        signs[f"{CONTEXT}-{context}"] = None


def _add_words(signs: dict[str, None], units: Sequence[str]) -> None:
    """Words, pairs of words, and how the longer ones begin and end."""
    before = "^"
    for unit in units:
        signs[unit] = None
        signs[f"{before} {unit}"] = None
        before = unit
        if len(unit) >= _LONG_WORD and unit.isascii() and unit[0] != "<":
            signs[f"{unit[:_HEAD]}*"] = None
            signs[f"*{unit[-_TAIL:]}"] = None
    signs[f"{before} $"] = None


def _units(reading: Reading) -> list[str]:
    """Words and Han characters in order, without punctuation: a slot value stands as its name, a number as one."""
    # of two values at one place the longer one stands
    values = sorted([(value.start, -value.end, value.slot) for value in reading.values if value.slot not in _SPOKEN])
    values.append((len(reading.text), 0, ""))
    units: list[str] = []
    number, until = 0, 0
    begin = values[0][0]
    for text, kind, start, _, _ in reading.tokens:
        while begin <= start:
            end, slot = -values[number][1], values[number][2]
            number += 1
            begin = values[number][0]
            if start < end and until < end:
                units.append(f"<{slot}>")
                until = end
        if start >= until and kind != "s":
            units.append(text if kind != "n" else "<n>")
    return units


def kind_of(sign: str) -> tuple[str, str]:
    """What a sign is and what it says, for people."""
    if sign.startswith(KEY):
        name = sign[1:]
        of_slot = name.startswith(("slot:", "two:", "not:", "unknown:"))
        kind = "slot" if of_slot else "trait" if name.startswith("trait:") else "concept"
        return kind, name.replace(">", ", then ").replace("&", ", with ")
    if sign.startswith(CONTEXT):
        return "context", sign[1:].lstrip("~-").replace("&", ", then ")
    if " " in sign:
        return "words", sign
    return ("letters" if "*" in sign else "word"), sign
