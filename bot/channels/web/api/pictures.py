"""Charts for programs: memory, prices, break-even, scaling, speed by context; from the same sums as the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Chosen, Place, judged
from advisor.memory.results import Verdict as Word
from advisor.models import Estimate
from advisor.named.asking import card_named, job_said, model_named, planned
from advisor.named.choosing import advised
from advisor.named.fitting import fit, memory_of
from advisor.named.owning import rent_or_buy_of
from advisor.named.pacing import busy, doing
from advisor.named.values import Range, counted
from advisor.periods import DAYS_A_MONTH
from advisor.recommend import recommend
from advisor.speed import tokens_per_second
from advisor.speed.compare import scaling_table
from bot.channels.charts import ChartUnavailable, draw
from bot.channels.web.api.inputs import ChartQuery, Job, RecommendIn
from bot.channels.web.api.market import wish_of
from bot.channels.web.api.outputs import Picture
from bot.channels.web.api.shelf import Shelf
from bot.channels.web.api.sums import words_of
from bot.channels.web.problems import Refused
from bot.core.message import Chart
from bot.core.pictures import Outlay, break_even_chart, choice_chart, context_chart, memory_chart, scaling_chart

_MEDIA: Final = {"svg": "image/svg+xml", "png": "image/png"}
_COUNTS: Final = (2, 4, 8)
_CONTEXTS: Final = (1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)
_DEARER: Final = 2.0
"""Times a budget up to which choices are shown where too few are within it."""
_FURTHER: Final = 1.5
"""Beyond the crossing, for it to be seen."""


def picture(shelf: Shelf, asked: ChartQuery) -> Picture:
    """The picture that was asked for.

    Raises:
        AdvisorError: a name is unknown or the figures cannot be worked out.
        Refused: a value that this picture needs was not given, or nothing can be drawn.
    """
    try:
        drawn = draw(_CHARTS[asked.about](shelf, asked), asked.lang, theme=asked.theme, form=asked.format)
    except ChartUnavailable as error:
        raise Refused(422, str(error)) from None
    return Picture(drawn, _MEDIA[asked.format])


def _needed(asked: ChartQuery, member: str) -> str:
    value = getattr(asked, member)
    if not value:
        raise Refused(422, f"{member}: a chart about {asked.about} needs it")
    return str(value)


def _job(asked: ChartQuery) -> Job:
    return Job(
        model=_needed(asked, "model"),
        method=asked.method,
        quant=asked.quant,
        context=asked.context,
        batch=asked.batch,
    )


def _memory(shelf: Shelf, asked: ChartQuery) -> Chart:
    """What a job needs, part by part, with the line of what the card has."""
    job = _job(asked)
    if not asked.gpu:
        found = memory_of(job.model, catalog=shelf.catalog, **words_of(job))
        return memory_chart(found.model, [(one.name, one.gib) for one in found.parts], found.need)
    judged_there = fit(asked.gpu, job.model, catalog=shelf.catalog, **words_of(job))
    parts = [(one.name, one.gib) for one in judged_there.parts]
    return memory_chart(judged_there.model, parts, judged_there.need, judged_there.gpu, judged_there.usable_gib or 0.0)


def _prices(shelf: Shelf, asked: ChartQuery) -> Chart:
    """Cards that hold a job: what they cost and how fast they are, the pick first."""
    wish = RecommendIn(
        model=asked.model,
        method=asked.method,
        task=asked.task,
        quant=asked.quant,
        context=asked.context,
        batch=asked.batch,
        budget=asked.budget,
        currency=asked.currency,
        deploy=asked.deploy,
    )
    need, way, found = advised(asked.model, shelf.catalog, **wish_of(shelf, wish))
    best = found.winner.option if found.winner else None
    job, budget = way.workload.ml_model.called, asked.budget
    made = choice_chart(found.ranked, best, need.currency, job)
    if made is None and budget:  # too few for the money: with what somewhat more would buy
        beyond = need.model_copy(update={"budget": None, "workload": way.workload, "deploy": found.channel})
        dearer = recommend(beyond, shelf.catalog, shelf.today, with_flips=False).ranked
        near = [one for one in dearer if one.cost <= _DEARER * budget]
        made = choice_chart(near, best or (near[0] if near else None), need.currency, job, budget)
    if made is None:
        raise Refused(422, "fewer than two cards of known speed hold that job for that money: raise the budget")
    return made


def _break_even(shelf: Shelf, asked: ChartQuery) -> Chart:
    """Money spent over the months, both ways."""
    found = rent_or_buy_of(
        _needed(asked, "gpu"),
        hours_per_week=asked.hours_per_week,
        months=asked.months,
        currency=asked.currency,
        on=shelf.today,
        catalog=shelf.catalog,
    )
    even, card, host = found.break_even_months, found.card, found.host
    outlay = Outlay(
        capital=Range(card.value + host, card.low + host, card.high + host, card.unit),
        power=found.electricity_per_hour,
        rent=found.rent_per_hour,
    )
    months = max(asked.months, even.value * _FURTHER if even else 0.0)
    name = counted(found.gpu, found.gpus)
    return break_even_chart(name, found.hours_per_week, outlay, found.currency, months * DAYS_A_MONTH)


def _chosen(shelf: Shelf, asked: ChartQuery, job: Job, *, trains: bool = False) -> Chosen:
    """The job on one of the card, in the way that is meant there."""
    said = job_said(words_of(job), "chart")
    model = model_named(shelf.catalog, job.model)
    card = card_named(shelf.catalog, _needed(asked, "gpu"))
    does = doing(said.methods, model) if trains else None
    return planned(said, model, [Place(card.gpu)], does=does).chosen[0]


def _scaling(shelf: Shelf, asked: ChartQuery) -> Chart:
    """What more cards bring to a training run."""
    chosen = _chosen(shelf, asked, _job(asked), trains=True)
    gpu = card_named(shelf.catalog, _needed(asked, "gpu")).gpu
    work, _ = busy(chosen, asked.batch)
    gained = [row.speedup for row in scaling_table(gpu, _COUNTS, work)]
    made = scaling_chart([(gpu.name, f"{work.ml_model.called} {chosen.way.code}", gained)], _COUNTS)
    if made is None:
        raise Refused(422, "nothing is on record that says how this job grows with cards")
    return made


def _context(shelf: Shelf, asked: ChartQuery) -> Chart:
    """Tokens a second as the context grows, as far as the model reads and the card holds it."""
    job = _job(asked)
    chosen = _chosen(shelf, asked, job)
    model, gpu = chosen.way.workload.ml_model, card_named(shelf.catalog, _needed(asked, "gpu")).gpu
    found: list[tuple[float, Estimate]] = []
    for length in _CONTEXTS:
        way = replace(chosen.way, workload=chosen.way.workload.model_copy(update={"seq_len": length}))
        there = judged(way, Place(gpu))
        if length > (model.max_seq or _CONTEXTS[-1]) or there is None or there.word is Word.NO:
            break
        try:
            found.append((float(length), tokens_per_second(way.workload, gpu).decode))
        except AdvisorError:
            break
    made = context_chart(model.called, gpu.name, found)
    if made is None:
        raise Refused(422, f"{model.called} does not run on {gpu.name} this way: name a quant, such as q4_k_m")
    return made


_CHARTS: Final[dict[str, Callable[[Shelf, ChartQuery], Chart]]] = {
    "memory": _memory,
    "price-speed": _prices,
    "break-even": _break_even,
    "scaling": _scaling,
    "context": _context,
}
