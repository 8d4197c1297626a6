"""What a sum to spend once buys where the usual choice is only for rent, or a card that nobody should take first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from advisor.errors import AdvisorError
from advisor.jobs.plan import Place, judged, plan_for
from advisor.jobs.spoken import Spoken
from advisor.jobs.ways import Way
from advisor.memory.estimate import brief
from advisor.memory.results import Verdict
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
    a smaller batch where nobody named one, several cards for a language model that is only run. What surely holds the
    work as asked is left as it is.

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
    """A card as it is sold that surely holds the work, where the one that is bought for the usual way is not that.

    For one of doubtful origin or age, a lighter way or several cards; for one that is only tight, a smaller batch, as
    less money would have bought it: a card that surely holds is not given up because there is more to spend.
    """
    winner = found.winner
    if winner is None or wish.named or Bought(found, winner).is_sound:
        return wish, found
    if is_risky(winner):
        other = _without_risk(request, wish, found, winner)
        if other is not None:
            return other
    return _smaller(request, wish, found) or (_with_remedy(request, wish, winner), found)


def _with_remedy(request: Request, wish: Wish, winner: Option) -> Wish:
    """The wish with the lighter way that surely does it on the card which is only tight for the way that was named."""
    for way in _lighter(request, wish) if not winner.sure else ():
        verdict = judged(way, Place(winner.gpu, winner.n))
        if verdict is not None and verdict.word is Verdict.FITS:
            values = {"method": way.workload.method.value, "need": brief(verdict.figure).value}
            return replace(wish, notes=(note_of("rec_surely_lighter", values), *wish.notes))
    return wish


def _without_risk(request: Request, wish: Wish, found: Selection, winner: Option) -> Chosen | None:
    """A lighter way, else several cards, in the place of a card of doubtful origin or age."""
    lightly = _lightly(request, wish, (_passed_over(request, wish, found, winner),))
    if lightly is not None:
        return lightly
    together = _several(request, wish, found)
    return None if together is None or together[1].winner is None or is_risky(together[1].winner) else together


def _lightly(request: Request, wish: Wish, notes: tuple[Note, ...]) -> Chosen | None:
    """What a lighter way to do the same takes, where the sum buys a sound card that surely holds that."""
    for way in _lighter(request, wish):
        other = _bought(request, wish, way.workload)
        if other is not None and other.is_sound:
            return _in_way(wish, other.found, way, notes), other.found
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
    work = wish.need.workload
    notes: tuple[Note, ...] = ()
    if work is not None and request.slot("method"):  # what nobody asked for is not missed
        notes = (note_of("rec_lightly", {"method": work.method.value, "need": found.requirement.gib}),)
    return _lightly(request, wish, notes) or _smaller(request, wish, found)


# --- a smaller batch ------------------------------------------------------------------------------------------------


def _smaller(request: Request, wish: Wish, found: Selection) -> Chosen | None:
    """The largest batch that a card for the sum surely holds, where nobody named one."""
    work = wish.need.workload
    for batch, way in smaller_batches(request, wish):
        bought = _bought(request, wish, way.workload)
        if work is not None and bought is not None and bought.is_sound:
            usual = {"usual": work.batch, "tight": _is_among(found, bought.winner)}
            note = note_of("rec_smaller_batch", {"batch": batch, **usual})
            told = _in_way(wish, bought.found, way, (note,))
            return replace(told, assumptions=_with_batch(told, batch)), bought.found
    return None


def smaller_batches(request: Request, wish: Wish) -> Iterator[tuple[int, Way]]:
    """The job of a wish in smaller batches than the usual one, the largest first; none where a batch was named."""
    work = wish.need.workload
    if work is None or work.method not in _TRAINED or request.slot("batch") or not work.batch:
        return
    batch = work.batch // 2
    while batch >= _LEAST_BATCH:
        for way in _ways(request, wish, work.ml_model, batch=batch)[:1]:
            yield batch, way
        batch //= 2


def in_batch(wish: Wish, batch: int, way: Way) -> Wish:
    """The wish with its job in another batch."""
    need = wish.need.model_copy(update={"workload": way.workload})
    return replace(wish, need=need, ladder=(way,), assumptions=_with_batch(wish, batch))


def _is_among(found: Selection, winner: Option) -> bool:
    """Whether a card may hold the usual batch, too: it is then tight, else the choice had been left as it was."""
    return _is_bought(found) and any(one.gpu.id == winner.gpu.id for one in found.ranked)


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


def _in_way(wish: Wish, found: Selection, way: Way, notes: tuple[Note, ...]) -> Wish:
    """The wish as it is met in another way, with what was changed said first."""
    own = assumptions_of(way)
    slots = {one.slot for one in own}
    kept = tuple(one for one in wish.assumptions if one.slot not in slots)
    told = (*notes, *wish.notes)
    return replace(wish, need=found.ask.need, ladder=(way,), assumptions=(*kept, *own), notes=told)
