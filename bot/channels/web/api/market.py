"""What cards cost: bills, rent or buy, recommendations, offers on record."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from advisor.errors import OutOfRange
from advisor.jobs.draw import draw_of
from advisor.models import Gpu, Method, Money, Offer, Workload
from advisor.money import Ownership, Span, break_even, rental_bill
from advisor.money.bill import BillLine
from advisor.money.energy import price_of_region
from advisor.periods import DAYS_A_MONTH
from advisor.recommend import Channel, Need, Option, Pick, recommend
from advisor.recommend.market import buy_quotes, market
from advisor.recommend.models import Quote
from advisor.recommend.settings import settings
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
from bot.channels.web.api.shelf import Shelf, figure, named_in, price_of, round_to

_HOME: Final = {"CNY": "CN", "USD": "US"}
_HOURS_A_WEEK: Final = 168
_MOST_RANKED: Final = 20
_COMPLETE: Final = ("desktop system", "SoC unified memory", "laptop", "SXM", "OAM")
"""Forms that bring their computer, or go into a server's."""


def cost(shelf: Shelf, asked: CostIn) -> CostOut:
    """Bills of a rental. Raises AdvisorError for an unknown name or currency."""
    gpu = shelf.gpu(asked.gpu)
    providers = [shelf.catalog.find_provider(name) for name in asked.providers]
    bill = rental_bill(
        shelf.catalog,
        gpu,
        asked.hours,
        today=shelf.today,
        currency=shelf.currency(asked.currency),
        n=asked.cards,
        providers=tuple(one.id if one else name for one, name in zip(providers, asked.providers, strict=True)),
    )
    return CostOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(line.source for line in bill.lines),
        gpu=gpu.name,
        cards=asked.cards,
        hours=asked.hours,
        bills=[_bill(line, bill.currency) for line in bill.lines],
    )


def _bill(line: BillLine, currency: str) -> BillOut:
    hourly = figure(line.hourly, currency)
    return BillOut(
        hourly=Price(
            value=hourly.value,
            low=hourly.low,
            high=hourly.high,
            currency=currency,
            as_of=line.as_of,
            terms=line.terms,
            provider=line.provider_name,
            source=line.source,
        ),
        total=float(round(line.total.value, 2)),
        paid_cards=line.paid_cards,
    )


def purchase(shelf: Shelf, gpu: Gpu, currency: str) -> Quote | None:
    """What a card costs to buy: the newest price that can be acted on, else an old one."""
    need = Need(currency=currency, region="CN" if currency == "CNY" else "")
    made = market(shelf.catalog, shelf.today, currency)
    quotes = buy_quotes(made, gpu, need) or buy_quotes(made, gpu, need.model_copy(update={"region": ""}))
    return min(quotes, key=lambda quote: (quote.firmness, quote.price)) if quotes else None


def rent_or_buy(shelf: Shelf, asked: RentOrBuyIn) -> RentOrBuyOut:
    """Where buying overtakes renting. Raises AdvisorError where a price is missing and none was given."""
    gpu, currency = shelf.gpu(asked.gpu), shelf.currency(asked.currency)
    quote = None if asked.card_price else purchase(shelf, gpu, currency)
    card = _card_price(asked, quote, gpu)
    bill = rental_bill(shelf.catalog, gpu, 1, today=shelf.today, currency=currency, n=asked.cards)
    if asked.rent_per_hour is None and bill.best is None:
        raise OutOfRange(f"no rent of {gpu.name} is on record: give rent_per_hour")
    rent, paid, rent_source = _rent(asked, bill.best)
    drawn = draw_of(gpu, paid)
    if drawn is None:
        raise OutOfRange(f"the power of {gpu.name} is not on record")
    kwh, kwh_source = _electricity(shelf, asked, currency)
    owned = Ownership(
        card=card.times(paid),
        host=Span.of(_host(shelf, asked, gpu, currency)),
        resale=Span.of(0),
        power_w=drawn.machine,
        kwh_price=kwh,
        currency=currency,
    )
    share = Decimal(str(round(asked.hours_per_week / _HOURS_A_WEEK, 6)))
    found = break_even(owned, rent, share, Decimal(str(round(asked.months * DAYS_A_MONTH, 2))))
    ids = (rent_source, quote.source if quote else "", kwh_source, *named_in(found.trace))
    return RentOrBuyOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(ids),
        verdict=found.verdict,
        gpu=gpu.name,
        cards=paid,
        capital=figure(owned.capital, currency),
        rent_per_hour=figure(rent, f"{currency}/h"),
        electricity_per_hour=figure(owned.hourly, f"{currency}/h"),
        break_even_days=figure(found.days, "days") if found.days else None,
        cost_rent=figure(found.cost_rent, currency),
        cost_buy=figure(found.cost_buy, currency),
        purchase=price_of(quote) if quote else None,
    )


def _card_price(asked: RentOrBuyIn, quote: Quote | None, gpu: Gpu) -> Span:
    """The price of one card: the caller's, else the catalogue's, an old one with its margin."""
    if asked.card_price:
        return Span.of(Decimal(str(asked.card_price)))
    if quote is None:
        raise OutOfRange(f"no price of {gpu.name} is on record: give card_price")
    margin = Decimal(0) if quote.standing.solid else Decimal(str(settings().indicative_margin))
    return Span(value=quote.price, low=quote.low * (1 - margin), high=quote.high * (1 + margin))


def _rent(asked: RentOrBuyIn, best: BillLine | None) -> tuple[Span, int, str]:
    """An hour of all cards, how many cards that pays for, and whose price it is."""
    if asked.rent_per_hour is not None:
        return Span.of(Decimal(str(asked.rent_per_hour))).times(asked.cards), asked.cards, ""
    if best is None:
        raise OutOfRange("no rent is on record")
    return best.hourly.times(best.paid_cards), best.paid_cards, best.source


def _electricity(shelf: Shelf, asked: RentOrBuyIn, currency: str) -> tuple[Span, str]:
    """Price of a kWh, and its source."""
    if asked.electricity_price is not None:
        return Span.of(Decimal(str(asked.electricity_price))), ""
    price = price_of_region(_HOME.get(currency, "US"))
    if price is None:
        raise OutOfRange("no price of electricity is on record: give electricity_price")
    rate = shelf.catalog.rate(price.currency, currency, shelf.today).value
    return Span.between(price.low * rate, price.high * rate), price.source


def _host(shelf: Shelf, asked: RentOrBuyIn, gpu: Gpu, currency: str) -> Decimal:
    """Price of the computer around the cards."""
    if asked.host_price is not None:
        return Decimal(str(asked.host_price))
    if (gpu.form_factor or "").startswith(_COMPLETE):
        return Decimal(0)
    base = settings().base_system
    return base.amount * shelf.catalog.rate(base.currency, currency, shelf.today).value


def recommended(shelf: Shelf, asked: RecommendIn) -> RecommendOut:
    """The cards for a wish. Raises AdvisorError for names that are not known, and a wish without model and task."""
    if asked.model is None and asked.task is None and asked.min_vram_gib is None:
        raise OutOfRange("give a model, a task or min_vram_gib")
    currency = shelf.currency(asked.currency)
    need = Need(
        workload=_wished_job(shelf, asked),
        task=asked.task,
        vram_gib=asked.min_vram_gib,
        gpu_count=asked.cards,
        budget=Money(amount=Decimal(str(asked.budget)), currency=currency) if asked.budget else None,
        budget_period=asked.budget_period,
        hours_per_week=asked.hours_per_week,
        currency=currency,
        region="CN" if currency == "CNY" else "",
        vendors=tuple(asked.vendors),
        deploy=asked.deploy,
    )
    found = recommend(need, shelf.catalog, shelf.today, with_flips=False)
    wanted = found.requirement
    picks = [_pick(one.option, one.role, one.speed_ratio) for one in found.picks]
    ranked = [_pick(one, "", _ratio(one, found.winner)) for one in found.ranked[:_MOST_RANKED]]
    ids = [one.price.source for one in (*picks, *ranked)]
    return RecommendOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources((*ids, *(named_in(wanted.estimate.trace) if wanted.estimate else ()))),
        need_gib=Figure(value=round_to(wanted.gib), low=round_to(wanted.low), high=round_to(wanted.high), unit="GiB"),
        picks=picks,
        ranked=ranked,
    )


def _ratio(option: Option, winner: Pick | None) -> float | None:
    """How many times as fast as the pick, where both speeds are known."""
    if winner is None or not winner.option.speed or not option.speed:
        return None
    return option.speed / winner.option.speed


def _wished_job(shelf: Shelf, asked: RecommendIn) -> Workload | None:
    if asked.model is None:
        return None
    return Workload(
        ml_model=shelf.model(asked.model),
        method=asked.method or Method.INFERENCE,
        seq_len=asked.context,
        batch=asked.batch,
    )


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
