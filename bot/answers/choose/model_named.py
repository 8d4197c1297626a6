"""The models of a wish: one without a record leaves the choice to the work that it is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.models import note_of
from bot.answers.common import Named, models_of
from bot.core.answers import Decline
from bot.core.request import Request

_UNKNOWN: Final = "unknown_ml_model"


def models_with_a_record(request: Request) -> Named | Decline:
    """The models that are named; one without a record leaves the choice to the work it is for, and that is said."""
    said = models_of(request)
    if not isinstance(said, Decline) or said.reason.code != _UNKNOWN:
        return said
    names: list[str] = list(request.slot("model") or ())
    kept = [name for name in names if request.services.catalog.find_ml_model(name)]
    known = models_of(replace(request, slots={**request.slots, "model": kept}))
    if isinstance(known, Decline):
        return known
    missing = [name for name in names if name not in kept]
    note = note_of("model_without_record", {"name": missing[0], "known": bool(kept)})
    return replace(known, notes=(*known.notes, note))
