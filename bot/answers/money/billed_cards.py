"""As many of a card as are billed where nobody counted them: those that hold a model which is only run.

A bill for one card that does not hold the model would be wrong by a factor, so the number is worked out as for a
question about it (`gpu_count`): by memory, and by the pace of all who ask at once where people are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.speed.contest import Side
from advisor.speed.rate import generates
from bot.answers.common import job_of, models_of
from bot.answers.phrases import NamedWay, cards_named, model_named, used_way
from bot.core.answers import Decline
from bot.core.line import Figure, Line, Worded, gib
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.models import Gpu, MlModel, Workload
    from bot.answers.choose.count_served import Service

_ONE: Final = 1


@dataclass(frozen=True, slots=True)
class Billed:
    """So many of a card, and what they do."""

    n: int
    work: Workload
    need: float | None
    """GiB on each; None where the pace asks for more cards than memory."""
    service: Service | None = None

    def told(self, gpu: str) -> Line | None:
        """What the number rests on; None for one card, which needs no reason."""
        if self.n == _ONE and self.service is None:
            return None
        values: dict[str, Worded] = {
            "cards": cards_named(gpu, self.n),
            "model": model_named(self.work.ml_model.name),
            "way": used_way(NamedWay(self.work.done, self.work.quant or _precision_of(self.work))),
            "need": gib(self.need) if self.need else None,
            "people": self.service.at_once if self.service else None,
            "each": Figure(self.service.per_user, "token/s") if self.service else None,
        }
        return Line("cost.cards_for", values)


def _precision_of(work: Workload) -> str:
    return work.precision.value if work.precision else ""


def billed_cards(request: Request, gpu: Gpu) -> Billed | None:
    """As many of a card as run the model that is named; None where they are counted, or nothing is only run."""
    model = None if request.slot("gpu_count") else _run_model(request)
    if model is None:
        return None
    from bot.answers.choose.count_served import service_on  # only where a model is run
    from bot.answers.choose.gpu_count import by_memory
    from bot.answers.speed.pace import Needs, plan_on

    try:
        work = job_of(request, plan_on(request, model, [Side(gpu, _ONE)]).way).workload
        if not generates(work):
            return None
        memory = by_memory(work, Needs(work), gpu)
        service = service_on(request, work, gpu, memory.n)
    except AdvisorError:
        return None
    if memory.n is None:
        return None
    if service is not None and service.by_pace:
        return Billed(service.n, work, None, service)
    return Billed(memory.n, work, memory.need_gib, service)


def _run_model(request: Request) -> MlModel | None:
    """The model that is named and not trained."""
    if not request.slot("model"):
        return None
    from bot.answers.speed.estimate_time import without_datasets  # only where a job is named
    from bot.answers.speed.training_run import is_training

    named = models_of(without_datasets(request))
    if isinstance(named, Decline) or not named.models or is_training(request):
        return None
    return named.models[0]


__all__ = ["Billed", "billed_cards"]
