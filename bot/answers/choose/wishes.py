"""Slots to a `Need` of the advisor, for every handler that recommends; what was assumed on the way is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.errors import OutOfRange
from advisor.jobs.plan import plan_for
from advisor.jobs.spoken import Spoken
from advisor.jobs.ways import Way
from advisor.models import Method, MlModel, Note, Workload
from advisor.recommend import Need, Objective
from advisor.recommend.settings import TaskDefaults, settings, tasks
from bot.answers.asked_job import plan_of, spoken_of, usage_for
from bot.answers.choose.having import LENT, deploy_of
from bot.answers.choose.makers import families_of, vendors_of
from bot.answers.choose.model_named import models_with_a_record
from bot.answers.choose.own_prices import money_in, own_prices, stated_prices
from bot.answers.choose.room import room_of
from bot.answers.choose.work_meant import (
    LEARNED,
    THRIFTY,
    counts_money_alone,
    headroom,
    others_meant,
    task_meant,
    unnamed_task,
    usual_model,
)
from bot.answers.common import Job, NamedGpu, decline_error, job_of, named_gpus, task_of
from bot.core.answers import Assumption, Decline, assumption_of
from bot.core.request import Request


@dataclass(frozen=True, slots=True)
class Wish:
    """A need with everything a handler wants to say about how it was read."""

    need: Need
    job: Job | None
    task: str | None
    """Task whose defaults were taken."""
    defaults: TaskDefaults | None
    assumptions: tuple[Assumption, ...]
    named: tuple[NamedGpu, ...]
    notes: tuple[Note, ...] = ()
    """How models were taken."""
    laptop: bool = False
    besides: tuple[tuple[Way, ...], ...] = ()
    """For each other work that the card is for the ways to do it."""
    ladder: tuple[Way, ...] = ()
    """The ways in which candidate cards may do the job, the same for all of them; the first is the usual one."""

    @property
    def way(self) -> Way | None:
        """The way in which each candidate card does the job."""
        return self.ladder[0] if self.ladder else None

    @property
    def workload(self) -> Workload | None:
        """The job that decides memory and speed."""
        return self.need.workload


def currency_of(request: Request) -> str:
    """Currency to answer in: the one asked for, else that of the market."""
    return str(request.slot("currency") or market_currency_of(request))


def market_currency_of(request: Request) -> str:
    """Currency of the market to look at: of the budget or price named, else of the provider, else of the language."""
    for stated in (
        request.slot("budget"),
        request.slot("price"),
        *stated_prices(request),
        request.slot("electricity_price"),
    ):
        if isinstance(stated, dict) and stated.get("currency"):
            return str(stated["currency"])
    for name in providers_of(request):
        record = request.services.catalog.find_provider(name)
        if record is not None and record.country:
            return "CNY" if record.country == "CN" else "USD"
    return "CNY" if request.language == "zh" else "USD"


def region_of(currency: str) -> str:
    """Market behind a currency: yuan means what can be had in mainland China."""
    return next((key for key, region in settings().regions.items() if region.currency == currency), "")


def providers_of(request: Request) -> tuple[str, ...]:
    """Named rental providers as ids."""
    stated = request.slot("provider")
    names = [stated] if isinstance(stated, str) else list(stated or ())
    found = []
    for name in names:
        record = request.services.catalog.find_provider(name)
        if record is None:
            found.append(name)
        elif record.kind not in {"shop", "market"}:
            found.append(record.id)
    return tuple(found)


def hours_per_week_of(request: Request) -> float | None:
    """Hours of use a week, from a usage rate or a utilisation; None when nothing was said. Raises OutOfRange."""
    return usage_for(request).week


def total_hours_of(request: Request) -> float | None:
    """Hours of a period that was named without a rate. Raises OutOfRange."""
    return usage_for(request).period


def samples_of(request: Request, workload: Workload | None) -> float | None:
    """Size of a training job with a named data set, over all its rounds; None when it cannot be told.

    Throughput counts images or sequences, so only jobs in those units are sized.
    """
    stated = request.slot("dataset")
    if not stated or workload is None or workload.method is Method.INFERENCE or not request.slot("duration"):
        return None
    from bot.answers.speed.amounts import amount_of, dataset_of  # only when a data set was named

    known = dataset_of(str(stated))
    rounds = request.slot("epochs") or request.heard.epochs or (known.usual_epochs if known else 1)
    one_round = float(known.samples) if known else amount_of(str(stated))
    if one_round is None or workload.ml_model.modality == "text-decoder":
        return None
    return one_round * float(rounds)


def read_wish(request: Request) -> Wish | Decline:
    """The need that the slots describe; Decline for a card or model that nobody knows, or hours that no day has."""
    try:
        return _read_wish(request)
    except OutOfRange as error:
        return decline_error(error)


def _read_wish(request: Request) -> Wish | Decline:
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    said = models_with_a_record(request)
    if isinstance(said, Decline):
        return said
    task, others = task_meant(request), others_meant(request, said.models)
    ladder = _named_ways(request, said.models, others)
    job = job_of(request, ladder[0]) if ladder else None
    besides = _ladders(others)
    defaults = None
    assumptions = (*said.assumptions, *(job.assumptions if job else ()))
    workload = ladder[0].workload if ladder else None
    if workload is None and not request.slot("vram_gb"):
        defaults = tasks().get(task) if task else None
        if defaults is None:
            task = unnamed_task(request)
            defaults = tasks()[task]
            assumptions += (assumption_of(slot="task", value=task),)
        ladder = _typical(request, defaults)
        if ladder:
            workload = ladder[0].workload
            assumptions += _assumed_of(request, workload)
    return Wish(
        need=_need(request, workload, task, named, defaults, besides),
        job=job,
        task=task,
        defaults=defaults,
        assumptions=assumptions,
        named=tuple(named),
        notes=said.notes,
        laptop=request.slot("deploy") == "laptop",
        besides=besides,
        ladder=ladder,
    )


def _ladders(models: Sequence[MlModel]) -> tuple[tuple[Way, ...], ...]:
    """For each model the usual ways to run it."""
    return tuple(plan_for(Spoken(), one).ways.ladder for one in models)


def _named_ways(request: Request, named: Sequence[MlModel], others: Sequence[MlModel]) -> tuple[Way, ...]:
    """The ways to do the job of the largest model that is named, where not all of them stand beside another work."""
    if all(one in others for one in named):
        return ()
    meant = task_meant(request) if request.slot("task") else task_of(request)
    return plan_of(request, max(named, key=lambda m: m.parameters), task=meant).ways.ladder


def _typical(request: Request, defaults: TaskDefaults, name: str = "") -> tuple[Way, ...]:
    """The usual ways to do the typical job of a task, with whatever the user did say put in; `name`: another model."""
    model = request.services.catalog.find_ml_model(name or usual_model(request, defaults))
    if model is None:
        return ()
    said = spoken_of(request, task=task_of(request))
    job = replace(
        said,
        methods=_loosely(said.methods or (defaults.method.value,)),
        batch=said.batch or defaults.batch,
        seq_len=said.seq_len or defaults.seq_len,
        resolution=said.resolution or defaults.resolution,
    )
    return plan_for(job, model).ways.ladder


def _loosely(methods: tuple[str, ...]) -> tuple[str, ...]:
    """LoRA of no model in particular leaves open whether the weights below it are quantised."""
    return (*methods, Method.QLORA.value) if methods == (Method.LORA.value,) else methods


_SIZES: Final = ("llm-70b", "llm-32b", "llm-14b")
"""Language models that people run at home, the largest first; smaller ones are the default of the task."""
_ASKS: Final = frozenset({"llm_inference", "rag"})


def sizes_of(request: Request, wish: Wish) -> list[Wish]:
    """The same wish for larger language models, where nobody said which one and money was named: largest first."""
    if wish.task not in _ASKS or wish.defaults is None or wish.need.budget is None or wish.job is not None:
        return []
    if wish.laptop:  # the sum pays for a whole notebook, and what desktop cards cost says nothing of it
        return []
    found = []
    for name in _sizes(request, wish):
        ladder = _typical(request, wish.defaults, name)
        if ladder:
            assumed = _assumed_of(request, ladder[0].workload)
            kept = tuple(one for one in wish.assumptions if one.slot not in {new.slot for new in assumed})
            need = wish.need.model_copy(update={"workload": ladder[0].workload})
            found.append(replace(wish, need=need, ladder=ladder, defaults=None, assumptions=(*kept, *assumed)))
    return found


def _sizes(request: Request, wish: Wish) -> tuple[str, ...]:
    """Whoever pays by the hour for what nobody named is served by one card."""
    return _SIZES if request.slot("task") or wish.need.budget_period == "once" else _SIZES[-1:]


def _assumed_of(request: Request, job: Workload) -> tuple[Assumption, ...]:
    values = [("model", job.ml_model.name)]
    if request.slot("method") is None:
        values.append(("method", job.method.value))
    if request.slot("precision") is None and job.precision is not None:
        values.append(("precision", job.quant or job.precision.value))
    if job.batch is not None and request.slot("batch") is None:
        values.append(("batch", str(job.batch)))
    if job.seq_len is not None and request.slot("seq_len") is None:
        values.append(("seq_len", str(job.seq_len)))
    return tuple(assumption_of(slot=slot, value=value) for slot, value in values)


def _need(
    request: Request,
    workload: Workload | None,
    task: str | None,
    named: list[NamedGpu],
    defaults: TaskDefaults | None,
    besides: Sequence[Sequence[Way]] = (),
) -> Need:
    currency = currency_of(request)
    room = room_of(request)
    budget = request.slot("budget")
    vram = request.slot("vram_gb")
    return Need(
        workload=workload,
        task=task if defaults is not None or not request.slot("model") else None,
        vram_gib=float(vram) if vram else None,
        headroom_gib=headroom(defaults, besides),
        gpu_count=request.slot("gpu_count"),
        budget=money_in(request, budget, currency),
        budget_period=(budget or {}).get("period") or "once",
        hours_per_week=hours_per_week_of(request),
        deadline_hours=total_hours_of(request),
        samples=samples_of(request, workload),
        persona=request.slot("persona"),
        providers=providers_of(request),
        currency=currency,
        region=region_of(market_currency_of(request)),
        vendors=vendors_of(request),
        families=families_of(request),
        excluded_vendors=tuple(str(v) for v in request.excluded.get("vendor", ())),
        excluded_gpus=_ids(request, request.excluded.get("gpu", ())),
        excluded_terms=tuple(str(v) for v in request.excluded.get("pricing_model", ())),
        deploy=deploy_of(request),
        objective=_objective(request, task, open_job=not request.slot("model")),
        prices=own_prices(request, [one.gpu for one in named]),
        max_power_w=room.card_w,
        max_length_mm=room.length_mm,
        max_slots=room.slots,
        unplugged=room.unplugged,
        owns=not request.heard.speaks_of(*LENT),
        home=_at_home(request),
        speed_batch=_speed_batch(request, workload),
    )


_REFERENCE: Final = "rtx-4090"
_LARGEST_BATCH: Final = 256


def _speed_batch(request: Request, workload: Workload | None) -> int | None:
    """A batch that fills a card, for comparing cards on a training job whose batch nobody named."""
    reference = request.services.catalog.gpus.get(_REFERENCE)
    trains = workload is not None and workload.method is not Method.INFERENCE
    if workload is None or not trains or not workload.batch or request.slot("batch") or reference is None:
        return None
    from bot.answers.speed.pace import pays_to_double  # only when something is trained

    batch, pays = workload.batch, pays_to_double(workload, reference)
    while batch < _LARGEST_BATCH and pays(batch):
        batch *= 2
    return batch if batch != workload.batch else None


def _objective(request: Request, task: str | None, *, open_job: bool) -> Objective:
    """What "best" means: stated, or the cheapest that works when the words ask for that.

    Somebody who starts or studies and does not say what to spend is served by the least money with headroom.
    """
    stated = request.slot("objective")
    if stated:
        return Objective(stated)
    if request.slot("budget") is not None:
        return Objective.BALANCED if request.heard.shows("wish", "value") else Objective.MOST
    thrifty = request.slot("persona") in THRIFTY
    if (thrifty or (open_job and task in LEARNED)) and not request.slot("vram_gb"):
        return Objective.FRUGAL
    return Objective.CHEAPEST if counts_money_alone(request, task) else Objective.BALANCED


_GROUPS: Final = frozenset({"company", "lab", "startup", "researcher"})
_FEW_USERS: Final = 4


def _at_home(request: Request) -> bool:
    """Whether one person buys for a computer at home: nothing speaks of a group, of servers or of a certain card."""
    several = (request.slot("users") or 1) > _FEW_USERS or (request.slot("gpu_count") or 1) > _FEW_USERS
    grouped = request.slot("persona") in _GROUPS or request.heard.speaks_of("server", "cluster", "company")
    return not several and not grouped and not request.slot("gpu")


def _ids(request: Request, names: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(gpu.id for name in names for gpu in request.services.catalog.gpu_variants(str(name)))
