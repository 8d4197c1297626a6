"""The recommendation: prepare options, choose, give reasons, and look for what would change the verdict.

Pure: the catalogue and the day are arguments. `recommend` may be asked with other models of memory and speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from advisor.claims import sources_of
from advisor.models import Note, Step, note_of, step_of
from advisor.recommend.candidates import exclusions
from advisor.recommend.choose import Choice, hours_per_week
from advisor.recommend.estimates import default_models
from advisor.recommend.flips import find_flips
from advisor.recommend.ground import is_legacy
from advisor.recommend.home import is_modified
from advisor.recommend.models import (
    Channel,
    Need,
    Objective,
    Option,
    Pick,
    Recommendation,
    Requirement,
    RuledOut,
)
from advisor.recommend.near import Ask, lighter_note, nearest
from advisor.recommend.need import Models, check_need
from advisor.recommend.reasons import first_pick, picks_of
from advisor.recommend.settings import settings

if TYPE_CHECKING:
    from advisor.catalog import Catalog


def recommend(
    need: Need, catalog: Catalog, today: date, models: Models | None = None, *, with_flips: bool = True
) -> Recommendation:
    """The best cards for a need on a day.

    Args:
        need: the wish; what it leaves open is assumed (see `Need`).
        catalog: cards, models and offers.
        today: decides which cards and prices exist and how old they are.
        models: memory and speed estimates, the advisor's own unless given.
        with_flips: also search for the nearest changes of the verdict (some more milliseconds).

    Raises:
        OutOfRange: a number of the need that no market can have.
        UnsupportedCombination: the workload has settings that no estimate supports.
        NoRate: the currency of the need has no rate on record.
    """
    return choose(need, catalog, today, models).told(with_flips=with_flips)


def choose(need: Need, catalog: Catalog, today: date, models: Models | None = None) -> Selection:
    """Who wins, and in which channel: a `recommend` whose reasons nobody has asked for yet. Raises as it does."""
    check_need(need)
    ask = Ask(need, catalog, today, models or default_models())
    return Selection(ask, ask.choice(need))


@dataclass(frozen=True, slots=True)
class Selection:
    """The verdict on a need, for whoever compares several before one is told."""

    ask: Ask
    choice: Choice

    @property
    def winner(self) -> Option | None:
        """The best option, None when nothing can be had."""
        return self.choice.winner

    @property
    def channel(self) -> Channel:
        """How it is had."""
        return self.choice.channel

    @property
    def other_way(self) -> Option | None:
        """The best option of the other channel."""
        return self.choice.other().winner

    @property
    def ranked(self) -> tuple[Option, ...]:
        """All feasible options of that channel, best first."""
        return self.choice.order

    @property
    def requirement(self) -> Requirement:
        """Memory need per card on as many cards as win, with its trail."""
        made, winner = self.choice.made, self.winner
        return made.need_on(winner.n if winner else min(made.wants))

    def told(self, *, with_flips: bool = True) -> Recommendation:
        """The same with reasons, runners-up and what was left out; with what would change it (`with_flips`)."""
        return _assemble(self.ask, self.choice, self.requirement, with_flips=with_flips)


def _assemble(ask: Ask, choice: Choice, want: Requirement, *, with_flips: bool) -> Recommendation:
    need, made = ask.need, choice.made
    over = choice.over()
    if over:
        kept = {option.gpu.id for channel in Channel for option in choice.options(channel)}
        over = [one for one in over if one.gpu.id not in kept]
    left_out, unpriced = exclusions(need, made, over)
    picks = picks_of(choice, need, want)
    flips = find_flips(need, ask.catalog, ask.today, ask.models, made, choice) if with_flips and picks else ()
    return Recommendation(
        need=need,
        workload=made.job,
        requirement=want,
        channel=choice.channel,
        picks=picks,
        other_way=_other_way(choice, need, want),
        ranked=choice.order,
        unpriced=unpriced,
        ruled_out=tuple(RuledOut(reason=note, gpus=names) for note, names in left_out),
        flips=flips,
        nearest=() if picks else nearest(ask, choice, unpriced),
        notes=(*lighter_note(ask, choice), *_notes(need, choice)),
        hours_per_week=hours_per_week(need),
        hours_assumed=need.hours_per_week is None,
        trace=_trace(want, picks),
    )


def _other_way(choice: Choice, need: Need, want: Requirement) -> Pick | None:
    """The best option of the channel that was not chosen."""
    made, other = choice.made, choice.other()
    if other.winner is None:
        return None
    if choice.winner is None or other.winner.n != choice.winner.n:
        want = made.need_on(other.winner.n)
    return first_pick(other, need, want)


def _price_remarks(need: Need, choice: Choice, winner: Option) -> Iterator[Note]:
    quote = winner.quote
    if is_legacy(winner.gpu):
        yield note_of("rec_fallback_legacy", {})
    elif quote.channel is Channel.BUY:
        yield from _risk_remarks(winner)
    if quote.channel is Channel.BUY and not quote.standing.solid:
        yield note_of("rec_check_price", {"year": quote.year})
    dollars = quote.original is not None and quote.original.currency == "USD"
    if dollars and choice.channel is Channel.BUY and need.region in settings().regions:
        yield note_of("rec_price_abroad", {})


def _risk_remarks(winner: Option) -> Iterator[Note]:
    """What somebody takes on with a card whose memory was changed, or that software has left."""
    if is_modified(winner.gpu):
        yield note_of("rec_modified", {})
    elif winner.gpu.last_cuda is not None:
        yield note_of("rec_past", {"last": winner.gpu.last_cuda})


def _hour_remarks(need: Need, choice: Choice, winner: Option) -> Iterator[Note]:
    if choice.channel is Channel.RENT and need.budget is not None and need.budget_period == "once":
        hours = float(need.budget.amount) / winner.cost if winner.cost else 0.0
        yield note_of("rec_hours_bought", {"hours": hours})
    if need.samples and need.deadline_hours and winner.speed:
        hours = need.samples / winner.speed / 3600
        yield note_of("rec_done_in", {"hours": hours, "limit": need.deadline_hours})


def _count_remarks(need: Need, choice: Choice, winner: Option) -> Iterator[Note]:
    """What is left of a budget that buys more than was taken."""
    if choice.channel is not Channel.BUY or need.budget is None or need.gpu_count is not None or not winner.cost:
        return
    many = int(float(need.budget.amount) // winner.cost)
    if many < 2:
        return
    yield note_of("rec_how_many", {"count": many, "n": winner.n})
    if choice.objective is Objective.MOST and all(one.fast <= winner.fast for one in choice.order):
        yield note_of("rec_no_faster", {"left": need.budget.amount - winner.money, "currency": need.currency})


def _speed_remarks(need: Need, choice: Choice, winner: Option) -> Iterator[Note]:
    if winner.speed is None and choice.made.job is not None:
        yield note_of("rec_no_speed", {})


_REMARKS: Final = (_price_remarks, _hour_remarks, _count_remarks, _speed_remarks)
"""What is said beside a pick, in this order."""


def _notes(need: Need, choice: Choice) -> tuple[Note, ...]:
    winner = choice.winner
    if winner is None:
        return ()
    return tuple(note for remarks in _REMARKS for note in remarks(need, choice, winner))


# --- the trail ------------------------------------------------------------------------------------------------------


def _trace(want: Requirement, picks: tuple[Pick, ...]) -> Step:
    if not picks:
        return step_of(name="pick", value=None, how="no card is feasible")
    option = picks[0].option
    inputs: list[Step] = []
    if want.estimate is not None:
        inputs.append(want.estimate.trace)
    else:
        inputs.append(step_of(name="vram_needed", value=want.gib, unit="GiB", how=want.basis, rows=want.guide_rows))
    if want.guide_gib:
        inputs.append(
            step_of(
                name="memory_guide",
                value=want.guide_gib,
                unit="GiB",
                how="passage",
                sources=(want.guide_source,) if want.guide_source else (),
                as_of=date(2020, 10, 9),
                rows=want.guide_rows,
            )
        )
    inputs.append(
        step_of(
            name="vram",
            value=option.vram_gib,
            unit="GiB",
            how="claim",
            sources=sources_of(option.gpu, "vram_gib"),
        )
    )
    inputs.append(price_step(option))
    if option.speed is not None:
        inputs.append(step_of(name="speed", value=option.speed, unit="1/s", how="throughput model"))
    return step_of(
        name="pick",
        value=option.gpu.name,
        how="largest utility among the options that hold the need",
        inputs=tuple(inputs),
        rows=("001-024", "002-118", "002-121", "002-128", "002-129", "002-130", "002-131"),
    )


def price_step(option: Option) -> Step:
    """The price of an option with its origin."""
    quote = option.quote
    return step_of(
        name="price",
        value=option.money,
        unit=f"{quote.currency}/h" if quote.channel is Channel.RENT else quote.currency,
        how="given" if quote.terms == "user" else "price",
        sources=(quote.source,) if quote.source else (),
        as_of=quote.as_of,
    )
