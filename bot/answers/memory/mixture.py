"""The active part of a mixture of experts, said as if it were all that the model takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.models import MlModel
from bot.answers import premise
from bot.answers.common import Named
from bot.core.answers import Answer
from bot.core.line import Line
from bot.core.request import Request

_SAME: Final = 0.2
"""Share by which a size may differ from the active part that it names ("3B" of 3.35)."""


def without_active(named: Named) -> Named:
    """The models that are named, without a bare size that is the active part of a mixture beside it."""
    mixtures = [one for one in named.models if one.active_parameters]
    kept = tuple(one for one in named.models if not any(_is_part(one, mixture) for mixture in mixtures))
    return named if kept == named.models else replace(named, models=kept)


def _is_part(size: MlModel, mixture: MlModel) -> bool:
    active = mixture.active_parameters or 0
    return size.generic and abs(size.parameters - active) <= _SAME * active


def refused(request: Request, made: Answer) -> Answer:
    """An answer that opens with a no to the premise that the active part is all that counts, where it is put up."""
    first = made.headline[0] if made.headline else None
    if not premise.is_put_up(request) or not isinstance(first, Line):
        return made
    return made.model_copy(update={"headline": (premise.told(request, False, first), *made.headline[1:])})
