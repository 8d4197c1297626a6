"""Which disk for training data, how fast it must be, how large, where to put the data."""

from __future__ import annotations

from advisor.errors import AdvisorError
from advisor.machine.check import picture_rate
from advisor.machine.disk import KINDS, check_disk, space_need
from advisor.machine.models import Item, Machine
from advisor.models import Method, MlModel, note_of
from bot.answers.common import job_for, models_of
from bot.answers.machine.rig import answer_of, card_groups, cards_of, machine_of, reworded, topic_of, variant_notes
from bot.answers.speed.amounts import dataset_of
from bot.core.answers import Assumption, Decline, Outcome, offered_of
from bot.core.request import Request

_WORDED = {"raid": "machine_disk_raid", "network": "machine_disk_network", "where": "machine_disk_where"}


def handle(request: Request) -> Outcome:
    """Verdict on the stated disk, against the reading rate of the stated training when there is one."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    named_models = models_of(request)
    model = None if isinstance(named_models, Decline) else next(iter(named_models.models), None)
    groups, _ = card_groups(request, named) if named else ((), ())
    machine = machine_of(request, groups)
    wanted, assumed = _wanted(request, machine, model)
    machine = machine.model_copy(update={"wanted_mb_per_s": wanted, "disk": "" if _several(request) else machine.disk})
    item = check_disk(machine)
    chooses = _several(request) or (machine.disk == "nvme" and not named)
    if topic_of(request) == "size":
        item = _size(request, model, item)
    elif not wanted:
        item = _of_topic(request, item, chooses=chooses)
    asks = None if model else offered_of(slot="model")
    return answer_of(request, item, notes=variant_notes(named), assumptions=assumed, asks=asks)


def _of_topic(request: Request, item: Item, *, chooses: bool) -> Item:
    """The verdict worded for the side of the question that is meant, or for a choice between kinds of disks."""
    topic, values = topic_of(request), item.headline.values
    if topic in _WORDED:
        return reworded(item, note_of(_WORDED[topic], values))
    return reworded(item, note_of("machine_disk_choose", values)) if chooses else item


def _several(request: Request) -> bool:
    """Whether kinds of disks are compared."""
    stated = str(request.slot("disk") or "")
    return sum(kind in stated for kind in KINDS) > 1


def _size(request: Request, model: MlModel | None, item: Item) -> Item:
    found = dataset_of(str(request.slot("dataset"))) if request.slot("dataset") else None
    need = space_need(found.gigabytes if found else None, model.parameters if model else None)
    return need.model_copy(update={"steps": (*need.steps, *item.steps[:1])})


def _wanted(request: Request, machine: Machine, model: MlModel | None) -> tuple[float | None, tuple[Assumption, ...]]:
    """MB/s that the stated training on pictures reads, when card and model are stated."""
    if model is None or not machine.cards:
        return None, ()
    job = job_for(request, model, Method.TRAIN)
    try:
        wanted = picture_rate(machine, job.workload)
    except AdvisorError:
        return None, ()
    return wanted, job.assumptions if wanted else ()
