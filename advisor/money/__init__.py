"""Money: rental bills, electricity, carbon, rent or buy, and the documents' own sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.lazy import names_from

if TYPE_CHECKING:
    from advisor.money.bill import BillLine, RentalBill, rental_bill
    from advisor.money.breakeven import BreakEven, Ownership, break_even, document_example
    from advisor.money.energy import Carbon, PowerBill, carbon_of, card_power, electricity_bill, energy_used
    from advisor.money.span import Span
    from advisor.money.sums import budget_split, price_gap, price_of_several, subscription, value_for_money, value_gain

    estimate_cost = rental_bill
    rent_or_buy = break_even
    carbon_footprint = carbon_of

__all__ = [
    "BillLine",
    "BreakEven",
    "Carbon",
    "Ownership",
    "PowerBill",
    "RentalBill",
    "Span",
    "break_even",
    "budget_split",
    "carbon_footprint",
    "carbon_of",
    "card_power",
    "document_example",
    "electricity_bill",
    "energy_used",
    "estimate_cost",
    "price_gap",
    "price_of_several",
    "rent_or_buy",
    "rental_bill",
    "subscription",
    "value_for_money",
    "value_gain",
]

_HOMES = {
    "BillLine": "bill",
    "BreakEven": "breakeven",
    "Carbon": "energy",
    "Ownership": "breakeven",
    "PowerBill": "energy",
    "RentalBill": "bill",
    "Span": "span",
    "break_even": "breakeven",
    "budget_split": "sums",
    "carbon_footprint": "energy:carbon_of",
    "carbon_of": "energy",
    "card_power": "energy",
    "document_example": "breakeven",
    "electricity_bill": "energy",
    "energy_used": "energy",
    "estimate_cost": "bill:rental_bill",
    "price_gap": "sums",
    "price_of_several": "sums",
    "rent_or_buy": "breakeven:break_even",
    "rental_bill": "bill",
    "subscription": "sums",
    "value_for_money": "sums",
    "value_gain": "sums",
}

__getattr__ = names_from(__name__, _HOMES)
