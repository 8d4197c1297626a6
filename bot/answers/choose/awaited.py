"""A card that is waited for and of which nothing is on record: what there is now decides, with its price."""

from __future__ import annotations

from advisor.models import Gpu, Note
from bot.answers.choose.own_prices import money_of
from bot.answers.choose.upgrade_lines import priced
from bot.answers.choose.wishes import currency_of
from bot.answers.choose.worth import Cost, costs
from bot.answers.common import source_refs
from bot.core.answers import Outcome, answer_with
from bot.core.line import Line, amount
from bot.core.message import Fact, fact_of
from bot.core.request import Request


def unknown_kin(request: Request) -> str:
    """A card that nothing is on record of and that is named after a known one, "" for none."""
    catalog = request.services.catalog
    names = [str(name) for name in request.slot("gpu") or [] if not catalog.gpu_variants(str(name))]
    return next((name for name in names if catalog.gpu_variants(name.rpartition(" ")[0])), "")


def waiting_for(request: Request, name: str, newest: Note | None) -> Outcome:
    """That nothing is known of the card, and what the one costs that can be had now.

    Args:
        request: the question.
        name: the card that is waited for.
        newest: how old the newest generation is.
    """
    gpu = _known_beside(request, name)
    buy = costs(request, gpu, currency_of(request))[0] if gpu is not None else None
    head = Line("up.await.alone", {"name": name})
    if gpu is not None and buy is not None:
        head = Line("up.await", {"name": name, "offer": priced(gpu.name, buy)})
    return answer_with(
        headline=(head,),
        lines=(*_short(request, buy), Line("up.by_need")),
        facts=(fact_of(name="awaited", value=name, basis="nothing on record"), *_fact(buy)),
        sources=source_refs(request, [buy.source] if buy is not None else []),
        notes=(newest,) if newest is not None else (),
    )


def _known_beside(request: Request, name: str) -> Gpu | None:
    """The first known card beside it, else the one that it is named after."""
    others = [str(one) for one in request.slot("gpu") or [] if str(one) != name]
    found = (request.services.catalog.gpu_variants(one) for one in (*others, name.rpartition(" ")[0]))
    return next((variants[0] for variants in found if variants), None)


def _short(request: Request, buy: Cost | None) -> tuple[Line, ...]:
    """That the money does not reach, where it does not."""
    spend = money_of(request.slot("budget"))
    if spend is None or buy is None or spend.currency != buy.low.currency or spend.amount >= buy.low.amount:
        return ()
    return (Line("up.await.short", {"budget": amount(spend)}),)


def _fact(buy: Cost | None) -> tuple[Fact, ...]:
    if buy is None:
        return ()
    low, high = float(buy.low.amount), float(buy.high.amount)
    return (fact_of(name="price_buy", value=low, high=high, unit=buy.low.currency, basis="on record"),)
