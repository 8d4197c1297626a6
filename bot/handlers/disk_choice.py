"""Which disk for training data, how fast it must be, where to put the data."""

from __future__ import annotations

from advisor.errors import AdvisorError
from advisor.machine.check import picture_rate
from advisor.machine.disk import check_disk
from advisor.machine.models import Machine
from advisor.models import Method
from bot.core.answers import Assumption, Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.common import job_for, named_models
from bot.handlers.rig import answer_of, card_groups, cards_of, machine_of, variant_notes


def handle(request: Request) -> Outcome:
    """Verdict on the stated disk, against the reading rate of the stated training when there is one."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    groups, _ = card_groups(request, named) if named else ((), ())
    machine = machine_of(request, groups)
    wanted, assumed = _wanted(request, machine)
    machine = machine.model_copy(update={"wanted_mb_per_s": wanted})
    asks = None if wanted else Offered(slot="model")
    return answer_of(request, check_disk(machine), notes=variant_notes(named), assumptions=assumed, asks=asks)


def _wanted(request: Request, machine: Machine) -> tuple[float | None, tuple[Assumption, ...]]:
    """MB/s that the stated training on pictures reads, when card and model are stated."""
    models = named_models(request)
    if isinstance(models, Decline) or not models or not machine.cards:
        return None, ()
    job = job_for(request, models[0], Method.TRAIN)
    try:
        return picture_rate(machine, job.workload), job.assumptions
    except AdvisorError:
        return None, ()
