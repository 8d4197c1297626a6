"""What a sum to spend once buys where the usual choice is only for rent, or a card that nobody should take first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from advisor.errors import AdvisorError
from advisor.jobs.plan import plan_for
from advisor.jobs.spoken import Spoken
from advisor.jobs.ways import Way
from advisor.models import Method, MlModel, Note, Workload, note_of
from advisor.recommend import Channel, Option, Selection, choose
from advisor.recommend.ground import is_past
from advisor.recommend.home import is_modified
from bot.answers.asked_job import assumptions_of, spoken_of
from bot.answers.choose.offers import shown
from bot.answers.choose.wishes import Wish
from bot.answers.common import task_of
from bot.answers.memory.sizing import is_llm
from bot.core.answers import Assumption, assumption_of
from bot.core.request import Request

_LEAST_BATCH: Final = 2
_TRAINED: Final = frozenset({Method.TRAIN, Method.FULL, Method.LORA, Method.QLORA})

Chosen = tuple[Wish, Selection]


class Bought(NamedTuple):
    """A choice that a sum buys."""

    found: Selection
    winner: Option

    @property
    def is_sound(self) -> bool:
        """Whether it surely holds the job and carries no risk."""
        return self.winner.sure and not is_risky(self.winner)


def is_risky(option: Option) -> bool:
    """Whether a card to buy carries a risk that nobody takes unasked: changed memory, or software that leaves it."""
    return option.quote.channel is Channel.BUY and (is_modified(option.gpu) or is_past(option.gpu, Channel.BUY))


def for_a_sum(request: Request, wish: Wish, found: Selection) -> Chosen:
    """The choice for a sum that is spent once, made again where another way to do the same work buys a sound card.

    Tried in this order, each only where the one before has nothing: the same weights in fewer bits below a LoRA,
    a smaller batch where nobody named one, several cards for a language model that is only run.

    Args:
        request: the question.
        wish: what is looked for.
        found: the choice for it as it stands.

    Returns:
        The wish as it is met, with what was changed told in its notes, and its choice; both as they were where nothing
        better is bought.
    """
    if not _is_spent(wish) or request.slot("gpu_count") or wish.need.vram_gib:
        return wish, found
    try:
        if _is_bought(found):
            return _sound(request, wish, found)
        return _one_sound(request, wish, found) or _several(request, wish, found) or (wish, found)
    except AdvisorError:
        return wish, found


def _is_spent(wish: Wish) -> bool:
    """Whether there is a sum to spend once, not on renting, and a job to spend it for."""
    need = wish.need
    once = need.budget is not None and need.budget_period == "once" and not (need.hours_per_week or need.providers)
    return once and need.workload is not None and need.deploy is not Channel.RENT and not wish.laptop


def _is_bought(found: Selection) -> bool:
    return found.winner is not None and found.channel is Channel.BUY


def _bought(request: Request, wish: Wish, workload: Workload | None = None) -> Bought | None:
    """What the sum buys, maybe for another workload; None where it buys nothing."""
    changed = {"deploy": Channel.BUY, "workload": workload or wish.need.workload}
    found = choose(wish.need.model_copy(update=changed), request.services.catalog, request.now.date())
    return None if found.winner is None or found.channel is not Channel.BUY else Bought(found, found.winner)


# --- a sound card ---------------------------------------------------------------------------------------------------


def _sound(request: Request, wish: Wish, found: Selection) -> Chosen:
    """A card as it is sold, by a lighter way where one of doubtful origin or age is all that holds the usual one."""
    winner = found.winner
    if winner is None or not is_risky(winner) or wish.named:
        return wish, found
    lightly = _lightly(request, wish, _passed_over(request, wish, found, winner))
    together = None if lightly else _several(request, wish, found)
    if together is None or together[1].winner is None or is_risky(together[1].winner):
        return lightly or (wish, found)
    return together


def _lightly(request: Request, wish: Wish, note: Note) -> Chosen | None:
    """What a lighter way to do the same takes, where the sum buys a sound card that surely holds that."""
    for way in _lighter(request, wish):
        other = _bought(request, wish, way.workload)
        if other is not None and other.is_sound:
            return _in_way(wish, other.found, way, note), other.found
    return None


def _passed_over(request: Request, wish: Wish, found: Selection, winner: Option) -> Note:
    """What the money buys for the way that was asked for, and why it is not taken."""
    work = wish.need.workload
    view = shown(request, winner, wish.need.currency)
    values = {
        "name": winner.gpu.name,
        "n": winner.n,
        "low": view.low,
        "high": view.high,
        "need": found.requirement.gib,
        "tight": not winner.sure,
        "method": work.method.value if work is not None else "",
        "dated": view.dated,
    }
    return note_of("rec_modified_beside" if is_modified(winner.gpu) else "rec_past_beside", values)


def _lighter(request: Request, wish: Wish) -> Iterator[Way]:
    """The same fine-tuning over weights in four bits."""
    work = wish.need.workload
    if work is not None and work.method is Method.LORA:
        yield from _ways(request, wish, work.ml_model, methods=(Method.QLORA.value,))


def _one_sound(request: Request, wish: Wish, found: Selection) -> Chosen | None:
    """One card that the sum buys where it buys none for the usual way: fewer bits, or a smaller batch."""
    work, need = wish.need.workload, found.requirement.gib
    method = work.method.value if work is not None else ""
    lightly = _lightly(request, wish, note_of("rec_lightly", {"method": method, "need": need}))
    return lightly or _smaller(request, wish)


# --- a smaller batch ------------------------------------------------------------------------------------------------


def _smaller(request: Request, wish: Wish) -> Chosen | None:
    """The largest batch that a card for the sum surely holds, where nobody named one."""
    work = wish.need.workload
    if work is None or work.method not in _TRAINED or request.slot("batch") or not work.batch:
        return None
    batch = work.batch // 2
    while batch >= _LEAST_BATCH:
        for way in _ways(request, wish, work.ml_model, batch=batch)[:1]:
            bought = _bought(request, wish, way.workload)
            if bought is not None and bought.is_sound:
                note = note_of("rec_smaller_batch", {"batch": batch, "usual": work.batch})
                told = _in_way(wish, bought.found, way, note)
                return replace(told, assumptions=_with_batch(told, batch)), bought.found
        batch //= 2
    return None


def _with_batch(wish: Wish, batch: int) -> tuple[Assumption, ...]:
    kept = tuple(one for one in wish.assumptions if one.slot != "batch")
    return (*kept, assumption_of(slot="batch", value=str(batch)))


# --- several cards --------------------------------------------------------------------------------------------------


def _several(request: Request, wish: Wish, found: Selection) -> Chosen | None:
    """Cards that hold a language model together, each too small for it alone."""
    work = wish.need.workload
    if work is None or work.method is not Method.INFERENCE or not is_llm(work.ml_model) or not wish.need.home:
        return None
    wish = replace(wish, need=wish.need.model_copy(update={"several": True}))
    bought = _bought(request, wish)
    if bought is not None:
        return replace(wish, need=bought.found.ask.need), bought.found
    if found.winner is not None:
        return None
    return wish, choose(wish.need, request.services.catalog, request.now.date())  # the nearest may be several, too


# --- parts ----------------------------------------------------------------------------------------------------------


def _ways(
    request: Request, wish: Wish, model: MlModel, *, methods: Sequence[str] = (), batch: int | None = None
) -> tuple[Way, ...]:
    """The ways to do the job with something of it said otherwise."""
    work = wish.need.workload
    said: Spoken = spoken_of(request, task=task_of(request))
    stated = tuple(methods) or said.methods or ((work.method.value,) if work is not None else ())
    return plan_for(replace(said, methods=stated, batch=batch or said.batch), model).ways.ladder


def _in_way(wish: Wish, found: Selection, way: Way, note: Note) -> Wish:
    """The wish as it is met in another way, with what was changed said first."""
    own = assumptions_of(way)
    slots = {one.slot for one in own}
    kept = tuple(one for one in wish.assumptions if one.slot not in slots)
    told = (note, *wish.notes)
    return replace(wish, need=found.ask.need, ladder=(way,), assumptions=(*kept, *own), notes=told)
