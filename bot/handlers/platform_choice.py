"""Which platform to rent from, or to use for nothing: what the documents say, and today's offers for a named card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.errors import NoRate
from advisor.models import Frozen, Money
from advisor.prices import PricedOffer, price_of
from bot.core.answers import Answer, Decline, Outcome, offered_of
from bot.core.message import Fact, fact_of
from bot.core.request import Request
from bot.handlers.common import named_gpus, source_refs
from bot.handlers.passages import answer_from, chosen, find_passages, passage_answer

if TYPE_CHECKING:
    from knowledge.models import Passage

_OVERVIEW = "rental-platforms-overview"
_CLEAR, _PLAIN = 0.45, 0.9
_MEANT = frozenset({"platform_choice", "platform_howto"})
_SHOWN = 5
_USUAL = ("RTX 3090", "RTX 4090", "A100 80GB")


class OfferLine(Frozen):
    """One provider's price for the card, per GPU and hour."""

    provider: str
    low: Money
    high: Money
    ranged: bool
    terms: str
    as_of: str
    age: str


def handle(request: Request) -> Outcome:
    """Offers when a card is named; beside or instead of them the passages about platforms."""
    answer = None
    if request.slot("provider"):
        answer = passage_answer(request, "platform_choice", floor=_CLEAR, only=True)
    if answer is None:
        answer = answer_from(request, _general(request))
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    if not named:
        asks = offered_of(slot="platform_gpu", fills="gpu", values=_USUAL)
        return answer.model_copy(update={"template": "platform_choice", "asks": asks, "extra": _extra(answer, [], "")})
    offers = _offers(request, named[0].asked)
    lines = [_line(request, one) for one in offers]
    refs = source_refs(request, (one.offer.source for one in offers))
    return answer.model_copy(
        update={
            "template": "platform_choice",
            "facts": (*(_fact(one, line) for one, line in zip(offers, lines, strict=True)), *answer.facts),
            "trace": (*(one.trace for one in offers), *answer.trace),
            "sources": (*refs, *answer.sources),
            "extra": _extra(answer, lines, named[0].asked),
        }
    )


def _general(request: Request) -> list[Passage]:
    """The passages that are plainly asked for; else the overview, with the nearest other passage about platforms."""
    library = request.services.library
    hits = [hit for hit in find_passages(request, "platform_choice", 6) if _MEANT & set(hit.passage.intents)]
    if hits and hits[0].score >= _PLAIN:
        return chosen(hits[:3], library)
    near = [hit.passage for hit in hits if hit.score >= _CLEAR and hit.passage.id != _OVERVIEW]
    return [library.get(_OVERVIEW), *near[:1]]


def _extra(answer: Answer, lines: list[OfferLine], gpu: str) -> dict[str, object]:
    return {**answer.extra, "offers": tuple(lines), "gpu": gpu}


def _offers(request: Request, asked: str) -> list[PricedOffer]:
    """The cheapest rental of each provider, cheapest first, for all variants of the card."""
    catalog = request.services.catalog
    currency = str(request.slot("currency") or ("CNY" if request.language == "zh" else "USD"))
    try:
        listed = price_of(catalog, catalog.gpu_variants(asked), on=request.now.date(), currency=currency)
    except NoRate:
        return []
    cheapest: dict[str, PricedOffer] = {}
    for one in listed.rent:
        cheapest.setdefault(one.offer.provider, one)
    return list(cheapest.values())[:_SHOWN]


def _line(request: Request, one: PricedOffer) -> OfferLine:
    record = request.services.catalog.providers.get(one.offer.provider)
    name = one.offer.provider_name or one.offer.provider
    if record is not None:
        name = record.name_zh if request.language == "zh" and record.name_zh else record.name
    return OfferLine(
        provider=name,
        low=one.low,
        high=one.high,
        ranged=one.is_range,
        terms=one.offer.pricing_model.value,
        as_of=one.offer.as_of.isoformat(),
        age=one.age.value,
    )


def _fact(one: PricedOffer, line: OfferLine) -> Fact:
    return fact_of(
        name="offer",
        value=float(one.low.amount),
        low=float(one.low.amount) if one.is_range else None,
        high=float(one.high.amount) if one.is_range else None,
        unit=f"{one.low.currency}/h",
        basis=f"{line.provider}, {line.terms}, {line.age}",
        sources=(one.offer.source,) if one.offer.source else (),
        as_of=one.offer.as_of,
    )
