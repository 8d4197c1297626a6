"""Rent or buy: break-even by use, with the documents' own example beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.draw import draw_of
from advisor.models import Gpu, Money, Note, Step, note_of, step_of
from advisor.money import BreakEven, Ownership, RentalBill, Span, break_even, document_example
from advisor.money.breakeven import DocumentExample
from advisor.named.values import counted
from advisor.recommend import Channel, Need, Objective, choose
from advisor.recommend.market import buy_quotes, market
from advisor.recommend.models import Quote
from advisor.recommend.settings import settings
from bot.answers.choose.own_prices import own_prices
from bot.answers.choose.recommend_gpu import on_ladder
from bot.answers.choose.wishes import (
    currency_of,
    hours_per_week_of,
    market_currency_of,
    read_wish,
    region_of,
    total_hours_of,
)
from bot.answers.common import NamedGpu, decline_error, named_gpus, source_refs
from bot.answers.money.bills import bill_for, power_assumptions, power_price, priced_variant, shown_lines, span_fact
from bot.answers.money.rent_fit import too_small
from bot.answers.money.rent_limit import rent_limit
from bot.answers.money.rent_lines import Sides, blocks, headline, lines
from bot.answers.money.resold import with_sale
from bot.core.answers import Assumption, Decline, Outcome, answer_with, assumption_of, elicit_of
from bot.core.line import Line
from bot.core.message import Chart, Fact, fact_of
from bot.core.pictures import Outlay, break_even_chart
from bot.core.request import Request

_USUAL: Final = "rtx-4090"
_MODULES: Final = ("SXM", "OAM")
_COMPLETE: Final = ("desktop system", "SoC unified memory", "laptop")
_HOURS_A_WEEK: Final = 168
_ONE_JOB_HOURS: Final = 744
"""A period without a rate up to a month is one job that runs through; a longer one is how long the machine is kept."""


RULE_OF_THUMB: Final = step_of(
    name="rule_of_thumb",
    value=1,
    unit="year",
    how="passage",
    sources=("seed-002",),
    as_of=date(2020, 10, 9),
    rows=("002-179", "002-221", "002-228"),
)
"""Rent below a year of use, buy above it: shown beside the computed days, which decide."""


def handle(request: Request) -> Outcome:
    """Compare owning with renting for the same hours of use."""
    try:
        chosen = _card(request)
        if not isinstance(chosen, tuple):
            return chosen
        gpu, n, assumed, notes = chosen
        request, back = with_sale(request, gpu.name)
        return _compare(request, gpu, n, assumed, notes, back)
    except AdvisorError as error:
        return decline_error(error)


Chosen = tuple[Gpu, int, tuple[Assumption, ...], tuple[Note, ...]]


def _card(request: Request) -> Chosen | Decline:
    """The named card, the one the job would get, or the usual one."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    n = request.slot("gpu_count") or 1
    if named:
        bought = named[_places(request, named)[0]]
        one = priced_variant(request, _own_forms(request, bought), currency_of(request))
        one = replace(one, others=tuple(gpu for gpu in (bought.gpu, *bought.others) if gpu.id != one.gpu.id))
        return one.gpu, n, (), (one.note,) if one.note else ()
    if request.slot("model") or request.slot("task"):
        picked = _for_the_job(request)
        if picked is not None:
            return picked
    gpu = request.services.catalog.gpus.get(_USUAL) or next(iter(request.services.catalog.gpus.values()))
    return gpu, n, (assumption_of(slot="gpu", value=gpu.name),), ()


def _for_the_job(request: Request) -> Chosen | Decline | None:
    """The card that is bought for the job within the money, else the cheapest that does it; None where none does."""
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    within = wish.need.model_copy(update={"deploy": Channel.BUY})
    cheapest = within.model_copy(update={"budget": None, "objective": Objective.CHEAPEST})
    for need in (within, cheapest) if within.budget is not None else (cheapest,):
        taken, found = on_ladder(request, replace(wish, need=need))
        if found.winner is not None:
            return found.winner.gpu, found.winner.n, taken.assumptions, ()
    return None


_ONE_EACH: Final[Mapping[tuple[str, ...], tuple[int, int]]] = {("rent", "buy"): (1, 0), ("buy", "rent"): (0, 1)}
"""Order in which renting and buying are spoken of -> places of the card to buy and of the one to rent."""


def _place_priced(request: Request, named: Sequence[NamedGpu], unit: str) -> int | None:
    """The place of the card that is said to cost so much an hour, or as a card; None where none is."""
    priced = [one.of for one in request.heard.prices if one.unit == unit and one.of]
    return next((place for place, one in enumerate(named) if one.asked in priced), None)


def _places(request: Request, named: Sequence[NamedGpu]) -> tuple[int, int]:
    """Places of the card to buy and of the card to rent: the same, unless one of two is rented and the other bought."""
    if len(named) != len(_ONE_EACH):
        return 0, 0
    rented = _place_priced(request, named, "hour")
    bought = _place_priced(request, named, "card")
    if rented is not None or bought is not None:
        place = rented if rented is not None else 1 - (bought or 0)
        return 1 - place, place
    spoken = tuple(side for side in request.heard.placed("price") if side in {"rent", "buy"})
    return _ONE_EACH.get(spoken, (0, 0))


def _rented(request: Request, gpu: Gpu) -> Gpu:
    """The card that is rented: another one only where one is rented and the other bought."""
    named = named_gpus(request)
    if isinstance(named, Decline) or not named:
        return gpu
    buys, rents = _places(request, named)
    return gpu if buys == rents else priced_variant(request, named[rents], currency_of(request)).gpu


def _to_rent(request: Request, gpu: Gpu, n: int, currency: str) -> tuple[Gpu, RentalBill, tuple[Note, ...]]:
    """The card to rent with its bill of an hour; the nearest that is let, and that said, where nobody lets it."""
    bill = bill_for(request, gpu, 1.0, n, currency)
    near = _nearest_to_rent(request, gpu, currency) if bill.best is None else None
    if near is None:
        return gpu, bill, ()
    note = note_of("rb_no_rent", {"name": gpu.name, "other": near.name})
    return near, bill_for(request, near, 1.0, n, currency), (note,)


def _nearest_to_rent(request: Request, gpu: Gpu, currency: str) -> Gpu | None:
    """The cheapest card that can be rented with at least the memory of one that nobody lets; None without one."""
    need = Need(
        vram_gib=gpu.vram_gib,
        currency=currency,
        region=region_of(market_currency_of(request)),
        deploy=Channel.RENT,
        objective=Objective.CHEAPEST,
        excluded_gpus=(gpu.id,),
    )
    ranked = choose(need, request.services.catalog, request.now.date()).ranked
    rentable = (one.gpu for one in ranked if bill_for(request, one.gpu, 1.0, 1, currency).best is not None)
    return next(rentable, None) if gpu.vram_gib else None


def _own_forms(request: Request, named: NamedGpu) -> NamedGpu:
    """Of the versions that a name leaves open those that go into a computer, where one has a price to buy and to rent.

    A module for a server board (SXM, OAM) cannot be bought alone.
    """
    currency = currency_of(request)
    fitting = [
        gpu
        for gpu in (named.gpu, *named.others)
        if not is_module(gpu)
        and purchase_quote(request, gpu, currency) is not None
        and bill_for(request, gpu, 1.0, 1, currency).best is not None
    ]
    if not fitting or (named.settled and named.gpu in fitting):
        return named
    fitting = [gpu for gpu in fitting if gpu.vram_gib == named.gpu.vram_gib and named.settled] or fitting
    stands_for = named.gpu.name if named.settled else ""
    return NamedGpu(named.asked, fitting[0], tuple(fitting[1:]), spoken_of=stands_for)


def is_module(gpu: Gpu) -> bool:
    """Whether it is a module for a server's board and no card."""
    return (gpu.form_factor or "").startswith(_MODULES)


def _host(gpu: Gpu, base: Decimal) -> Decimal:
    """The computer around the card; nothing where the card is one, or goes into a server."""
    whole = (gpu.form_factor or "").startswith(_COMPLETE)
    return Decimal(0) if whole or is_module(gpu) else base


def purchase_quote(request: Request, gpu: Gpu, currency: str) -> Quote | None:
    """What the card costs to buy: the user's price, else the newest that can be acted on, else an old one."""
    need = Need(currency=currency, region=region_of(market_currency_of(request)), prices=own_prices(request, [gpu]))
    made = market(request.services.catalog, request.now.date(), currency)
    quotes = buy_quotes(made, gpu, need)
    if not quotes:
        quotes = buy_quotes(made, gpu, need.model_copy(update={"region": ""}))
    return min(quotes, key=lambda quote: (quote.firmness, quote.price)) if quotes else None


def _price_span(quote: Quote, n: int) -> Span:
    """A price of today as it is; an old one with the margin that stands for what may have changed."""
    span = Span(value=quote.price, low=quote.low, high=quote.high)
    if not quote.standing.solid:
        margin = Decimal(str(settings().indicative_margin))
        span = Span(value=span.value, low=span.low * (1 - margin), high=span.high * (1 + margin))
    return span.times(n)


def _usage(request: Request) -> tuple[Decimal, tuple[Assumption, ...]]:
    """Share of the day in use: stated, or typical of the kind of user."""
    weekly = hours_per_week_of(request)
    if weekly is not None:
        return Decimal(str(round(weekly / 168, 10))), ()
    persona = request.slot("persona")
    usual = settings().usage.get(persona or "default") or settings().usage["default"]
    share = Decimal(str(usual.utilization))
    return share, (assumption_of(slot="utilization", value=f"{usual.utilization:.0%}"),)


def _use_step(request: Request, share: Decimal) -> Step:
    """The share of the day in use, with the reference figures it comes from when nobody said."""
    stated = hours_per_week_of(request) is not None
    return step_of(
        name="utilization",
        value=float(share),
        how="given" if stated else "assumption",
        sources=() if stated else ("seed-002",),
        rows=() if stated else settings().usage_rows(request.slot("persona")),
    )


def _compare(
    request: Request,
    gpu: Gpu,
    n: int,
    assumed: tuple[Assumption, ...],
    notes: tuple[Note, ...],
    back: Money | None = None,
) -> Outcome:
    currency = currency_of(request)
    quote = purchase_quote(request, gpu, currency)
    rented, bill, instead = _to_rent(request, _rented(request, gpu), n, currency)
    notes = (*instead, *notes)
    if quote is None or bill.best is None:
        lacks = ("rb_no_purchase", gpu.name) if quote is None else ("cost_no_price", rented.name)
        if bill.best is not None:
            return rent_limit(request, gpu, n, bill, total_hours_of(request), _usage(request))
        missing = note_of(lacks[0], {"name": lacks[1]})
        return elicit_of(slot="price", notes=(missing,))
    if bill.best.paid_cards > n:  # only let as a whole node: as many are bought
        node = note_of("rb_node", {"provider": bill.best.provider_name, "n": bill.best.paid_cards})
        return _compare(request, gpu, bill.best.paid_cards, assumed, (node, *notes), back)
    drawn, price = draw_of(gpu, n, request.slot("limit_w")), power_price(request, currency)
    if drawn is None or price is None:
        return Decline(reason=note_of("cost_no_power", {"name": gpu.name}))
    share, usage = _usage(request)
    base = settings().base_system
    rate = request.services.catalog.rate(base.currency, currency, request.now.date()).value
    host = _host(gpu, base.amount * rate)
    owned = Ownership(
        card=_price_span(quote, n),
        host=Span.of(host),
        resale=Span.of(0 if back is None else back.amount),
        power_w=drawn.machine,
        kwh_price=price.span,
        currency=currency,
    )
    days = Decimal(365)
    horizon = total_hours_of(request)
    if horizon:
        days = Decimal(str(horizon)) / 24
        if horizon <= _ONE_JOB_HOURS and hours_per_week_of(request) is None:
            share, usage = Decimal(1), ()
    found = break_even(owned, bill.best.hourly.times(bill.best.paid_cards), share, days)
    example = document_example()
    sources = [bill.best.source, quote.source, price.source, base.source]
    told = Sides(
        gpu=gpu,
        n=n,
        quote=quote,
        offer=shown_lines(request, bill)[0],
        host=host,
        currency=currency,
        rented=None if rented.id == gpu.id else rented,
        over=bool(horizon),
        back=back,
    )
    heads = (*too_small(request, gpu, n, rented), headline(found, told))
    return answer_with(
        headline=heads[:1],
        lines=(*heads[1:], *lines(found, told)),
        blocks=blocks(found, example),
        more=(Line("rb.example_why"), note_of("rb_rule", {"share": float(share)})),
        facts=(*_facts(found, currency), *_table_facts(found, example)),
        trace=(found.trace, _use_step(request, share), RULE_OF_THUMB, example.exact.trace),
        sources=source_refs(request, [source for source in sources if source]),
        assumptions=(*assumed, *usage, *power_assumptions(price)),
        notes=(*notes, *_notes(found, gpu, quote, currency, host)),
        conflicts=("E33", "E34"),
        chart=_chart(found, counted(gpu.name, n), currency),
        result=found,
    )


def _facts(found: BreakEven, currency: str) -> tuple[Fact, ...]:
    facts = [
        span_fact("rent_per_hour", found.rent, f"{currency}/h"),
        span_fact("capital", found.ownership.capital, currency, "cards + computer"),
        fact_of(name="utilization", value=float(found.utilization)),
        span_fact("cost_rent", found.cost_rent, currency, "over the horizon"),
        span_fact("cost_buy", found.cost_buy, currency, "over the horizon"),
        fact_of(name="horizon_days", value=float(found.horizon_days), unit="days"),
    ]
    if found.days is not None and found.hours is not None:
        facts.append(span_fact("break_even_days", found.days, "days"))
        facts.append(span_fact("break_even_hours", found.hours, "h"))
    return tuple(facts)


def _table_facts(found: BreakEven, example: DocumentExample) -> tuple[Fact, ...]:
    """Days by use, for this comparison and for the documents' example."""
    facts = [
        fact_of(name=f"days_at_{share:.0%}", value=float(days), unit="days", basis="hours / (24 x utilization)")
        for share, days in found.by_utilization
    ]
    facts += [
        fact_of(
            name=f"example_days_at_{share:.0%}", value=float(days), unit="days", basis="2020 example, like for like"
        )
        for share, days in example.exact.by_utilization
    ]
    printed = fact_of(name="example_days_printed", value=example.printed_days, unit="days", basis="passage")
    return (*facts, printed)


def _notes(found: BreakEven, gpu: Gpu, quote: Quote, currency: str, host: Decimal) -> tuple[Note, ...]:
    notes = []
    if is_module(gpu):
        notes.append(note_of("rb_module", {"name": gpu.name}))
    if not quote.standing.solid:
        notes.append(note_of("rb_old_price", {"year": quote.year, "margin": settings().indicative_margin}))
    if host:
        notes.append(note_of("rb_host", {"host": Money(amount=host.quantize(Decimal(1)), currency=currency)}))
    if found.days is not None and found.days.value > 3 * 365:
        notes.append(note_of("rb_outlives", {"years": float(found.days.value) / 365}))
    return tuple(notes)


def _chart(found: BreakEven, name: str, currency: str) -> Chart:
    """Money spent over time, both ways."""
    last = float(max(found.horizon_days, (found.days.value * Decimal("1.5") if found.days else Decimal(0))))
    outlay = Outlay(capital=found.ownership.capital, power=found.ownership.hourly, rent=found.rent)
    return break_even_chart(name, float(found.utilization) * _HOURS_A_WEEK, outlay, currency, last)
