"""Prices that were asked, who asks them, and what currencies cost in each other."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final

from pydantic import Field

from advisor.models.frozen import Frozen


class PricingModel(StrEnum):
    """How an offer is paid."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVED = "reserved"
    MARKETPLACE = "marketplace"
    SUBSCRIPTION = "subscription"
    PURCHASE_NEW = "purchase_new"
    PURCHASE_USED = "purchase_used"
    LAUNCH_PRICE = "launch_price"


class Money(Frozen):
    """An amount in one currency (ISO code)."""

    amount: Decimal
    currency: str


_LETTERS: Final = {"day": 10, "month": 7, "year": 4}
"""Letters of an ISO date that a precision covers."""


class Offer(Frozen):
    """A price that somebody asked on a day: provider, card, terms, amount, source."""

    id: str
    provider: str
    """Provider id as in the taxonomy: autodl, vast.ai, runpod, aws ..., or `purchase`."""
    provider_name: str
    gpu: str
    """Gpu.id; empty for offers without a card of their own (a subscription, a CPU-only hour)"""
    quoted_as: str = ""
    """What the source calls the card."""
    pricing_model: PricingModel
    tier: str = ""
    """list | member | community | secure | minimum | median | hyperscaler ... as the provider's terms go."""
    low: Decimal
    high: Decimal
    """Equal to `low` unless the source gives a range."""
    currency: str
    unit: str
    """gpu_hour | gpu_month | hour | month | card | machine (a complete computer) | system_share (of a complete system,
    by card: never the price of a card) | machine_month (a server with `cards` cards)"""
    cards: int = 1
    """Cards that the unit holds; more than one for servers, whose price is not divided."""
    market: str
    """CN | US | EU | UK | INTL: where it was asked. A price of one market is no price of another."""
    region: str = ""
    as_of: date
    as_of_precision: str = "day"
    """day | month | year | unknown. Unknown: the copy is not dated; `as_of` is then the latest day it can be from."""
    confidence: str
    """A price list, B copied by a third party, C old document or memory."""
    historical: bool = False
    """A price of its time, kept as a record; never today's."""
    source: str
    note: str = ""
    conflict: str = ""
    """Id of the conflict ledger (E01 ...) when its source disagrees with itself or others."""
    rows: tuple[str, ...] = ()
    """Ids of seed-coverage rows that name this price."""

    @property
    def day(self) -> str:
        """Its day as exactly as it is known ("2026-09-02", "2026-09", "2026"); empty for an undated copy."""
        return self.as_of.isoformat()[: _LETTERS.get(self.as_of_precision, 0)]


class Provider(Frozen):
    """Who rents or sells."""

    id: str
    name: str
    name_zh: str = ""
    aliases: tuple[str, ...] = ()
    country: str = ""
    """ISO code of where it does business, empty for none in particular."""
    kind: str = "cloud"
    """cloud | marketplace | notebook | shop | market"""
    free_gpu: str = ""
    """The card that it lends without payment, when one is free."""
    url: str | None = None
    sources: dict[str, str] = Field(default_factory=dict)
    notes: str = ""


class Rate(Frozen):
    """What one unit of `base` cost in `currency` on a day."""

    base: str
    currency: str
    value: Decimal
    as_of: date
    source: str
