"""Whether a card is more than a job needs: what the job takes of it, and the card that does it for the least money."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from advisor.jobs.plan import Chosen, Place, chosen_on
from advisor.models import Gpu, Money, Workload
from advisor.recommend import Channel, Objective, Option, choose
from advisor.recommend.estimates import speed_on
from bot.answers.choose.offer_lines import price_between
from bot.answers.choose.wishes import Wish, read_wish
from bot.answers.choose.worth import holds
from bot.answers.common import elicit_gpu, source_refs
from bot.answers.money.marks import mark_of_quote, market_alone
from bot.answers.phrases import model_named
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Figure, Label, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_MUCH: Final = 0.6
"""Share of the memory below which a job leaves much of a card idle."""
_LESS: Final = 0.75
"""Share of the price below which another card is clearly cheaper."""
_CLEARLY: Final = 1.05


def is_asked(request: Request) -> bool:
    """Whether it is asked if the one card that is named is too much for a job that is named."""
    heard, named = request.heard, len(set(map(str, request.slot("gpu") or ())))
    job = bool(request.slot("model") or request.slot("task") or request.slot("method"))
    return named == 1 and job and heard.shows("wish", "too_much")


def handle(request: Request) -> Outcome:
    """More than is needed, or not, by memory; and what the rest of the money buys."""
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    return _judged(request, wish) if wish.named and wish.ladder else elicit_gpu()


def _judged(request: Request, wish: Wish) -> Outcome:
    gpu = wish.named[0].gpu
    held = chosen_on(wish.ladder, [Place(gpu)])[0]
    option = _enough(request, wish, gpu)
    values = {**_values(gpu, held), **_of(option), **_faster(held.way.workload, gpu, option)}
    much = held.verdict.runs and held.verdict.need < _MUCH * (held.verdict.usable or 0.0)
    code = "much.yes" if much and option is not None else "much.memory" if much else "much.no"
    return answer_with(
        headline=(Line(code, values),),
        lines=tuple(_lines(request, gpu, option, values)),
        facts=(fact_of(name="vram_needed", value=held.verdict.need, unit="GiB"),),
        sources=source_refs(request, [option.quote.source] if option is not None else []),
        assumptions=wish.assumptions,
        notes=tuple(one.note for one in wish.named if one.note),
    )


def _enough(request: Request, wish: Wish, gpu: Gpu) -> Option | None:
    """The card that surely does the job for the least money, where that is clearly less than this one costs."""
    need = wish.need.model_copy(
        update={"deploy": Channel.BUY, "budget": None, "objective": Objective.CHEAPEST, "home": True}
    )
    found = choose(need, request.services.catalog, request.now.date())
    own = next((one for one in found.ranked if one.gpu.id == gpu.id and one.n == 1), None)
    best = next((one for one in found.ranked if one.sure and one.n == 1), None)
    if best is None or best.gpu.id == gpu.id:
        return None
    return best if own is None or best.cost < _LESS * own.cost else None


def _values(gpu: Gpu, held: Chosen) -> dict[str, Worded]:
    return {
        "card": gpu.name,
        "model": model_named(held.way.workload.ml_model.name),
        "need": gib(held.verdict.need),
        "usable": gib(held.verdict.usable or 0.0),
    }


def _of(option: Option | None) -> dict[str, Worded]:
    """The card that is enough, with its price."""
    if option is None:
        return {}
    quote = option.quote
    terms: dict[str, Worded] = {
        "terms": Label(quote.terms, "terms"),
        "dated": quote.day,
        "mark": market_alone(mark_of_quote(quote)),
    }
    low, high = (Money(amount=one, currency=quote.currency) for one in (quote.low, quote.high))
    return {"other": option.gpu.name, "price": price_between(low, high), "origin": Line("offer.of_terms", terms)}


def _faster(work: Workload, gpu: Gpu, option: Option | None) -> dict[str, Worded]:
    """How much faster the card is than the one that is enough; nothing where that is not known or not so."""
    one, other = speed_on(work, gpu, 1), speed_on(work, option.gpu, 1) if option is not None else None
    times = one / other if one and other else 0.0
    return {"times": Figure(times, "times") if times >= _CLEARLY else None}


def _lines(request: Request, gpu: Gpu, option: Option | None, values: dict[str, Worded]) -> Iterator[Line]:
    if option is None:
        return
    yield Line("much.other", values)
    catalog = request.services.catalog
    large, small = holds(catalog, gpu).run, holds(catalog, option.gpu).run
    if large > small > 0:
        yield Line("much.reach", {**values, "run": Figure(float(large)), "before": Figure(float(small))})
