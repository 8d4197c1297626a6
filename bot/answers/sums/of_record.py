"""What a sum took from records, said beside it: a card's watts and rent, a grid's factor, rates of exchange."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.calculators import Given
from advisor.money import BillLine
from advisor.money.energy import energy_data
from bot.answers.sums.choose import CATALOGUE, GRID, RENT, TARIFF, Chosen
from bot.answers.sums.coins import Exchange
from bot.core.line import Figure, Label, Line, Worded


@dataclass(frozen=True, slots=True)
class Records:
    """What a sum took from records: the card, its rent of today, rates of exchange."""

    card: str = ""
    rent: BillLine | None = None
    provider: str = ""
    """Who lets the card, in the reader's language."""
    exchanges: tuple[Exchange, ...] = ()


def from_records(chosen: Chosen, records: Records, currency: str, language: str) -> list[Line]:
    """A line for each figure of record that a sum rests on.

    Args:
        chosen: the sum.
        records: what was taken from records.
        currency: of the money in it.
        language: of the names of places.
    """
    of_card = (*_of_card(chosen, records.card), *_of_grid(chosen, language))
    return [*of_card, *_of_rent(chosen, records, currency), *map(_exchanged, records.exchanges)]


def _of_card(chosen: Chosen, card: str) -> list[Line]:
    """The watts that the catalogue knows of a card, where a sum rests on them."""
    said = frozenset().union(*(one.node.said for one in chosen.solutions))
    watts = [one.value for one in chosen.given if one.id == CATALOGUE and one.name in said]
    return [Line("sum.watts_of_card", {"card": card, "watts": Figure(sum(watts), "W")})] if watts else []


def _of_rent(chosen: Chosen, records: Records, currency: str) -> list[Line]:
    """The rent of record that a sum rests on, with who asks it and when."""
    said = frozenset().union(*(one.node.said for one in chosen.solutions))
    line = records.rent
    if line is None or not any(one.id == RENT and one.name in said for one in chosen.given):
        return []
    values: dict[str, Worded] = {"card": records.card, "provider": records.provider, "day": line.as_of}
    return [Line("sum.rent_of_card", {**values, "price": Figure(float(line.hourly.value), "money/hour", currency)})]


def _exchanged(rate: Exchange) -> Line:
    """The rate of exchange that was taken, with its day where nobody said it."""
    values: dict[str, Worded] = {
        "one": Figure(1.0, "money", rate.base),
        "price": Figure(rate.value, "money", rate.currency),
        "day": rate.as_of,
    }
    return Line("sum.exchange", values)


def _of_grid(chosen: Chosen, language: str) -> list[Line]:
    """The factor of the grid that was named, and what a kWh costs where nobody said, with place and year."""
    said = frozenset().union(*(one.node.said for one in chosen.solutions))
    paid = [one for one in chosen.given if one.id.startswith(TARIFF) and one.name in said]
    keys = [one.id.removeprefix(GRID) for one in chosen.given if one.id.startswith(GRID) and one.name in said]
    found = []
    for key in keys:
        region = energy_data().regions[key]
        factor = region.factors[0]
        values: dict[str, Worded] = {
            "region": region.name[language],
            "g": Figure(float(factor.g_per_kwh), "g/kWh"),
            "year": str(factor.year),
            "scope": Label(factor.scope, "scope"),
        }
        found.append(Line("sum.grid", values))
    return found + [_tariff(one, language) for one in paid]


def _tariff(price: Given, language: str) -> Line:
    """The price of a kWh that was taken, with its place and day."""
    region = energy_data().regions[price.id.removeprefix(TARIFF)]
    told = region.price
    values: dict[str, Worded] = {"price": Figure(price.value, "money/kwh", told.currency if told else "")}
    return Line("sum.tariff", {**values, "region": region.name[language], "day": told.as_of if told else None})
