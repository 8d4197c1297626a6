"""Prices of a card as lines: the price that was asked for first, with its day and terms, then what else is held."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.kept import kept
from advisor.models import Money, PricingModel
from advisor.prices import PricedOffer, PriceList, provider_ranges
from bot.answers.choose.offer_lines import rounded
from bot.answers.money.price_phrases import Names, dated, dated_range, day, hourly, price, span, stated, terms, told
from bot.answers.money.price_shelves import MONTH, SPOT, CardPrices, Month, current, months
from bot.answers.phrases import in_turn
from bot.core.line import Block, Label, Line, Listing, Single, Table, Worded, amount

_OWN_SALE: Final = "purchase"
"""Provider of prices at which things are bought anywhere."""
_OPEN: Final = frozenset({"rent", SPOT, ""})
"""Wishes that the providers' prices answer."""
_MACHINE: Final = "machine"
"""Unit of the price of a complete computer."""
_LAUNCHES: Final = 2
_MOST_ROWS: Final = 5


@dataclass(frozen=True, slots=True)
class CardTold:
    """What is said of one card."""

    head: Line
    rows: tuple[Line, ...]
    """Below it in a group."""
    blocks: tuple[Block, ...]


def card_told(card: CardPrices, names: Names) -> CardTold:
    """One card in words' place. People ask for the same few cards all day."""
    held = _told_of(card.prices)
    key = (card.asked, card.names, card.show_rent, card.show_buy, card.kind, card.home, names.is_zh)
    if key not in held:
        held[key] = CardTold(_head(card, names), tuple(_rows(card, names)), tuple(_blocks(card, names)))
    return held[key]


@kept(most=128)
def _told_of(listed: PriceList) -> dict[Hashable, CardTold]:
    """Room for what is said of a price list, by how it was asked for."""
    return {}


def _version(card: CardPrices, names: Names, one: PricedOffer) -> str | None:
    return names.version(one) if card.several else None


# --- the first line --------------------------------------------------------------------------------------------------


def _head(card: CardPrices, names: Names) -> Line:
    """The price that was asked for, or that there is none."""
    found = months(card)
    if card.asks_purchase:
        return _purchase(card, names)
    if (server := _leading_server(card)) is not None:
        return _served(card, names, server)
    if found:
        values: dict[str, Worded] = {"card": card.asked, "month": _month(found[0], names)}
        return Line("price.month_none", values) if found[0].hourly is not None else Line("price.month", values)
    if card.rent_leads:
        return _interrupted(card, names) if card.kind == SPOT else _rented(card, names)
    if not card.held and not card.prices.records:
        return Line("price.none_held", {"card": card.asked})
    if not current(card.prices) or not card.held:
        return Line("price.none_recent", {"card": card.asked})
    return _sold(card, names)


def _sold(card: CardPrices, names: Names) -> Line:
    """What it sells for, behind that there is no rental where one was asked for."""
    values = {"card": card.asked, **_kind(card, card.held[0], names)}
    return Line("price.no_rent", values) if card.asks_rent else Line("price.kind", values)


def _purchase(card: CardPrices, names: Names) -> Line:
    """The price to buy it for of the kind that was asked for."""
    found = card.bought(card.kind)
    sought = Label(f"sought.{card.kind}", "price")
    if not found:
        return Line("price.none_of_kind", {"card": card.asked, "sought": sought})
    values = {"card": card.asked, **_kind(card, card.kind, names)}
    if card.kind == "launch" or found[0].age.value != "expired":
        return Line("price.kind", values)
    return Line("price.old_kind", {"card": card.asked, "sought": sought, "told": values["told"]})


def _kind(card: CardPrices, kind: str, names: Names) -> dict[str, Worded]:
    each = [told(one, _version(card, names, one)) for one in card.bought(kind)]
    whole = bool(each) and all(one.offer.unit == _MACHINE for one in card.bought(kind))
    return {"kind": Label("kind.machine" if whole else f"kind.{kind}", "price"), "told": in_turn(each)}


def _rented(card: CardPrices, names: Names) -> Line:
    """The cheapest hour, and beside it what it sells for where both were left open."""
    best = card.prices.rent[0]
    too = _kind(card, card.held[0], names) if not card.kind and card.held else None
    return Line(
        "price.rent",
        {
            "card": card.asked,
            "price": hourly(best),
            "origin": _origin(best, names, _version(card, names, best)),
            "bought": Line("price.of_kind", too) if too else None,
        },
    )


def _interrupted(card: CardPrices, names: Names) -> Line:
    """The cheapest hour that may be interrupted; that none is on record, and what an hour costs otherwise."""
    rented = _rented(card, names)
    if card.prices.rent[0].offer.pricing_model is PricingModel.SPOT:
        return rented
    return Line("price.no_spot", {"sought": Label("sought.spot", "price"), "rented": rented})


def _origin(one: PricedOffer, names: Names, version: str | None = None) -> Line:
    values = {"version": version, "provider": names.seller(one), "terms": terms(one), "dated": dated(one)}
    return Line("price.origin", values)


def _month(month: Month, names: Names) -> Line:
    values: dict[str, Worded] = {
        "money": amount(month.money),
        "provider": names.seller(month.offer),
        "dated": day(month.offer),
    }
    if month.hourly is None:
        return Line("price.month_flat", values)
    return Line("price.month_of_hours", {**values, "hourly": amount(month.hourly)})


# --- below it in a group ---------------------------------------------------------------------------------------------


def _rows(card: CardPrices, names: Names) -> list[Line]:
    return [*_other_kinds(card, names), *_providers(card, names), *_months(card, names), *_rent_too(card, names)]


def _other_kinds(card: CardPrices, names: Names) -> list[Line]:
    """What it is bought for, apart from what the first line says of that."""
    rest = [Line("price.held", _kind(card, kind, names)) for kind in card.held if kind != card.told]
    return [Line("price.bought", {"kinds": in_turn(rest)})] if rest else []


def _providers(card: CardPrices, names: Names) -> list[Line]:
    """What each provider asks, apart from one that the first line has told already; of several versions each."""
    if card.kind not in _OPEN or not card.show_rent:
        return []
    if card.several:
        return _versions(card, names)
    best = card.prices.rent[0].offer.provider if card.prices.rent else ""
    rows = []
    for one in provider_ranges(card.prices):
        if one.provider == best and one.low == one.high:
            continue
        shown = span(one.low, one.high)
        values: dict[str, Worded] = {
            "provider": names.provider(one.provider, one.provider_name),
            "price": Line("price.about", {"price": shown}) if one.converted else shown,
            "dated": dated_range(one),
        }
        rows.append(Line("price.at", values))
    return rows[:_MOST_ROWS]


def _versions(card: CardPrices, names: Names) -> list[Line]:
    """The first hour of each version that a name may mean, apart from the one that the first line has told already."""
    firsts: dict[str, PricedOffer] = {}
    for one in card.prices.rent:
        firsts.setdefault(one.offer.gpu, one)
    told_first = card.prices.rent[0].offer.gpu if card.prices.rent and card.rent_leads else ""
    return [
        Line("price.version_at", {"version": names.card(one), "price": hourly(one), "origin": _origin(one, names)})
        for gpu, one in firsts.items()
        if gpu != told_first
    ][:_MOST_ROWS]


def _months(card: CardPrices, names: Names) -> list[Line]:
    return [_month_at(month, names) for month in months(card)[1:_MOST_ROWS]]


def _month_at(month: Month, names: Names) -> Line:
    return Line("price.month_at", {"month": _month(month, names)})


def _rent_too(card: CardPrices, names: Names) -> list[Line]:
    """The cheapest hour where a price to buy was asked for and is not held."""
    if not card.asks_purchase or not card.show_rent or not card.prices.rent:
        return []
    best = card.prices.rent[0]
    return [
        Line("price.rent_too", {"price": hourly(best), "origin": _origin(best, names, _version(card, names, best))})
    ]


# --- the whole -------------------------------------------------------------------------------------------------------


def _blocks(card: CardPrices, names: Names) -> list[Block]:
    makers = [
        _month_list,
        _server_list,
        *((_sales, _rentals) if card.asks_purchase else (_rentals, _sales)),
        _ranges,
        _records,
    ]
    return [block for make in makers for block in make(card, names)]


def _month_list(card: CardPrices, names: Names) -> list[Block]:
    rows = tuple(_month_at(month, names) for month in months(card))
    return [Listing(rows, title=Line("price.months_of", {"card": card.asked}))] if rows else []


def _leading_server(card: CardPrices) -> PricedOffer | None:
    """A server of the asker's own market, where every hour on record is of another one; any where nothing else is."""
    listed = card.prices
    hours_wanted = card.kind not in ("", MONTH) and not card.home
    home = next((one for one in listed.servers if not one.converted), None)
    if home is not None and not hours_wanted and all(one.converted for one in listed.rent):
        return home
    return next(iter(listed.servers), None) if not (listed.rent or current(listed)) else None


def _served(card: CardPrices, names: Names, server: PricedOffer) -> Line:
    """A server by the month, and beside it the cheapest hour where there is one."""
    best = next(iter(card.prices.rent), None)
    hour = None
    if best is not None:
        origin = _origin(best, names, _version(card, names, best))
        hour = Line("price.rent_too", {"price": hourly(best), "origin": origin})
    return Line("price.servers", {"card": card.asked, "server": _server(server, names), "hour": hour})


def _server(one: PricedOffer, names: Names) -> Line:
    """A whole server for a month, and what that makes for each card in it."""
    each = Money(amount=one.asked.amount / one.offer.cards, currency=one.low.currency)
    return Line(
        "price.server",
        {
            "version": one.offer.quoted_as or names.card(one),
            "n": one.offer.cards,
            "price": price(one),
            "each": amount(rounded(each)),
            "provider": names.seller(one),
            "dated": dated(one),
        },
    )


def _server_list(card: CardPrices, names: Names) -> list[Block]:
    """Each server by the month, where renting is not ruled out."""
    if card.asks_purchase:
        return []
    rows = tuple(Line("price.server_at", {"server": _server(one, names)}) for one in card.prices.servers)
    return [Listing(rows, title=Line("price.servers_of", {"card": card.asked}))] if rows else []


def _rentals(card: CardPrices, names: Names) -> list[Block]:
    """Each rental on record, the cheapest first."""
    if not card.show_rent or not card.prices.rent:
        return []
    columns = ["price.provider", *(["price.version"] if card.several else []), "price.amount", "price.on", "price.day"]
    rows = tuple(_rental(card, names, one) for one in card.prices.rent)
    title = Line("price.rentals_of", {"card": card.asked})
    return [Table(tuple(map(Line, columns)), rows, title=title)]


def _rental(card: CardPrices, names: Names, one: PricedOffer) -> tuple[Single, ...]:
    version = (names.version(one),) if card.several else ()
    return (names.seller(one), *version, price(one), terms(one), dated(one))


def _sales(card: CardPrices, names: Names) -> list[Block]:
    """Each price to buy it for, by kind."""
    if not card.show_buy:
        return []
    listed = card.prices
    shelves: dict[str, Sequence[PricedOffer]] = {
        "price.sale.new": listed.new,
        "price.sale.used": listed.used,
        "price.sale.machine": listed.machines,
        "price.sale.system": listed.systems,
        "price.sale.launch": listed.launch[:_LAUNCHES],
    }
    rows = tuple(
        Line(code, {"told": told(one, _version(card, names, one))}) for code, shelf in shelves.items() for one in shelf
    )
    return [Listing(rows, title=Line("price.sales_of", {"card": card.asked}))] if rows else []


def _ranges(card: CardPrices, names: Names) -> list[Block]:
    if not card.show_rent:
        return []
    rows = tuple(
        Line("price.range", {"tier": Label(one.offer.tier, "tier"), "price": price(one), "dated": day(one)})
        for one in card.prices.ranges
    )
    return [Listing(rows, title=Line("price.ranges_of", {"card": card.asked}))] if rows else []


def _records(card: CardPrices, names: Names) -> list[Block]:
    """Prices of their time."""
    rows = tuple(_record(one, names) for one in card.prices.records)
    return [Listing(rows, title=Line("price.records_of", {"card": card.asked}))] if rows else []


def _record(one: PricedOffer, names: Names) -> Line:
    seller = names.seller(one) if one.offer.provider != _OWN_SALE else None
    way = Label(one.offer.pricing_model.value, "pricing")
    return Line("price.record", {"provider": seller, "terms": way, "price": stated(one), "dated": day(one)})
