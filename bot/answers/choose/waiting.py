"""Buy now or wait: what the card of today does, how its price went on record, and what is known of the next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Chosen, Place, chosen_on
from advisor.models import Gpu, Money, Note, Offer, PricingModel, note_of
from advisor.periods import DAYS_A_MONTH
from advisor.recommend import Channel, Need
from advisor.recommend.home import for_home
from advisor.recommend.market import quotes_for
from advisor.recommend.models import Quote
from bot.answers.choose.offer_lines import price_between, rounded
from bot.answers.choose.own_prices import money_of
from bot.answers.choose.upgrade_lines import leased
from bot.answers.choose.wishes import Wish, currency_of, market_currency_of, read_wish, region_of
from bot.answers.choose.worth import Cost, costs
from bot.answers.common import decline_error, source_refs
from bot.answers.money.marks import mark_of_quote, market_alone, market_of
from bot.answers.phrases import model_named
from bot.core.answers import Decline, Offered, Outcome, answer_with, offered_of
from bot.core.line import Figure, Label, Line, Worded, amount, gib
from bot.core.message import Fact, fact_of
from bot.core.passages import Told
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_YEAR: Final = timedelta(days=365)
_APART: Final = timedelta(days=60)
"""Two prices tell a way that a price went when so much time lies between them."""
_FEW: Final = 3
"""Reports from which a price is said to have gone some way."""
_CLEARLY: Final = 1.1
_WAITS: Final = "upgrade_or_not"
_COMPARES: Final = "compare_gpus"
_ASKED_AS: Final = frozenset({_WAITS, _COMPARES, "ram_sizing"})
"""Needs that a question about the moment to buy is read for."""
_FAMILY: Final = "GeForce"
_BOUGHT: Final = (PricingModel.PURCHASE_USED, PricingModel.PURCHASE_NEW)


@dataclass(frozen=True, slots=True)
class _Way:
    """How a price went: the oldest and the newest report of the last year, of one kind and in one currency."""

    first: Offer
    last: Offer

    @property
    def times(self) -> float:
        """The newest over the oldest."""
        return float(_middle(self.last) / _middle(self.first))


_MONTHS_OLD: Final = 18
_SERIES: Final = re.compile(r"\brtx\s?(\d\d)(?:\d0)?\b", re.IGNORECASE)


def _unannounced(request: Request) -> str:
    """The series that is waited for, when a named series or card is newer than any on record; else empty."""
    catalog = request.services.catalog
    names = [name for name in request.slot("gpu") or [] if not catalog.gpu_variants(str(name))]
    names += [part.strip() for part in str(request.slot("gpu_family") or "").split(",")]
    found = [int(match[1]) for name in names if (match := _SERIES.match(str(name))) is not None]
    return f"RTX {max(found)}" if found and max(found) > _newest_number(catalog) else ""


def _newest_number(catalog: Catalog) -> int:
    """50 for the RTX 50 series."""
    known = (_SERIES.match(gpu.name) for gpu in catalog.gpus.values() if gpu.family == "GeForce")
    return max((int(match[1]) for match in known if match is not None), default=99)


def _is_price_waited_for(request: Request) -> bool:
    """Whether it is asked when to buy: a card that is to be bought beside none at hand, or none that is named."""
    heard, named = request.heard, len(request.slot("gpu") or ())
    bought = request.slot("deploy") == "buy" and named <= 1 and not heard.speaks_of("own", "upgrade", "swap")
    set_against = heard.speaks_of("next_gen") and heard.speaks_of("or_word") and request.subject is None
    later = set_against and not heard.speaks_of("own", "swap")
    return bought or (heard.speaks_of("next_gen") and not named) or (later and named == 1)


def _unknown_kin(request: Request) -> str:
    """A card that nothing is on record of and that is named after a known one, "" for none."""
    catalog = request.services.catalog
    names = [str(name) for name in request.slot("gpu") or [] if not catalog.gpu_variants(str(name))]
    return next((name for name in names if catalog.gpu_variants(name.rpartition(" ")[0])), "")


def is_asked(request: Request) -> bool:
    """Whether it is asked if to buy now or later: a card that nothing is on record of, or a price, is waited for."""
    if _is_awaited(request):
        return True
    if request.intent == _WAITS and (_is_price_waited_for(request) or _is_moment_asked(request)):
        return True
    heard = request.heard
    price = heard.speaks_of("price", "cheap") and (heard.speaks_of("next_gen") or heard.shows("wish", "wait"))
    return price and request.intent in _ASKED_AS and not heard.speaks_of("own")


def _is_awaited(request: Request) -> bool:
    """Whether a card that nothing is on record of is waited for."""
    waits = request.intent == _WAITS or request.heard.speaks_of("next_gen")
    return waits and bool(_unannounced(request) or _unknown_kin(request))


def _is_moment_asked(request: Request) -> bool:
    """Whether it is asked to buy now or to wait, with no card at hand, and none beside the one that is wanted."""
    heard = request.heard
    at_hand = heard.speaks_of("own") or request.slot("own_gpu") or len(request.slot("gpu") or ()) > 1
    return heard.shows("wish", "wait") and not at_hand


def handle(request: Request) -> Outcome:
    """Now or later, by what is on record."""
    try:
        return _waiting(request, _unannounced(request) or _unknown_kin(request))
    except AdvisorError as error:
        return decline_error(error)


def _waiting(request: Request, awaited: str) -> Outcome:
    """`awaited`: the card or series that is waited for and of which nothing is on record; "" where a price is."""
    wish = read_wish(_known(request))
    if isinstance(wish, Decline):
        return wish
    gpu, own = _sides(request, wish)
    held = _held(request, wish, own or gpu)
    kept = own if held is not None and held.verdict.runs else None
    now = gpu or kept
    return _of_the_market(request, awaited) if now is None else _of_a_card(request, wish, awaited, (now, kept), held)


def _of_a_card(
    request: Request, wish: Wish, awaited: str, sides: tuple[Gpu, Gpu | None], held: Chosen | None
) -> Outcome:
    """Now or later for one card; `sides`: that card, and the one at hand where it does the job."""
    gpu, kept = sides
    buy, rent = _least(request, gpu), costs(request, gpu, currency_of(request))[1]
    went = _way_of(request, gpu)
    values = {**_values(awaited, sides, buy, held), **_went(went)}
    newest = newest_series(request) if awaited else None
    return answer_with(
        headline=(Line(_code(awaited, kept, buy, went), values),),
        lines=()
        if kept is gpu
        else (*_of_others(request, wish, sides), *_lines(request, values, (buy, rent, went), held)),
        facts=tuple(_facts(awaited, buy)),
        sources=source_refs(request, [one.source for one in (buy, rent) if one is not None]),
        told=Told(only_in_full=True),
        assumptions=wish.assumptions if held is not None else (),
        notes=(newest,) if newest is not None else (),
        asks=_job_asked(request),
    )


def _of_others(request: Request, wish: Wish, sides: tuple[Gpu, Gpu | None]) -> Iterator[Line]:
    """How the price of the card went that is waited for, where it is on record."""
    gpu, kept = sides
    others = [one.gpu for one in wish.named if one.gpu not in (gpu, kept)]
    ways = ((one, _way_of(request, one)) for one in others[-1:])
    yield from (Line("wait.other", {"card": one.name, **_went(way)}) for one, way in ways if way is not None)


def _job_asked(request: Request) -> Offered | None:
    return None if _is_job_said(request) else offered_of(slot="task")


def _known(request: Request) -> Request:
    """The question without the cards that nobody knows."""
    names = [name for name in request.slot("gpu") or [] if request.services.catalog.gpu_variants(str(name))]
    return replace(request, slots={**request.slots, "gpu": names or None, "gpu_family": None})


def _is_job_said(request: Request) -> bool:
    return bool(request.slot("model") or request.slot("task"))


def _sides(request: Request, wish: Wish) -> tuple[Gpu | None, Gpu | None]:
    """The card that can be had now and the one at hand: of those named, else the one that a card waited for is named
    after."""
    named = [one.gpu for one in wish.named]
    owned = request.heard.speaks_of("own") or request.heard.shows("deal", "sold")
    own = named[:1] if owned else []
    # a card on record is no stand-in for one that is waited for, nor is what it is named after
    unknown = [str(name) for name in request.slot("gpu") or [] if not request.services.catalog.gpu_variants(str(name))]
    kin = (request.services.catalog.gpu_variants(name.rpartition(" ")[0]) for name in unknown)
    now = [*named[len(own) :], *(variants[0] for variants in kin if variants)]
    return next(iter(now), None), next(iter(own), None)


def _of_the_market(request: Request, awaited: str) -> Outcome:
    """How the prices of all cards went, where none is meant."""
    home = [gpu for gpu in request.services.catalog.gpus.values() if gpu.family == _FAMILY and for_home(gpu)]
    ways = [(gpu, way) for gpu in home if (way := _way_of(request, gpu)) is not None]
    most = max(ways, key=lambda one: (one[1].times, one[0].id), default=None)
    told = _market(ways, most)
    lines = (told,) if told is not None else ()
    return answer_with(
        headline=(Line("wait.unknown", {"awaited": awaited}),) if awaited else lines,
        lines=(*(lines if awaited else ()), Line("wait.need")),
        facts=tuple(_facts(awaited, None)),
        sources=source_refs(request, [most[1].last.source] if most is not None else []),
        told=Told(only_in_full=True),
        asks=_job_asked(request),
    )


def _market(ways: Sequence[tuple[Gpu, _Way]], most: tuple[Gpu, _Way] | None) -> Line | None:
    """How many cards became dearer and cheaper, with the one that rose most."""
    if most is None:
        return None
    risen = sum(way.times >= _CLEARLY for _, way in ways)
    fallen = sum(way.times <= 1 / _CLEARLY for _, way in ways)
    counts: dict[str, Worded] = {"risen": risen, "fallen": fallen, "all": len(ways), "card": most[0].name}
    return Line("wait.market.up" if risen > fallen else "wait.market", {**counts, **_went(most[1])})


def _least(request: Request, gpu: Gpu) -> Quote | None:
    """What the card is bought for, the firmest price first."""
    market = market_currency_of(request)
    need = Need(currency=currency_of(request), region=region_of(market))
    view = quotes_for(request.services.catalog, request.now.date(), need)
    bought = [one for one in view.get(gpu.id, ()) if one.channel is Channel.BUY]
    return min(bought, key=lambda one: (not one.standing.solid, one.price), default=None)


def _offer(gpu: Gpu, quote: Quote) -> Line:
    low, high = (Money(amount=one, currency=quote.currency) for one in (quote.low, quote.high))
    terms = Label(quote.terms, "terms")
    values: dict[str, Worded] = {"name": gpu.name, "price": price_between(low, high), "provider": terms}
    return Line("up.priced", {**values, "dated": quote.day, "mark": market_alone(mark_of_quote(quote))})


def _held(request: Request, wish: Wish, gpu: Gpu | None) -> Chosen | None:
    """How a card does the job that was named; None without one."""
    if gpu is None or not _is_job_said(request) or not wish.ladder:
        return None
    return next(iter(chosen_on(wish.ladder, [Place(gpu)])), None)


def _way_of(request: Request, gpu: Gpu) -> _Way | None:
    """How the price of a card went in the last year, by second-hand reports where there are some."""
    today = request.now.date()
    bought = [
        one
        for one in request.services.catalog.offers_for(gpu.id, terms=_BOUGHT, historical=None)
        if one.unit == "card" and today - _YEAR <= one.as_of <= today
    ]
    kinds = [list(found) for _, found in groupby(sorted(bought, key=_kind), key=lambda one: _kind(one)[:2])]
    told = [one for one in kinds if len(one) >= _FEW and one[-1].as_of - one[0].as_of >= _APART]
    # second-hand prices are asked for every day, new ones of a card that is sold out are those of a few shops
    most = max(told, key=lambda one: (one[0].pricing_model is PricingModel.PURCHASE_USED, len(one)), default=None)
    return _Way(most[0], most[-1]) if most is not None else None


def _kind(one: Offer) -> tuple[str, str, str]:
    return (one.pricing_model.value, one.currency, one.as_of.isoformat())


def _middle(one: Offer) -> float:
    return float(one.low + one.high) / 2


def _code(awaited: str, kept: Gpu | None, buy: Quote | None, went: _Way | None) -> str:
    """wait.<what is advised, and by what>; `kept`: the card at hand, where it does the job."""
    if kept is not None:
        return "wait.own"
    if went is not None and _is_moved(went):
        return "wait.risen" if went.times > 1 else "wait.fallen"
    if buy is None:
        return "wait.unpriced"
    return "wait.awaited" if awaited else "wait.price"


def _is_moved(went: _Way) -> bool:
    """Whether a price clearly rose or fell; the one of today opens the answer where it did not."""
    return not 1 / _CLEARLY < went.times < _CLEARLY


def _values(awaited: str, sides: tuple[Gpu, Gpu | None], buy: Quote | None, held: Chosen | None) -> dict[str, Worded]:
    gpu, kept = sides
    values: dict[str, Worded] = {
        "awaited": awaited or None,
        "card": gpu.name,
        "own": kept.name if kept is not None else None,
        "offer": _offer(gpu, buy) if buy is not None else None,
    }
    return values if held is None else {**values, **_fit(held)}


def _fit(held: Chosen) -> dict[str, Worded]:
    usable = held.verdict.usable
    model = model_named(held.way.workload.ml_model.name)
    return {"model": model, "need": gib(held.verdict.need), "usable": gib(usable) if usable is not None else None}


def _went(went: _Way | None) -> dict[str, Worded]:
    if went is None:
        return {}
    return {
        "first": _money(went.first),
        "since": went.first.as_of.isoformat()[:7],
        "last": _money(went.last),
        "dated": Line(
            "price.dated", {"day": went.last.as_of.isoformat()[:7], "age": None, "mark": market_of(went.last)}
        ),
        "used": Line("wait.used") if went.last.pricing_model is PricingModel.PURCHASE_USED else Line("wait.new"),
    }


def _money(one: Offer) -> Figure:
    return amount(rounded(Money(amount=(one.low + one.high) / 2, currency=one.currency)))


def _lines(
    request: Request,
    values: dict[str, Worded],
    prices: tuple[Quote | None, Cost | None, _Way | None],
    held: Chosen | None,
) -> Iterator[Line]:
    """What the card does of the job, what it costs today, whether the money reaches, and what bridges the time."""
    buy, rent, went = prices
    if held is not None:
        yield Line("wait.runs" if held.verdict.runs else "wait.runs.not", values)
    if buy is not None and went is not None and _is_moved(went):
        yield Line("wait.offer", values)
    spend = money_of(request.slot("budget"))
    if spend is not None and buy is not None and spend.currency == buy.currency and spend.amount < buy.low:
        yield Line("up.await.short", {"budget": amount(spend)})
    if rent is not None:
        yield Line("up.bridge", {"rent": leased(str(values["card"]), rent)})


def _facts(awaited: str, buy: Quote | None) -> Iterator[Fact]:
    if awaited:
        yield fact_of(name="awaited", value=awaited, basis="nothing on record")
    if buy is not None:
        low, high = float(buy.low), float(buy.high)
        yield fact_of(name="price_buy", value=low, high=high, unit=buy.currency, basis="on record")


def newest_series(request: Request) -> Note | None:
    """How old the newest generation is: the only thing on record about waiting for the next one."""
    dated = [
        gpu
        for gpu in request.services.catalog.gpus.values()
        if gpu.family == "GeForce" and gpu.release_date and gpu.form_factor != "laptop"
    ]
    if not dated:
        return None
    series = max(dated, key=lambda gpu: (gpu.release_date or request.now.date(), gpu.id)).series
    first = min((gpu.release_date for gpu in dated if gpu.series == series and gpu.release_date), default=None)
    if first is None:
        return None
    months = (request.now.date() - first).days / DAYS_A_MONTH
    return note_of("up_wait", {"series": series, "since": first, "months": months, "old": months >= _MONTHS_OLD})
