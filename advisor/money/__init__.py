"""Money: rental bills, electricity, carbon, rent or buy, and the documents' own sums."""

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
