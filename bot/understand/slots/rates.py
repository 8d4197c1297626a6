"""Rates among amounts: what is paid a kilowatt hour, an hour, a month."""

from __future__ import annotations

from bot.understand.slots.context import Cues
from bot.understand.slots.currency import CENTS, CURRENCY
from bot.understand.slots.found import Reading
from bot.understand.slots.numbers import Quantity

MONEY_TALK = frozenset(
    {
        "which_card", "which_config", "recommend", "buying", "upgrade", "workstation", "laptop", "cheap",
        "price", "cost", "money_question", "second_hand", "worth", "renting", "expensive",
    }
)  # fmt: skip
_OF_POWER = "kwh"
_MOST_KWH = 10.0
_MOST_BARE_KWH = 5.0
"""A number without a unit that is a price of power is less than this."""
_POWER_TALK = frozenset({"electricity", "power_draw", "power_limit", "carbon"})
"""Where these are spoken of, some cents are those of a kilowatt hour."""
_MOST_HOURLY = 200.0
_BUDGET_BEFORE = 20
"""Characters before an amount in which the word for a budget stands."""


def rate_of(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """What an amount is paid for: kwh, hour, day, week, month or year; "" where it is no rate."""
    return "kwh" if is_electric(reading, quantity, cues) else cues.period(reading, quantity.start, quantity.end)


def spoken_period(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """The period that stands before the word for a budget ("an hourly budget of 3"), which stands before the amount."""
    before = reading.flat[max(0, quantity.start - _BUDGET_BEFORE) : quantity.start].rstrip()
    word = cues.word_before("budget_word", before) or cues.word_before("budget", before)
    at = max(0, quantity.start - _BUDGET_BEFORE) + len(before) - len(word)
    return cues.period(reading, at, at) if word else ""


def is_hourly(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """A small number an hour ("4090 at 0.35/h", "1.98 an hour") is what an hour costs."""
    if quantity.words or quantity.magnitude or not 0 < quantity.value < _MOST_HOURLY:
        return False
    if quantity.value != int(quantity.value):
        return cues.period(reading, quantity.start, quantity.end) == "hour"
    paid = reading.has("gpu") or reading.has("provider") or reading.concepts & MONEY_TALK
    return bool(paid) and cues.hourly_after(reading, quantity.end)


def is_electric(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether an amount is what a kilowatt hour costs."""
    if quantity.value <= 0 or cues.either("emission", reading, quantity.start, quantity.number_end):
        return False
    cents = quantity.unit == "cent" or quantity.unit in CENTS
    if _names_power(quantity) or _beside_power(reading, quantity, cues, little=cents or quantity.value < _MOST_KWH):
        return True
    if reading.concepts.isdisjoint(_POWER_TALK) or not (cents or _below_one(reading, quantity, cues)):
        return False
    # nobody pays so little for a longer time
    return cues.period(reading, quantity.start, quantity.end) != "hour"


def _beside_power(reading: Reading, quantity: Quantity, cues: Cues, *, little: bool) -> bool:
    """Whether a word for power stands behind an amount, or before a little one."""
    return cues.after("electricity", reading, quantity.end) or (
        little and cues.before("electricity", reading, quantity.start)
    )


def _names_power(quantity: Quantity) -> bool:
    """Whether the unit of an amount is one of money for a kilowatt hour ("28p/kwh")."""
    return quantity.unit != "kwh" and _OF_POWER in quantity.unit_text


def pays_for_power(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a number without a unit is what a kilowatt hour costs: not one that counts the cards named behind it."""
    counts = any(value.slot == "gpu" and 0 <= value.start - quantity.end <= 1 for value in reading.values)
    return quantity.value < _MOST_BARE_KWH and not counts and is_electric(reading, quantity, cues)


def _below_one(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether less than one of a currency is said, or of nothing where power is spoken of; no share in use."""
    if quantity.value >= 1:
        return False
    if quantity.unit in CURRENCY:
        return True
    spoken = quantity.unit == "" and "electricity" in reading.concepts
    return spoken and not cues.either("utilization", reading, quantity.start, quantity.end)
