"""Clusters and shared servers: by cards, by people, for serving a model; Slurm, licences, networks, rent."""

from __future__ import annotations

from decimal import Decimal

from advisor.errors import AdvisorError, NoRate
from advisor.machine.cluster import cards_for_people, check_cluster, dgx_facts
from advisor.machine.models import Item
from advisor.machine.rules import rules
from advisor.machine.serving import ServePlan, serve_plan
from advisor.models import Gpu, Method, Money, Note, PricingModel, Step, note_of, step_of
from advisor.periods import HOURS_A_MONTH
from advisor.prices import cheapest_offer
from bot.answers.common import NamedGpu, decline_error, job_for, models_of
from bot.answers.machine.rig import answer_of, cards_of, reworded, topic_of, variant_notes
from bot.answers.memory.sizing import is_llm
from bot.answers.money.marks import mark_of_offer
from bot.core.answers import Answer, Decline, Outcome, assumption_of, offered_of
from bot.core.request import Request

_DEFAULT = 8
_USUAL = ("RTX 4090", "A100 80GB PCIe", "H100 80GB SXM5")
_SERVED_ON = "RTX 4090"
_PEOPLE = 20
"""Group that is assumed when nobody says how many."""
_SERVED = "llm-32b"
"""Model that a group is taken to use when it names none."""
_HOURS = int(HOURS_A_MONTH)
_PERIODS = {"hour": 1, "day": 24, "month": _HOURS, "year": 8760}
_CURRENCY = {"zh": "CNY", "en": "USD"}
_BOXES = "boxes"
"""One machine for all against a desktop for each."""
_WORDED = {
    "licence": "machine_cluster_licence_first",
    "scheduler": "machine_cluster_scheduler",
    "dgx": "machine_cluster_dgx",
    _BOXES: "machine_cluster_boxes",
}

_AFTER = {
    "licence": (),
    "scheduler": (note_of("machine_cluster_slurm"),),
    "dgx": (note_of("machine_cluster_network_rule"),),
    _BOXES: (note_of("machine_cluster_boxes_unless"),),
}


def handle(request: Request) -> Outcome:
    """Advice for the stated cards, or for the cards that the stated people need."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    topic = _BOXES if are_boxes_weighed(request) else topic_of(request)
    try:
        funded = _funded(request, topic)
        if funded is not None:
            return funded
        if _serves(request, topic):
            served = _serving(request, named, at_once=topic == "at_once")
            if served is not None:
                return served
        return _training(request, named, topic)
    except AdvisorError as error:
        return decline_error(error)


def are_boxes_weighed(request: Request) -> bool:
    """Whether a server is set against desktops."""
    heard = request.heard
    return heard.speaks_of("server") and heard.speaks_of("workstation") and heard.speaks_of("or_word", "compare")


def _funded(request: Request, topic: str) -> Answer | None:
    """Servers for a one-off budget, where that is what is asked for."""
    if not request.slot("budget") or request.slot("gpu_count") or topic in _WORDED:
        return None
    from bot.answers.choose.servers import affords_servers, servers_answer
    from bot.answers.choose.wishes import read_wish  # only where money is named

    wish = read_wish(request)
    if isinstance(wish, Decline) or request.slot("deploy") == "rent" or not affords_servers(request, wish.need):
        return None
    return servers_answer(request, wish)


def _training(request: Request, named: list[NamedGpu], topic: str) -> Outcome:
    people = request.slot("users")
    # so many machines of so many cards are no number of cards where one kind is set against the other
    count = None if topic == _BOXES and people else request.slot("gpu_count")
    need = cards_for_people(people) if people and not count else None
    n = count or (int(need.value) if need is not None and isinstance(need.value, int) else _DEFAULT)
    item = check_cluster(n, people=people, need=need)
    known = bool(count or people)
    if topic in _WORDED:
        item = reworded(
            item, note_of(_WORDED[topic]), first=(item.headline,) if known else (), reasons=(), actions=_AFTER[topic]
        )
        if topic == "dgx":
            facts = dgx_facts()
            item = reworded(item, reasons=(facts.headline, *item.reasons), steps=facts.steps)
            item = item.model_copy(update={"conflicts": facts.conflicts})
    elif not known:
        item = reworded(item, note_of("machine_cluster_rule"), reasons=(note_of("machine_cluster_size"),))
    bought, bought_steps = _for_budget(request, named)
    if bought:
        item = reworded(item, first=(bought,), steps=bought_steps)
        if not known:
            item = reworded(item, bought, reasons=item.reasons[1:])
    rents, steps = _rents(request, named, n) if known else ([], ())
    if rents:
        item = reworded(
            item, reasons=(*item.reasons, note_of("machine_cluster_rent", {"rents": rents, "hours": _HOURS}))
        )
        item = item.model_copy(update={"steps": (*item.steps, *steps)})
    asks = None if known else offered_of(slot="users")
    return answer_of(request, item, notes=variant_notes(named), asks=asks)


def _serves(request: Request, topic: str) -> bool:
    """Whether people are to be served by a model, rather than to train on cards."""
    if request.slot("gpu_count") or topic in _WORDED:
        return False
    inference = request.slot("method") == "inference" or request.slot("task") in {"llm_inference", "rag"}
    return inference or topic in {"at_once", "serve"} or (bool(request.slot("model")) and bool(request.slot("users")))


def _serving(request: Request, named: list[NamedGpu], *, at_once: bool) -> Answer | None:
    """Copies of the model on the named card or a usual one; None when the model does not generate text."""
    models = models_of(request)
    if isinstance(models, Decline):
        return None
    catalog = request.services.catalog
    model = models.models[0] if models.models else catalog.get_ml_model(_SERVED)
    if not is_llm(model):
        return None
    job = job_for(request, model, Method.INFERENCE)
    work = job.workload.model_copy(update={"users": None, "batch": 1, "n_gpus": 1})
    people = request.slot("users") or _PEOPLE
    gpus = [one.gpu for one in named] or [catalog.get_gpu(name) for name in (_SERVED_ON, *_USUAL[1:])]
    plans = [plan for gpu in gpus if (plan := serve_plan(work, gpu, people, at_once=at_once))]
    if not plans:
        return None
    assumed = [] if models.models else [assumption_of(slot="model", value=model.name)]
    assumed += [] if request.slot("users") else [assumption_of(slot="users", value=people)]
    assumed += [one for one in job.assumptions if one.slot in {"precision", "seq_len"}]
    rents, steps = _rents_of(request, [(_gpu(gpus, plan), plan.n_gpus) for plan in plans])
    item = _served_item(plans, model.name, rents, steps)
    return answer_of(request, item, notes=(*variant_notes(named), *models.notes), assumptions=tuple(assumed))


def _gpu(gpus: list[Gpu], plan: ServePlan) -> Gpu:
    return next(gpu for gpu in gpus if gpu.name == plan.gpu)


def _served_item(plans: list[ServePlan], model: str, rents: list[dict[str, object]], steps: tuple[Step, ...]) -> Item:
    rule, lead = rules().cluster, plans[0]
    values = lead.model_dump(exclude={"trace"}) | {
        "model": model,
        "n": lead.n_gpus,
        "active": rule.active_share.number,
        "pace": rule.pace_tokens.number,
        "others": [{"gpu": plan.gpu, "n": plan.n_gpus} for plan in plans[1:]],
    }
    item = check_cluster(lead.n_gpus)
    reasons = [note_of("machine_cluster_serve_why", values)]
    if len(plans) > 1:
        reasons.append(note_of("machine_cluster_serve_others", values))
    if rents:
        reasons.append(note_of("machine_cluster_rent", {"rents": rents, "hours": _HOURS}))
    return item.model_copy(
        update={
            "headline": note_of("machine_cluster_serve", values),
            "reasons": tuple(reasons),
            "actions": (note_of("machine_cluster_serve_how"),),
            "steps": (*(plan.trace for plan in plans), *steps),
            "conflicts": (),
        }
    )


def _rents(request: Request, named: list[NamedGpu], n: int) -> tuple[list[dict[str, object]], tuple[Step, ...]]:
    catalog = request.services.catalog
    gpus = [one.gpu for one in named] or [catalog.get_gpu(name) for name in _USUAL]
    return _rents_of(request, [(gpu, n) for gpu in gpus])


def _for_budget(request: Request, named: list[NamedGpu]) -> tuple[Note | None, tuple[Step, ...]]:
    """How many of the usual cards the stated budget rents in a month, or buys (cards alone)."""
    budget = request.slot("budget")
    if not isinstance(budget, dict) or not budget.get("amount"):
        return None, ()
    hours = _PERIODS.get(str(budget.get("period") or "once"))
    terms = (PricingModel.ON_DEMAND,) if hours else (PricingModel.PURCHASE_NEW, PricingModel.PURCHASE_USED)
    catalog, currency = request.services.catalog, str(budget.get("currency") or _CURRENCY[request.language])
    rows: list[dict[str, object]] = []
    steps: list[Step] = []
    for gpu in [one.gpu for one in named] or [catalog.get_gpu(name) for name in _USUAL]:
        try:
            offer = cheapest_offer(catalog, gpu, on=request.now.date(), currency=currency, terms=terms)
        except NoRate:
            continue
        if offer is None or offer.asked.amount <= 0:
            continue
        n = int(Decimal(str(budget["amount"])) / (offer.asked.amount * Decimal(hours or 1)))
        terms_of = offer.offer.pricing_model.value
        when = offer.offer.day
        rows.append(
            {
                "gpu": gpu.name,
                "n": n,
                "price": offer.asked,
                "when": when,
                "terms": terms_of,
                "mark": mark_of_offer(offer),
            }
        )
        steps.append(
            step_of(
                name=f"budget {gpu.name}",
                value=n,
                unit="cards",
                how="budget / (price x hours)" if hours else "budget / price of a card",
                inputs=(offer.trace,),
                sources=(offer.offer.source,),
                as_of=offer.offer.as_of,
            )
        )
    if not rows:
        return None, ()
    amount = Money(amount=Decimal(str(budget["amount"])), currency=currency)
    values = {"rows": rows, "budget": amount, "rent": bool(hours), "period": budget.get("period")}
    return note_of("machine_cluster_budget", values), tuple(steps)


def _rents_of(request: Request, cards: list[tuple[Gpu, int]]) -> tuple[list[dict[str, object]], tuple[Step, ...]]:
    """A month of these cards at the cheapest hourly price on record that is not expired."""
    rents: list[dict[str, object]] = []
    steps: list[Step] = []
    currency = str(request.slot("currency") or _CURRENCY[request.language])
    for gpu, n in cards:
        try:
            offer = cheapest_offer(request.services.catalog, gpu, on=request.now.date(), currency=currency)
        except NoRate:
            continue
        if offer is None:
            continue
        month = Money(amount=offer.asked.amount * n * _HOURS, currency=currency)
        rents.append(
            {
                "gpu": gpu.name,
                "n": n,
                "hour": offer.asked,
                "month": month,
                "when": offer.offer.day,
                "mark": mark_of_offer(offer),
            }
        )
        steps.append(
            step_of(
                name=f"rent {gpu.name}",
                value=month.amount,
                unit=f"{currency}/month",
                how="price per card and hour x cards x hours",
                inputs=(offer.trace,),
                sources=(offer.offer.source,),
                as_of=offer.offer.as_of,
            )
        )
    return rents, tuple(steps)
