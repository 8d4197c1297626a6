"""The slots in force as other programs read them: those of the taxonomy in its forms, and what follows from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from bot.core.decision import Decision
from bot.core.intents import SLOTS
from bot.core.understanding import Said
from bot.dialogue.kin import Names
from bot.dialogue.ruled_out import names_of
from bot.dialogue.told_besides import is_idle_time, is_told_besides
from bot.dialogue.turn import CONVERSATION

_OF_ANOTHER_SUBJECT: Final = "out_of_scope"
_THINGS: Final = frozenset({"gpu", "gpu_count", "model", "cpu", "ram_gb", "psu_w", "framework"})
"""Slots that a message of another subject sets."""
_ALL_DAY: Final = {"amount": 24, "unit": "hour", "per": "day"}
"""Day and night: how it is used, and no time that is said."""
_NARROWED_BY_NOTHING: Final = CONVERSATION | {"concept_explain"}
"""Needs that what is ruled out changes nothing of."""
_NOTHING: Final = Said()
_CHOOSING: Final = frozenset({"recommend_gpu", "cluster_design"})
_TIMES: Final = ("duration", "usage", "span")
_LANGUAGE: Final = frozenset({"text-decoder", "multimodal"})
_TUNING: Final = frozenset({"full", "lora", "qlora", "ptuning"})
_TASK_OF: Final = {"video": "video_generation", "image-gen": "image_generation", "speech": "speech"}
"""What models of a kind are for, where nothing else is said."""
_TASK_OF_FAMILY: Final = {"YOLO": "object_detection", "Video": "video_generation"}
"""The same of models of a family."""


def shown_slots(decision: Decision, names: Names | None, said: Said = _NOTHING) -> dict[str, object]:
    """The slots of a decision in the forms of the taxonomy.

    Of what other subjects name only the machines count; times and tasks are those that are said or follow from what
    is said; what is ruled out stands under `exclude`, and nowhere else.

    Args:
        decision: of one turn.
        names: the catalogue.
        said: of the message: what a long one tells besides is no slot of it.
    """
    foreign = decision.intent == _OF_ANOTHER_SUBJECT
    slots = _of_kinds(decision, _THINGS if foreign else SLOTS)
    if foreign:
        return slots
    more = {
        "duration": _duration(list(_of_kinds(decision, _TIMES).values())),
        "task": slots.get("task") or _task(slots, names),
        "exclude": names_of(decision.excluded) if decision.intent not in _NARROWED_BY_NOTHING else [],
    }
    for name, value in more.items():
        slots.pop(name, None)
        slots |= {name: value} if value else {}
    return _told(slots, decision.intent or "", much=said.tells_much) if said.tells else slots


def _told(shown: Mapping[str, object], need: str, *, much: bool) -> dict[str, object]:
    """The slots of a long message: how a card is come by follows from what is asked, and what is told besides goes."""
    way = _way(shown, need)
    if much and is_idle_time(shown.get("duration"), need):
        shown = {name: value for name, value in shown.items() if name != "duration"}
    return _asked_for({"deploy": way, **shown} if way else shown, need)


def _way(shown: Mapping[str, object], need: str) -> str:
    """How a card is come by where no word says it: a platform lends it, money spent once buys it; "" for neither."""
    if need == "platform_choice":
        return "rent"
    budget = shown.get("budget")
    once = isinstance(budget, Mapping) and budget.get("period") == "once"
    return "buy" if once and need in _CHOOSING and "buy" not in _listed(shown.get("exclude")) else ""


def _listed(value: object) -> Collection[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _asked_for(slots: Mapping[str, object], need: str) -> dict[str, object]:
    """The slots without what is told besides."""
    has_card = "gpu" in slots
    return {name: value for name, value in slots.items() if not is_told_besides(name, value, need, has_card=has_card)}


def _of_kinds(decision: Decision, kinds: Collection[str]) -> dict[str, object]:
    """The values in force of some slots."""
    return {name: one.value for name, one in decision.slots.items() if name in kinds}


def _duration(times: list[object]) -> object | None:
    """Of several times how much it is used, else how long in all; day and night is none."""
    said = [time for time in times if isinstance(time, Mapping) and dict(time) != _ALL_DAY]
    return next((time for time in said if time.get("per")), next(iter(said), None))


def _task(slots: Mapping[str, object], names: Names | None) -> str:
    """The task that follows from the model that is named and how it is used, "" for none."""
    listed = slots.get("model")
    found = names.find_ml_model(str(listed[0])) if names is not None and isinstance(listed, list) and listed else None
    if found is None:
        return ""
    if found.family in _TASK_OF_FAMILY:
        return _TASK_OF_FAMILY[found.family]
    if found.modality not in _LANGUAGE:
        return _TASK_OF.get(found.modality, "")
    if slots.get("method") in _TUNING:
        return "llm_finetune"
    return "llm_inference" if slots.get("method") == "inference" else ""
