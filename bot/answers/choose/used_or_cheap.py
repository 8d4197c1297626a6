"""Whether a card is worth it: what it holds, what it costs and risks, and what beats it; what is sold second-hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from advisor.errors import AdvisorError
from advisor.models import Gpu, Money, Note, Step, note_of, step_of
from advisor.recommend import Channel, Need, Objective, Option, choose
from advisor.recommend.ground import is_legacy
from advisor.recommend.home import is_modified
from advisor.recommend.market import market
from advisor.recommend.models import Quote
from bot.answers.choose.aspects import aspects_of
from bot.answers.choose.makers import families_of
from bot.answers.choose.offers import Shown, price_fact, shown
from bot.answers.choose.own_prices import asked_price, money_of
from bot.answers.choose.shunned import is_asked as is_shun_asked
from bot.answers.choose.shunned import shunned_lines
from bot.answers.choose.used_lines import NEW, Judged, Used, blocks_of, headline_of, lines_of
from bot.answers.choose.used_prices import used_quote, with_price
from bot.answers.choose.wishes import Wish, currency_of, market_currency_of, read_wish, region_of
from bot.answers.choose.worth import costs, holds, is_server, is_shared, with_own_memory
from bot.answers.common import decline_error, named_gpus, source_refs
from bot.answers.documents.said import said
from bot.answers.money.price_remarks import told_here
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Line
from bot.core.message import Fact, fact_of
from bot.core.passages import Told
from bot.core.request import Request

_LADDER: Final = 6
_SEVERAL: Final = 2
_FAR_ABOVE: Final = Decimal("1.5")
"""Times today's highest price from which an amount beside several cards is that of all of them."""
_RECENT_DAYS: Final = 3 * 365
_OLD_DAYS: Final = 7 * 365
_OLDEST_SUPPORTED: Final = "7.5"
"""Compute capability of the oldest architecture that CUDA 13 still builds for (Maxwell, Pascal and Volta left)."""
_MINING: Final = ("RTX 30", "GTX 10", "GTX 16", "RX 5000", "RX 6000", "RX 500")
_PASSIVE: Final = frozenset(
    {
        "Tesla", "A2", "A10", "A16", "A30", "A40", "A100", "A800", "H20", "H100", "H200", "H800", "L2", "L4", "L20",
        "L40", "L40S",
    }
)  # fmt: skip
"""First words of the names of server cards without a fan."""
_PASSIVE_AMD: Final = frozenset({"MI25", "MI50", "MI60", "MI100", "MI210"})
"""Likewise of AMD; these take the usual PCIe power plugs."""
_MADE_FOR_MINING: Final = "Mining"
"""Series of cards that were sold to miners only."""
_LOCKED: Final = "CMP"
"""First word of the names of mining cards whose arithmetic the maker throttled."""


def handle(request: Request) -> Outcome:
    """Judge the named cards, or show what can be had second-hand."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    try:
        return _judged(request, [with_own_memory(one.gpu) for one in named]) if named else _ladder(request)
    except AdvisorError as error:
        return decline_error(error)


# --- named cards -----------------------------------------------------------------------------------------------------


def _judged(request: Request, gpus: list[Gpu]) -> Answer:
    currency = currency_of(request)
    cards = [judge(request, gpu, currency) for gpu in gpus]
    # nothing with a price takes the place of a machine whose memory is shared, or of a server's module
    rival = _rival(request, gpus[0], currency) if not (is_shared(gpus[0]) or is_server(gpus[0])) else None
    docs = said(request, "used_or_cheap")
    tested = any(card.verdict not in NEW for card in cards)
    priced = request.heard.speaks_of("money_question")
    told = Used(cards=tuple(cards), rival=rival, documents=docs.views, priced=priced)
    return answer_with(
        headline=(headline_of(told),),
        lines=(*aspects_of(request, [(gpu, 1) for gpu in gpus]), *told_here(request, tuple(gpus)), *lines_of(told)),
        blocks=blocks_of(told),
        facts=tuple(_facts(cards, rival)),
        trace=(*(_step(card) for card in cards), *docs.steps),
        sources=(*source_refs(request, _sources(gpus, cards, rival)), *docs.sources),
        notes=(note_of("used_check", {}),) if tested else (),
        conflicts=docs.conflicts,
        told=Told(passages=docs.ids, only_in_full=True),
    )


def _sources(gpus: list[Gpu], cards: list[Judged], rival: Shown | None) -> list[str]:
    """Ids of what cards, prices and risks rest on."""
    ids = [gpu.sources.get("*", "") for gpu in gpus] + [card.source for card in cards] + _risk_sources(cards)
    ids += [rival.source] if rival else []
    ids += [cost.source for card in cards for cost in (card.new, card.rent) if cost is not None]
    return [one for one in ids if one]


def _facts(cards: list[Judged], rival: Shown | None) -> Iterator[Fact]:
    for card in cards:
        yield fact_of(name="card", value=card.name, basis=card.verdict)
        yield fact_of(name="vram", value=card.vram_gib, unit="GiB")
        if card.price is not None:
            yield _price_fact(card)
        yield from _more_facts(card)
    if rival is not None:
        yield fact_of(name="rival", value=rival.name)
        yield price_fact("rival_price", rival)


def judge(request: Request, gpu: Gpu, currency: str) -> Judged:
    """Risks and price of one card, as a purchase second-hand."""
    risks = _risks(gpu, request.now.date())
    quote = used_quote(request, gpu, currency)
    offered = _offered_for_one(request, quote)
    new, rent = costs(request, gpu, currency)
    card = Judged(
        name=gpu.name,
        vram_gib=gpu.vram_gib,
        year=gpu.release_date.year if gpu.release_date else None,
        verdict=_new_verdict(request, gpu, quote) or _cluster_verdict(gpu) or _verdict(gpu, risks),
        risks=risks,
        offered=offered,
        lot=_lot(request) if offered is not None else None,
        deal=_deal(quote, offered, currency),
        bandwidth=gpu.memory_bandwidth_gb_per_s if is_shared(gpu) else None,
        holds=holds(request.services.catalog, gpu) if gpu.vram_gib else None,
        new=new,
        rent=rent,
    )
    return card if quote is None else with_price(request, card, quote, currency)


def _offered_for_one(request: Request, quote: Quote | None) -> Money | None:
    """What the asker is to pay for one card: of several an amount that none of them costs is that of all."""
    asked = asked_price(request)
    if asked is None or asked[1] != "card":
        return None
    count, offered = max(request.heard.counts_of("gpu").values(), default=1), asked[0]
    if count < _SEVERAL or quote is None or offered.amount <= quote.high * _FAR_ABOVE:
        return offered
    return offered.model_copy(update={"amount": (offered.amount / count).quantize(Decimal(1))})


def _lot(request: Request) -> tuple[int, Money] | None:
    """How many cards are offered for how much in all, where they are sold together."""
    lot = request.slot("lot")
    whole = money_of(lot)
    return (int(lot["n"]), whole) if lot and whole is not None else None


def _deal(quote: Quote | None, offered: Money | None, currency: str) -> str:
    """How the price the user was asked for lies to today's: below | within | above; empty when it cannot be said."""
    if quote is None or offered is None or not quote.standing.solid or offered.currency != currency:
        return ""
    return "below" if offered.amount < quote.low else "above" if offered.amount > quote.high else "within"


def _risks(gpu: Gpu, today: date) -> tuple[Note, ...]:
    """What to know before paying, heaviest first."""
    return (*_build_risks(gpu), *_software_risks(gpu), *_age_risks(gpu, today))


def _build_risks(gpu: Gpu) -> Iterator[Note]:
    """Of what was done to a card, or what it was made for."""
    if is_modified(gpu):
        yield note_of("used_mod", {})
    if gpu.name.startswith(_LOCKED):
        yield note_of("used_locked", {})
    if gpu.series == _MADE_FOR_MINING:
        yield note_of("used_mining_card", {})


def _software_risks(gpu: Gpu) -> Iterator[Note]:
    """Of what software still supports and what the chip lacks."""
    if gpu.vendor != "NVIDIA":
        yield note_of("used_not_cuda", {"vendor": gpu.vendor})
    if gpu.last_cuda:
        yield note_of("used_cuda_end", {"last": gpu.last_cuda})
    elif gpu.compute_capability == _OLDEST_SUPPORTED:
        yield note_of("used_oldest", {})
    if is_legacy(gpu):
        yield note_of("used_no_tensor", {})
    elif gpu.vendor == "NVIDIA" and not gpu.bf16_supported:
        yield note_of("used_no_bf16", {})


def _age_risks(gpu: Gpu, today: date) -> Iterator[Note]:
    """Of cooling, mining and years."""
    first = gpu.name.split()[0]
    if first in _PASSIVE | _PASSIVE_AMD:
        yield note_of("used_passive", {"eps": first in _PASSIVE})
    if gpu.series in _MINING:
        yield note_of("used_mining", {})
    if gpu.release_date and (today - gpu.release_date).days > _OLD_DAYS:
        yield note_of("used_age", {"years": (today - gpu.release_date).days // 365})


def _verdict(gpu: Gpu, risks: tuple[Note, ...]) -> str:
    codes = {note.code for note in risks}
    if is_legacy(gpu):
        return "niche" if (gpu.vram_gib or 0) >= 16 else "avoid"
    if codes & {"used_mod", "used_locked"}:
        return "risky"
    if "used_cuda_end" in codes:
        return "niche"
    if codes & {"used_age", "used_oldest"}:
        return "dated"
    return "server" if is_server(gpu) else "good"


def _cluster_verdict(gpu: Gpu) -> str:
    """Of a data-centre card with HBM that is still current: for whom it is good value (conflicts E04 and E05)."""
    of_centre = gpu.name.split()[0] in _PASSIVE and (gpu.memory_type or "").startswith("HBM")
    return "cluster" if of_centre and (gpu.compute_capability or "") > _OLDEST_SUPPORTED else ""


def _new_verdict(request: Request, gpu: Gpu, used: Quote | None) -> str:
    """What to say of something that is not bought second-hand: shared memory, a server's module, a card still new."""
    if "used" in request.heard.sides("worth") or request.slot("price"):
        return ""
    if is_shared(gpu):
        return "capacity"
    if is_server(gpu):
        return "server"
    recent = gpu.release_date is not None and (request.now.date() - gpu.release_date).days < _RECENT_DAYS
    return "sound" if used is None and recent and not is_modified(gpu) else ""


def _more_facts(card: Judged) -> list[Fact]:
    """What it holds and what it costs new and by the hour."""
    facts = []
    if card.holds is not None:
        facts.append(fact_of(name="runs_up_to", value=card.holds.run, unit="B", basis="4-bit, 4096 tokens"))
        facts.append(fact_of(name="tunes_up_to", value=card.holds.tune, unit="B", basis="QLoRA, 2048 tokens"))
    for name, cost in (("new_price", card.new), ("rent_per_hour", card.rent)):
        if cost is not None:
            low, high = float(cost.low.amount), float(cost.high.amount)
            sources = (cost.source,) if cost.source else ()
            facts.append(fact_of(name=name, value=low, low=low, high=high, unit=cost.low.currency, sources=sources))
    return facts


def _rival(request: Request, gpu: Gpu, currency: str) -> Shown | None:
    """The cheapest current card with at least that memory and a price to count on."""
    need = Need(
        vram_gib=min(gpu.vram_gib or 8.0, 24.0),
        currency=currency,
        region=region_of(market_currency_of(request)),
        deploy=Channel.BUY,
        objective=Objective.CHEAPEST,
        excluded_gpus=(gpu.id,),
    )
    for option in choose(need, request.services.catalog, request.now.date()).ranked:
        if not is_legacy(option.gpu) and option.quote.standing.solid:
            return shown(request, option, currency)
    return None


def _risk_sources(cards: list[Judged]) -> list[str]:
    codes = {note.code for card in cards for note in card.risks}
    ends = ["nvidia-cuda-12-9-notes"] if codes & {"used_cuda_end", "used_oldest"} else []
    return [*ends, *(["niconiconi-170hx", "llamacpp-dp4a"] if "used_locked" in codes else [])]


def _price_fact(card: Judged) -> Fact:
    price = card.price
    return fact_of(
        name="used_price",
        value=float(price.amount) if price else None,
        low=float(price.amount) if price and card.high else None,
        high=float(card.high.amount) if card.high else None,
        unit=price.currency if price else "",
        basis=card.dated,
        sources=(card.source,) if card.source else (),
    )


def _step(card: Judged) -> Step:
    return step_of(
        name="used_price",
        value=card.price.amount if card.price else None,
        unit=card.price.currency if card.price else "",
        how="price" if card.price else "no price on record",
        sources=(card.source,) if card.source else (),
        rows=("002-005", "002-167", "002-194", "002-195", "002-196"),
    )


# --- nothing named ---------------------------------------------------------------------------------------------------


def _ladder(request: Request) -> Outcome:
    """What can be had second-hand today, cheapest first, for the job if one is known."""
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    sold = _offered(request, wish)
    if is_shun_asked(request):
        return _shunned(request, sold)
    offered = sold[:_LADDER]
    views = [_option_view(request, quote, gpu, wish.need.currency) for quote, gpu in offered]
    docs = said(request, "used_or_cheap")
    mined = request.heard.shows("worth", "mined") and not wish.need.budget
    told = Used(ladder=tuple(views), documents=docs.views, mined=mined)
    return answer_with(
        headline=(headline_of(told),),
        lines=lines_of(told),
        blocks=blocks_of(told),
        facts=tuple(price_fact(f"used_{view.name}", view) for view in views),
        trace=docs.steps,
        sources=(*source_refs(request, [view.source for view in views]), *docs.sources),
        notes=() if mined else (*_shared_risks(request, [gpu for _, gpu in offered]), note_of("used_check", {})),
        conflicts=docs.conflicts,
        told=Told(passages=docs.ids, only_in_full=True),
    )


def _shunned(request: Request, sold: list[tuple[Quote, Gpu]]) -> Outcome:
    """Which of the cards that are sold second-hand to keep away from, the reason that weighs most first."""
    lines = shunned_lines((gpu.name, _risks(gpu, request.now.date())) for _, gpu in sold)
    if not lines:
        return answer_with(headline=(Line("used.none"),))
    return answer_with(headline=lines[:1], lines=lines[1:], notes=(note_of("used_check", {}),))


def _offered(request: Request, wish: Wish) -> list[tuple[Quote, Gpu]]:
    """Second-hand prices of today within the budget, cheapest first; of the families that were named."""
    catalog, currency = request.services.catalog, wish.need.currency
    wanted = {gpu.id for name in families_of(request) for gpu in catalog.gpus_of(name)}
    bought = market(catalog, request.now.date(), currency).buy
    gpus = [catalog.gpus[name] for name in bought if not wanted or name in wanted]
    quoted = [(quote, gpu) for gpu in gpus if (quote := used_quote(request, gpu, currency)) is not None]
    limit = wish.need.budget.amount if wish.need.budget else None
    kept = [(quote, gpu) for quote, gpu in quoted if quote.standing.solid and (limit is None or quote.price <= limit)]
    return sorted(kept, key=lambda pair: (pair[0].price, pair[1].id))


def _shared_risks(request: Request, gpus: list[Gpu]) -> tuple[Note, ...]:
    """Risks that most of the listed cards share, heaviest first."""
    today = request.now.date()
    found: dict[str, list[Note]] = {}
    for gpu in gpus:
        for note in _risks(gpu, today):
            found.setdefault(note.code, []).append(note)
    shared = [notes[0] for code, notes in found.items() if code != "used_age" and 2 * len(notes) > len(gpus)]
    return tuple(shared[:2])


def _option_view(request: Request, quote: Quote, gpu: Gpu, currency: str) -> Shown:
    key: tuple[str, int, str, str] = (gpu.id, 1, quote.channel.value, quote.offer)
    option = Option(gpu, 1, quote, float(quote.price), gpu.vram_gib or 0.0, None, True, True, 1, key)
    return shown(request, option, currency)


__all__ = ["Judged", "handle", "judge"]
