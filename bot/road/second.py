"""The other questions of a message, answered below the first where they are short and certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from bot.answers import get_handler
from bot.answers.choose.gpu_specs import asked_attributes
from bot.answers.choose.named_verdict import VERDICT_OF_NAMED
from bot.answers.documents.beside import plain_answer
from bot.answers.route import Routed, route
from bot.core.answers import Answer, Outcome
from bot.core.conversation import HeldSlot
from bot.core.intents import Intent
from bot.core.message import verdict_of
from bot.core.question import MONEY
from bot.core.request import Request
from bot.core.understanding import Understanding
from bot.dialogue.policy import POLICY
from bot.dialogue.slots import gather
from bot.read.signs import hear
from bot.road.also import COUNT, also_asked, served, settled, tells_time
from bot.road.stated import with_stated
from bot.road.turn import Turn

_PACES: Final = frozenset({"plan_picture", "plan_clip"})
"""Remarks that tell a pace, where the second answer tells it."""
_TIME, _PRICE, _BILL = "estimate_time", "price_lookup", "estimate_cost"
_PRICED: Final = ("price_buy:", "used_price")
"""How the names of facts begin that tell what a card costs to buy."""
_RATE: Final = "rate"
"""So many pieces an hour are asked for: no price of the hour."""
_RENT: Final = "cost_rent"
_CHOICE: Final = "recommend_gpu"
"""Rests on everything said, so that it is offered instead."""
_BRIEF: Final = frozenset(
    {
        *("price_lookup", "gpu_specs", "compare_gpus", "power_supply", "estimate_cost", "check_fit"),
        *("estimate_memory", "estimate_time", "recommend_gpu", "gpu_count"),
    }
)
"""Needs that are answered with a few figures, so that two of them go into one reply."""
_IN_A_LINE: Final = frozenset(
    {
        *("interconnect", "cpu_sizing", "disk_choice", "cuda_compat", "cooling", "rent_or_buy"),
        *("upgrade_or_not", "vendor_choice", "mixed_gpu_types", "precision_advice", "carbon_footprint"),
        *("used_or_cheap", "multi_gpu_scaling"),
    }
)
"""Needs whose answer is long: below another one only its first line is told."""
_TOLD_IN_PASSAGES: Final = frozenset({"platform_howto", "concept_explain"})
"""Needs that the documents answer: below another answer only what they say in short, where they plainly say it."""
_CLEAR: Final = "clarify"
_SHEET: Final = "gpu_specs"
_HOW_MANY: Final = "gpu_count"
_MOST: Final = 2
"""Other questions that are answered."""
_RAM, _FIT = "ram_sizing", "check_fit"
_NEVER_BOTH: Final = frozenset({("compare_gpus", "power_supply"), (_FIT, "vendor_choice")})
"""Of cards that are compared nobody puts all into one machine; what holds a job is told of its maker, too."""
_ALIKE: Final = frozenset({"estimate_memory", "check_fit"})
"""Two needs that say the same of the same job."""
_SHARED: Final = frozenset(
    {
        *("gpu", "model", "task", "method", "gpu_count", "vram_gb", "precision"),
        *("dataset", "epochs", "seq_len", "batch", "users"),
    }
)
"""What one clause names for the others."""


def with_second(turn: Turn, outcome: Answer) -> Answer | None:
    """The answer with those to the other questions below it; None where none of them is short and certain."""
    told = _other_clauses(turn, outcome) or [one for one in (also_asked(turn, outcome),) if one is not None]
    if not told:
        return None
    first, need = told[0]
    paced = any(tells_time(found) for found, _ in told)
    return outcome.model_copy(
        update={
            "second_need": need,
            "second_verdict": verdict_of(first.facts),
            **_added(outcome, [found for found, _ in told]),
            "notes": tuple(note for note in outcome.notes if note.code not in _PACES or not paced),
            "second": _headed([turn.rooms.renderer.brief(found, turn.language) for found, _ in told]),
        }
    )


def _added(outcome: Answer, told: Sequence[Answer]) -> dict[str, object]:
    """What several answers hold beside their words."""
    every = (outcome, *told)
    return {
        "facts": tuple(fact for one in every for fact in one.facts),
        "trace": tuple(step for one in every for step in one.trace),
        "sources": tuple(dict.fromkeys(source for one in every for source in one.sources)),
    }


def _headed(texts: Sequence[str]) -> str:
    """The first lines of several answers, then an empty line and what else they say."""
    pieces = [text.strip().partition("\n") for text in texts]
    rests = (rest.strip("\n") for _, _, rest in pieces)
    return "\n\n".join(("\n".join(head for head, _, _ in pieces), *filter(None, rests)))


def _other_clauses(turn: Turn, outcome: Answer) -> list[tuple[Answer, str]]:
    """What is answered to the clauses that surely ask something else, and to which need; two at most."""
    told: list[tuple[Answer, str]] = []
    shown = {_lead(outcome)}
    for other in turn.others:
        found = _other_clause(turn, outcome, other) if len(told) < _MOST else None
        if found is not None and (not _lead(found[0]) or _lead(found[0]) not in shown):
            # below a first one only the line that answers
            told.append(found if not told else _in_a_line(*found) or found)
            shown.add(_lead(found[0]))
    return told


def _lead(answer: Answer) -> str:
    """The passage that an answer is, "" for one that is none."""
    return answer.told.lead.id if answer.told.lead is not None else ""


def _other_clause(turn: Turn, outcome: Answer, other: Understanding) -> tuple[Answer, str] | None:
    """What is answered to one clause, and to which need."""
    spec = turn.rooms.intents.get(_meant(turn, other.ranking[0].intent, outcome))
    if spec is None or other.ranking[0].score < POLICY.also_score:
        return None
    request = _request(turn, other, spec, settled(outcome))
    if spec.id in MONEY and request.heard.shows("asked", _RATE):
        return None
    if spec.id in _TOLD_IN_PASSAGES:
        told = plain_answer(request, _CLEAR)
        return _in_a_line(told, spec.id) if told is not None else None
    return _computed(turn, request, outcome)


def _meant(turn: Turn, second: str, outcome: Answer) -> str:
    """The need of another clause: beside the hours of a run the money that is asked for is what the run costs."""
    paid = second == _PRICE and served(turn) == _TIME and tells_time(outcome)
    return _BILL if paid and not turn.heard.speaks_of("buying") else second


def _computed(turn: Turn, request: Request, outcome: Answer) -> tuple[Answer, str] | None:
    """What is worked out for one clause, and for which need; None where the first answer tells it."""
    need, first = request.intent, outcome.template or turn.decision.intent or ""
    apart = _of_other_cards(turn, request)
    if not (apart or _go_together(first, need, outcome)) or _is_told(request, outcome, apart=apart):
        return None
    found = _found(turn, request)
    if found is None or (found.template or need) == first or _says_a_rule(found, need):
        return None
    return (found, need) if need in _BRIEF else _in_a_line(found, need)


def _found(turn: Turn, request: Request) -> Answer | None:
    """What is answered by another family than the first."""
    try:
        found = _by_another(turn, route(request))
    except AdvisorError:
        return None
    return found if isinstance(found, Answer) else None


def _is_told(request: Request, outcome: Answer, *, apart: bool) -> bool:
    """Whether nothing of a sheet is asked, or the first answer tells what a card or so long a rent costs."""
    if request.intent == _SHEET:
        return not asked_attributes(request)
    if apart:
        return False
    if request.intent == _PRICE and not request.heard.speaks_of("renting"):
        return any(fact.name.startswith(_PRICED) for fact in outcome.facts)
    rent = request.intent == _BILL and any(fact.name == _RENT for fact in outcome.facts)
    return rent and not request.heard.speaks_of("electricity")


def _says_a_rule(found: Answer, need: str) -> bool:
    """Whether no number of cards is told where one was asked for, but a rule by which to find it."""
    return need == _HOW_MANY and not any(fact.name.startswith(COUNT) for fact in found.facts)


def _in_a_line(found: Answer, need: str) -> tuple[Answer, str] | None:
    """The first line of an answer, where it has one of its own; of a passage what it says in short."""
    bare: dict[str, object] = {"lines": (), "notes": (), "blocks": (), "assumptions": (), "trace": ()}
    if found.headline:
        return found.model_copy(update={**bare, "headline": found.headline[:1]}), need
    lead = found.told.lead
    if lead is None:
        return None
    told = found.told.model_copy(update={"lead": lead.model_copy(update={"more": ""}), "also": ()})
    return found.model_copy(update={**bare, "told": told}), need


def _by_another(turn: Turn, routed: Routed) -> Outcome | None:
    """What another family says than the one that answered already."""
    return None if routed.need == served(turn) else get_handler(routed.need)(routed.request)


def _of_other_cards(turn: Turn, request: Request) -> bool:
    """Whether a part names cards, and none of those of the first answer."""
    named, told = request.slot("gpu"), turn.request(turn.need).slot("gpu")
    return bool(named and told) and set(named).isdisjoint(told)


def _go_together(first: str, second: str, outcome: Answer) -> bool:
    """Whether a second answer of this need says something that the first does not, both of the same cards."""
    pair = {first, second}
    if second == _TIME and tells_time(outcome):
        return False
    if second in _ALIKE and any(fact.name == VERDICT_OF_NAMED for fact in outcome.facts):
        return False
    if (first, second) in _NEVER_BOTH:
        return False
    if second == _RAM:
        # what a card does not hold has a need of RAM of its own
        return first == _FIT and verdict_of(outcome.facts) == "fits"
    return second != _CHOICE and pair != _ALIKE and second in _BRIEF | _IN_A_LINE


def _request(turn: Turn, other: Understanding, spec: Intent, counts: dict[str, object]) -> Request:
    """The other clause as a question, with what the first one names for both."""
    stated = gather(other).values
    shared = {name: held.value for name, held in turn.decision.slots.items() if name in _SHARED}
    several = {name: shared[name] for name in spec.gathers if name in shared}
    slots = {name: value for name, value in (shared | stated | several | counts).items() if name in spec.used_slots}
    held = {name: HeldSlot(value=value, turn=turn.state.turn + 1) for name, value in slots.items()}
    heard = hear(other.text, other)
    part = replace(turn, understanding=other, said=heard, routes=()).decided(intent=spec.id, slots=held)
    return replace(with_stated(part).request(spec.id), heard=heard, excluded={}, bounds={})
