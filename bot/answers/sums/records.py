"""What records add to a sum where the message says nothing of the kind: watts, grids, tariffs, rents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import partial
from math import isclose
from typing import Final

from advisor.calculators import Given
from advisor.catalog import Catalog
from advisor.models import Gpu
from advisor.money import BillLine, rental_bill
from advisor.money.energy import energy_data, find_region, price_of_region
from bot.answers.sums.choose import BEYOND, BILLED, CATALOGUE, GRID, LEAST, RENT, RENTED, SPENT, TARIFF
from bot.core.understanding import SlotValue, Understanding
from bot.read.placed import Amounts
from bot.read.signs import hear

_POWERED: Final = frozenset({"buy_total"})
_HOMES: Final = {"CNY": "CN", "USD": "US", "EUR": "EU"}
"""Where people pay in a currency."""
_RENTS: Final = frozenset({"rent_card_hour", "rent_machine_hour", "rent_month", "run_cost", "token_price", "purchase"})
"""Where one of these was said no rent of record is wanted."""
_HOURS: Final = frozenset({"hours_affordable", "hours_a_day_affordable"})
_CHINA: Final = "CN"
_TARIFF, _OF_POWER = "kwh_price", "electricity_price"
_PRICED: Final = frozenset({"rent_card_hour", "rent_machine_hour", "rent_day", "rent_month", "purchase"})
_SAME: Final = 1e-6
_WEIGHTS, _BITS = "weights_gb", "bits"
_WIDTH: Final = re.compile(r"[a-z]+(\d+)")
"""How formats of one width are called: bf16, int4."""


_WALL, _LIMIT, _UNSAID = "wall_w", "card_limit_w", 1.0
"""Watts at the wall, those that a card is held to, and how little says that a number is the former."""
_ABOUT: Final = 0.15
"""Watts that differ from a card's board power by no more than this share are that card's own."""


def of_card_alone(amounts: Amounts, card: Gpu | None) -> Amounts:
    """What was said, the watts of the named card as such: a card that draws its board power is no whole machine."""
    board = card.board_power_w if card is not None else None
    if not board:
        return amounts
    amounts = _with_limit(amounts, board)
    of_board = {one.quantity for one in amounts.placed if abs(one.value / board - 1) <= _ABOUT}
    # what draws as much as the card is the card; a supply of that size beside another draw was read the wrong way round
    meant = {"wall_w": "card_w"} if "wall_w" in of_board else {"psu_w": "card_w", "wall_w": "psu_w"}
    if not of_board & meant.keys() or not ("wall_w" in of_board or "wall_w" in amounts.values):
        return amounts
    placed = tuple(replace(one, quantity=meant.get(one.quantity, one.quantity)) for one in amounts.placed)
    return replace(amounts, placed=placed)


def _with_limit(amounts: Amounts, board: float) -> Amounts:
    """Watts that nothing says to be the machine's, fewer than one card draws, as those that the card is held to."""
    if _LIMIT in amounts.values:
        return amounts
    placed = tuple(
        replace(one, quantity=_LIMIT) if one.quantity == _WALL and one.score < _UNSAID and one.value < board else one
        for one in amounts.placed
    )
    return amounts if placed == amounts.placed else replace(amounts, placed=placed)


def as_recorded(amounts: Amounts, card: Gpu | None, understanding: Understanding) -> Amounts:
    """What was said, the watts of the named card and the price of electricity as such."""
    return of_tariff(of_card_alone(amounts, card), understanding)


def of_tariff(amounts: Amounts, understanding: Understanding) -> Amounts:
    """What was said, money that was read as the price of electricity as such, and not as that of a card's hour."""
    if _TARIFF in amounts.values:
        return amounts
    told = {name: [_amount(slot) for slot in understanding.slots if slot.slot == name] for name in (_OF_POWER, "price")}
    meant = [one for one in told[_OF_POWER] if one not in told["price"]]
    placed = tuple(
        replace(one, quantity=_TARIFF) if one.quantity in _PRICED and _is_one_of(one.value, meant) else one
        for one in amounts.placed
    )
    return amounts if placed == amounts.placed else replace(amounts, placed=placed)


def _amount(slot: SlotValue) -> float:
    return float(slot.value["amount"]) if isinstance(slot.value, dict) else 0.0


def _is_one_of(value: float, amounts: Iterable[float]) -> bool:
    return any(isclose(value, one, rel_tol=_SAME) for one in amounts)


def watts_of(card: Gpu | None) -> tuple[Given, ...]:
    """What a named card draws when it is busy, and the computer around it: the model of power that bills use."""
    if card is None or not card.board_power_w:
        return ()
    usual = energy_data().power
    return (
        Given("card_w", float(card.board_power_w) * float(usual.load), CATALOGUE),
        Given("rest_w", float(usual.host_w), CATALOGUE),
    )


def tariff_of(amounts: Amounts, currency: str) -> tuple[Given, ...]:
    """What a kWh costs at home, for what a machine costs with its electricity where nobody named that price."""
    asked = max(amounts.asked, key=lambda one: one.score, default=None)
    if asked is None or asked.name not in _POWERED or any(one.name == "kwh_price" for one in amounts.given):
        return ()
    price = price_of_region(_HOMES.get(currency, ""))
    if price is None or price.currency != currency:
        return ()
    return (Given("kwh_price", float(price.low + price.high) / 2, f"{TARIFF}{_HOMES[currency]}"),)


def width_of(amounts: Amounts, understanding: Understanding) -> tuple[Given, ...]:
    """The bits of the one number format that is named, where it is asked what the weights alone take."""
    asked = hear(understanding.text).shows("memory_of", "weights")
    named = {str(slot.value) for slot in understanding.slots if slot.slot == "precision" and not slot.negated}
    width = _WIDTH.fullmatch(named.pop()) if asked and len(named) == 1 else None
    return (Given(_BITS, float(width[1])),) if width is not None and _BITS not in amounts.values else ()


def grid_of(understanding: Understanding) -> tuple[Given, ...]:
    """What a kWh of the place that is named emits."""
    named = next((str(slot.value) for slot in understanding.slots if slot.slot == "region" and not slot.negated), "")
    key = find_region(named) if named else None
    factors = energy_data().regions[key].factors if key is not None else ()
    return (Given("kg_per_kwh", float(factors[0].g_per_kwh) / 1000, f"{GRID}{key}"),) if factors else ()


def rent_of(
    catalog: Catalog, card: Gpu | None, amounts: Amounts, understanding: Understanding, currency: str, on: date
) -> BillLine | None:
    """What an hour of a named card costs today, where the answer hangs on it and no rent was said.

    Providers that were named count alone; else those of the market of the currency.
    """
    if card is None or not _hangs_on_rent(amounts, understanding):
        return None
    named = tuple(str(slot.value) for slot in understanding.slots if slot.slot == "provider" and not slot.negated)
    find = partial(rental_bill, catalog, card, 1, today=on, currency=currency)
    if named:
        return find(providers=named).best
    near = {one.country for one in catalog.providers.values() if (one.country == _CHINA) == (currency == "CNY")}
    return find(countries=tuple(sorted(near))).best or find().best


def _hangs_on_rent(amounts: Amounts, understanding: Understanding) -> bool:
    """Whether what is asked needs a rent and none was said; hours for a budget that is called so are told elsewhere."""
    named = {one.name for one in amounts.asked if one.score >= LEAST}
    called = any(slot.slot == "budget" and not slot.negated for slot in understanding.slots)
    paid = any(one.measure.kind == "money" for one in amounts.placed)
    named -= _HOURS if called or not paid else frozenset()
    asked = named & RENTED or (named & BILLED and BEYOND & amounts.values.keys())
    return bool(asked) and _RENTS.isdisjoint(amounts.values.keys() - _spent_of(amounts))


def _spent_of(amounts: Amounts) -> frozenset[str]:
    """An amount that was called nothing, where it is asked what money reaches for: it is there to be spent."""
    reaching = any(one.name in SPENT and one.score >= LEAST for one in amounts.asked)
    return frozenset({"purchase"}) if reaching else frozenset()


def provider_of(catalog: Catalog, line: BillLine | None, language: str) -> str:
    """What the provider of a rent is called in a language."""
    record = catalog.providers.get(line.provider) if line is not None else None
    if record is None:
        return line.provider_name if line is not None else ""
    return (record.name_zh if language == "zh" else "") or record.name


def rented(line: BillLine | None) -> tuple[Given, ...]:
    """The rent of record as a value of a sum."""
    return (Given("rent_card_hour", float(line.hourly.value), RENT),) if line is not None else ()
