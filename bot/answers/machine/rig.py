"""What the machine intents share: a machine from slots, and an answer from a judged item."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from advisor.errors import OutOfRange
from advisor.machine import CardGroup, Item, Machine
from advisor.machine.rules import rules
from advisor.models import Note, Step
from bot.answers.common import NamedGpu, counts_beside, named_gpus, source_refs, step_fact, step_sources
from bot.answers.documents.passages import chosen, find_passages
from bot.answers.documents.said import Said, of_passages
from bot.core.answers import Answer, Assumption, Decline, Offered, answer_with, assumption_of, offered_of
from bot.core.line import Depth, Line, Listing
from bot.core.message import Fact, SourceRef
from bot.core.numbers import whole
from bot.core.passages import Told
from bot.core.request import Request

_TOPICS = Path(__file__).with_name("machine_topics.yaml")
_NETWORKS = Path(__file__).with_name("network_words.yaml")
_GBIT = re.compile(r"(?<![\d.])(\d{1,4}) ?(?:gbe|gbps|gbit|gb/s|g(?![a-z0-9]))")
_CONCEPT = "concept:"
_DISKS = ("nvme", "ssd", "hdd")
_TWO: Final = 2
_REGIONS = {"zh": "CN", "en": "US"}
"""Whose sockets are meant when nobody says."""
_MOST_CONFLICTS = 3
_BRIEFLY: Final = 2
OFFER_CARD: Final = offered_of(slot="card", fills="gpu", values=("RTX 3090", "RTX 4090", "RTX 5090", "A100 80GB"))
"""Told beside an answer that holds for any card: with a card it can be exact."""
_CLEAR = 0.62
"""Score from which a passage is about the question and not only near it."""


def topic_of(request: Request) -> str:
    """Which side of the intent is meant, "" when none in particular (bot/lexicon/signs/machine.yaml)."""
    return request.heard.side(request.intent)


def asks_at_once(request: Request) -> bool:
    """Whether people are said to ask at the same time."""
    return bool(request.slot("at_once")) or request.heard.shows("cluster_design", "at_once")


def at_once_of(people: int) -> int:
    """Requests at once of a group of people, by the usual share of them."""
    return max(1, ceil(people * rules().cluster.active_share.number))


def reworded(
    item: Item,
    headline: Note | None = None,
    *,
    first: tuple[Note, ...] = (),
    reasons: tuple[Note, ...] | None = None,
    actions: tuple[Note, ...] | None = None,
    steps: tuple[Step, ...] = (),
) -> Item:
    """The same item told from another side: another headline, `first` reasons before (or instead of) its own."""
    return item.model_copy(
        update={
            "headline": headline or item.headline,
            "reasons": (*first, *(item.reasons if reasons is None else reasons)),
            "actions": item.actions if actions is None else actions,
            "steps": (*item.steps, *steps),
        }
    )


def cards_of(request: Request) -> list[NamedGpu] | Decline:
    """The cards named; Decline when one is not on record."""
    return named_gpus(request)


def card_groups(request: Request, named: list[NamedGpu]) -> tuple[tuple[CardGroup, ...], tuple[Assumption, ...]]:
    """Cards with their counts: the stated count for one card, counts beside the names for several."""
    count = request.slot("gpu_count")
    try:
        if len(named) == 1:
            if _is_one_more(request) and (count in (None, 1) or not request.heard.named("gpu_count")):
                count = (count or 1) + 1  # one card more beside those that are there
            assumed = () if count else (assumption_of(slot="gpu_count", value=1),)
            return (CardGroup(gpu=named[0].gpu, count=count or 1, limit_w=request.slot("limit_w")),), assumed
        beside = _counts_beside(request)
        limit = request.slot("limit_w")
        return tuple(CardGroup(gpu=one.gpu, count=beside.get(one.asked, 1), limit_w=limit) for one in named), ()
    except ValidationError as error:
        raise _out_of_range(error) from None


def _is_one_more(request: Request) -> bool:
    """Whether the card comes beside one of its kind: it is called another, or it is added where one is at hand."""
    heard = request.heard
    stood = request.subject is not None and "gpu" in request.subject.slots
    # a supply of one's own says nothing of a card beside it
    owned = heard.speaks_of("own") and (not request.slot("psu_w") or len(heard.named("gpu")) > 1)
    at_hand = stood or owned or not heard.wished("gpu")
    return heard.shows("rig", "added") or (heard.speaks_of("add_card") and at_hand)


def _out_of_range(error: ValidationError) -> OutOfRange:
    """A machine that cannot be, as the advisor's typed error."""
    fault = error.errors()[0]
    return OutOfRange(str(fault["msg"]), name=str(fault["loc"][-1]), value=fault.get("input"))


def _counts_beside(request: Request) -> dict[str, int]:
    """Counts that stand beside card names in the message."""
    return counts_beside(request)


def supplied(request: Request) -> float | None:
    """Watts of the supply; of both together, where two are spoken of and the watts of one are told."""
    one = request.slot("psu_w")
    if not one or not request.heard.shows("supplies", "several"):
        return float(one) if one else None
    return float(one) * _TWO


def machine_of(request: Request, cards: tuple[CardGroup, ...], **more: Any) -> Machine:
    """The machine that the slots describe; `more` sets what only one intent knows."""
    cpu = str(request.slot("cpu") or "")
    fields: dict[str, Any] = {
        "cards": cards,
        "psu_w": supplied(request),
        "amps": max(request.heard.slot_of_board("amps"), default=None),
        "volts": max(request.heard.slot_of_board("volts"), default=None),
        "cpu": cpu,
        "cpu_cores": whole(cpu) or None,
        "ram_gib": request.slot("ram_gb"),
        "disk": next((word for word in _DISKS if word in str(request.slot("disk") or "")), ""),
        "cuda": str(request.slot("cuda_version") or ""),
        "framework": str(request.slot("framework") or ""),
        "os": str(request.slot("os") or ""),
        "region": _REGIONS[request.language],
        "rented": request.slot("deploy") == "rent" or bool(request.slot("provider")),
    }
    try:
        return Machine(**(fields | more))
    except ValidationError as error:
        raise _out_of_range(error) from None


def answer_of(
    request: Request,
    item: Item,
    *,
    beside: tuple[Item, ...] = (),
    also: tuple[Item, ...] = (),
    notes: tuple[Note, ...] = (),
    facts: tuple[Fact, ...] = (),
    assumptions: tuple[Assumption, ...] = (),
    asks: Offered | None = None,
    hint: str = "",
    passages: int = 1,
    beyond: bool = False,
) -> Answer:
    """A judged item as an answer: verdict first, reasons, what to do, then what the documents say.

    `beside` are further items told as one line each, `also` those that were asked about as well; `notes` are remarks
    on how the question was read. The pipeline
    puts a fitting passage of the five documents beside the answer; `beyond` looks for newer ones as well.
    """
    documents = _said(request, passages, hint) if beyond else Said()
    steps = tuple(step for one in (item, *also, *beside) for step in one.steps)
    return answer_with(
        headline=(item.headline,),
        lines=tuple(one.headline for one in also),
        result=item,
        facts=facts or tuple(step_fact(step) for step in item.steps[:1]),
        trace=(*steps, *documents.steps),
        sources=_sources(request, steps, documents),
        assumptions=assumptions,
        notes=notes,
        conflicts=_conflicts((item, *beside), documents),
        asks=asks,
        blocks=_blocks(item, tuple(one.headline for one in beside)),
        told=Told(passages=documents.ids, documents=documents.views, only_in_full=True),
    )


def _blocks(item: Item, parts: tuple[Note, ...]) -> tuple[Listing, ...]:
    """Reasons, what stands beside and what to do; a group gets the first of each."""
    brief = (*item.reasons[:_BRIEFLY], *item.actions[:_BRIEFLY])
    reasons, title = (*item.reasons, *parts), Line("machine.do")
    found = (
        Listing(brief, depth=Depth.GROUP, last=Depth.GROUP),
        Listing(reasons),
        Listing(item.actions, title=title),
    )
    return tuple(block for block in found if block.lines)


def _said(request: Request, limit: int, hint: str) -> Said:
    """Passages of the intent that are plainly about the question."""
    hits = find_passages(request, request.intent, limit + 2, f"{request.heard.terms} {hint}" if hint else "")
    clear = [hit for hit in hits if request.intent in hit.passage.intents and hit.score >= _CLEAR]
    return of_passages(request, chosen(clear, request.services.library)[:limit]) if clear else Said()


def _sources(request: Request, steps: Iterable[Step], documents: Said) -> tuple[SourceRef, ...]:
    own = source_refs(request, step_sources(*steps))
    known = {source.id for source in own}
    return (*own, *(source for source in documents.sources if source.id not in known))


def _conflicts(items: Iterable[Item], documents: Said) -> tuple[str, ...]:
    named = [name for item in items for name in item.conflicts]
    return tuple(dict.fromkeys((*named, *documents.conflicts)))[:_MOST_CONFLICTS]


def variant_notes(named: list[NamedGpu]) -> tuple[Note, ...]:
    """Which version of a card was taken, where the name left it open."""
    return tuple(one.note for one in named if one.note)
