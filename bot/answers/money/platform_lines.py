"""Platforms as lines: where to look first, what each asks for which card, which of several asks less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from advisor.prices import PricedOffer
from bot.answers.money.platform_hours import place
from bot.answers.money.price_phrases import Names, dated, hourly, span
from bot.answers.phrases import in_turn
from bot.core.line import Block, Depth, Label, Line, Listing, Prose, Single, Table, Worded
from bot.core.passages import PassageView, TableView, Told

_IN_GROUP: Final = 2
"""Offers of other platforms that a group is told."""
_ROWS: Final = 5
_NAMED: Final = 4
"""Cards that are named of those which a platform lets for less."""
_HALF: Final = 2


@dataclass(frozen=True, slots=True)
class Side:
    """One platform with what it asks for each card."""

    name: str
    prices: Mapping[str, PricedOffer]


@dataclass(frozen=True, slots=True)
class Compared:
    """Platforms with the cards whose prices are laid side by side."""

    sides: Sequence[Side]
    cards: Sequence[str]
    is_shared: bool
    """Whether two of the platforms at least have a price of each of the cards."""

    @classmethod
    def of(cls, sides: Sequence[Side], most: int) -> Compared:
        """The cards that several of the platforms let; at most so many of any where they share none."""
        cards = dict.fromkeys(card for side in sides for card in side.prices)
        shared = [card for card in cards if sum(card in side.prices for side in sides) >= _HALF]
        return cls(sides, sorted(shared, key=place) or sorted(cards, key=place)[:most], bool(shared))

    @property
    def offers(self) -> list[PricedOffer]:
        """The prices that are shown, card by card."""
        return [side.prices[card] for card in self.cards for side in self.sides if card in side.prices]


# --- for a card, or in general ---------------------------------------------------------------------------------------


def first(card: str, best: PricedOffer, names: Names) -> Line:
    """Where to rent a card, at what price."""
    return Line("platform.first", {**_offer(best, names), "card": card, "price": hourly(best)})


def instead(left: str, card: str, found: Sequence[PricedOffer], names: Names) -> Line:
    """Who lets a card beside the platform that is to be left."""
    return Line("platform.instead", {"left": left, "card": card, "others": _each(found, names)})


def first_for_students(card: str, best: PricedOffer, names: Names) -> Line:
    """What costs nothing goes first; then where to rent a usual card."""
    return Line("platform.first_student", {**_offer(best, names), "card": card, "price": hourly(best)})


def _offer(one: PricedOffer, names: Names) -> dict[str, Single]:
    return {
        "provider": names.provider(one.offer.provider, one.offer.provider_name or one.offer.provider),
        "price": Line("price.hourly", {"price": span(one.low, one.high)}),
        "terms": Label(one.offer.pricing_model.value, "pricing"),
        "dated": dated(one),
    }


def elsewhere(offers: Sequence[PricedOffer], names: Names) -> tuple[Block, ...]:
    """What other platforms ask for the same card; a group sees the first of them."""
    rows = tuple(Line("platform.at", _offer(one, names)) for one in offers)
    return _short_and_whole(rows, _IN_GROUP)


def by_card(held: Mapping[str, Sequence[PricedOffer]], names: Names) -> tuple[Block, ...]:
    """Each card with the platforms that ask least for it."""
    rows = tuple(Line("platform.card", {"card": card, "told": _each(found, names)}) for card, found in held.items())
    return (Listing(rows, title=Line("platform.rentals"), depth=Depth.GROUP),)


def _each(found: Sequence[PricedOffer], names: Names) -> Single:
    return in_turn([Line("platform.asks", _offer(one, names)) for one in found])


def _short_and_whole(rows: tuple[Line, ...], few: int) -> tuple[Block, ...]:
    """A list of which a group sees the beginning."""
    if len(rows) <= few:
        return (Listing(rows, depth=Depth.GROUP),) if rows else ()
    return (Listing(rows[:few], depth=Depth.GROUP, last=Depth.GROUP), Listing(rows))


# --- one platform ----------------------------------------------------------------------------------------------------


def platform(name: str, prices: Mapping[str, PricedOffer]) -> Line:
    """What a platform asks for the most usual card that it has."""
    card, one = next(iter(prices.items()))
    return Line("platform.one", {"name": name, "card": card, "price": hourly(one), "dated": dated(one)})


def further_cards(prices: Mapping[str, PricedOffer]) -> tuple[Block, ...]:
    """What it asks for the others."""
    rows = tuple(
        Line("platform.card_at", {"card": card, "price": span(one.low, one.high), "dated": dated(one)})
        for card, one in islice(prices.items(), 1, None)
    )
    return (Listing(rows, depth=Depth.GROUP),) if rows else ()


# --- several side by side --------------------------------------------------------------------------------------------


def cheaper(compared: Compared) -> Line:
    """Each platform with the cards for which it asks least, the one that wins most first."""
    priced = [side.name for side in compared.sides if side.prices]
    if len(priced) == 1:
        return Line("platform.only", {"name": priced[0]})
    won: dict[str, list[str]] = {}
    for card in compared.cards if compared.is_shared else ():
        asked = [(side.prices[card].asked.amount, at) for at, side in enumerate(compared.sides) if card in side.prices]
        won.setdefault(compared.sides[min(asked)[1]].name, []).append(card)
    ranked = sorted(won.items(), key=lambda one: (-len(one[1]), one[0]))
    if not ranked:
        return Line("platform.none_shared")
    said = [Line("platform.cheaper", {"name": name, "cards": tuple(cards[:_NAMED])}) for name, cards in ranked]
    return Line("platform.all_cheaper", {"told": in_turn(said)})


def side_by_side(compared: Compared, rules: Sequence[tuple[str, str]]) -> tuple[Block, ...]:
    """The prices as a table, and how each platform charges, in the words of the documents."""
    columns: tuple[Single, ...] = (Line("platform.column"), *(side.name for side in compared.sides))
    rows = tuple(_row(card, compared.sides) for card in compared.cards)
    title = Line("platform.table")
    tables: tuple[Block, ...] = (Table(columns, rows, title=title, depth=Depth.GROUP),)
    if len(rows) > _ROWS:
        few = Table(columns, rows[:_ROWS], title=title, depth=Depth.GROUP, last=Depth.GROUP)
        tables = (few, Table(columns, rows, title=title))
    told = tuple(Line("platform.rule", {"name": name, "text": Prose(text)}) for name, text in rules)
    return (*tables, Listing(told, depth=Depth.GROUP)) if told else tables


def _row(card: str, sides: Sequence[Side]) -> tuple[Single, ...]:
    return (card, *(_cell(side.prices.get(card)) for side in sides))


def _cell(one: PricedOffer | None) -> Line:
    if one is None:
        return Line("platform.no_record")
    shown = span(one.low, one.high)
    price = Line("price.about", {"price": shown}) if one.converted else shown
    return Line("platform.cell", {"price": price, "dated": dated(one)})


# --- what the documents say ------------------------------------------------------------------------------------------


def documents(told: Told) -> tuple[Block, ...]:
    """The passages of an answer: in short, and whole with their tables behind the button."""
    views = [*([told.lead] if told.lead is not None else []), *told.also]
    if not views:
        return ()
    short = tuple(Line("platform.rule", {"name": view.title, "text": Prose(_shortly(view))}) for view in views)
    whole = tuple(map(_wholly, views))
    return (
        Listing(short, depth=Depth.GROUP, last=Depth.PRIVATE),
        Listing(whole, title=Line("documents.title"), depth=Depth.DETAILS),
        *(_table(table) for view in views[:1] for table in view.tables),
    )


def _shortly(view: PassageView) -> str:
    return f"{view.short} {view.more}".strip()


def _wholly(view: PassageView) -> Line:
    today = Prose(view.today) if view.today else None
    values: dict[str, Worded] = {"title": view.title, "as_of": view.as_of, "full": Prose(view.full), "today": today}
    return Line("documents.passage", values)


def _table(table: TableView) -> Table:
    title = Line("platform.table_of", {"title": table.title, "note": Prose(table.note) if table.note else None})
    return Table(table.columns, table.rows, title=title, depth=Depth.DETAILS)
