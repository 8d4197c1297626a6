"""A recommendation as an answer: its facts, its remarks and what it assumes; the lines are `recommend_lines`."""

from __future__ import annotations

from typing import Final

from advisor.models import Gpu, Note, note_of
from advisor.recommend import Channel, Recommendation, choose
from advisor.recommend.ground import is_legacy
from advisor.recommend.history import Advice, find_advice
from advisor.recommend.models import Flip
from bot.answers.choose.aspects import aspects_of
from bot.answers.choose.named_verdict import Named, named_verdict
from bot.answers.choose.offers import Shown, shown
from bot.answers.choose.pick_uses import uses_of_pick
from bot.answers.choose.recommend_facts import chart_of, facts_of, sources_of
from bot.answers.choose.recommend_lines import Recommended, blocks_of, headline_of, lines_of
from bot.answers.choose.room import room_lines
from bot.answers.choose.turning import turn_of
from bot.answers.choose.whole_budget import pooled
from bot.answers.choose.wishes import Wish
from bot.answers.common import is_transformer, source_refs
from bot.answers.witness import MEMORY, witness_notes
from bot.core.answers import Answer, Assumption, Offered, answer_with, assumption_of, offered_of
from bot.core.line import Figure, Line, Worded, amount
from bot.core.request import Request

_ADVICE: Final = 3
_DISPUTED: Final = (8.0, 12.0)
"""Memory of a pick, least and most, that the dispute about transformers on 10 GB touches."""
_SPREAD: Final = frozenset({"week", "month", "year"})
"""Periods of a budget that are turned into hours of use."""


def answer_of(request: Request, wish: Wish, found: Recommendation, lead: Line | None = None) -> Answer:
    """The recommendation as an answer, behind the verdict on the card that was asked about.

    `lead`: what to say of an earlier pick before this one is named.
    """
    named = named_verdict(request, wish, found)
    if named is not None and named.settles:
        return _settled(request, wish, named)
    answer = _picked(request, wish, found, lead)
    if named is None:
        return answer
    behind = {"lines": (*answer.headline, *answer.lines), "facts": (*answer.facts, named.fact)}
    return answer.model_copy(update={"headline": (named.line,), **behind})


def _picked(request: Request, wish: Wish, found: Recommendation, lead: Line | None) -> Answer:
    currency = wish.need.currency
    views = [shown(request, pick.option, currency, pick) for pick in found.picks]
    other = shown(request, found.other_way.option, currency, found.other_way) if found.other_way else None
    guided = found.requirement.guide_gib is not None
    old = _old_advice(request, wish)
    told = Recommended(
        found=found,
        picks=tuple(views),
        other=other,
        lead=lead,
        turn=turn_of(found, views[0], currency),
        flips=tuple(_flip_note(flip, currency) for flip in found.flips),
        remarks=(
            *(*wish.notes, *pooled(request, wish, views[0]), *found.notes),
            *(*_any_brand(request, wish), *_named_notes(wish, found), *_lone(found)),
        ),
        basis=(*_task_notes(wish), *_speed_notes(wish)),
        advice=old,
        listed=request.heard.shows("wish", "list_of"),
        lasts=_lasts(wish, views[0]),
    )
    heads = _heads(request, wish, told)
    return answer_with(
        headline=heads[:1],
        lines=(
            *heads[1:],
            *uses_of_pick(request, wish, found),
            *room_lines(request, found.picks[0].option.gpu),
            *aspects_of(request, _sides(found)),
            *lines_of(told),
        ),
        blocks=blocks_of(told),
        facts=facts_of(wish, found, views, other),
        trace=(found.trace,),
        sources=source_refs(request, (*sources_of(found, views, other), *(entry.source for entry in old))),
        assumptions=_assumptions(wish, found),
        conflicts=("E43",) if guided and is_transformer(wish.workload) and _near_the_line(found) else (),
        asks=asks_of(request, wish),
        chart=chart_of(found),
        result=found,
    )


def _settled(request: Request, wish: Wish, named: Named) -> Answer:
    """The card that is named does the job: no other one is needed, and none is picked."""
    return answer_with(
        headline=(named.line,),
        facts=(named.fact,),
        assumptions=wish.assumptions,
        notes=tuple(one.note for one in wish.named if one.note is not None),
        asks=asks_of(request, wish),
    )


def _lasts(wish: Wish, pick: Shown) -> Line | None:
    """For how many hours what may be spent in a week, month or year rents the pick."""
    need = wish.need
    if need.budget is None or need.budget_period not in _SPREAD or pick.channel != Channel.RENT.value:
        return None
    hours = float(need.budget.amount / pick.price.amount)
    spent: dict[str, Worded] = {"budget": amount(need.budget), "hours": Figure(hours, "hour")}
    return Line(f"rec.lasts.{need.budget_period}", spent)


def _sides(found: Recommendation) -> list[tuple[Gpu, int]]:
    """The pick with its count."""
    return [(pick.option.gpu, pick.option.n) for pick in found.picks[:1]]


def _heads(request: Request, wish: Wish, told: Recommended) -> tuple[Line, ...]:
    """The pick; behind a second one of the card at hand, where that does the job for less."""
    pick, head = told.picks[0], headline_of(told)
    if pick.channel != Channel.BUY.value:
        return (head,)
    from bot.answers.choose.own_card import second_instead  # only where a card is bought

    second = second_instead(request, wish, pick.price.amount)
    return (head,) if second is None else (second, head)


def asks_of(request: Request, wish: Wish) -> Offered | None:
    """The slot that would narrow the recommendation most."""
    if wish.job is None and not request.slot("task"):
        return offered_of(slot="task")
    if wish.need.budget is None:
        return offered_of(slot="budget")
    return offered_of(slot="model") if wish.job is None else None


def _assumptions(wish: Wish, found: Recommendation) -> tuple[Assumption, ...]:
    spread = wish.need.budget is not None and wish.need.budget_period in _SPREAD
    if not spread or not found.hours_assumed:
        return wish.assumptions
    return (*wish.assumptions, assumption_of(slot="hours_per_week", value=round(found.hours_per_week)))


def _task_notes(wish: Wish) -> tuple[Note, ...]:
    """Which job was taken where only the kind of work was named."""
    return (note_of(wish.defaults.why, {}),) if wish.defaults else ()


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


def _any_brand(request: Request, wish: Wish) -> tuple[Note, ...]:
    """Beside the pick of a named brand: what would be picked without that wish."""
    if not wish.need.vendors or wish.need.vendors == ("NVIDIA",):
        return ()
    need = wish.need.model_copy(update={"vendors": (), "families": ()})
    option = choose(need, request.services.catalog, request.now.date()).winner
    if option is None:
        return ()
    values = {
        "name": option.gpu.name,
        "n": option.n,
        "channel": option.quote.channel.value,
        "price": option.money,
        "currency": wish.need.currency,
    }
    return (note_of("rec_any_brand", values),)


def _lone(found: Recommendation) -> tuple[Note, ...]:
    """Whether the memory that the pick is chosen for rests on one source."""
    return witness_notes([pick.option.gpu for pick in found.picks[:1]], MEMORY)


def _named_notes(wish: Wish, found: Recommendation) -> tuple[Note, ...]:
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


def _flip_note(flip: Flip, currency: str) -> Note:
    """What would change the pick."""
    values = {
        "at": flip.at,
        "last": flip.last,
        "winner": flip.winner,
        "n": flip.n,
        "channel": flip.channel.value if flip.channel else "",
        "label": flip.label,
        "currency": currency,
        "renting": flip.unit.endswith("/h"),
        "percent": flip.at - 1,
        "axis": flip.axis,
    }
    return note_of(f"flip_{flip.axis}_{flip.direction}" if flip.winner else "flip_none", values)
