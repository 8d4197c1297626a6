"""Which platform to rent from, or to use for nothing: prices on record side by side, and what the documents say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from advisor.errors import NoRate
from advisor.models import Frozen, Money, Note, PricingModel, Provider, note_of
from advisor.prices import Age, PricedOffer, newest_of_each, price_of, priced, rent_place
from bot.answers.common import named_gpus, source_refs
from bot.answers.documents.passages import answer_from, chosen, find_passages, not_in_documents, passage_answer
from bot.answers.money.marks import mark_of_offer
from bot.answers.money.platforms import BILLING, MEANT, about_named, named_platforms, only_named, passages_about
from bot.answers.money.price_remarks import rate_notes
from bot.core.answers import Answer, Decline, Offered, Outcome, answer_with, offered_of
from bot.core.message import Fact, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from advisor.models import Gpu
    from knowledge.models import Passage

_OVERVIEW = "rental-platforms-overview"
_STUDENT = "student-offers"
_CLEAR, _PLAIN = 0.45, 0.9
_SHOWN = 5
_USUAL = ("RTX 3090", "RTX 4090", "A100 80GB")
_TOLD = ("RTX 4090", "A100 80GB", "H100")
"""Cards whose cheapest rentals are told when none is named: one of 24 GB, and the two usual ones of 80."""
_ORDER = ("RTX 4090", "A100 80GB", "H100 80GB", "RTX 3090", "RTX 5090")
_HALF = 2
_LOOKED_AT = 12


class OfferLine(Frozen):
    """One provider's price for the card, per GPU and hour."""

    provider: str
    low: Money
    high: Money
    ranged: bool
    asked: Money
    """As the source states it, for comparing."""
    terms: str
    as_of: str
    age: str
    gpu: str = ""
    converted: bool = False
    dated: bool = True
    """False for a copy without a date: `as_of` is then the day it was read."""
    mark: Note | None = None
    """What has to be said beside the price."""


class Row(Frozen):
    """One card with the price of each named provider, None where it has none on record."""

    gpu: str
    cells: tuple[OfferLine | None, ...]


class Told(Frozen):
    """One line about a platform from its passages."""

    provider: str
    text: str


def handle(request: Request) -> Outcome:
    """Prices of the platforms or cards that are named, else of the usual cards; beside them the passages."""
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    named = platforms_meant(request)
    asked = cards[0].asked if cards else ""
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
    """Whether platforms named before are still meant: a full question that names none ("which is cheapest") is new."""
    return request.heard.goes_on or bool(request.heard.wished("provider"))


# --- platforms in general, or for a card -----------------------------------------------------------------------------


def _for_card(request: Request, asked: str, named: Sequence[Provider]) -> Answer:
    answer = None
    if named:
        answer = passage_answer(request, "platform_choice", floor=_CLEAR, only=True)
    if answer is None:
        answer = answer_from(request, _general(request))
    offers = _offers(request, asked)
    wanted = {one.id for one in named}
    offers.sort(key=lambda one: one.offer.provider not in wanted)
    return _with_offers(request, answer, offers, asked, None)


def _in_general(request: Request) -> Answer:
    """Passages; where the price or a student's purse is spoken of, the cheapest rentals of usual cards with them."""
    sides = request.heard.sides("platform")
    library = request.services.library
    asks = offered_of(slot="platform_gpu", fills="gpu", values=_USUAL)
    student = "student" in sides or request.slot("persona") == "student"
    if not student and ("free" in sides or "cheap" not in sides):
        answer = answer_from(request, _general(request))
        return answer.model_copy(update={"template": "platform_choice", "asks": asks, "extra": _extra(answer, [], "")})
    answer = answer_from(request, [library.get(_STUDENT if student else _OVERVIEW)])
    offers = [one for name in _TOLD for one in _offers(request, name)[:_HALF]]
    made = _with_offers(request, answer, offers, "", asks)
    notes = (*made.notes, note_of("platform_kinds", {}))
    return made.model_copy(
        update={"notes": notes, "extra": {**made.extra, "first": "passages" if student else "offers"}}
    )


def _general(request: Request) -> list[Passage]:
    """The passages that are plainly asked for; else the overview, with the nearest other passage about platforms."""
    library = request.services.library
    named = named_platforms(request)
    hits = [hit for hit in find_passages(request, "platform_choice", 6) if MEANT & set(hit.passage.intents)]
    hits = about_named(request, hits, named)
    if hits and hits[0].score >= _PLAIN:
        return chosen(hits[:3], library)
    near = [hit.passage for hit in hits if hit.score >= _CLEAR and hit.passage.id != _OVERVIEW]
    return [library.get(_OVERVIEW), *near[:1]]


def _with_offers(
    request: Request, answer: Answer, offers: Sequence[PricedOffer], gpu: str, asks: Offered | None
) -> Answer:
    lines = [_line(request, one) for one in offers]
    refs = source_refs(request, (one.offer.source for one in offers))
    return answer.model_copy(
        update={
            "template": "platform_choice",
            "facts": (*(_fact(one, line) for one, line in zip(offers, lines, strict=True)), *answer.facts),
            "trace": (*(one.trace for one in offers), *answer.trace),
            "sources": (*refs, *answer.sources),
            "asks": asks,
            "extra": _extra(answer, lines, gpu),
        }
    )


def _extra(answer: Answer, lines: list[OfferLine], gpu: str) -> dict[str, object]:
    by_card: dict[str, list[OfferLine]] = {}
    for line in lines:
        by_card.setdefault(line.gpu, []).append(line)
    return {
        **answer.extra,
        "mode": "words",
        "offers": tuple(lines),
        "gpu": gpu,
        "by_card": tuple((name, tuple(held)) for name, held in by_card.items()),
        "first": "offers",
    }


# --- one platform ----------------------------------------------------------------------------------------------------


def _of_one(request: Request, provider: Provider) -> Outcome:
    """What is on record of one platform: the passages that answer the question, its prices unless they plainly do."""
    library = request.services.library
    found = find_passages(request, "platform_choice", _LOOKED_AT)
    hits = [hit for hit in about_named(request, found, [provider]) if MEANT & set(hit.passage.intents)]
    own = passages_about(request, provider)
    bare = only_named(request)
    told = chosen(hits[:3], library) if hits and hits[0].score >= _CLEAR and not bare else []
    if bare or (told and told[0] not in own and (told[0].id == _OVERVIEW or hits[0].score < _PLAIN)):
        told = own[:_HALF]
    plain = not bare and bool(told) and told[0] in own and hits[0].score >= _PLAIN
    prices = [] if plain else sorted(_hourly(request, provider).items(), key=_usual_first)[:_SHOWN]
    offers = [one for _, one in prices]
    if not told and not offers:
        return not_in_documents(request, "platform_choice")
    answer = answer_from(request, told) if told else answer_with(template="platform_choice")
    made = _with_offers(request, answer, offers, _name(request, provider), None)
    notes = [*made.notes, *rate_notes(offers)]
    if not own:
        notes.append(note_of("platform_only_prices", {"name": _name(request, provider)}))
    return made.model_copy(
        update={
            "notes": tuple(notes),
            "extra": {**made.extra, "mode": "one" if offers else "words", "told": bool(told)},
        }
    )


# --- named platforms side by side ------------------------------------------------------------------------------------


def _side_by_side(request: Request, named: Sequence[Provider], gpus: Sequence[Gpu]) -> Answer | None:
    """A table of the cards that the named platforms have, who is cheaper, a line on each; None without any price."""
    wanted = {_label(request.services.catalog, gpu) for gpu in gpus}
    lists = []
    for provider in named:
        held = _hourly(request, provider)
        lists.append({name: one for name, one in held.items() if not wanted or name in wanted})
    names = dict.fromkeys(name for held in lists for name in held)
    if not names:
        return None
    shared = [name for name in names if sum(name in held for held in lists) >= _HALF]
    rows = sorted(shared or names, key=_place)[: None if shared else _SHOWN]
    offers = [one for name in rows for held in lists if (one := held.get(name)) is not None]
    table = tuple(
        Row(gpu=name, cells=tuple(_line(request, held[name]) if name in held else None for held in lists))
        for name in rows
    )
    told = [(one, passage) for one in named for passage in _rules(request, one)[:1]]
    shown = [passage for _, passage in told]
    answer = answer_from(request, shown) if shown else answer_with(template="platform_choice")
    refs = source_refs(request, (one.offer.source for one in offers))
    notes = list(rate_notes(offers))
    silent = [_name(request, one) for one, held in zip(named, lists, strict=True) if not held]
    if silent:
        notes.insert(0, note_of("platform_no_prices", {"names": silent}))
    lines = tuple(
        Told(provider=_name(request, one), text=passage.texts(request.language).short) for one, passage in told
    )
    return answer.model_copy(
        update={
            "template": "platform_choice",
            "facts": (*(_fact(one, _line(request, one)) for one in offers), *answer.facts),
            "trace": (*(one.trace for one in offers), *answer.trace),
            "sources": (*refs, *answer.sources),
            "notes": tuple(notes),
            "extra": {
                **answer.extra,
                "mode": "compared",
                "names": tuple(_name(request, one) for one in named),
                "rows": table,
                "shared": bool(shared),
                "cheaper": _cheaper(request, named, table) if shared else (),
                "lines": lines,
            },
        }
    )


def _rules(request: Request, provider: Provider) -> list[Passage]:
    """Passages that tell how a platform charges or keeps data."""
    return [one for one in passages_about(request, provider) if frozenset(BILLING) & set(one.topics)]


def _cheaper(
    request: Request, named: Sequence[Provider], rows: Iterable[Row]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each platform with the cards for which it asks least, the one that wins most first."""
    won: dict[str, list[str]] = {}
    for row in rows:
        held = [(cell.asked.amount, at) for at, cell in enumerate(row.cells) if cell is not None]
        if len(held) >= _HALF:
            won.setdefault(_name(request, named[min(held)[1]]), []).append(row.gpu)
    ranked = sorted(won.items(), key=lambda one: (-len(one[1]), one[0]))
    return tuple((name, tuple(cards)) for name, cards in ranked)


def _hourly(request: Request, provider: Provider) -> dict[str, PricedOffer]:
    """What one platform asks by the hour for each card: the cheapest but spot and lowest listings."""
    catalog, on = request.services.catalog, request.now.date()
    best: dict[str, tuple[tuple[bool | Decimal, ...], PricedOffer]] = {}
    for offer in newest_of_each(one for one in catalog.offers if one.as_of <= on):
        usable = offer.provider == provider.id and offer.unit == "gpu_hour" and offer.gpu in catalog.gpus
        if not usable or offer.pricing_model is PricingModel.SPOT:
            continue
        try:
            one = priced(catalog, offer, _currency(request), on)
        except NoRate:
            continue
        if one.age is Age.EXPIRED:
            continue
        name = _label(catalog, catalog.gpus[offer.gpu])
        rank = (*rent_place(offer, one.stands, converted=False), one.middle)
        if name not in best or rank < best[name][0]:
            best[name] = (rank, one)
    return {name: one for name, (_, one) in best.items()}


def _label(catalog: Catalog, gpu: Gpu) -> str:
    """The common name of versions of one size ("A100 80GB"), else the card's own."""
    names = []
    for group in catalog.generic_gpus:
        if gpu.id in group.means and len({catalog.gpus[one].vram_gib for one in group.means}) == 1:
            names.append(group.name)
    return min(names, key=len) if names else gpu.name


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _usual_first(held: tuple[str, PricedOffer]) -> tuple[int, str]:
    return _place(held[0])


# --- lines -----------------------------------------------------------------------------------------------------------


def _currency(request: Request) -> str:
    return str(request.slot("currency") or ("CNY" if request.language == "zh" else "USD"))


def _offers(request: Request, asked: str) -> list[PricedOffer]:
    """The cheapest rental of each provider, cheapest first, for all variants of the card."""
    catalog = request.services.catalog
    try:
        listed = price_of(catalog, catalog.gpu_variants(asked), on=request.now.date(), currency=_currency(request))
    except NoRate:
        return []
    cheapest: dict[str, PricedOffer] = {}
    for one in listed.rent:
        cheapest.setdefault(one.offer.provider, one)
    return list(cheapest.values())[:_SHOWN]


def _name(request: Request, provider: Provider) -> str:
    return provider.name_zh if request.language == "zh" and provider.name_zh else provider.name


def _line(request: Request, one: PricedOffer) -> OfferLine:
    catalog = request.services.catalog
    record = catalog.providers.get(one.offer.provider)
    gpu = catalog.gpus.get(one.offer.gpu)
    return OfferLine(
        provider=_name(request, record) if record is not None else one.offer.provider_name or one.offer.provider,
        low=one.low,
        high=one.high,
        ranged=one.is_range,
        asked=one.asked,
        terms=one.offer.pricing_model.value,
        as_of=one.offer.as_of.isoformat(),
        age=one.age.value,
        gpu=_label(catalog, gpu) if gpu is not None else "",
        converted=one.converted,
        dated=one.offer.as_of_precision != "unknown",
        mark=mark_of_offer(one),
    )


def _fact(one: PricedOffer, line: OfferLine) -> Fact:
    return fact_of(
        name="offer",
        value=float(one.asked.amount),
        low=float(one.low.amount) if one.is_range else None,
        high=float(one.high.amount) if one.is_range else None,
        unit=f"{one.low.currency}/h",
        basis=f"{line.provider}, {line.terms}, {line.age}",
        sources=(one.offer.source,) if one.offer.source else (),
        as_of=one.offer.as_of,
    )
