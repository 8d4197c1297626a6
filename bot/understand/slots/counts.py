"""Reads how many cards and how many people: "4x", dual, "two of them", eight cards in one machine."""

from __future__ import annotations

import re
from typing import Final

from bot.understand.slots.context import Cues, plain_number
from bot.understand.slots.found import Reading, Value, holds
from bot.understand.slots.numbers import Quantity

_LARGEST_COUNT = 20000
_MOST_USERS: Final = 100_000_000
_LONGEST_BETWEEN = 24
_SOME_PIECES = 20
_MANY_SHEETS = 64
"""More sheets than that without a card beside them are pictures."""
_MANY_PIECES = 100
"""From here on the measure word for pieces is the one for money."""
_MOST_IN_MACHINE = 16
_COMPARED = frozenset({"compare", "or_word"})
"""Where these are spoken of, the count of one of several cards is not that of the question."""
_TIMES = frozenset({"x", "*"})
_SIZED_CARDS = re.compile(r"[ \-x*]*\d+ ?(?:g|gb|gib)\b[ \-]*(?:vram )?(?:cards?|gpus?)\b")
_HOURS = re.compile(r"s?[ \-](?:gpu[ \-])?(hour|day)s?(?![a-z])")
_SIZE = re.compile(r"[ \-x*]*\d+gb?")


def read_counts(reading: Reading, quantities: list[Quantity], cues: Cues) -> list[Quantity]:
    """Add gpu_count and users; gives back the quantities that count neither."""
    rest: list[Quantity] = []
    counted: list[tuple[Value, int]] = []
    of_each: list[Value] = []
    machines: Quantity | None = None
    for quantity in quantities:
        if quantity.unit == "person":
            _users(reading, quantity)
            continue
        if quantity.unit == "machine" and 1 <= quantity.value <= _LARGEST_COUNT:
            machines = quantity
            if quantity.value != 1:
                rest.append(quantity)
            continue
        card = _card_beside(reading, quantity, cues)
        if card >= quantity.end and quantity.unit == "" and (hours := _card_hours(reading, card, quantity)):
            reading.values.append(hours)
            continue
        if not _counts_cards(reading, quantity, card, cues) and not _of_machine(reading, quantity, machines):
            rest.append(quantity)
            continue
        value = Value("gpu_count", int(quantity.value), quantity.start, quantity.end, "count: cards")
        value.bound = quantity.bound
        if _in_machines(reading, quantity, machines):
            value.value *= int(machines.value) if machines else 1
        elif _per_machine(reading, quantity, cues):
            of_each.append(value)
        counted.append((value, card))
    for value in of_each if machines is not None else ():
        value.value *= int(machines.value) if machines else 1
    _settle(reading, counted, cues)
    return rest


def _users(reading: Reading, quantity: Quantity) -> None:
    if 1 <= quantity.value <= _MOST_USERS and not (quantity.value == 1 and quantity.words):
        reading.values.append(Value("users", int(quantity.value), quantity.start, quantity.end, "count: people"))


def _in_machines(reading: Reading, quantity: Quantity, machines: Quantity | None) -> bool:
    """Whether several machines stand right before a count of cards ("2 nodes with 8"), without a comma in English."""
    if machines is None or machines.value <= 1 or quantity.first - machines.last > 2:
        return False
    return reading.language != "en" or "," not in reading.text[machines.end : quantity.start]


def _of_machine(reading: Reading, quantity: Quantity, machines: Quantity | None) -> bool:
    """Whether a bare number says how many cards a machine holds ("one node of 8")."""
    if machines is None or quantity.unit or not 1 < quantity.value <= _MOST_IN_MACHINE:
        return False
    return reading.text[machines.end : quantity.start].strip() == "of"


def _settle(reading: Reading, counted: list[tuple[Value, int]], cues: Cues) -> None:
    """Note the count of each card, then choose the one of the question."""
    if not counted and (second := _second_card(reading, cues)):
        counted.append((second, -1))
    if not counted:
        return
    for counter, place in counted:
        for one in reading.values:
            if one.slot == "gpu" and one.start == place:
                one.count = int(counter.value)
    if len({card for _, card in counted if card >= 0}) > 1 and reading.concepts & {"mixed_cards", "together"}:
        counted = [(value, card) for value, card in counted if card < 0]
    _choose(reading, counted, cues)


def _card_hours(reading: Reading, card: int, quantity: Quantity) -> Value | None:
    """ "1000 H100-hours" is a time, not a number of cards."""
    end = next(value.end for value in reading.values if value.slot == "gpu" and value.start == card)
    match = _HOURS.match(reading.text, end)
    if match is None or quantity.words:
        return None
    value = {"amount": plain_number(quantity.value), "unit": match[1]}
    return Value("duration", value, quantity.start, match.end(), "time: hours of a card", bound=quantity.bound)


def _per_machine(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a count of cards is the one of each machine ("8 V100 per node", "each node has 8 cards")."""
    behind = reading.text[quantity.end : quantity.end + _LONGEST_BETWEEN]
    before = reading.text[max(0, quantity.start - _LONGEST_BETWEEN) : quantity.start]
    return holds(behind, cues.words["per_machine_after"]) or holds(before, cues.words["per_machine_before"])


def _second_card(reading: Reading, cues: Cues) -> Value | None:
    """ "With a second card" makes two."""
    for phrase in () if cues.second_card.isdisjoint(reading.words) else cues.words["second_card"]:
        at = reading.flat.find(phrase)
        if at >= 0:
            return Value("gpu_count", 2, at, at + len(phrase), "count: a second card")
    return None


def _card_beside(reading: Reading, quantity: Quantity, cues: Cues) -> int:
    """Start of the card that the count belongs to (right after or right before it), else -1."""
    text = reading.text
    cards = [value for value in reading.values if value.slot == "gpu"]
    for value in cards:
        if value.start >= quantity.end:
            between = text[quantity.end : value.start].strip(" -")
            if len(between) <= _LONGEST_BETWEEN and _only_qualifies(between, cues):
                return value.start
    for value in cards:
        if quantity.start >= value.end:
            behind = text[value.end : quantity.start].strip(" -(")
            if not behind or behind in _TIMES or behind in cues.words["count_behind"]:
                return value.start
    return -1


def _only_qualifies(between: str, cues: Cues) -> bool:
    """Nothing, a times sign, or a memory size and brand between a count and its card."""
    for particle in cues.words["attributive"]:
        between = between.replace(particle, " ")
    plain = between.replace("x", " ", 1).replace("*", " ", 1).strip()
    if not plain:
        return True
    words = plain.split()
    return len(words) <= 4 and all(word[0].isdigit() or word in cues.words["count_between"] for word in words)


def _counts_cards(reading: Reading, quantity: Quantity, card: int, cues: Cues) -> bool:
    if not (1 <= quantity.value <= _LARGEST_COUNT) or quantity.value != int(quantity.value):
        return False
    text = reading.text
    after = text[quantity.end : quantity.end + 10].lstrip()
    if quantity.unit == "card":
        return _unit_counts(reading, quantity, card, cues, after)
    if quantity.unit:
        return False
    if quantity.value <= 1024 and cues.right_before("gpu_setting", reading, quantity.start):
        return True
    if card < 0 and quantity.value <= 64 and _before_sized_card(text[quantity.end : quantity.end + 20], cues):
        return True
    if card < 0 or quantity.value > 1024 or quantity.bound:
        return False
    before = text[: quantity.start].rstrip()
    if card < quantity.start:
        return text[card : quantity.start].rstrip().endswith(("x", "*")) and not cues.starting["no_after"](after)
    between = text[quantity.end : card].strip()
    return bool(
        quantity.words or between[:1] in _TIMES or between == "" or quantity.value <= 64
    ) and not before.endswith(("v", "batch", "."))


def _before_sized_card(after: str, cues: Cues) -> bool:
    """Whether a card named by its memory alone follows: "two 24GB cards"."""
    if _SIZED_CARDS.match(after):
        return True
    size = _SIZE.match(after)
    return size is not None and after.startswith(cues.words["sized_card"], size.end())


def _unit_counts(reading: Reading, quantity: Quantity, card: int, cues: Cues, after: str) -> bool:
    unit = quantity.unit_text
    if unit in {"x", "way"}:
        return (
            card >= quantity.start
            or (unit == "way" and "multi_gpu" in reading.concepts)
            or (card >= 0 and quantity.words)
        )
    if unit in cues.words["lanes"]:
        return card > quantity.start
    if unit in cues.words["piece"] and quantity.value >= (_SOME_PIECES if card < 0 else _MANY_PIECES):
        return False
    if card < 0 and quantity.value > _MANY_SHEETS and (unit in cues.words["sheet"] or unit.startswith("of ")):
        return False
    if cues.starting["no_after"](after):
        return False
    if quantity.value != 1:
        return True
    before = reading.text[: quantity.start].rstrip()
    if card < 0:
        if cues.ending["filler_before"](before):
            return False
        if cues.ending["only_before"](before):
            return True
        whole = unit in {"gpus", "card"} or unit.endswith(cues.words["card_ending"])
        return whole and reading.text[quantity.start : quantity.number_end] in cues.words["one"]
    return not cues.ending["as_one"](before)


def _choose(reading: Reading, counted: list[tuple[Value, int]], cues: Cues) -> None:
    """One number of cards: of several for one card the larger; none where the counts are those of compared cards."""
    cards = {card for _, card in counted if card >= 0}
    wished = [value for value in reading.values if value.slot == "gpu"]
    names = {value.value for value in wished if value.start in cards}
    free = [value for value, card in counted if card < 0]
    attached = [value for value, card in counted if card >= 0]
    if len(names) > 1 and not free and (len({v.value for v in attached}) > 1 or attached[0].value == 1):
        return
    some = attached and not free and len({value.value for value in wished}) > len(names)
    if (
        some
        and reading.concepts & _COMPARED
        and "upgrade" not in reading.concepts
        and not any(cues.owned(reading, v.start) for v in attached)
    ):
        return
    pool = free if len(names) > 1 and free else [value for value, _ in counted]
    if pool:
        reading.values.append(max(pool, key=lambda value: (value.value, -value.start)))
