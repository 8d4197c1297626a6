"""The recommendation: prepare options, choose, give reasons, and look for what would change the verdict.

Pure: the catalogue and the day are arguments. `recommend` may be asked with other models of memory and speed.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.models import Method, Note, Precision, Step, Workload, note_of, step_of
from advisor.recommend.candidates import Prepared, exclusions, prepare
from advisor.recommend.choose import Choice, hours_per_week
from advisor.recommend.estimates import default_models
from advisor.recommend.flips import find_flips
from advisor.recommend.ground import is_legacy
from advisor.recommend.models import (
    Channel,
    Need,
    Objective,
    Option,
    Pick,
    Prospect,
    Recommendation,
    Requirement,
    RuledOut,
)
from advisor.recommend.need import Models, check_need
from advisor.recommend.reasons import first_pick, picks_of
from advisor.recommend.settings import settings
from advisor.trusted import trusted

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_LIGHTER: Final = frozenset({Method.INFERENCE, Method.LORA, Method.FULL})
_COMMON_GIB: Final = 32.0  # above, a single card is no longer what people have at home
_recommendation, _ruled_out = trusted(Recommendation), trusted(RuledOut)


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
    check_need(need)
    models = models or default_models()
    made = prepare(need, catalog, today, models)
    choice = Choice(made, need)
    return _assemble(need, catalog, today, models, made, choice, with_flips)


def _assemble(
    need: Need,
    catalog: Catalog,
    today: date,
    models: Models,
    made: Prepared,
    choice: Choice,
    with_flips: bool,
) -> Recommendation:
    want = made.need_on(choice.winner.n if choice.winner else min(made.wants))
    over = choice.over()
    if over:
        kept = {option.gpu.id for channel in Channel for option in choice.options(channel)}
        over = [one for one in over if one.gpu.id not in kept]
    left_out, unpriced = exclusions(need, made, over)
    picks = picks_of(choice, need, want)
    return _recommendation(
        need=need,
        workload=made.job,
        requirement=want,
        channel=choice.channel,
        picks=picks,
        other_way=_other_way(choice, need, want),
        ranked=choice.order,
        unpriced=unpriced,
        ruled_out=tuple(_ruled_out(reason=note, gpus=names) for note, names in left_out),
        flips=find_flips(need, catalog, today, models, made, choice) if with_flips and picks else (),
        nearest=() if picks else nearest(need, catalog, today, models, made, choice, unpriced),
        notes=(*_lighter_note(need, catalog, today, models, made, choice), *_notes(need, made, choice)),
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


def _notes(need: Need, made: Prepared, choice: Choice) -> tuple[Note, ...]:
    notes: list[Note] = []
    winner = choice.winner
    if winner is None:
        return ()
    if is_legacy(winner.gpu):
        notes.append(note_of("rec_fallback_legacy", {}))
    if winner.quote.channel is Channel.BUY and not winner.quote.standing.solid:
        notes.append(note_of("rec_check_price", {"year": winner.quote.year}))
    region = settings().regions.get(need.region)
    if region and choice.channel is Channel.BUY and winner.quote.original and winner.quote.original.currency == "USD":
        notes.append(note_of("rec_price_abroad", {}))
    if choice.channel is Channel.RENT and need.budget is not None and need.budget_period == "once":
        hours = float(need.budget.amount) / winner.cost if winner.cost else 0.0
        notes.append(note_of("rec_hours_bought", {"hours": hours}))
    if need.samples and need.deadline_hours and winner.speed:
        hours = need.samples / winner.speed / 3600
        notes.append(note_of("rec_done_in", {"hours": hours, "limit": need.deadline_hours}))
    if choice.channel is Channel.BUY and need.budget is not None and need.gpu_count is None and winner.cost:
        many = int(float(need.budget.amount) // winner.cost)
        if many >= 2:
            notes.append(note_of("rec_how_many", {"count": many, "n": winner.n}))
        if many >= 2 and choice.objective is Objective.MOST and all(one.fast <= winner.fast for one in choice.order):
            notes.append(
                note_of("rec_no_faster", {"left": need.budget.amount - winner.money, "currency": need.currency})
            )
    if winner.speed is None and made.job is not None:
        notes.append(note_of("rec_no_speed", {}))
    return tuple(notes)


# --- when nothing can be had ----------------------------------------------------------------------------------------


def nearest(
    need: Need,
    catalog: Catalog,
    today: date,
    models: Models,
    made: Prepared,
    choice: Choice,
    unpriced: tuple[str, ...] = (),
) -> tuple[Note, ...]:
    """What comes closest to a wish that nothing fulfils: the other channel, more money, a lighter method."""
    notes: list[Note] = []
    other = choice.other().order
    if other:
        notes.append(_near("rec_near_other", other[0], need))
    beyond = choice.over()
    over = [o for o in beyond if o.sure and not is_legacy(o.gpu)] or beyond
    for channel in (Channel.RENT, Channel.BUY):
        pool = [o for o in over if o.quote.channel is channel]
        if pool and not (other and other[0].quote.channel is channel):
            firmest = min(o.quote.firmness for o in pool)
            cheapest = min((o for o in pool if o.quote.firmness == firmest), key=lambda o: (o.cost, o.key))
            notes.append(_near("rec_near_budget", cheapest, need))
    if not notes and made.best_too_slow and need.samples and need.deadline_hours:
        hours = need.samples / made.best_too_slow / 3600
        notes.append(note_of("rec_near_slow", {"hours": hours, "limit": need.deadline_hours}))
    lighter = _lighter(need, made.job)
    if lighter is not None:
        option = _cheapest_of(lighter, catalog, today, models, beyond=not made.modern())
        if option is not None and lighter.workload is not None:
            note = _near("rec_near_method", option, need)
            light = lighter.workload
            quant = light.quant if light.method is Method.INFERENCE else None
            notes.append(note_of(note.code, {**note.values, "method": light.method.value, "quant": quant or ""}))
    if not notes and unpriced:
        notes.append(note_of("rec_near_unpriced", {"names": list(unpriced[:4]), "count": len(unpriced)}))
    return tuple(notes)


def _cheapest_of(need: Need, catalog: Catalog, today: date, models: Models, *, beyond: bool) -> Option | None:
    """What such a wish would take: within the budget, or else (`beyond`) whatever it costs to rent."""
    wishes = (need, need.model_copy(update={"budget": None, "deploy": Channel.RENT})) if beyond else (need,)
    for wish in wishes:
        try:
            option = Choice(prepare(wish, catalog, today, models), wish).winner
        except AdvisorError:
            return None
        if option is not None:
            return option
    return None


def _lighter_note(
    need: Need, catalog: Catalog, today: date, models: Models, made: Prepared, choice: Choice
) -> tuple[Note, ...]:
    """When serving or fine-tuning takes a large or several cards: what 4-bit weights would need instead."""
    winner, job = choice.winner, made.job
    if winner is None or job is None or job.method not in _LIGHTER:
        return ()
    if winner.n == 1 and winner.sure and winner.vram_gib <= _COMMON_GIB:
        return ()
    lighter = _lighter(need.model_copy(update={"workload": job}), job)
    if lighter is None or lighter.workload is None:
        return ()
    try:
        option = Choice(prepare(lighter, catalog, today, models), lighter).winner
        gib = models.gib(lighter.workload, option.n) if option else 0.0
    except AdvisorError:
        return ()
    if option is None or option.cost >= winner.cost:
        return ()
    light = lighter.workload
    note = _near("rec_lighter" if light.method is Method.INFERENCE else "rec_lighter_method", option, need)
    return (note_of(note.code, {**note.values, "need": gib, "method": light.method.value}),)


def _near(code: str, option: Option | Prospect, need: Need) -> Note:
    hours = None
    if need.budget is not None and option.quote.channel is Channel.RENT and option.cost:
        hours = float(need.budget.amount) / option.cost
    return note_of(
        code,
        {
            "name": option.gpu.name,
            "n": option.n,
            "channel": option.quote.channel.value,
            "price": option.money,
            "currency": need.currency,
            "hours": hours,
            "provider": option.quote.provider_name,
            "as_of": option.quote.as_of,
        },
    )


def _lighter(need: Need, job: Workload | None) -> Need | None:
    """The same wish with the next lighter method."""
    if job is None:
        return None
    if (
        job.method in (Method.FULL, Method.LORA, Method.TRAIN, Method.PRETRAIN)
        and job.ml_model.modality == "text-decoder"
    ):
        smaller = job.model_copy(
            update={
                "method": Method.QLORA,
                "quant": "nf4",
                "precision": Precision.INT4,
                "checkpointing": True,
                "optimizer": None,
            }
        )
    elif job.method is Method.INFERENCE and job.precision is not Precision.INT4:
        smaller = job.model_copy(update={"precision": Precision.INT4, "quant": "q4_k_m"})
    else:
        return None
    return need.model_copy(update={"workload": smaller})


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
            sources=_source_of(option, "vram_gib"),
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


def _source_of(option: Option, attribute: str) -> tuple[str, ...]:
    source = option.gpu.sources.get(attribute) or option.gpu.sources.get("*")
    return (source,) if source else ()


def price_step(option: Option) -> Step:
    """The price of an option with its origin."""
    quote = option.quote
    return step_of(
        name="price",
        value=option.money,
        unit=f"{quote.original.currency if quote.original else ''} {quote.terms}".strip(),
        how="given" if quote.terms == "user" else "price",
        sources=(quote.source,) if quote.source else (),
        as_of=quote.as_of,
    )
