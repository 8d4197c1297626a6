"""Servers for a budget: ways to fill them with cards, whether they hold the job, and what it takes where none does."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from math import ceil
from typing import Final

from advisor.errors import AdvisorError, NoRate
from advisor.machine.cluster import cards_for_people
from advisor.models import Method, MlModel, Money, Note, Precision, Step, Workload, note_of, step_of
from advisor.recommend import Channel, Need, choose, recommend
from advisor.recommend.servers import ServerPlan, Servers, Taken, cheapest_that_holds, server_plans
from advisor.recommend.settings import settings
from bot.answers.choose.offer_lines import offer_of
from bot.answers.choose.offers import shown
from bot.answers.choose.servers_batch import in_less, verdict_of
from bot.answers.choose.servers_lines import (
    Does,
    Planned,
    Told,
    dated_of,
    headline_of,
    lines_of,
    origin_of_quote,
    way_label,
)
from bot.answers.choose.wishes import Wish
from bot.answers.common import job_for, source_refs
from bot.answers.memory.sizing import LLM_TASKS, is_llm
from bot.answers.money.marks import mark_of_quote
from bot.answers.phrases import cards_named, size_named
from bot.core.answers import Answer, answer_with, assumption_of, offered_of
from bot.core.line import Figure, Line, amount
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_GROUPS: Final = frozenset({"lab", "company", "startup"})
_TUNED, _RUN = ("qlora", "lora"), ("int4", "fp16")
_SHOWN: Final = ("qlora", "lora", "int4")
"""Ways of use that plans are told apart by when no model is named."""
_LADDER: Final = ("llm-7b", "llm-14b", "llm-32b", "llm-70b", "llama-405b", "deepseek-v3")
_TUNING_TASKS: Final = frozenset({"llm_finetune", "llm_rl"})
_RUNNING_TASKS: Final = frozenset({"llm_inference", "rag"})
_LENGTH: Final = 2048
_MANY: Final = 4
"""Cards from which on one machine is more than most people build, although a sum may reach for them."""
_FORMATS: Final = {"fp16": ("fp16",), "bf16": ("fp16",), "int4": ("int4",)}
"""The way of running that a stated number format leaves."""
_STATED_WAYS: Final = {"lora": "lora", "qlora": "qlora", "full": "full", "ptuning": "lora"}


def means_servers(request: Request, wish: Wish) -> bool:
    """Whether a one-off budget is meant for servers: a group, a machine room, or tuning and serving at once."""
    if not affords_servers(request, wish.need) or request.slot("deploy") in {"rent", "laptop"}:
        return False
    if request.slot("vram_gb") or request.slot("gpu_count"):
        return False
    group = request.slot("persona") in _GROUPS or (request.slot("users") or 1) > 1
    both = request.slot("task") in _TUNING_TASKS and request.slot("method") == Method.INFERENCE.value
    return group or both or request.heard.speaks_of("server") or request.heard.shows("wish", "own_ground")


def affords_servers(request: Request, need: Need) -> bool:
    """Whether the budget is a one-off one that reaches more than a card in a common computer."""
    if need.budget is None or need.budget_period != "once" or need.providers:
        return False
    try:
        rate = request.services.catalog.rate(need.budget.currency, "USD", request.now.date())
    except NoRate:
        return False
    return need.budget.amount * rate.value >= Decimal(str(settings().server.least_usd))


def instead_of_rental(request: Request, wish: Wish) -> Answer | None:
    """Where a one-off budget buys nothing and no rental was asked for: what it takes to own what the job needs."""
    need = wish.need
    if need.deploy is not None or need.hours_per_week or not affords_servers(request, need):
        return None
    model = wish.job.workload.ml_model if wish.job is not None else None
    if model is None or not is_llm(model) or request.slot("duration") or request.slot("gpu_count"):
        return None
    return servers_answer(request, wish)


def to_buy(request: Request, wish: Wish) -> Wish:
    """The wish of somebody with a one-off budget for a language model: bought, where the budget buys the cards."""
    job, need = wish.job, wish.need
    if job is None or need.budget_period != "once" or need.hours_per_week or request.slot("precision"):
        return wish
    if not is_llm(job.workload.ml_model) or job.workload.method is not Method.INFERENCE:
        return wish
    buying = need.model_copy(update={"deploy": Channel.BUY})
    try:
        bought = choose(buying, request.services.catalog, request.now.date()).winner
    except AdvisorError:
        return wish
    return replace(wish, need=buying) if bought is not None else wish


def purchase_notes(request: Request, wish: Wish) -> tuple[Note, ...]:
    """What buying takes, beside the rental that a one-off budget is spent on instead."""
    work = wish.need.workload
    if work is None or work.method is not Method.INFERENCE or wish.need.budget_period != "once":
        return ()
    taken = cheapest_that_holds(wish.need, request.services.catalog, request.now.date(), work)
    if taken is None:
        return ()
    reached = wish.need.budget is not None and Decimal(round(taken.cost)) <= wish.need.budget.amount
    if reached and taken.n < _MANY:
        return ()  # why a few cards within the budget were not taken is for the choice to say
    values = {"name": taken.gpu.name, "n": taken.n, "price": Decimal(round(taken.cost)), "currency": wish.need.currency}
    return (
        note_of(
            "rec_buy_takes",
            {**values, "reached": reached, "dated": dated_of(taken.quote), "mark": mark_of_quote(taken.quote, taken.n)},
        ),
    )


def servers_answer(request: Request, wish: Wish) -> Answer | None:
    """What the budget buys for the job; None when not even two cards."""
    need = wish.need.model_copy(update={"deploy": None, "workload": None, "budget_period": "once"})
    model = wish.job.workload.ml_model if wish.job is not None else None
    ways = _ways(request, model)
    catalog, today = request.services.catalog, request.now.date()
    jobs = _jobs(request, wish, model, ways)
    only = [gpu.id for one in wish.named for gpu in (one.gpu, *one.others)]
    people = request.slot("users")
    step = cards_for_people(people) if people and not _runs(request) else None
    plans = partial(server_plans, need, catalog, today, only=only, servers=_machines(step))
    found = plans([job for _, _, job in jobs])
    wish, jobs, found = in_less(request, wish, model, jobs, found, plans)
    if not any(plan.cards > 1 for plan in found.plans):
        return None
    verdict = verdict_of(found, model)
    beyond = _beyond(request, wish, need, jobs) if verdict == "no" else ()
    told = Told(
        plans=tuple(_planned(plan, jobs, model) for plan in found.plans),
        model=model.name if model is not None else "",
        verdict=verdict,
        use=_use(ways),
        budget=need.budget,
        for_cards=_money(found.for_cards, need.currency),
        for_hosts=_money(found.for_hosts, need.currency),
        currency=need.currency,
        remarks=(*beyond, *_group_lines(request, step), *(Line("srv.remark", {"note": note}) for note in wish.notes)),
        for_speed=_for_speed(request),
    )
    return answer_with(
        headline=(headline_of(told),),
        lines=lines_of(told),
        facts=(
            *_facts(found, need.currency, verdict),
            *((fact_of(name="cards_for_people", value=step.value),) if step else ()),
        ),
        trace=(_trace(need, found), *((step,) if step else ())),
        sources=source_refs(request, [plan.quote.source for plan in found.plans]),
        assumptions=_assumptions(request, wish, model),
        asks=offered_of(slot="model") if model is None else None,
        result=found,
    )


def _for_speed(request: Request) -> bool:
    """Whether a kind of work is named that is none of language models."""
    task = request.slot("task")
    return bool(task) and task not in LLM_TASKS and not request.heard.speaks_of("language_model")


_SPARE: Final = 2
"""Cards for each that a group computes on at once: machines up to this many are of use to it."""


def _machines(step: Step | None) -> int:
    """Full servers that are of use: one, or what the people compute on with as much again to spare."""
    cards = step.value if step is not None and isinstance(step.value, int) else 0
    return max(1, ceil(_SPARE * cards / settings().server.most_cards))


def _use(ways: tuple[str, ...]) -> str:
    """tune | run | both"""
    runs = [way in _RUN for way in ways]
    return "run" if not ways or all(runs) else "both" if any(runs) else "tune"


def _runs(request: Request) -> bool:
    """Whether a model is to answer: said, or a language model for people who are not said to tune one."""
    if request.slot("method") == Method.INFERENCE.value or request.slot("task") in _RUNNING_TASKS:
        return True
    tuned = request.slot("task") in _TUNING_TASKS or request.heard.speaks_of("finetuning")
    return request.heard.speaks_of("language_model") and not tuned and (request.slot("users") or 1) > 1


def _ways(request: Request, model: MlModel | None) -> tuple[str, ...]:
    """Ways of use that are looked at, hardest last."""
    if model is not None and not is_llm(model):
        return ()
    stated = _STATED_WAYS.get(str(request.slot("method") or ""))
    tunes = stated is not None or request.slot("task") in _TUNING_TASKS or request.heard.speaks_of("finetuning")
    runs = _runs(request)
    tuned = tuple(dict.fromkeys(("qlora", stated or "lora")))
    run = _FORMATS.get(str(request.first("precision")), _RUN)
    if model is None and not tunes and not runs:
        return _SHOWN
    if tunes and runs:
        return (*tuned, *run)
    return tuned if tunes else run if runs or request.heard.shows("wish", "own_ground") else ("int4", "qlora")


def _jobs(
    request: Request, wish: Wish, model: MlModel | None, ways: tuple[str, ...]
) -> list[tuple[str, str, Workload]]:
    """Way, model and workload of everything that plans are held against."""
    catalog = request.services.catalog
    if model is not None and not ways:
        job = job_for(request, model, n_gpus=1).workload
        return [(job.method.value, model.name, job)]
    task = wish.task
    if (
        model is None
        and request.slot("task")
        and task not in _TUNING_TASKS | _RUNNING_TASKS
        and not request.heard.speaks_of("language_model")
    ):
        return []
    models = [model] if model is not None else [catalog.get_ml_model(name) for name in _LADDER]
    return [(way, one.name, _job(request, one, way)) for way in ways for one in models]


def _job(request: Request, model: MlModel, way: str) -> Workload:
    if way in _RUN:
        base = job_for(request, model, Method.INFERENCE, n_gpus=1).workload
        if way == "int4":
            return base.model_copy(update={"precision": Precision.INT4, "quant": "int4"})
        published = {"precision": Precision.FP8} if model.weights_format == "fp8" else {"precision": Precision.FP16}
        return base.model_copy(update={**published, "quant": None})
    base = job_for(request, model, Method(way), n_gpus=1).workload
    tuned: dict[str, object] = {"quant": None}
    if way == "qlora":
        tuned = {"precision": Precision.INT4, "quant": "nf4"}
    elif way == "lora":
        tuned["precision"] = Precision.BF16
    seq_len = request.slot("seq_len") or min(_LENGTH, model.max_seq or _LENGTH)
    return base.model_copy(update={**tuned, "seq_len": seq_len, "users": None})


def _planned(plan: ServerPlan, jobs: list[tuple[str, str, Workload]], model: MlModel | None) -> Planned:
    """A plan with what the cards of one of its servers do, by way: the verdict on a model, or the largest one held."""
    does: dict[str, Does] = {}
    for (way, name, _), held in zip(jobs, plan.holds, strict=True):
        if model is not None:
            does[way] = Does(way, held)
        elif held == "yes":
            does[way] = Does(way, held, name)
    return Planned(plan, tuple(does.values()))


def _money(amount: float, currency: str) -> Money:
    return Money(amount=Decimal(round(amount)), currency=currency)


def _beyond(request: Request, wish: Wish, need: Need, jobs: list[tuple[str, str, Workload]]) -> tuple[Line, ...]:
    """Where no plan holds the model: what buying it takes, what renting it takes, and what the budget does hold."""
    way, _, lightest = next((job for job in jobs if job[0] in ("int4", "qlora")), jobs[0])
    taken = cheapest_that_holds(need, request.services.catalog, request.now.date(), lightest)
    found = (
        _taken(taken, way, need.currency) if taken is not None else None,
        _smaller(request, need, lightest, way),
        _rented(request, wish, lightest),
    )
    return tuple(line for line in found if line is not None)


def _taken(taken: Taken, way: str, currency: str) -> Line:
    whole = taken.cost / (1 - settings().server.host_share)
    return Line(
        "srv.takes",
        {
            "way": way_label(way),
            "cards": cards_named(taken.gpu.name, taken.n),
            "price": amount(_money(taken.cost, currency)),
            "origin": origin_of_quote(taken.quote, taken.n),
            "servers": Figure(ceil(taken.n / settings().server.most_cards), "machine"),
            "whole": amount(_money(whole, currency)),
        },
    )


def _rented(request: Request, wish: Wish, lightest: Workload) -> Line | None:
    need = wish.need.model_copy(update={"workload": lightest, "deploy": Channel.RENT, "budget": None})
    try:
        rented = recommend(need, request.services.catalog, request.now.date(), with_flips=False).winner
    except AdvisorError:
        return None
    if rented is None:
        return None
    return Line("srv.rent", {"offer": offer_of(shown(request, rented.option, wish.need.currency, rented))})


def _smaller(request: Request, need: Need, job: Workload, way: str) -> Line | None:
    """The largest usual model that some plan holds the same way."""
    catalog, today = request.services.catalog, request.now.date()
    sizes = [catalog.get_ml_model(name) for name in _LADDER]
    jobs = [job.model_copy(update={"ml_model": size}) for size in sizes if size.parameters < job.ml_model.parameters]
    found = server_plans(need, catalog, today, jobs)
    for place in range(len(jobs) - 1, -1, -1):
        plan = next((plan for plan in found.plans if plan.holds[place] == "yes"), None)
        if plan is not None:
            model = size_named(jobs[place].ml_model.name)
            return Line(
                "srv.smaller", {"model": model, "way": way_label(way), "cards": cards_named(plan.gpu.name, plan.n)}
            )
    return None


def _group_lines(request: Request, step: Step | None) -> tuple[Line, ...]:
    if step is not None:
        return (Line("srv.people", {"people": request.slot("users"), "n": int(str(step.value))}),)
    return (Line("srv.remark", {"note": note_of("machine_cluster_slurm")}),) if request.slot("persona") == "lab" else ()


def _assumptions(request: Request, wish: Wish, model: MlModel | None) -> tuple[object, ...]:
    told = {"model"} if _ways(request, model) else {"model", "batch"}
    made = [one for one in wish.assumptions if one.slot in told and model is not None]
    if request.slot("seq_len") is None and any(way not in _RUN for way in _ways(request, model)):
        made.append(assumption_of(slot="seq_len", value=_LENGTH))
    return tuple(made)


def _facts(found: Servers, currency: str, verdict: str) -> tuple[Fact, ...]:
    facts: list[Fact] = [fact_of(name="verdict", value=verdict)] if verdict else []
    for place, plan in enumerate(found.plans, 1):
        facts.append(fact_of(name=f"plan_{place}", value=plan.gpu.name, basis=plan.role))
        facts.append(fact_of(name=f"plan_{place}_count", value=plan.cards))
        facts.append(fact_of(name=f"plan_{place}_vram", value=plan.total_gib, unit="GiB"))
        facts.append(fact_of(name=f"plan_{place}_price", value=float(round(plan.cost)), unit=currency))
    return tuple(facts)


def _trace(need: Need, found: Servers) -> Step:
    """The money for cards, and each plan under it."""
    share = settings().server.host_share
    inputs = [
        step_of(name="budget", value=need.budget.amount if need.budget else None, unit=need.currency, how="given"),
        step_of(name="host_share", value=share, how="assumption"),
    ]
    for plan in found.plans:
        price = step_of(
            name="price",
            value=plan.quote.price,
            unit=f"{need.currency} {plan.quote.terms}",
            how="price",
            sources=(plan.quote.source,) if plan.quote.source else (),
            as_of=plan.quote.as_of,
        )
        inputs.append(
            step_of(
                name=f"cards {plan.gpu.name}",
                value=plan.cards,
                unit="cards",
                how="as many as the money for cards buys, at most eight in a server",
                inputs=(price,),
            )
        )
    return step_of(
        name="money_for_cards",
        value=Decimal(round(found.for_cards)),
        unit=need.currency,
        how="budget x (1 - share kept for the machines)",
        inputs=tuple(inputs),
    )
