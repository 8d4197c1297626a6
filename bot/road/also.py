"""An amount asked for beside the one that was told: the hours beside the memory, the pace beside the fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from bot.answers import get_handler
from bot.answers.choose.gpu_specs import asked_attributes
from bot.answers.common import most_of
from bot.core.answers import Answer
from bot.core.message import verdict_of
from bot.core.request import Request
from bot.dialogue.doubt import IN_DOUBT
from bot.dialogue.slots import gather
from bot.road.turn import Turn

_TELLS: Final[Mapping[str, frozenset[str]]] = {
    "estimate_memory": frozenset({"memory", "fits"}),
    "check_fit": frozenset({"memory", "fits"}),
    "vendor_choice": frozenset({"fits"}),
    "estimate_time": frozenset({"time"}),
    "gpu_count": frozenset({"memory", "fits"}),
}
"""What each need tells of a job; beside any other need nothing is added."""
_TIMES: Final = ("throughput", "hours", "tokens_per_second", "time", "pace", "run_hours", "one_card_hours", "seconds:")
"""Names of facts that tell how fast or how long."""
_INVERSES: Final = frozenset({"requests", "context"})
"""Of the most that is asked for, what is no amount of work."""
_PACED: Final = "estimate_time"
COUNT: Final = "gpus:"
"""How the name of a fact begins that tells a number of cards."""
_PACE: Final = "time"
_TIME: Final = frozenset({_PACE})
_FIGURE: Final = "figure"
_FIGURES: Final = frozenset({"memory_bandwidth_gb_per_s", "board_power_w"})
"""Figures of a card that are asked for in the same breath as what it does."""
_MOST: Final = "most"
_RAM: Final = "ram"
_OF_FIT: Final = frozenset({_MOST, _RAM})
"""What the family that judges a fit tells of a model on a card."""
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "estimate_time": (_RAM, _MOST, "memory", _FIGURE),
    "estimate_memory": ("time",),
    "check_fit": ("time", _FIGURE),
    "vendor_choice": ("time",),
    "gpu_count": ("time",),
}
"""What may be missing of each, in the order in which it is added."""
_ASKED_BY: Final = {"memory": ("vram_amount",), "fits": ("fits", "enough")}
"""Ideas by which an amount is asked for, beside the words of signs/asked.yaml."""
_RULES: Final = frozenset({"best intent", "too close to call", IN_DOUBT, "one card and a purpose"})
_PLACES: Final = ("gpu", "vram_gb")


def also_asked(turn: Turn, outcome: Answer) -> tuple[Answer, str] | None:
    """The answer to what is asked beside what was told, and its need; None where all is told or no figure is known.

    Args:
        turn: the message as it was decided.
        outcome: what it told.
    """
    first = served(turn)
    missing = _missing(turn, first, outcome)
    if not missing or (missing == _PACE and verdict_of(outcome.facts) == "no"):
        return None
    request = turn.request(first)
    slots = {**gather(turn.understanding).values, **request.slots, **settled(outcome)}
    need = _need_for(missing, slots)
    if need == first:
        return None
    if missing == _RAM:
        found = _answered(replace(request, intent="ram_sizing", slots=slots), need, short=True)
    else:
        found = _answered(replace(request, intent=need, slots=slots), need)
    return (found, need) if found is not None else None


def _answered(request: Request, need: str, *, short: bool = False) -> Answer | None:
    """What a family says; `short`: its first line alone, where the rest was told."""
    try:
        found = get_handler(need)(request)
    except AdvisorError:
        return None
    if not isinstance(found, Answer):
        return None
    bare: dict[str, object] = {"lines": (), "notes": (), "blocks": (), "assumptions": ()}
    return found.model_copy(update=bare) if short else found


def _need_for(amount: str, slots: Mapping[str, object]) -> str:
    """Who tells an amount."""
    if amount == _PACE:
        return "estimate_time"
    if amount == _FIGURE:
        return "gpu_specs"
    if amount in _OF_FIT:
        return "check_fit"
    return "check_fit" if any(slots.get(name) for name in _PLACES) else "estimate_memory"


def _missing(turn: Turn, first: str, outcome: Answer) -> str:
    """What is asked for and was not told, "" for nothing."""
    if first not in _TELLS or turn.decision.rule not in _RULES or turn.message.action:
        return ""
    request = turn.request(first)
    if not request.slot("model") or (first != _PACED and most_of(request) in _INVERSES):
        return ""
    told = _TELLS[first] | (_TIME if tells_time(outcome) else frozenset())
    asked = _asked(request) - told
    return next((amount for amount in _BESIDE[first] if amount in asked), "")


def _asked(request: Request) -> set[str]:
    """All amounts that a message asks for."""
    heard = request.heard
    asked = {name for name, ideas in _ASKED_BY.items() if heard.speaks_of(*ideas)}
    asked |= {_MOST} if most_of(request) else set()
    asked |= {_RAM} if _is_ram_asked(request) else set()
    return asked | set(heard.sides("asked")) | _figures(request)


def _is_ram_asked(request: Request) -> bool:
    """Whether it is asked how much of the machine's memory to have for what a card does not hold."""
    wanted = request.slot("gpu") and not request.slot("ram_gb") and request.heard.speaks_of("ram")
    return bool(wanted) and request.heard.shows("form", "how_much")


def _figures(request: Request) -> set[str]:
    """Whether a figure of the one card that is named is asked for as an amount."""
    amount = request.heard.speaks_of("how_much") or not {"how_much", "open"}.isdisjoint(request.heard.sides("form"))
    named = request.heard.wished("gpu")
    return {_FIGURE} if amount and len(named) == 1 and _FIGURES & set(asked_attributes(request)) else set()


def served(turn: Turn) -> str:
    """The need of who answered."""
    return turn.routes[-1].to if turn.routes else turn.decision.intent or ""


def tells_time(outcome: Answer) -> bool:
    """Whether an answer tells how fast or how long."""
    return any(fact.name.startswith(_TIMES) for fact in outcome.facts)


def settled(outcome: Answer) -> dict[str, object]:
    """What the first answer settled for the second: the number of cards that it came to, the batch that it took."""
    found = next((fact.value for fact in outcome.facts if fact.name.startswith(COUNT)), None)
    taken: dict[str, object] = {one.slot: one.value for one in outcome.assumptions if one.slot == "batch"}
    return {**taken, "gpu_count": int(found)} if isinstance(found, (int, float)) else taken
