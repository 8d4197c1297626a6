"""Why another card was not the pick: what it lacks for the job, or what it costs and gains beside the pick."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from advisor.models import Gpu, Money
from advisor.recommend import Channel, Option, Recommendation, Selection
from advisor.recommend.estimates import usable
from advisor.recommend.reasons import trade
from bot.answers.choose.offer_lines import days_named, offer_of, rounded
from bot.answers.choose.offers import Shown, price_fact, shown
from bot.answers.choose.recommend_gpu import on_ladder
from bot.answers.choose.wishes import Wish, read_wish
from bot.answers.common import fact, source_refs, step_sources
from bot.answers.money.marks import mark_of_quote, market_alone
from bot.answers.phrases import cards_named
from bot.core.answers import Answer, Decline, answer_with
from bot.core.conversation import Episode
from bot.core.left import opened
from bot.core.line import Figure, Label, Line, Worded, amount, gib
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_CHOSEN: Final = "recommend_gpu"
_TOO_SMALL: Final = "out_too_small"


def card_against_pick(request: Request) -> Answer | None:
    """The named card against the card that was recommended last; None where there is no such pair.

    The recommendation is worked out again from what was said then; where it comes out otherwise there is no answer.
    """
    chosen = _last_choice(request)
    gpu = _asked(request)
    if chosen is None or gpu is None:
        return None
    slots = {name: held.value for name, held in chosen.slots.items() if name != "gpu"}
    ruled_out = {**request.conversation.excluded, **request.excluded}
    wish = read_wish(replace(request, intent=_CHOSEN, slots=slots, excluded=ruled_out))
    if isinstance(wish, Decline):
        return None
    try:
        wish, found = on_ladder(request, wish)
        picked = {one.name: one.value for one in chosen.facts}.get("pick")
        if found.winner is None or found.winner.gpu.name != picked or gpu.name == picked:
            return None
        told = found.told(with_flips=False)
        return _answer(request, wish, told, gpu, _dear(found, told.channel, gpu, wish))
    except AdvisorError:
        return None


def _last_choice(request: Request) -> Episode | None:
    """The last recommendation of this conversation, the one that the message answers before others."""
    episodes = (*request.conversation.episodes, *((request.subject,) if request.subject is not None else ()))
    found = next((one for one in reversed(episodes) if one.intent == _CHOSEN), None)
    return None if found is None else opened(found)


def _asked(request: Request) -> Gpu | None:
    """The one card that the message names, whether as wished for or as ruled out."""
    names = list(dict.fromkeys(str(found.value) for found in request.heard.named("gpu")))
    variants = request.services.catalog.gpu_variants(names[0]) if len(names) == 1 else ()
    return variants[0] if variants else None


def _dear(found: Selection, channel: Channel, gpu: Gpu, wish: Wish) -> Line | None:
    """That a card costs more than there is to spend, the way that the pick is had; None where it does not."""
    over = [one for one in found.choice.over() if one.gpu.id == gpu.id and one.quote.channel is channel]
    if wish.need.budget is None or not over:
        return None
    least = min(over, key=lambda one: one.cost)
    price = Money(amount=least.money, currency=least.quote.currency)
    days = days_named((least.quote.day,), market_alone(mark_of_quote(least.quote)))
    told: dict[str, Worded] = {"other": cards_named(gpu.name, least.n), "price": amount(rounded(price)), "days": days}
    return Line("why_not.dear", {**told, "budget": amount(wish.need.budget)})


def _answer(request: Request, wish: Wish, found: Recommendation, gpu: Gpu, dear: Line | None = None) -> Answer | None:
    winner, currency = found.winner, wish.need.currency
    if winner is None:
        return None
    ranked = next((option for option in found.ranked if option.gpu.id == gpu.id), None)
    head = _ranked(ranked, winner.option) if ranked is not None else dear or _left_out(found, gpu)
    pick = shown(request, winner.option, currency)
    other = shown(request, ranked, currency) if ranked is not None else None
    both = {"why_not.other": other, "why_not.pick": pick}
    sides = {code: one for code, one in both.items() if one is not None}
    sources = [*(one.source for one in sides.values()), *step_sources(found.trace)]
    return answer_with(
        headline=(head,),
        lines=tuple(Line(code, {"offer": offer_of(one)}) for code, one in sides.items()),
        facts=_facts(found, gpu, pick, other),
        trace=(found.trace,),
        sources=source_refs(request, list(filter(None, sources))),
        assumptions=wish.assumptions,
    )


def _facts(found: Recommendation, gpu: Gpu, pick: Shown, other: Shown | None) -> tuple[Fact, ...]:
    """Both cards with their prices, and what the job needs."""
    need = found.requirement.estimate
    return (
        fact_of(name="pick", value=pick.name),
        price_fact("pick_price", pick),
        *((fact("vram_needed", need),) if need is not None else ()),
        fact_of(name="other", value=gpu.name),
        fact_of(name="other_vram", value=gpu.vram_gib, unit="GiB"),
        *((price_fact("other_price", other),) if other is not None else ()),
    )


def _ranked(other: Option, pick: Option) -> Line:
    """It would do: what it costs and gains beside the pick."""
    names: dict[str, Worded] = {
        "other": cards_named(other.gpu.name, other.n),
        "pick": cards_named(pick.gpu.name, pick.n),
        "split": Line("why_not.split", {"n": other.n}) if other.n > pick.n else None,
    }
    traded = trade(other, pick)
    return Line("why_not.behind", {**names, "trade": traded}) if traded else Line("why_not.alike", names)


def _left_out(found: Recommendation, gpu: Gpu) -> Line:
    """It was left out: the memory it lacks in numbers, any other reason in words."""
    group = next((one for one in found.ruled_out if gpu.name in one.gpus), None)
    if group is None and gpu.name in found.unpriced:
        return Line("why_not.unpriced", {"other": gpu.name})
    if group is None:  # priced, but not in the way that the pick is had
        rented = found.channel is Channel.RENT
        return Line("why_not.bought" if rented else "why_not.rented", {"other": gpu.name})
    if group.reason.code == _TOO_SMALL:
        need = found.requirement.estimate or found.requirement.gib
        has = Figure(round(usable(gpu), 1), "GiB")
        return Line("why_not.small", {"other": gpu.name, "need": gib(need), "has": has})
    return Line("why_not.out", {"other": gpu.name, "why": Label(group.reason.code, "why_out")})
