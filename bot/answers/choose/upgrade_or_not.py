"""Keep, replace, add or wait: what a newer card would bring over the one at hand, for the job and for the money."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Chosen, Place, chosen_on, judged
from advisor.memory.results import Verdict
from advisor.models import Gpu, Method, Note, Step, Workload, note_of, step_of
from advisor.recommend import Channel, Selection, choose
from advisor.recommend.core import price_step
from advisor.recommend.estimates import memory_on, speed_on
from advisor.recommend.ground import is_legacy
from advisor.recommend.home import is_modified
from advisor.recommend.market import buy_quotes, market
from advisor.recommend.models import Option
from bot.answers.asked_job import verdict_facts
from bot.answers.choose.aspects import aspects_of
from bot.answers.choose.for_a_sum import in_batch, smaller_batches
from bot.answers.choose.offer_lines import offer_of
from bot.answers.choose.offers import Shown, price_fact, shown
from bot.answers.choose.own_card import DRAWN, OPEN, added_card, net_price, sale_lines, second_card
from bot.answers.choose.upgrade_lines import Upgrade, headline_of, lines_of
from bot.answers.choose.upgrade_targets import fastest_last, targets_told
from bot.answers.choose.waiting import newest_series
from bot.answers.choose.wishes import Wish, read_wish
from bot.answers.choose.worth import holds
from bot.answers.common import counts_beside, decline_error, source_refs, step_sources
from bot.answers.documents.said import said
from bot.answers.documents.said_lines import told_in_full
from bot.core.answers import Decline, Outcome, answer_with, elicit_of, offered_of
from bot.core.line import Line
from bot.core.message import Fact, fact_of
from bot.core.passages import Told
from bot.core.request import Request

OWNED_CHOICES: Final = ("RTX 2080 Ti", "RTX 3060 12GB", "RTX 3070", "RTX 3080 10GB", "RTX 3090", "RTX 4090")
WORTH: Final = 1.6
"""Speed gain from which a replacement is felt; the documents call 1.5x (2080 Ti to 3090) usually not worth it."""
MUCH: Final = 2.5
_ROOMIER: Final = 1.3
"""So much more memory takes larger models."""
_PAIR: Final = ("owned", "target")
_KEEP: Final = "keep"
_SHORT: Final = frozenset({"up.upgrade_memory", "up.upgrade_old"})
"""Verdicts on a card that does not do the job, or is past its time."""


def handle(request: Request) -> Outcome:
    """Judge an upgrade from the first named card, to the second one or to what the advisor would take."""
    if not request.slot("gpu"):
        return elicit_of(slot="gpu", values=OWNED_CHOICES)
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    try:
        return _judge(request, wish)
    except AdvisorError as error:
        return decline_error(error)


def _judge(request: Request, wish: Wish) -> Outcome:
    wish = fastest_last(_from_the_lesser(_with_target_open(request, wish)))
    owned = wish.named[0].gpu
    n = _at_hand(request, wish)
    wish = _as_it_runs(request, wish, n)
    option, target, found = _target(request, wish, owned)
    planned = chosen_on(wish.ladder, [Place(owned, n)])
    m = _wanted(request, wish)
    told = _weighed(request, wish, option, target, planned, n, m)
    own = verdict_facts(planned[0].verdict, planned[0].way) if planned else ()
    trace = (_step(owned, target, option, told.gain, wish.workload),) if target else ()
    docs = said(request, "upgrade_or_not")
    beside = added_card(request, wish)
    second = None if beside is not None else second_card(request, wish, owned, wish.need.currency, n)
    heads = _heads(request, told, second)
    return answer_with(
        headline=heads[:1],
        lines=(
            *heads[1:],
            *((beside,) if beside is not None else targets_told(wish)),
            *_rather(request, wish, told, found),
            *aspects_of(request, _sides(owned, n if second is None else n + 1, target)),
            *sale_lines(request, owned, told.offer, wish.need.currency),
            *lines_of(told),
        ),
        blocks=tuple(told_in_full(docs.views)),
        facts=(*_facts(owned, target, told.offer, told.gain), *own),
        trace=(*trace, *docs.steps),
        sources=(*source_refs(request, _sources(told, trace)), *docs.sources),
        assumptions=wish.assumptions,
        notes=_notes(request, owned, target, option, told.verdict, found),
        conflicts=docs.conflicts,
        asks=None if request.slot("model") or request.slot("task") else offered_of(slot="task"),
        told=Told(passages=docs.ids, only_in_full=True),
    )


def _as_it_runs(request: Request, wish: Wish, n: int) -> Wish:
    """The wish in the largest batch that the card at hand surely holds, where the usual one is too large for it.

    Who trains on a card does it in a batch that goes on it, unless one was named or the memory ran out.
    """
    place = Place(wish.named[0].gpu, n)
    if request.heard.speaks_of("out_of_memory") or _runs(chosen_on(wish.ladder, [place])) is not False:
        return wish
    for batch, way in smaller_batches(request, wish):
        verdict = judged(way, place)
        if verdict is not None and verdict.word is Verdict.FITS:
            return in_batch(wish, batch, way)
    return wish


def _weighed(
    request: Request,
    wish: Wish,
    option: Option | None,
    target: Gpu | None,
    planned: tuple[Chosen, ...],
    n: int,
    m: int,
) -> Upgrade:
    """`n` of the card at hand against `m` of the one in its place."""
    owned = wish.named[0].gpu
    gain = _gain(owned, target, wish.workload, n, m) if target else None
    offer = shown(request, option, wish.need.currency) if option else None
    holds, need = _held(request, owned, planned)
    return Upgrade(
        owned=owned,
        target=target,
        offer=offer,
        n=n,
        m=m,
        net=net_price(request, owned, n, offer, wish.need.currency) if m == 1 else None,
        reach=_reach(request, owned, target),
        gain=gain,
        verdict=_verdict(owned, target, holds, _is_enough(wish, option, target, m), gain, n / m),
        holds=holds,
        need=need,
        named=wish.job is not None or (wish.task is not None and wish.task == request.slot("task")),
    )


def _held(request: Request, owned: Gpu, planned: tuple[Chosen, ...]) -> tuple[bool | None, float | None]:
    """Whether the card at hand runs the job, and what that takes; what ran out of memory there does not, whatever the
    usual way takes."""
    need = planned[0].verdict.need if planned else None
    if not request.heard.speaks_of("out_of_memory"):
        return _runs(planned), need
    return False, need if need is not None and need >= (owned.vram_gib or 0.0) else None


def _several(request: Request) -> bool:
    """Whether several cards of a kind are at hand."""
    return max(counts_beside(request).values(), default=1) > 1


def _at_hand(request: Request, wish: Wish) -> int:
    """How many of the card at hand there are."""
    return counts_beside(request).get(wish.named[0].asked, 1)


def _wanted(request: Request, wish: Wish) -> int:
    """How many of the newer card are meant, where it is named."""
    return counts_beside(request).get(wish.named[-1].asked, 1) if len(wish.named) > 1 else 1


def _reach(request: Request, owned: Gpu, target: Gpu | None) -> tuple[int, int]:
    """Largest usual models that the card at hand and the newer one run, in billions of parameters."""
    catalog = request.services.catalog
    return (holds(catalog, owned).run, holds(catalog, target).run) if target is not None else (0, 0)


def _heads(request: Request, told: Upgrade, second: Line | None) -> tuple[Line, ...]:
    """The verdict on the newer card, behind one more of the card at hand where the job takes that."""
    lines = (_now(request, headline_of(told)), *((second,) if second is not None else ()))
    return lines if second is None or second.say in {OPEN, DRAWN} else lines[::-1]


def _now(request: Request, verdict: Line) -> Line:
    """The verdict, behind a no where it is asked whether to wait and what is at hand falls short."""
    waits = request.heard.speaks_of("next_gen") or request.heard.shows("wish", "wait")
    return Line("up.now", {"verdict": verdict}) if waits and verdict.say in _SHORT else verdict


def _sides(owned: Gpu, n: int, target: Gpu | None) -> list[tuple[Gpu, int]]:
    """What may stand in the machine: the newer card, or so many of that at hand."""
    return [*([(target, 1)] if target is not None else []), (owned, n)]


def _with_target_open(request: Request, wish: Wish) -> Wish:
    """The wish with the card at hand alone, where it is asked what to take in the place of the other one."""
    heard = request.heard
    is_open = len(wish.named) == len(_PAIR) and heard.shows("upgrade", "to_what") and not heard.named("gpu")
    return replace(wish, named=wish.named[:1]) if is_open else wish


def _rather(request: Request, wish: Wish, told: Upgrade, found: Selection) -> tuple[Line, ...]:
    """What would be a step up, where the card that is named is none."""
    if told.verdict != _KEEP or len(wish.named) == 1:
        return ()
    better = _clearly_more(told.owned, wish, found)
    offer = shown(request, better, wish.need.currency) if better is not None else None
    return (Line("up.rather", {"offer": offer_of(offer)}),) if offer is not None else ()


def _from_the_lesser(wish: Wish) -> Wish:
    """The wish with the card at hand first: of two of which one is slower and smaller, nobody goes on to that one."""
    if len(wish.named) != len(_PAIR):
        return wish
    first, second = (one.gpu for one in wish.named)
    gain = _gain(first, second, wish.workload)
    worse = gain is not None and gain < 1.0 and (second.vram_gib or 0.0) < (first.vram_gib or 0.0)
    return replace(wish, named=(wish.named[1], wish.named[0])) if worse else wish


def _target(request: Request, wish: Wish, owned: Gpu) -> tuple[Option | None, Gpu | None, Selection]:
    """The second named card, else the best that is clearly more, with its price and the choice it is from."""
    option, found = _best(request, wish, owned)
    if len(wish.named) > 1:
        target = wish.named[-1].gpu
        return _option_of(request, wish, target), target, found
    return option, option.gpu if option else None, found


def _is_enough(wish: Wish, option: Option | None, target: Gpu | None, m: int = 1) -> bool:
    """Whether the newer card does the job; several of it share it."""
    if option is not None and option.n > 1:
        return True
    return target is None or _runs(chosen_on(wish.ladder, [Place(target, m)])) is not False


def _sources(told: Upgrade, trace: tuple[Step, ...]) -> list[str]:
    ids = [told.offer.source] if told.offer else []
    ids += [source for step in trace for source in step_sources(step)]
    return [one for one in ids if one]


def _facts(owned: Gpu, target: Gpu | None, view: Shown | None, gain: float | None) -> tuple[Fact, ...]:
    facts = [fact_of(name="owned", value=owned.name), fact_of(name="owned_vram", value=owned.vram_gib, unit="GiB")]
    if target is not None:
        facts.append(fact_of(name="target", value=target.name))
        facts.append(fact_of(name="target_vram", value=target.vram_gib, unit="GiB"))
    if view is not None:
        facts.append(price_fact("target_price", view))
    if gain is not None:
        facts.append(fact_of(name="speed_gain", value=round(gain, 3), unit="x", basis="throughput model"))
    return tuple(facts)


def _best(request: Request, wish: Wish, owned: Gpu) -> tuple[Option | None, Selection]:
    """The best card that is clearly more than the owned one, with the choice it comes from."""
    need = wish.need.model_copy(update={"owned": (owned.id,), "deploy": Channel.BUY, "vram_gib": None})
    found = choose(need, request.services.catalog, request.now.date())
    return _clearly_more(owned, wish, found), found


def _clearly_more(owned: Gpu, wish: Wish, found: Selection) -> Option | None:
    """The best of a choice that is clearly more than the card at hand, None where nothing is."""
    more = [one for one in found.ranked if _is_more(one, owned, wish)]
    # a modified card is a risk that nobody takes who did not ask for it, and a slower or smaller one is no upgrade
    sound = [one for one in more if not is_modified(one.gpu)]
    faster = [one for one in sound if (_gain(owned, one.gpu, wish.workload) or 1.0) >= 1.0]
    roomy = [one for one in faster if one.vram_gib >= (owned.vram_gib or 0.0)]
    return next(chain(roomy, faster, sound, more), None)


def _is_more(option: Option, owned: Gpu, wish: Wish) -> bool:
    """Whether a card is clearly more than the one at hand: in speed or in memory."""
    gain = _gain(owned, option.gpu, wish.workload)
    return (gain or 0.0) >= WORTH or option.vram_gib > (owned.vram_gib or 0.0) * 1.3


def _option_of(request: Request, wish: Wish, gpu: Gpu) -> Option | None:
    """A named card with its purchase price, however old; None when there is none."""
    made = market(request.services.catalog, request.now.date(), wish.need.currency)
    quotes = buy_quotes(made, gpu, wish.need) or buy_quotes(made, gpu, wish.need.model_copy(update={"region": ""}))
    if not quotes:
        return None
    quote = min(quotes, key=lambda one: (one.firmness, one.price))
    key = (gpu.id, 1, quote.channel.value, quote.offer)
    return Option(gpu, 1, quote, float(quote.price), gpu.vram_gib or 0.0, None, True, True, 1, key)


def _runs(planned: tuple[Chosen, ...]) -> bool | None:
    """Whether a card runs the job in the way that is meant there; None without a job or without its memory."""
    if not planned or planned[0].verdict.usable is None:
        return None
    return planned[0].verdict.runs


def _gain(owned: Gpu, target: Gpu, job: Workload | None, n: int = 1, m: int = 1) -> float | None:
    """Speed of `m` of the target over the `n` cards at hand on the job."""
    if job is None:
        return None
    before, after = speed_on(job, owned, n), speed_on(job, target, m)
    return after / before if before and after else None


def _verdict(owned: Gpu, target: Gpu | None, holds: bool | None, enough: bool, gain: float | None, n: float) -> str:
    """What of `Upgrade.verdict` the figures bear out (rows 002-168 to 002-171)."""
    if target is None:
        return "none"
    if holds is False:
        return "upgrade_memory" if enough else "too_small"
    if is_legacy(owned) and not is_legacy(target):
        return "upgrade_old"
    room = (target.vram_gib or 0.0) / (n * (owned.vram_gib or 1.0))
    if gain is None:
        return "maybe" if room >= 1.0 else _KEEP
    return _by_speed(gain, room)


def _by_speed(gain: float, room: float) -> str:
    """Of a card at hand that does the job: what the speed is worth, and the memory where the speed is not."""
    if gain >= WORTH:
        return "upgrade_speed" if gain >= MUCH else "upgrade_worth"
    return "memory_alone" if room >= _ROOMIER else _KEEP


def _step(owned: Gpu, target: Gpu, option: Option | None, gain: float | None, job: Workload | None) -> Step:
    inputs = [
        step_of(name="owned_vram", value=owned.vram_gib, unit="GiB", how="claim", sources=_source(owned)),
        step_of(name="target_vram", value=target.vram_gib, unit="GiB", how="claim", sources=_source(target)),
    ]
    if option is not None:
        inputs.append(price_step(option))
    if job is not None:
        inputs.append(memory_on(job, 1).total.trace)
    return step_of(
        name="speed_gain",
        value=gain,
        unit="x",
        how="throughput of the new card / throughput of the old one",
        inputs=tuple(inputs),
        rows=("002-168", "002-169", "002-170", "002-171"),
    )


def _source(gpu: Gpu) -> tuple[str, ...]:
    source = gpu.sources.get("vram_gib") or gpu.sources.get("*")
    return (source,) if source else ()


def _notes(
    request: Request, owned: Gpu, target: Gpu | None, option: Option | None, verdict: str, found: Selection
) -> tuple[Note, ...]:
    notes: list[Note] = []
    if option is not None and not option.quote.standing.solid:
        notes.append(note_of("rec_check_price", {"year": option.quote.year}))
    if verdict == "maybe":
        job = found.choice.need.workload
        runs = job is not None and job.method is Method.INFERENCE
        notes.append(note_of("up_tricks_running" if runs else "up_tricks_first", {}))
    rented = found.other_way
    if rented is not None and rented.quote.channel is Channel.RENT and option is not None:
        values = _rent_instead(option, rented, found.choice.need.currency)
        if values is not None:
            notes.append(note_of("up_rent_instead", values))
    notes += _of_power(owned, target, 0 if _several(request) else 1)
    newest = newest_series(request)
    if newest is not None:
        notes.append(newest)
    return tuple(notes)


def _of_power(owned: Gpu, target: Gpu | None, n: int) -> list[Note]:
    """What the change adds to the power that is drawn, of one card for one."""
    before, after = owned.board_power_w, target.board_power_w if target is not None else None
    return [note_of("up_power", {"before": before, "after": after})] * n if before and after and after > before else []


def _rent_instead(target: Option, rented: Option, currency: str) -> dict[str, object] | None:
    """How many hours of rental the price of the new card buys."""
    if target.quote.channel is not Channel.BUY or not rented.cost:
        return None
    return {
        "hours": target.cost / rented.cost,
        "name": rented.gpu.name,
        "price": rented.money,
        "currency": currency,
    }
