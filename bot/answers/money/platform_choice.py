"""Which platform to rent from, or to use for nothing: prices on record side by side, and what the documents say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from advisor.models import Note, Provider, note_of
from advisor.prices import PricedOffer
from bot.answers.common import named_gpus, source_refs
from bot.answers.documents.passages import (
    answer_from,
    chosen,
    find_passages,
    not_in_documents,
    passage_answer,
    without_ruled_out,
)
from bot.answers.money import platform_lines as lines
from bot.answers.money.platform_hours import card_named, hourly, rentals, usual_first
from bot.answers.money.platforms import BILLING, MEANT, about_named, named_platforms, only_named, passages_about
from bot.answers.money.price_phrases import Names
from bot.answers.money.price_remarks import rate_notes
from bot.core.answers import Answer, Decline, Outcome, answer_with, offered_of
from bot.core.line import Block, Line
from bot.core.message import Fact, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.models import Gpu
    from knowledge.models import Passage
    from knowledge.search import Hit

_OVERVIEW: Final = "rental-platforms-overview"
_STUDENT: Final = "student-offers"
_CLEAR: Final = 0.45
_PLAIN: Final = 0.9
_SHOWN: Final = 5
_USUAL: Final = ("RTX 3090", "RTX 4090", "A100 80GB")
_TOLD: Final = ("RTX 4090", "A100 80GB", "H100")
"""Cards whose cheapest rentals are told when none is named: one of 24 GB, and the two usual ones of 80."""
_HALF: Final = 2
_OTHERS: Final = 3
"""Platforms told to who looks for another one."""
_LOOKED_AT: Final = 12
_PASSAGES: Final = 3
_FOUND: Final = 6


def handle(request: Request) -> Outcome:
    """Prices of the platforms or cards that are named, else of the usual cards; beside them the passages."""
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    named = platforms_meant(request)
    asked = cards[0].asked if cards else ""
    if len(named) == 1 and request.heard.speaks_of("alternative"):
        return _instead_of(request, named[0], asked)
    if len(named) >= _HALF:
        compared = _side_by_side(request, named, [gpu for card in cards for gpu in (card.gpu, *card.others)])
        if compared is not None:
            return compared
    if asked:
        return _for_card(request, asked, named)
    if len(named) == 1:
        return _of_one(request, named[0])
    return _in_general(request)


def platforms_meant(request: Request) -> list[Provider]:
    """The platforms that a question is about; none where those named before are no longer meant."""
    return list(named_platforms(request)) if _speaks_of_named(request) else []


def _speaks_of_named(request: Request) -> bool:
    """Whether platforms named before are still meant: a full question that names none is new."""
    return request.heard.goes_on or bool(request.heard.wished("provider"))


# --- platforms in general, or for a card -----------------------------------------------------------------------------


def _for_card(request: Request, asked: str, named: Sequence[Provider]) -> Answer:
    answer = passage_answer(request, "platform_choice", floor=_CLEAR, only=True) if named else None
    if answer is None:
        answer = _from_passages(request, _general(request))
    wanted = {one.id for one in named}
    found = rentals(request, asked)[:_SHOWN]
    offers = sorted(found, key=lambda one: one.offer.provider not in wanted)
    if not offers:
        return answer
    names = _names(request)
    told = _with_offers(answer, request, offers)
    blocks = (*lines.elsewhere(offers[1:], names), *lines.documents(answer.told))
    return _worded(told, lines.first(asked, offers[0], names), blocks)


def _in_general(request: Request) -> Answer:
    """Passages; where the price or a student's purse is spoken of, the cheapest rentals of usual cards with them."""
    sides = request.heard.sides("platform")
    library = request.services.library
    asks = offered_of(slot="platform_gpu", fills="gpu", values=_USUAL)
    student = "student" in sides or request.slot("persona") == "student"
    general = without_ruled_out(request, _general(request))
    if general and not student and not _asks_for_prices(sides):
        return answer_from(request, general).model_copy(update={"asks": asks})
    answer = _from_passages(request, [library.get(_STUDENT if student else _OVERVIEW)])
    held = {name: found[:_HALF] for name in _TOLD if (found := rentals(request, name))}
    if not held:
        return answer.model_copy(update={"asks": asks})
    names = _names(request)
    told = _with_offers(answer, request, [one for found in held.values() for one in found])
    card, best = next(iter(held.items()))
    head = lines.first_for_students(card, best[0], names) if student else lines.first(card, best[0], names)
    said, prices = lines.documents(answer.told), lines.by_card(held, names)
    made = _worded(told, head, (*said, *prices) if student else (*prices, *said))
    return made.model_copy(update={"notes": (*made.notes, note_of("platform_kinds", {})), "asks": asks})


def _instead_of(request: Request, provider: Provider, asked: str) -> Answer:
    """Where else to rent the card that is named, or usual ones, for who looks for another platform than this one."""
    elsewhere = _away_from(request, provider)
    asks = {name: rentals(elsewhere, name)[:_OTHERS] for name in ((asked,) if asked else _TOLD)}
    held = {name: found for name, found in asks.items() if found}
    answer = _from_passages(elsewhere, [request.services.library.get(_OVERVIEW)])
    if not held:
        return answer
    names = _names(request)
    told = _with_offers(answer, request, [one for found in held.values() for one in found])
    card, best = next(iter(held.items()))
    head = lines.instead(_name(request, provider), card, best, names)
    rest = dict(list(held.items())[1:])
    return _worded(told, head, lines.by_card(rest, names) if rest else ())


def _away_from(request: Request, provider: Provider) -> Request:
    """The question where nothing is on offer from one platform."""
    return replace(
        request,
        services=request.services.without((provider.name,)),
        slots={name: value for name, value in request.slots.items() if name != "provider"},
        excluded={**request.excluded, "provider": (provider.name,)},
    )


def _general(request: Request) -> list[Passage]:
    """The passages that are plainly asked for; else the overview, with the nearest other passage about platforms."""
    library = request.services.library
    named = named_platforms(request)
    hits = [hit for hit in find_passages(request, "platform_choice", _FOUND) if MEANT & set(hit.passage.intents)]
    hits = about_named(request, hits, named)
    if hits and hits[0].score >= _PLAIN:
        return chosen(hits[:_PASSAGES], library)
    near = [hit.passage for hit in hits if hit.score >= _CLEAR and hit.passage.id != _OVERVIEW]
    return [library.get(_OVERVIEW), *near[:1]]


def _asks_for_prices(sides: Collection[str]) -> bool:
    """Whether the cheapest is asked for, and not what costs nothing."""
    return "cheap" in sides and "free" not in sides


def _from_passages(request: Request, passages: Sequence[Passage]) -> Answer:
    """What passages say, without those that name a platform that is not wanted."""
    told = without_ruled_out(request, passages)
    return answer_from(request, told) if told else answer_with()


def _with_offers(answer: Answer, request: Request, offers: Sequence[PricedOffer]) -> Answer:
    """An answer that rests on prices, too."""
    names = _names(request)
    return answer.model_copy(
        update={
            "facts": (*(_fact(one, names) for one in offers), *answer.facts),
            "trace": (*(one.trace for one in offers), *answer.trace),
            "sources": (*source_refs(request, (one.offer.source for one in offers)), *answer.sources),
            "result": tuple(offers),
        }
    )


def _worded(answer: Answer, head: Line, blocks: Sequence[Block]) -> Answer:
    """An answer told by lines in place of its passages alone."""
    return answer.model_copy(update={"template": "", "headline": (head,), "blocks": tuple(blocks)})


def _names(request: Request) -> Names:
    return Names(request.services.catalog, request.language == "zh")


def _name(request: Request, provider: Provider) -> str:
    return _names(request).provider(provider.id, provider.name)


# --- one platform ----------------------------------------------------------------------------------------------------


def _of_one(request: Request, provider: Provider) -> Outcome:
    """What is on record of one platform: the passages that answer the question, its prices unless they plainly do."""
    own = passages_about(request, provider)
    told, is_plain = _passages_of(request, provider, own)
    prices = {} if is_plain else dict(sorted(hourly(request, provider).items(), key=usual_first)[:_SHOWN])
    if not told and not prices:
        return not_in_documents(request, "platform_choice")
    answer = answer_from(request, told) if told else answer_with()
    offers = list(prices.values())
    made = _with_offers(answer, request, offers)
    name = _name(request, provider)
    silent = () if own else (note_of("platform_only_prices", {"name": name}),)
    made = made.model_copy(update={"notes": (*made.notes, *rate_notes(offers), *silent)})
    if not prices:
        return made
    blocks = (*lines.further_cards(prices), *lines.documents(answer.told))
    return _worded(made, lines.platform(name, prices), blocks)


def _passages_of(request: Request, provider: Provider, own: Sequence[Passage]) -> tuple[list[Passage], bool]:
    """The passages to tell of a platform, and whether they plainly answer the question.

    `own`: all that speak of it; two of them stand in where what was found is only about platforms in general.
    """
    if only_named(request):
        return list(own[:_HALF]), False
    found = find_passages(request, "platform_choice", _LOOKED_AT)
    hits = [hit for hit in about_named(request, found, [provider]) if MEANT & set(hit.passage.intents)]
    if not hits or hits[0].score < _CLEAR:
        return [], False
    told = chosen(hits[:_PASSAGES], request.services.library)
    if told[0] in own:
        return told, hits[0].score >= _PLAIN
    return (list(own[:_HALF]), False) if _is_general(hits[0], told[0]) else (told, False)


def _is_general(hit: Hit, passage: Passage) -> bool:
    return passage.id == _OVERVIEW or hit.score < _PLAIN


# --- named platforms side by side ------------------------------------------------------------------------------------


def _side_by_side(request: Request, named: Sequence[Provider], gpus: Sequence[Gpu]) -> Answer | None:
    """A table of the cards that the named platforms have, who is cheaper, a line on each; None without any price."""
    wanted = {card_named(request.services.catalog, gpu) for gpu in gpus}
    sides = [lines.Side(_name(request, one), _of_cards(hourly(request, one), wanted)) for one in named]
    compared = lines.Compared.of(sides, _SHOWN)
    if not compared.cards:
        return None
    offers = compared.offers
    told = [(_name(request, one), passage) for one in named for passage in _rules(request, one)[:1]]
    answer = answer_from(request, [passage for _, passage in told]) if told else answer_with()
    rules = [(name, passage.texts(request.language).short) for name, passage in told]
    made = _with_offers(answer, request, offers)
    made = made.model_copy(update={"notes": (*_silent(sides), *rate_notes(offers))})
    return _worded(made, lines.cheaper(compared), lines.side_by_side(compared, rules))


def _of_cards(prices: Mapping[str, PricedOffer], wanted: set[str]) -> dict[str, PricedOffer]:
    return {name: one for name, one in prices.items() if not wanted or name in wanted}


def _silent(sides: Sequence[lines.Side]) -> tuple[Note, ...]:
    """The platforms of which no price is on record."""
    names = [side.name for side in sides if not side.prices]
    return (note_of("platform_no_prices", {"names": names}),) if names else ()


def _rules(request: Request, provider: Provider) -> list[Passage]:
    """Passages that tell how a platform charges or keeps data."""
    return [one for one in passages_about(request, provider) if frozenset(BILLING) & set(one.topics)]


def _fact(one: PricedOffer, names: Names) -> Fact:
    seller = names.provider(one.offer.provider, one.offer.provider_name or one.offer.provider)
    return fact_of(
        name="offer",
        value=float(one.asked.amount),
        low=float(one.low.amount) if one.is_range else None,
        high=float(one.high.amount) if one.is_range else None,
        unit=f"{one.low.currency}/h",
        basis=f"{seller}, {one.offer.pricing_model.value}, {one.age.value}",
        sources=(one.offer.source,) if one.offer.source else (),
        as_of=one.offer.as_of,
    )
