"""What cards cost: bills, rent or buy, recommendations, offers on record; the named functions of the advisor."""

from __future__ import annotations

from typing import Final

from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Offer
from advisor.named.choosing import WishWords, advised, advised_by
from advisor.named.owning import rent_or_buy_of
from advisor.named.paying import cost_of
from advisor.named.values import PriceRow, Range
from advisor.periods import DAYS_A_MONTH
from advisor.recommend import Channel, Option, Pick
from bot.channels.web.api.inputs import CostIn, PricesQuery, RecommendIn, RentOrBuyIn
from bot.channels.web.api.outputs import (
    BillOut,
    CostOut,
    Figure,
    OfferOut,
    PickOut,
    Price,
    PricesOut,
    RecommendOut,
    RentOrBuyOut,
)
from bot.channels.web.api.shelf import Shelf, cited, figure, offer_of, price_of, round_to

_MOST_RANKED: Final = 20
_LACKS: Final = "not every price of {} is on record: give card_price, rent_per_hour or electricity_price"


def cost(shelf: Shelf, asked: CostIn) -> CostOut:
    """Bills of a rental. Raises AdvisorError for an unknown name or currency."""
    found = cost_of(
        asked.gpu,
        hours=asked.hours,
        gpus=asked.cards,
        currency=asked.currency,
        provider=asked.providers,
        on=shelf.today,
        catalog=shelf.catalog,
    )
    return CostOut(
        data_version=shelf.catalog.version,
        sources=cited(found.sources),
        gpu=found.gpu,
        cards=found.gpus,
        hours=found.hours,
        bills=[_bill(one, found.gpus) for one in found.offers],
    )


def _bill(one: PriceRow, cards: int) -> BillOut:
    total = one.total.value if one.total else 0.0
    return BillOut(hourly=offer_of(one), total=round(total, 2), paid_cards=one.cards or cards)


def rent_or_buy(shelf: Shelf, asked: RentOrBuyIn) -> RentOrBuyOut:
    """Where buying overtakes renting. Raises AdvisorError where a price is missing and none was given."""
    try:
        found = rent_or_buy_of(
            asked.gpu,
            hours_per_week=asked.hours_per_week,
            months=asked.months,
            gpus=asked.cards,
            currency=asked.currency,
            buy_price=asked.card_price,
            rent_price=asked.rent_per_hour,
            kwh_price=asked.electricity_price,
            host_price=asked.host_price,
            on=shelf.today,
            catalog=shelf.catalog,
        )
    except UnsupportedCombination:
        raise OutOfRange(_LACKS.format(asked.gpu)) from None
    even, card = found.break_even_months, found.card
    return RentOrBuyOut(
        data_version=shelf.catalog.version,
        sources=cited(found.sources),
        verdict=found.verdict,
        gpu=found.gpu,
        cards=found.gpus,
        capital=figure(Range(card.value + found.host, card.low + found.host, card.high + found.host, card.unit)),
        rent_per_hour=figure(found.rent_per_hour),
        electricity_per_hour=figure(found.electricity_per_hour),
        hours_per_week=found.hours_per_week,
        break_even_days=figure(_in_days(even)) if even else None,
        cost_rent=figure(found.rent),
        cost_buy=figure(found.buy),
        purchase=offer_of(found.purchase) if found.purchase else None,
    )


def _in_days(months: Range) -> Range:
    return Range(months.value * DAYS_A_MONTH, months.low * DAYS_A_MONTH, months.high * DAYS_A_MONTH, "days")


def recommended(shelf: Shelf, asked: RecommendIn) -> RecommendOut:
    """The cards for a wish. Raises AdvisorError for names that are not known, and a wish without model and task."""
    _, way, found = advised(asked.model, shelf.catalog, **wish_of(shelf, asked))
    wanted = found.requirement
    picks = [_pick(one.option, one.role, one.speed_ratio) for one in found.picks]
    if found.other_way is not None:
        picks.append(_pick(found.other_way.option, "other_way", found.other_way.speed_ratio))
    ranked = [_pick(one, "", _ratio(one, found.winner)) for one in found.ranked[:_MOST_RANKED]]
    ids = [one.price.source for one in (*picks, *ranked)]
    return RecommendOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources((*advised_by(found), *ids)),
        model=way.workload.ml_model.called,
        way=way.code,
        need_gib=Figure(value=round_to(wanted.gib), low=round_to(wanted.low), high=round_to(wanted.high), unit="GiB"),
        picks=picks,
        ranked=ranked,
    )


def wish_of(shelf: Shelf, asked: RecommendIn) -> WishWords:
    """What was said of a wish. Raises OutOfRange for one without model, task and memory."""
    if asked.model is None and asked.task is None and asked.min_vram_gib is None:
        raise OutOfRange("give a model, a task or min_vram_gib")
    return {
        "task": asked.task,
        "method": asked.method.value if asked.method else None,
        "precision": asked.quant,
        "seq_len": asked.context,
        "batch": asked.batch,
        "budget": asked.budget,
        "period": asked.budget_period,
        "currency": asked.currency,
        "deploy": asked.deploy.value if asked.deploy else "",
        "gpus": asked.cards,
        "memory_gb": asked.min_vram_gib,
        "hours_per_week": asked.hours_per_week,
        "vendor": asked.vendors,
        "on": shelf.today,
    }


def _ratio(option: Option, winner: Pick | None) -> float | None:
    """How many times as fast as the pick, where both speeds are known."""
    if winner is None or not winner.option.speed or not option.speed:
        return None
    return option.speed / winner.option.speed


def _pick(option: Option, role: str, ratio: float | None) -> PickOut:
    return PickOut(
        role=role,
        gpu=option.gpu.name,
        cards=option.n,
        deploy=Channel(option.quote.channel).value,
        price=price_of(option.quote),
        total=float(round(option.money, 2)),
        vram_gib=option.vram_gib,
        sure=option.sure,
        speed_ratio=None if ratio is None else round_to(ratio),
    )


def prices(shelf: Shelf, asked: PricesQuery) -> PricesOut:
    """Offers of a card, the newest first. Raises UnknownName."""
    gpu = shelf.gpu(asked.gpu)
    terms = (asked.terms,) if asked.terms else None
    found = shelf.catalog.offers_for(gpu.id, terms=terms, historical=None if asked.historical else False)
    kept = [offer for offer in found if asked.market in ("", offer.market)]
    kept.sort(key=lambda offer: (-offer.as_of.toordinal(), offer.id))
    return PricesOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(offer.source for offer in kept),
        gpu=gpu.name,
        offers=[_offer(offer) for offer in kept],
    )


def _offer(offer: Offer) -> OfferOut:
    return OfferOut(
        id=offer.id,
        price=Price(
            value=float((offer.low + offer.high) / 2),
            low=float(offer.low),
            high=float(offer.high),
            currency=offer.currency,
            as_of=offer.as_of,
            terms=offer.pricing_model.value,
            provider=offer.provider_name,
            source=offer.source,
        ),
        unit=offer.unit,
        market=offer.market,
        confidence=offer.confidence,
    )
