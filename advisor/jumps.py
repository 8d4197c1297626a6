"""Prices that a person looks at before they are taken: those that moved, or stand apart, further than prices do.

A new price is held against the nearest thing on record, in this order: the same seller's of the same card on the same
terms (as its market moves, data/ageing.yaml); the seller's other tiers and terms of the card; the card at other
sellers; cards of like memory and bandwidth. What can be held against nothing is looked at too, and so is a currency
that its seller never asked in. How far sellers, tiers and cards lie apart was measured on prices.csv of 2026-11: of 503
prices of cards with three or more of them 8 lie beyond the factors below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from statistics import median
from typing import Final

from advisor.ageing import segment_of, spread
from advisor.catalog import Catalog
from advisor.catalog_rows import offer_row
from advisor.errors import NoRate
from advisor.models import Gpu, Offer

Row = Mapping[str, str]

_LEAST_JUMP: Final = 1.25
_SIGMAS: Final = 2.0
"""A change beyond twice the spread of its market, and beyond a quarter, is looked at by a person."""
_OF_SELLER: Final = 3.0
"""How far a seller's tiers and terms of one card lie apart: spot and secured beside the plain ones."""
_OF_MARKET: Final = {"gpu_hour": 4.2, "card": 2.6}
"""How far sellers lie from the middle of a card's prices."""
_LOOSE_BELOW: Final = 9.0
"""How far below it spare capacity is given away."""
_OF_LIKE: Final = 6.0
_LIKE: Final = 2.0
"""Cards are alike whose memory and bandwidth differ by no more than this factor."""
_LOOSE: Final = frozenset({"spot", "marketplace"})
_MANY_SELLERS: Final = 2
"""Currencies from which on a provider is taken for a name of many sellers, which may ask in any."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A price that waits for a person."""

    new: dict[str, str]
    why: str
    """What it was held against, in a few words."""
    times: float
    """New price over what it was held against; 1 where the amount is not what is wrong."""
    old: dict[str, str] = field(default_factory=dict)
    """The row it was held against, where that is one row."""


@dataclass(frozen=True)
class Held:
    """What is on record, as new prices are held against it."""

    rows: Sequence[Row]
    catalog: Catalog

    def of(self, row: Row, *names: str) -> list[Row]:
        """Rows that agree with one in these columns."""
        return [one for one in self.rows if all(one[name] == row[name] for name in names)]

    def dollars(self, row: Row, end: str = "low") -> float:
        """A price in US dollars. Raises NoRate."""
        day = date.fromisoformat(row["as_of"])
        return float(Decimal(row[end]) * self.catalog.rate(row["currency"], "USD", day).value)

    @cached_property
    def middles(self) -> dict[tuple[str, str], float]:
        """The middle of what is asked for a card by unit, in US dollars."""
        asked: dict[tuple[str, str], list[float]] = {}
        for row in self.rows:
            if row["gpu"]:
                asked.setdefault((row["gpu"], row["unit"]), []).append(self.dollars(row))
        return {key: median(amounts) for key, amounts in asked.items()}


def set_apart(
    rows: Iterable[dict[str, str]],
    known: Mapping[str, dict[str, str]],
    catalog: Catalog,
    accepted: Iterable[str] = (),
) -> tuple[list[dict[str, str]], list[Jump]]:
    """Rows that are priced as such things are, and those that a person looks at first.

    Args:
        rows: the new ones.
        known: the price file's, by id.
        catalog: knows cards, rates and the market of a card.
        accepted: ids of rows that a person has looked at.
    """
    held = Held([row for row in known.values() if row["historical"] != "yes"], catalog)
    calm: list[dict[str, str]] = []
    wild: list[Jump] = []
    looked_at = frozenset(accepted)
    for row in rows:
        jump = None if row["id"] in looked_at else jump_of(row, held)
        if jump is None:
            calm.append(row)
        else:
            wild.append(jump)
    return calm, wild


def jump_of(row: dict[str, str], held: Held) -> Jump | None:
    """Why a price is looked at first; None where it is as such prices are."""
    before = held.of(row, "provider", "gpu", "pricing_model", "unit", "currency", "tier")
    if before:
        return _moved(row, before, held.catalog)
    try:
        return _foreign(row, held) or _beside_seller(row, held)
    except NoRate as error:
        return Jump(row, str(error), 1.0)


def _moved(row: dict[str, str], before: Sequence[Row], catalog: Catalog) -> Jump | None:
    """Against the seller's own price of the nearest day."""
    day = date.fromisoformat(row["as_of"])
    near = min(before, key=lambda one: abs((date.fromisoformat(one["as_of"]) - day).days))
    days = abs((date.fromisoformat(near["as_of"]) - day).days)
    offer = Offer.model_validate(offer_row({name: value or "" for name, value in row.items()}, catalog.providers))
    most = max(_LEAST_JUMP, spread(segment_of(offer, catalog.gpus.get(offer.gpu)), days) ** _SIGMAS)
    times = max((float(row[end]) / float(near[end]) for end in ("low", "high")), key=lambda one: max(one, 1 / one))
    return None if 1 / most <= times <= most else Jump(row, "its last price", times, dict(near))


def _foreign(row: dict[str, str], held: Held) -> Jump | None:
    """A seller that has asked in one currency so far, and now in another one."""
    said = {one["currency"] for one in held.of(row, "provider")}
    if not said or row["currency"] in said or len(said) >= _MANY_SELLERS:
        return None
    return Jump(row, f"{row['provider']} asks {said.pop()} on record", 1.0)


def _beside_seller(row: dict[str, str], held: Held) -> Jump | None:
    """Against the seller's other tiers and terms of the card; without any, against the card's market."""
    others = [held.dollars(one) for one in held.of(row, "provider", "gpu", "unit")]
    if not others:
        return _beside_market(row, held)
    return _apart(row, held, (min(others), max(others)), (_OF_SELLER, _OF_SELLER), "this seller's other prices of it")


def _beside_market(row: dict[str, str], held: Held) -> Jump | None:
    """Against what others ask for the card; without any, against cards of its size."""
    middle = held.middles.get((row["gpu"], row["unit"]))
    if middle is None:
        return _beside_like(row, held)
    above = _OF_MARKET[row["unit"]]
    below = _LOOSE_BELOW if row["pricing_model"] in _LOOSE else above
    return _apart(row, held, (middle, middle), (below, above), "what others ask for it")


def _beside_like(row: dict[str, str], held: Held) -> Jump | None:
    gpu = held.catalog.gpus[row["gpu"]]
    like = [
        amount
        for (card, unit), amount in held.middles.items()
        if unit == row["unit"] and _alike(gpu, held.catalog.gpus.get(card))
    ]
    if not like:
        return Jump(row, "nothing on record: the first price of such a card", 1.0)
    middle = median(like)
    return _apart(row, held, (middle, middle), (_OF_LIKE, _OF_LIKE), "what cards of its size cost")


def _alike(gpu: Gpu, other: Gpu | None) -> bool:
    if other is None:
        return False
    pairs = ((getattr(gpu, name), getattr(other, name)) for name in ("vram_gib", "memory_bandwidth_gb_per_s"))
    return all(own and its and 1 / _LIKE <= own / its <= _LIKE for own, its in pairs)


def _apart(
    row: dict[str, str], held: Held, between: tuple[float, float], factors: tuple[float, float], why: str
) -> Jump | None:
    """Whether a price lies further below or above a range than the factors allow."""
    low, high = held.dollars(row), held.dollars(row, "high")
    if low < between[0] / factors[0]:
        return Jump(row, why, low / between[0])
    return Jump(row, why, high / between[1]) if high > between[1] * factors[1] else None
