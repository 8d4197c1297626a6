"""What is said of a card's worth: the verdict with its price, what it holds and risks, and what else there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from advisor.models import Frozen, Money, Note
from bot.answers.choose.offer_lines import offer_of, price_between, rounded
from bot.answers.choose.offers import Shown
from bot.answers.choose.worth import Cost, Holds
from bot.answers.documents.said_lines import told_in_full
from bot.answers.phrases import in_turn
from bot.core.claims import Claim, Kind
from bot.core.line import Block, Depth, Figure, Label, Line, Listing, Single, Worded, amount
from bot.core.passages import PassageView

NEW: Final = frozenset({"sound", "capacity", "server"})
"""Verdicts on what is bought new or not at all."""
_RISKS: Final = 3
"""Risks that are named at once."""
_LISTED: Final = 5


class Judged(Frozen):
    """One second-hand candidate."""

    name: str
    vram_gib: float | None
    year: int | None
    verdict: str
    """good | dated | niche | risky | avoid | cluster; of what is bought new: sound | capacity | server"""
    risks: tuple[Note, ...]
    price: Money | None = None
    high: Money | None = None
    dated: str = ""
    mark: Note | None = None
    """What has to be said beside the price."""
    market: str = ""
    """CN | US | EU | UK | INTL, where the price is shown in the money it was asked in."""
    old: bool = False
    """Whether the price is only a record of its time."""
    source: str = ""
    offered: Money | None = None
    lot: tuple[int, Money] | None = None
    """So many cards for so much, of which the offered price is one card's share."""
    """What the user was asked for."""
    deal: str = ""
    """That price against today's: below | within | above."""
    bandwidth: float | None = None
    """GB/s, told of a machine whose memory is shared."""
    holds: Holds | None = None
    new: Cost | None = None
    rent: Cost | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """Judged cards, or what can be had second-hand."""

    documents: tuple[PassageView, ...]
    cards: tuple[Judged, ...] = ()
    rival: Shown | None = None
    """What else the first card's memory costs."""
    ladder: tuple[Shown, ...] = ()
    """Cheapest first."""
    mined: bool = False
    """Whether cards that were mined on are asked about, and none is named."""
    priced: bool = False
    """Whether what it costs is asked, and not only whether it is worth it."""


def headline_of(told: Used) -> Line:
    """The verdict on the first card; else the cheapest that can be had."""
    if told.cards:
        return _card(told.cards[0], priced=told.priced)
    if told.mined:
        return Line("used.mined")
    if not told.ladder:
        return Line("used.none")
    first = told.ladder[0]
    claim = Claim(Kind.LEAST, float(first.price.amount), tuple(float(one.price.amount) for one in told.ladder))
    return Line("used.cheapest", {"offer": offer_of(first)}, claim)


def lines_of(told: Used) -> tuple[Line, ...]:
    """What a card holds, costs and risks, and what else there is."""
    return tuple(_lines(told))


def _lines(told: Used) -> Iterator[Line]:
    if len(told.cards) == 1:
        yield from _details(told.cards[0])
    for place, card in enumerate(told.cards):
        if place:
            yield _card(card)
        if card.risks:
            yield Line("used.risks", {"risks": in_turn(card.risks[:_RISKS])})
    if told.rival is not None:
        smaller = told.rival.vram_gib < (told.cards[0].vram_gib or 0.0)
        offer = offer_of(told.rival)
        yield Line("used.rival.smaller", {"offer": offer}) if smaller else Line("used.rival", {"offer": offer})
    yield from _unnamed(told)


def _unnamed(told: Used) -> Iterator[Line]:
    """Where no card is named: what a mined one shows, else what can be had, and what documents say."""
    if told.mined:
        yield Line("used.mined.signs")
        return
    yield from (Line("used.offer", {"offer": offer_of(view)}) for view in told.ladder[1:_LISTED])
    if not told.cards and told.documents:
        first = told.documents[0]
        yield Line("used.document", {"day": first.as_of, "text": first.short})


_ASKED_PRICES: Final = frozenset({"below", "within", "above"})
"""Where a price that was asked for lies to today's, where that can be said."""


def _card(card: Judged, *, priced: bool = False) -> Line:
    values: dict[str, Worded] = {
        "name": card.name,
        "verdict": Line(f"used.verdict.{card.verdict}"),
        "vram": Figure(card.vram_gib, "GB") if card.vram_gib else None,
        "year": card.year,
        "price": _price(card),
        "deal": Line(f"used.deal.{card.deal or 'open'}", {"offered": _offered(card, card.offered)})
        if card.offered is not None
        else None,
    }
    if card.offered is not None and card.deal in _ASKED_PRICES and card.verdict != "avoid":
        return Line(f"used.asked.{card.deal}", {**values, "deal": None, "offered": _offered(card, card.offered)})
    first = priced and card.price is not None and not card.old and card.offered is None
    return Line("used.priced" if first else "used.card", values)


def _offered(card: Judged, offered: Money) -> Single:
    """The price that is judged; of a lot that of each card."""
    if card.lot is None:
        return amount(rounded(offered))
    n, whole = card.lot
    return Line("used.each", {"offered": amount(rounded(offered)), "n": n, "whole": amount(rounded(whole))})


def _price(card: Judged) -> Single:
    """Its second-hand price; that there is none, where one would be expected."""
    if card.price is not None:
        price = price_between(card.price, card.high or card.price)
        values: dict[str, Worded] = {
            "price": price,
            "market": Label(card.market, "market_at") if card.market else None,
            "dated": card.dated or Line("used.undated"),
            "age": Label("expired", "age") if card.old else None,
            "mark": card.mark,
        }
        return Line("used.price", values)
    return None if card.verdict in NEW else Line("used.no_price")


def _details(card: Judged) -> Iterator[Line]:
    if card.bandwidth:
        yield Line("used.shared", {"bandwidth": Figure(card.bandwidth, "GB/s")})
    if card.holds is not None and card.holds.run:
        yield Line("used.holds", {"run": card.holds.run, "tune": card.holds.tune or None})
    if card.new is not None or card.rent is not None:
        yield Line("used.costs", {"costs": tuple(_costs(card))})
    elif card.price is None:
        yield Line("used.no_record")


def _costs(card: Judged) -> Iterator[Line]:
    for code, cost in (("used.new", card.new), ("used.rent", card.rent)):
        if cost is not None:
            values: dict[str, Worded] = {
                "price": price_between(
                    cost.low, cost.high if code == "used.new" else cost.low, renting=code != "used.new"
                ),
                "provider": cost.provider or None,
                "dated": cost.dated or Line("used.undated"),
                "mark": cost.mark,
            }
            yield Line("used.new" if code == "used.new" else "used.rent", values)


def blocks_of(told: Used) -> tuple[Block, ...]:
    """Further risks and offers, and what the documents say."""
    return tuple(_blocks(told))


def _blocks(told: Used) -> Iterator[Block]:
    risks = tuple(note for card in told.cards for note in card.risks[_RISKS:])
    if risks:
        yield Listing(risks, depth=Depth.PRIVATE)
    if told.ladder[_LISTED:]:
        yield Listing(tuple(Line("used.offer", {"offer": offer_of(view)}) for view in told.ladder[_LISTED:]))
    yield from told_in_full(told.documents)
