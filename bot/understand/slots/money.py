"""Tells budgets from quoted prices and electricity prices among the amounts of a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from bot.understand.lexicon import Found
from bot.understand.slots.bare_amounts import LEAST_LIMIT, SHORT_REPLY, amount_stands, bare_is_money
from bot.understand.slots.budgets import LEAST_OF_CARD, Spending, is_budget
from bot.understand.slots.context import Cues, plain_number
from bot.understand.slots.currency import ALONE, CENTS, CURRENCY, INDIAN, SIGNS, message_currency, stated_before
from bot.understand.slots.found import Reading, Value, holds
from bot.understand.slots.numbers import Quantity, QuantityGrammar
from bot.understand.slots.rates import rate_of, spoken_period

_ONE_CARD: Final = frozenset({"card", "gpu"})
_PARTS: Final = frozenset({"nvlink", "psu", "motherboard", "ram", "disk", "cpu"})
"""Parts of a machine that have a price of their own."""
_CLAUSE_ENDS: Final = frozenset(",;?!")
_LONGEST_CLAIM: Final = 16
"""Characters between a part and its price."""
_ASKED: Final = frozenset({"how_much", "money_question", "price", "cost"})
_BESIDE_CURRENCY: Final = frozenset({"deploy", "region"})
"""Slots that a message may hold which corrects no more than a currency."""
_FEW_COINS: Final = 100
"""Below it a measure word for pieces is money only where a rate or a budget says so."""
_FEWEST_COINS: Final = 20
"""From here on the measure word for pieces means money, where no card stands behind it."""
_LEAST_BOUGHT: Final = 500
"""From here on an amount beside a rent is what a card is bought for."""
_SUMS: Final = frozenset({"", *CURRENCY})
"""Units of an amount of money, "" where none is named."""
_LEAST_YEN: Final = 100
"""Nobody speaks of fewer yen; less is another thing of the same spelling."""
_SIGN_BEFORE: Final = 5
"""Characters before a number in which the sign or name of its currency stands."""


def read_money(reading: Reading, quantities: list[Quantity], cues: Cues, units: QuantityGrammar) -> list[Quantity]:
    """Add budget, price and electricity_price; gives back the quantities that are not money."""
    rest: list[Quantity] = []
    for quantity in quantities:
        currency = _currency(reading, quantity, cues, units)
        if not currency:
            rest.append(quantity)
            continue
        value = _value_of(reading, quantity, currency, cues)
        if value is not None and not _is_of_a_part(reading, value, cues):
            reading.values.append(value)
            reading.claim(quantity.start, quantity.end)
    return rest


def _is_of_a_part(reading: Reading, value: Value, cues: Cues) -> bool:
    """Whether a price is that of another part of the machine, which stands right before it and comes with no card."""
    if value.slot != "price" or value.value.get("unit") != "card":
        return False
    part = _part_before(reading, value)
    card = max((one.end for one in reading.values if one.slot == "gpu" and one.end <= value.start), default=0)
    if part is None or part.start < card:
        return False
    between = reading.text[part.end : value.start]
    near = len(between) <= _LONGEST_CLAIM and _CLAUSE_ENDS.isdisjoint(between)
    return near and not holds(reading.text[card : value.start], cues.words["joined_with"])


def _part_before(reading: Reading, value: Value) -> Found | None:
    """The last part of a machine that is spoken of before a value."""
    places = [place for place in reading.places if place.end <= value.start]
    return next((place for place in reversed(places) if not _PARTS.isdisjoint(place.concepts)), None)


def read_lone_currency(reading: Reading, quantities: QuantityGrammar) -> None:
    """A short message that names a currency and no number ("no, in yuan") corrects the currency of an amount."""
    if len(reading.tokens) > SHORT_REPLY or reading.numbers or not reading.concepts.isdisjoint(_ASKED):
        return
    if any(value.slot not in _BESIDE_CURRENCY for value in reading.values):
        return
    found = quantities.lone_unit(reading, ALONE)
    if found is not None:
        kind, start, end = found
        if end - start == 1 and end < len(reading.text) - 1:
            return  # the character of a longer word
        reading.values.append(Value("budget", {"currency": CURRENCY[kind]}, start, end, "money: a currency alone"))


# --- the currency of an amount ----------------------------------------------------------------------------------------


def _currency(reading: Reading, quantity: Quantity, cues: Cues, units: QuantityGrammar) -> str:
    """The code of the currency that a number is in, "" where it is no money: the first that knows says so."""
    for known in _CURRENCIES:
        currency = known(reading, quantity, cues, units)
        if currency is not None:
            return currency
    return ""


def _by_unit(reading: Reading, quantity: Quantity, cues: Cues, _: QuantityGrammar) -> str | None:
    """By the unit of money behind it; a few pieces are coins only at a rate or as a budget."""
    unit = quantity.unit
    if unit not in CURRENCY or (unit == "jpy" and quantity.value < _LEAST_YEN):
        return CENTS.get(unit)
    if quantity.value >= _FEW_COINS or _is_broken(quantity) or quantity.unit_text not in cues.words["coin"]:
        return CURRENCY[unit]
    named = rate_of(reading, quantity, cues) or cues.before("budget", reading, quantity.start)
    return CURRENCY[unit] if named else ""


def _is_broken(quantity: Quantity) -> bool:
    """Whether it is no whole number, so that it counts no pieces."""
    return quantity.value != int(quantity.value)


def _scan(reading: Reading, quantity: Quantity, _: Cues, __: QuantityGrammar) -> str | None:
    """A "CT" in capitals is a scan, no cent."""
    return "" if quantity.unit_text == "ct" and reading.raw_at(quantity.end - 1).isupper() else None


def _by_sign(reading: Reading, quantity: Quantity, _: Cues, units: QuantityGrammar) -> str | None:
    """By the sign or the name before it."""
    before = reading.text[max(0, quantity.start - _SIGN_BEFORE) : quantity.start].rstrip()
    if not before or not (before[-1] in SIGNS or before[-1].isalpha() or before[-1] == "."):
        return None
    if stated := stated_before(before):
        return stated
    named = units.unit_before(before) if quantity.unit == "" and not before[-1].isascii() else ""
    return CURRENCY[named] if named else None


def _by_magnitude(reading: Reading, quantity: Quantity, cues: Cues, _: QuantityGrammar) -> str | None:
    """Rupees by the way in which they are counted."""
    if quantity.magnitude not in INDIAN or quantity.unit != "":
        return None
    return "INR" if amount_stands(reading, quantity, cues) else ""


def _by_cent(reading: Reading, quantity: Quantity, _: Cues, __: QuantityGrammar) -> str | None:
    return message_currency(reading) if quantity.unit == "cent" else None


def _by_pieces(reading: Reading, quantity: Quantity, cues: Cues, _: QuantityGrammar) -> str | None:
    """By the measure word for pieces, which is the one for money too."""
    if quantity.unit != "card" or quantity.unit_text[:1] not in cues.words["coin"]:
        return None
    if quantity.value >= _FEW_COINS or _is_broken(quantity) or _of_power(reading, quantity, cues):
        return "CNY"
    if _before_card(reading, quantity, cues):
        return ""
    loose = quantity.value >= _FEWEST_COINS or cues.before("budget_word", reading, quantity.start)
    loose = loose or _rented_beside_price(reading, quantity)
    return "CNY" if loose or rate_of(reading, quantity, cues) else ""


def _of_power(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a few pieces stand right behind a word for electricity, and a space behind them."""
    return cues.before("electricity", reading, quantity.start) and reading.ends_apart(quantity.end)


def _rented_beside_price(reading: Reading, quantity: Quantity) -> bool:
    """Whether a few pieces stand right behind a word for renting, beside a sum that buys a card: rent against price."""
    rented = any(place.end == quantity.start and "renting" in place.concepts for place in reading.places)
    return rented and any(one.value >= _LEAST_BOUGHT and one.unit in _SUMS for one in reading.quantities)


def _by_circumstance(reading: Reading, quantity: Quantity, cues: Cues, _: QuantityGrammar) -> str | None:
    """By what stands around a number without a unit; a limit right before a card ("a sub 500 card") counts none."""
    limit = quantity.unit_text in _ONE_CARD and quantity.bound == "max" and quantity.value >= LEAST_LIMIT
    bare = quantity.unit == "" and bare_is_money(reading, quantity, cues)
    return message_currency(reading) if limit or bare else None


_Known: TypeAlias = Callable[[Reading, Quantity, Cues, QuantityGrammar], str | None]
_CURRENCIES: Final[tuple[_Known, ...]] = (
    _by_unit,
    _scan,
    _by_sign,
    _by_magnitude,
    _by_cent,
    _by_pieces,
    _by_circumstance,
)
"""What knows the currency of a number, in the order in which it is asked: a code, "" for no money, None for unknown."""


def _before_card(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a card, or the word for one, follows: the number counts it. What is spent on one does not."""
    if reading.text.startswith(cues.words["spends"], quantity.end):
        return False
    for value in reading.values:
        if value.slot == "gpu" and 0 <= value.start - quantity.end <= 3:
            return "," not in reading.text[quantity.end : value.start]
    return any("gpu" in found.concepts and 0 <= found.start - quantity.end <= 1 for found in reading.places)


# --- what an amount is ------------------------------------------------------------------------------------------------


def _value_of(reading: Reading, quantity: Quantity, currency: str, cues: Cues) -> Value | None:
    """A price of power, a budget or a price; None for a difference, or for nothing."""
    amount = quantity.value / _parts_of_one(quantity, currency)
    money: dict[str, object] = {"amount": plain_number(amount), "currency": currency}
    start = quantity.start - 1 if quantity.start and reading.text[quantity.start - 1] in SIGNS else quantity.start
    rate = rate_of(reading, quantity, cues)
    value = Value("price", money, start, quantity.end, "money: a quoted price",
                  approximate=quantity.approximate, bound=quantity.bound)  # fmt: skip
    if rate == "kwh":
        value.slot, value.rule = "electricity_price", "money: per kWh"
        return value
    if amount == 0 or cues.either("difference", reading, quantity.start, quantity.end):
        return None
    if is_budget(Spending(reading, quantity, cues, amount, rate)):
        value.slot, value.rule = "budget", "money: what may be spent"
        money["period"] = rate or spoken_period(reading, quantity, cues) or "once"
        if quantity.low != quantity.value:
            value.bound = "max"
    else:
        money["unit"] = _priced_unit(rate, amount)
    return value


def _priced_unit(rate: str, amount: float) -> str:
    """What a quoted amount pays for: as said, else an hour or a card by its size."""
    if rate in {"hour", "month"}:
        return rate
    return "hour" if amount < LEAST_OF_CARD else "card"


def _parts_of_one(quantity: Quantity, currency: str) -> int:
    """How many of a unit make one of the currency: the Chinese part of a coin is a tenth."""
    if quantity.unit == "cent" and currency == "CNY":
        return 10
    return 100 if quantity.unit == "cent" or quantity.unit in CENTS else 1
