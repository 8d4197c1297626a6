"""Which card (or cards) for a job, a budget, a person: three picks with reasons and what would change them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Place, judged
from advisor.jobs.ways import Way
from advisor.models import Gpu, Note, note_of
from advisor.recommend import Channel, Objective, Option, Recommendation, recommend
from advisor.recommend.estimates import speed_on, usable
from advisor.recommend.ground import is_legacy
from advisor.recommend.history import Advice, find_advice
from advisor.recommend.home import pace_of
from advisor.recommend.rank import gained
from bot.answers.asked_job import assumptions_of, verdict_facts
from bot.answers.choose.offers import Shown, price_fact, shown
from bot.answers.choose.turning import turn_of
from bot.answers.choose.wishes import Wish, read_wish, sizes_of
from bot.answers.common import decline_error, fact, is_transformer, source_refs, step_sources
from bot.core.answers import (
    Answer,
    Assumption,
    Decline,
    Offered,
    Outcome,
    answer_with,
    assumption_of,
    elicit_of,
    offered_of,
)
from bot.core.message import Chart, Fact, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from bot.answers.memory.sizing import Part

TASK_CHOICES: Final = ("llm_inference", "llm_finetune", "nlp", "cv", "image_generation", "learning")
_ENOUGH: Final = ("model", "task", "method", "vram_gb", "budget", "gpu", "provider")
_CHARTED: Final = 10
_NOTEBOOKS: Final = 3
_FEW_CARDS: Final = 2
"""Cards that people put into one computer at home."""
_ADVICE: Final = 3
_FITTING: Final = 0.85
"""Search score from which a passage answers a question that names neither job nor means."""


def handle(request: Request) -> Outcome:
    """Recommend, for a usual job where none is named; ask for the task when not even a card is spoken of."""
    if request.heard.shows("wish", "most_memory"):
        from bot.answers.choose.card_lists import asks_list, card_list  # a fact about cards and no choice

        listed = card_list(request) if asks_list(request) else None
        if listed is not None:
            return listed
    if (
        not any(request.slot(name) for name in _ENOUGH)
        and request.slot("deploy") != "laptop"
        and not _asks_plainly(request)
    ):
        from bot.answers.documents.passages import (
            passage_answer,  # searching is not paid for when a card is recommended
        )

        # a few words ("best gpu?") ask for a card of today, not for what a guide once said
        few = request.heard.is_few_words
        told = None if few else passage_answer(request, "recommend_gpu", floor=_FITTING, only=True)
        return told or elicit_of(slot="task", values=TASK_CHOICES)
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    if request.slot("cheaper_than"):
        return _cheaper(request, wish)
    return _spent(request, wish) or _chosen(request, wish)


def _chosen(request: Request, wish: Wish) -> Outcome:
    """The best card for a wish, or what stands in the way."""
    try:
        wish, found = on_ladder(request, wish)
        if wish.need.budget is not None and found.channel is Channel.RENT and wish.need.deploy is None:
            owned = _owned(request, wish)
            if not isinstance(owned, Wish):
                return owned
            if owned.need is not wish.need:
                found = recommend(owned.need, request.services.catalog, request.now.date())
            wish = owned
    except AdvisorError as error:
        return decline_error(error)
    return _told(request, wish, found)


def on_ladder(request: Request, wish: Wish) -> tuple[Wish, Recommendation]:
    """The recommendation for the first way that some card surely does for the money, else for the usual one.

    Every candidate is judged by the same way. Who wants a language model and names none gets the largest for the money.
    """
    catalog, today = request.services.catalog, request.now.date()
    for larger in sizes_of(request, wish):
        found = recommend(larger.need, catalog, today)
        if found.winner is not None and found.winner.option.sure and found.winner.option.n <= _FEW_CARDS:
            return larger, found
    tried = [(wish, recommend(wish.need, catalog, today))]
    most = wish.need.objective is Objective.MOST
    for way in wish.ladder[1:]:
        if _settled(wish, tried[-1][1]) and not most:
            break
        lighter = wish.need.model_copy(update={"workload": way.workload})
        other = replace(wish, need=lighter, ladder=(way,), assumptions=_in_way(wish, way))
        tried.append((other, recommend(lighter, catalog, today)))
    settled = [one for one in tried if _settled(wish, one[1])]
    if settled:  # the fastest of them, the usual way first
        return max(settled, key=lambda one: _worth(wish, one[1])) if most else settled[0]
    sure = (one for one in tried if one[1].winner is not None and one[1].winner.option.sure)
    return next(sure, tried[0])


def _worth(wish: Wish, found: Recommendation) -> float:
    """What a pick brings for its money, by its speed in the usual way: ways of different length do not compare."""
    if found.winner is None or wish.way is None:
        return 0.0
    option = found.winner.option
    speed = speed_on(wish.way.workload, option.gpu, option.n) or pace_of(option.gpu, option.n) or 0.0
    return gained(speed, option.cost)


def _settled(wish: Wish, found: Recommendation) -> bool:
    """Whether a card surely does the job, and is bought where a sum is named to spend once."""
    if found.winner is None or not found.winner.option.sure:
        return False
    once = wish.need.budget is not None and wish.need.budget_period == "once"
    return not once or wish.need.deploy is not None or found.channel is Channel.BUY


def _in_way(wish: Wish, way: Way) -> tuple[Assumption, ...]:
    """The assumptions of a wish, those of another way in the place of the usual one's."""
    own = {one.slot: one for one in assumptions_of(way)}
    return tuple(own.get(one.slot, one) for one in wish.assumptions)


def _cheaper(request: Request, wish: Wish) -> Outcome:
    """The best below the price of the pick before, which was too dear."""
    from bot.answers.choose.cheaper import below

    try:
        wish, found, lead = below(request, wish)
    except AdvisorError as error:
        return decline_error(error)
    made = _told(request, wish, found)
    return made.model_copy(update={"extra": {**made.extra, "lead": lead}}) if isinstance(made, Answer) else made


def _told(request: Request, wish: Wish, found: Recommendation) -> Outcome:
    if wish.laptop:
        return _laptop(request, wish, found)
    return answer_of(request, wish, found) if found.winner is not None else declined(request, wish, found)


def _spent(request: Request, wish: Wish) -> Answer | None:
    """A run from scratch, or servers, where that is what the budget is for."""
    if wish.need.budget is None or wish.laptop:
        return None
    from bot.answers.choose.scratch import scratch_answer, trains_from_scratch  # only where money is named

    if trains_from_scratch(request):
        trained = scratch_answer(request, wish)
        if trained is not None:
            return trained
    from bot.answers.choose.servers import means_servers, servers_answer  # only where money is named

    return servers_answer(request, wish) if means_servers(request, wish) else None


def _owned(request: Request, wish: Wish) -> Answer | Wish:
    """Where a one-off budget buys nothing that holds the job: servers, or what buying would take."""
    from bot.answers.choose.servers import instead_of_rental, purchase_notes, to_buy

    served = instead_of_rental(request, wish)
    if served is not None:
        return served
    lighter = to_buy(request, wish)
    if lighter.need.deploy is Channel.BUY:
        return lighter
    return replace(lighter, notes=(*lighter.notes, *purchase_notes(request, lighter)))


def _way(wish: Wish) -> str:
    """How the cards were to be had, when that was said."""
    return wish.need.deploy.value if wish.need.deploy is not None else ""


_OF_OTHERS: Final = ("author_used", "compare")
_HALF_SAID: Final = ("finetuning", "pretraining", "inference")
"""Something is to be done with a model, but which one is open: that is asked for first."""
_PLAIN: Final = frozenset({"persona", "deploy", "region", "os", "objective"})
"""Slots that say who asks and how; any other is a condition that this answer would pass over."""


def _asks_plainly(request: Request) -> bool:
    """Whether somebody says who they are and leaves everything else open: beginners start with the same few jobs."""
    if request.heard.speaks_of(*_OF_OTHERS, *_HALF_SAID) or not request.slots.keys() <= _PLAIN:
        return False
    return bool(request.slot("persona"))


def declined(request: Request, wish: Wish, found: Recommendation) -> Decline:
    """Nothing can be had for this: say what stands in the way and what comes nearest."""
    over = next((group for group in found.ruled_out if group.reason.code == "out_over_budget"), None)
    budget = wish.need.budget
    values: dict[str, Any] = {"need": found.requirement.gib}
    if over is not None and budget is not None:
        reason = note_of(
            "rec_none_budget", {**values, "budget": budget, "period": wish.need.budget_period, "way": _way(wish)}
        )
    else:
        reason = note_of("rec_none_fits", {**values, "budget": budget})
    if any(note.code == "rec_near_slow" for note in found.nearest):
        reason = note_of("rec_none_fast", values)
    estimate = found.requirement.estimate
    return Decline(
        reason=reason,
        nearest=found.nearest,
        facts=(fact("vram_needed", estimate),) if estimate else (),
        trace=(estimate.trace,) if estimate else (),
        sources=source_refs(request, step_sources(estimate.trace)) if estimate else (),
    )


def answer_of(request: Request, wish: Wish, found: Recommendation, template: str = "recommend_gpu") -> Answer:
    """The recommendation as an answer."""
    currency = wish.need.currency
    views = [shown(request, pick.option, currency, pick) for pick in found.picks]
    other = shown(request, found.other_way.option, currency, found.other_way) if found.other_way else None
    guided = found.requirement.guide_gib is not None
    old = _old_advice(request, wish)
    return answer_with(
        template=template,
        facts=(*_facts(found, views, other), *_way_facts(wish, found)),
        trace=(found.trace,),
        sources=source_refs(request, (*_sources(found, views, other), *(entry.source for entry in old))),
        assumptions=_assumptions(wish, found),
        notes=(
            *wish.notes,
            *found.notes,
            *_any_brand(request, wish),
            *_named_notes(request, wish, found),
            *_speed_notes(wish),
        ),
        conflicts=("E43",) if guided and is_transformer(wish.workload) and _near_the_line(found) else (),
        asks=_asks(request, wish),
        chart=_chart(found),
        result=found,
        extra={
            "picks": views,
            "other": other,
            "why_task": wish.defaults is not None,
            "task_note": note_of(wish.defaults.why, {}) if wish.defaults else None,
            "parts": _parts(found),
            "currency": currency,
            "advice": [{"year": entry.as_of.year, "who": entry.who, "gpus": list(entry.advises)} for entry in old],
            "flips": [_flip_view(flip, currency) for flip in found.flips],
            "turn": turn_of(found, views[0], currency) if views else None,
        },
    )


_DISPUTED: Final = (8.0, 12.0)
"""Memory of a pick, least and most, that the dispute about transformers on 10 GB touches."""


def _speed_notes(wish: Wish) -> tuple[Note, ...]:
    """At which batch speeds were compared, when it is not that of the memory need."""
    batch = wish.need.speed_batch
    return (note_of("rec_speed_batch", {"batch": batch}),) if batch else ()


def _near_the_line(found: Recommendation) -> bool:
    """Whether the guide asks for more than the job needs, and the pick is of a size that is disputed."""
    winner = found.winner
    above = found.requirement.gib < (found.requirement.guide_gib or 0)
    return above and winner is not None and _DISPUTED[0] <= winner.option.vram_gib <= _DISPUTED[1]


_SITUATIONS: Final = {
    "kaggle": ("kaggle",),
    "learning": ("serious_beginner", "casual_beginner"),
    "cv": ("vision_researcher",),
    "image_classification": ("vision_researcher",),
    "object_detection": ("vision_researcher",),
    "segmentation": ("vision_researcher",),
    "research": ("large_models", "competitive_researcher"),
    "pretrain": ("competitive_researcher",),
    "nlp": ("nlp_light", "transformers"),
    "ner": ("nlp_light", "transformers"),
    "text_classification": ("nlp_light", "transformers"),
}
_PEOPLE: Final = {
    "beginner": ("serious_beginner", "casual_beginner"),
    "hobbyist": ("spare_time", "casual_beginner"),
    "kaggler": ("kaggle",),
    "researcher": ("competitive_researcher",),
    "company": ("company_relaxed",),
}


def _old_advice(request: Request, wish: Wish) -> tuple[Advice, ...]:
    """What the documents advised in such a situation, newest first; nothing for work they do not know."""
    task, persona = request.slot("task"), request.slot("persona")
    job = wish.workload
    encoder = job is not None and job.ml_model.modality == "text-encoder"
    who = _SITUATIONS.get(task or "") or _PEOPLE.get(persona or "") or (_SITUATIONS["nlp"] if encoder else ())
    found = [entry for name in who for entry in find_advice(who=name) if entry.advises]
    return tuple(sorted(found, key=lambda entry: (-entry.as_of.toordinal(), entry.id))[:_ADVICE])


def _facts(found: Recommendation, views: list[Shown], other: Shown | None) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    need = found.requirement
    if need.estimate is not None:
        facts.append(fact("vram_needed", need.estimate))
    else:
        facts.append(fact_of(name="vram_needed", value=need.gib, unit="GiB", basis=need.basis))
    for place, view in enumerate(views):
        name = "pick" if place == 0 else f"runner_up_{place}"
        facts.append(fact_of(name=name, value=view.name, basis=view.channel))
        facts.append(fact_of(name=f"{name}_count", value=view.n))
        facts.append(fact_of(name=f"{name}_vram", value=view.vram_gib, unit="GiB"))
        facts.append(price_fact(f"{name}_price", view))
        if place and view.speed_ratio is not None:
            facts.append(
                fact_of(name=f"{name}_speed", value=round(view.speed_ratio, 3), unit="x", basis="against the pick")
            )
    if other is not None:
        facts.append(fact_of(name="other_way", value=other.name, basis=other.channel))
        facts.append(price_fact("other_way_price", other))
        facts.append(fact_of(name="other_way_vram", value=other.vram_gib, unit="GiB"))
    for flip in found.flips:
        name = f"flip_{flip.axis}_{flip.direction}"
        facts.append(fact_of(name=name, value=flip.at, low=flip.last, unit=flip.unit, basis=flip.winner or "nothing"))
    facts += [fact_of(name=group.reason.code, value=group.count, unit="cards") for group in found.ruled_out]
    return tuple(facts)


def _way_facts(wish: Wish, found: Recommendation) -> tuple[Fact, ...]:
    """The way that cards were judged by, and the verdict on the pick."""
    if wish.way is None or found.winner is None:
        return ()
    verdict = judged(wish.way, Place(found.winner.option.gpu, found.winner.option.n))
    if verdict is None:
        return ()
    return tuple(one for one in verdict_facts(verdict, wish.way) if one.name != "vram_needed")


def _sources(found: Recommendation, views: list[Shown], other: Shown | None) -> list[str]:
    ids = [view.source for view in views[:1]]
    ids += step_sources(found.trace)
    ids += [view.source for view in (*views[1:], *((other,) if other else ()))]
    if found.requirement.guide_rows:
        ids.append("seed-002")
    return [source for source in ids if source]


def _assumptions(wish: Wish, found: Recommendation) -> tuple[Assumption, ...]:
    made = list(wish.assumptions)
    budget = wish.need.budget
    if budget is not None and wish.need.budget_period in {"week", "month", "year"} and found.hours_assumed:
        made.append(assumption_of(slot="hours_per_week", value=round(found.hours_per_week)))
    return tuple(made)


def _asks(request: Request, wish: Wish) -> Offered | None:
    if wish.job is None and not request.slot("task"):
        return offered_of(slot="task")
    if wish.need.budget is None:
        return offered_of(slot="budget")
    return offered_of(slot="model") if wish.job is None else None


def _parts(found: Recommendation) -> tuple[Part, ...]:
    """Components of the memory need; nothing when the user asked for an amount of memory."""
    made = found.requirement.breakdown
    if made is None:
        return ()
    from bot.answers.memory.sizing import breakdown  # the memory model is not loaded for wishes without a job

    return breakdown(made)


def _any_brand(request: Request, wish: Wish) -> tuple[Note, ...]:
    """Beside the pick of a named brand: what would be picked without that wish."""
    if not wish.need.vendors or wish.need.vendors == ("NVIDIA",):
        return ()
    need = wish.need.model_copy(update={"vendors": (), "families": ()})
    found = recommend(need, request.services.catalog, request.now.date(), with_flips=False)
    if found.winner is None:
        return ()
    option = found.winner.option
    values = {
        "name": option.gpu.name,
        "n": option.n,
        "channel": option.quote.channel.value,
        "price": option.money,
        "currency": wish.need.currency,
    }
    return (note_of("rec_any_brand", values),)


def _named_notes(request: Request, wish: Wish, found: Recommendation) -> tuple[Note, ...]:
    """What becomes of the card the user had in mind."""
    notes: list[Note] = []
    for one in wish.named:
        if one.note is not None:
            notes.append(one.note)
        notes.append(_named_note(one.gpu.name, found))
        if is_legacy(one.gpu):
            notes.append(note_of("rec_named_legacy", {"name": one.gpu.name}))
    return tuple(notes)


def _named_note(name: str, found: Recommendation) -> Note:
    for place, option in enumerate(found.ranked, 1):
        if option.gpu.name == name:
            code = "rec_named_best" if place == 1 else "rec_named_rank"
            return note_of(code, {"name": name, "place": place, "count": len(found.ranked)})
    for group in found.ruled_out:
        if name in group.gpus:
            return note_of("rec_named_out", {"name": name, "why": group.reason.code})
    return note_of("rec_named_unpriced", {"name": name})


def _flip_view(flip: Any, currency: str) -> dict[str, Any]:
    """A flip as a note code with values."""
    renting = flip.unit.endswith("/h")
    values = {
        "at": flip.at,
        "last": flip.last,
        "winner": flip.winner,
        "n": flip.n,
        "channel": flip.channel.value if flip.channel else "",
        "label": flip.label,
        "currency": currency,
        "renting": renting,
        "percent": flip.at - 1,
    }
    code = f"flip_{flip.axis}_{flip.direction}" if flip.winner else "flip_none"
    return {"note": note_of(code, {**values, "axis": flip.axis}), "axis": flip.axis}


def _chart(found: Recommendation) -> Chart | None:
    fast = [option for option in found.ranked if option.speed][:_CHARTED]
    if len(fast) < 2 or found.winner is None or not found.winner.option.speed:
        return None
    renting = found.channel is Channel.RENT
    unit = f"{found.need.currency} per hour" if renting else found.need.currency
    top = found.winner.option.speed
    return Chart(
        kind="scatter",
        title="Price and speed of the cards that hold the job",
        x_label=unit,
        y_label="speed, winner = 1",
        series=tuple((_label(o), ((o.cost, (o.speed or 0.0) / top),)) for o in fast),
    )


def _label(option: Option) -> str:
    return option.gpu.name if option.n == 1 else f"{option.n}x {option.gpu.name}"


def _laptop(request: Request, wish: Wish, found: Recommendation) -> Outcome:
    """Notebook cards carry other memory than their desktop namesakes: say what to look for, and what to rent."""
    rented = found.winner if found.channel is Channel.RENT else found.other_way
    view = shown(request, rented.option, wish.need.currency, rented) if rented else None
    need = found.requirement
    notebooks = _notebooks(request, need.gib, need.guide_gib or 0.0)
    size = min((gpu.vram_gib for gpu in notebooks if gpu.vram_gib), default=None)
    facts = [fact("vram_needed", need.estimate)] if need.estimate else []
    if size is not None:
        facts.append(fact_of(name="laptop_vram", value=size, unit="GiB", basis="next size above the need"))
    facts += [fact_of(name="laptop_gpu", value=gpu.name) for gpu in notebooks]
    if view is not None:
        facts.append(fact_of(name="other_way", value=view.name, basis=view.channel))
        facts.append(price_fact("other_way_price", view))
    sources = step_sources(need.estimate.trace) if need.estimate else ()
    return answer_with(
        template="recommend_gpu",
        facts=tuple(facts),
        trace=(need.estimate.trace,) if need.estimate else (),
        sources=source_refs(request, (*sources, *((view.source,) if view else ()))),
        assumptions=wish.assumptions,
        asks=_asks(request, wish),
        result=found,
        extra={
            "laptop": size or 0,
            "notebooks": notebooks,
            "advice": [],
            "picks": [],
            "other": view,
            "parts": _parts(found),
            "flips": [],
            "why_task": False,
        },
    )


def _notebooks(request: Request, gib: float, guide: float) -> list[Gpu]:
    """Notebook cards that hold the job, newest series first, the smallest that does first within it."""
    cards = [
        gpu
        for gpu in request.services.catalog.gpus.values()
        if gpu.form_factor == "laptop" and usable(gpu) >= gib and (gpu.vram_gib or 0.0) >= guide
    ]
    return sorted(cards, key=lambda gpu: (-_generation(gpu), gpu.vram_gib or 0.0, gpu.id))[:_NOTEBOOKS]


def _generation(gpu: Gpu) -> float:
    return float(gpu.compute_capability or 0)
