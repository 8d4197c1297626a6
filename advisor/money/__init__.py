"""Money: rental bills, electricity, carbon, rent or buy, and the documents' own sums."""

from advisor.money.bill import BillLine, RentalBill, rental_bill
from advisor.money.breakeven import BreakEven, Ownership, break_even, document_example
from advisor.money.energy import Carbon, PowerBill, carbon_of, card_power, electricity_bill, energy_used
from advisor.money.span import Span
from advisor.money.sums import budget_split, price_gap, price_of_several, subscription, value_for_money, value_gain

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
    "carbon_of",
    "card_power",
    "document_example",
    "electricity_bill",
    "energy_used",
    "price_gap",
    "price_of_several",
    "rental_bill",
    "subscription",
    "value_for_money",
    "value_gain",
]
