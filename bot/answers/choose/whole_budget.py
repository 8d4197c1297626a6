"""What a budget for a whole computer, or a memory that may be shared out, means for the cards."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Final

from advisor.errors import NoRate
from advisor.models import Money, Note, note_of
from advisor.recommend import Channel, choose
from advisor.recommend.settings import settings
from bot.answers.choose.offers import Shown
from bot.answers.choose.servers import affords_servers
from bot.answers.choose.wishes import Wish
from bot.answers.money.marks import mark_of_quote, market_alone
from bot.core.request import Request

_MOST_SHARE: Final = Decimal("0.5")
"""Of a budget that the computer around the card may take."""
_PARTS: Final = (2, 3)
"""Cards that people put into one computer to have a memory together."""
_WORTH_TELLING: Final = 0.85
"""Share of the pick's price from which several cards instead are not told."""


def for_the_cards(request: Request, wish: Wish) -> Wish:
    """The wish with what a budget for a whole computer leaves for its cards, and that said; as it is otherwise."""
    budget = wish.need.budget
    once = budget is not None and wish.need.budget_period == "once"
    if budget is None or not once or wish.laptop or not _is_whole(request):
        return wish
    base = settings().base_system
    known = Money(amount=base.amount, currency=base.currency)
    try:
        host = request.services.catalog.convert(known, budget.currency, request.now.date())
        large = affords_servers(request, wish.need)
    except NoRate:
        return wish
    share = Decimal(str(settings().server.host_share)) if large else Decimal(0)
    kept = min(max(host.amount, budget.amount * share), budget.amount * _MOST_SHARE).quantize(Decimal(1))
    left = budget.model_copy(update={"amount": budget.amount - kept})
    note = note_of("rec_host_kept", {"kept": budget.model_copy(update={"amount": kept}), "left": left, "of": budget})
    need = wish.need.model_copy(update={"budget": left, "deploy": wish.need.deploy or Channel.BUY})
    return replace(wish, need=need, notes=(note, *wish.notes))


def _is_whole(request: Request) -> bool:
    """Whether the money is for a whole computer: one that a card is put into is there already."""
    return request.heard.shows("wish", "whole_machine") and not request.heard.speaks_of("add_card")


def pooled(request: Request, wish: Wish, pick: Shown) -> tuple[Note, ...]:
    """Several cards that have the wished memory together for clearly less than the one that has it alone.

    Args:
        request: the question.
        wish: what is looked for.
        pick: what is recommended.
    """
    need = wish.need
    if need.vram_gib is None or need.gpu_count is not None or need.deploy is not Channel.BUY:
        return ()
    catalog, today = request.services.catalog, request.now.date()
    tried = (
        choose(need.model_copy(update={"vram_gib": need.vram_gib / n, "gpu_count": n}), catalog, today).winner
        for n in _PARTS
    )
    found = min((one for one in tried if one is not None), key=lambda one: one.cost, default=None)
    if found is None or found.cost > _WORTH_TELLING * float(pick.price.amount):
        return ()
    values = {
        "name": found.gpu.name,
        "n": found.n,
        "price": found.money,
        "currency": need.currency,
        "gib": found.vram_gib,
        "terms": found.quote.terms,
        "dated": found.quote.day,
        "mark": market_alone(mark_of_quote(found.quote)),
    }
    return (note_of("rec_pooled", values),)
