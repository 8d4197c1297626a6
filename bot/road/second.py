"""The other question of a message, answered below the first where both are short and certain."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from bot.answers import get_handler
from bot.answers.choose.named_verdict import VERDICT_OF_NAMED
from bot.answers.route import Routed, route
from bot.core.answers import Answer, Outcome
from bot.core.intents import Intent
from bot.core.message import verdict_of
from bot.core.request import Request
from bot.core.understanding import Understanding
from bot.dialogue.policy import POLICY
from bot.dialogue.slots import gather
from bot.read.signs import hear
from bot.road.also import also_asked, served, settled, tells_time
from bot.road.turn import Turn

_PACES: Final = frozenset({"plan_picture", "plan_clip"})
"""Remarks that tell a pace, where the second answer tells it."""
_TIME: Final = "estimate_time"
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
    }
)
"""Needs whose answer is long: below another one only its first line is told."""
_RAM, _FIT = "ram_sizing", "check_fit"
_ALIKE: Final = frozenset({"estimate_memory", "check_fit"})
"""Two needs that say the same of the same job."""
_SHARED: Final = frozenset(
    {
        *("gpu", "model", "task", "method", "gpu_count", "vram_gb", "precision"),
        *("dataset", "epochs", "seq_len", "batch"),
    }
)
"""What one clause names for the others."""


def with_second(turn: Turn, outcome: Answer) -> Answer | None:
    """The answer with that to the other question below it; None unless both are short and certain."""
    told = _other_clause(turn, outcome) or also_asked(turn, outcome)
    if told is None:
        return None
    found, need = told
    return outcome.model_copy(
        update={
            "second_need": need,
            "second_verdict": verdict_of(found.facts),
            "facts": (*outcome.facts, *found.facts),
            "trace": (*outcome.trace, *found.trace),
            "sources": tuple(dict.fromkeys((*outcome.sources, *found.sources))),
            "notes": tuple(note for note in outcome.notes if note.code not in _PACES or not tells_time(found)),
            "second": turn.rooms.renderer.brief(found, turn.language),
        }
    )


def _other_clause(turn: Turn, outcome: Answer) -> tuple[Answer, str] | None:
    """What is answered to a clause that surely asks something else, and to which need."""
    spec, other = turn.rooms.intents.get(turn.decision.second), turn.other
    if other is None or spec is None or other.ranking[0].score < POLICY.also_score:
        return None
    first = outcome.template or turn.decision.intent or ""
    if not _go_together(first, spec.id, outcome):
        return None
    try:
        routed = route(_request(turn, other, spec, settled(outcome)))
        found = _by_another(turn, routed)
    except AdvisorError:
        return None
    if not isinstance(found, Answer) or (found.template or spec.id) == first:
        return None
    return (found, spec.id) if spec.id in _BRIEF else _in_a_line(found, spec.id)


def _in_a_line(found: Answer, need: str) -> tuple[Answer, str] | None:
    """The first line of an answer, where it has one of its own."""
    bare: dict[str, object] = {"lines": (), "notes": (), "blocks": (), "assumptions": (), "trace": ()}
    return (found.model_copy(update={**bare, "headline": found.headline[:1]}), need) if found.headline else None


def _by_another(turn: Turn, routed: Routed) -> Outcome | None:
    """What another family says than the one that answered already."""
    return None if routed.need == served(turn) else get_handler(routed.need)(routed.request)


def _go_together(first: str, second: str, outcome: Answer) -> bool:
    pair = {first, second}
    if second == _TIME and tells_time(outcome):
        return False
    if second in _ALIKE and any(fact.name == VERDICT_OF_NAMED for fact in outcome.facts):
        return False
    # of cards that are compared nobody puts all into one machine
    if (first, second) == ("compare_gpus", "power_supply"):
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
    return replace(turn.request(spec.id), slots=slots, heard=hear(other.text, other), excluded={}, bounds={})
