"""The slots in force as other programs read them: those of the taxonomy in its forms, and what follows from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from bot.core.decision import Decision
from bot.core.intents import SLOTS
from bot.dialogue.kin import Names
from bot.dialogue.ruled_out import names_of
from bot.dialogue.turn import CONVERSATION

_OF_ANOTHER_SUBJECT: Final = "out_of_scope"
_THINGS: Final = frozenset({"gpu", "gpu_count", "model", "cpu", "ram_gb", "psu_w", "framework"})
"""Slots that a message of another subject sets."""
_ALL_DAY: Final = {"amount": 24, "unit": "hour", "per": "day"}
"""Day and night: how it is used, and no time that is said."""
_NARROWED_BY_NOTHING: Final = CONVERSATION | {"concept_explain"}
"""Needs that what is ruled out changes nothing of."""
_TIMES: Final = ("duration", "usage", "span")
_LANGUAGE: Final = frozenset({"text-decoder", "multimodal"})
_TUNING: Final = frozenset({"full", "lora", "qlora", "ptuning"})
_TASK_OF: Final = {"video": "video_generation", "image-gen": "image_generation", "speech": "speech"}
"""What models of a kind are for, where nothing else is said."""
_TASK_OF_FAMILY: Final = {"YOLO": "object_detection"}
"""The same of models of a family."""


def shown_slots(decision: Decision, names: Names | None) -> dict[str, object]:
    """The slots of a decision in the forms of the taxonomy.

    Of what other subjects name only the machines count; times and tasks are those that are said or follow from what
    is said; what is ruled out stands under `exclude`, and nowhere else.

    Args:
        decision: of one turn.
        names: the catalogue.
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
    return {name: value for name, value in {**slots, **more}.items() if value or name not in more}


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
