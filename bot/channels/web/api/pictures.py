"""Charts for programs: memory, prices, break-even, scaling, speed by context; from the same sums as the figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import check_fit
from advisor.models import Estimate
from advisor.periods import DAYS_A_MONTH
from advisor.speed import tokens_per_second
from advisor.speed.compare import scaling_table
from bot.channels.charts import ChartUnavailable, draw
from bot.channels.web.api.inputs import ChartQuery, FitIn, RecommendIn, RentOrBuyIn
from bot.channels.web.api.market import recommended, rent_or_buy
from bot.channels.web.api.outputs import Picture
from bot.channels.web.api.shelf import Shelf
from bot.channels.web.problems import Refused
from bot.core.message import Chart, Mark

_MEDIA: Final = {"svg": "image/svg+xml", "png": "image/png"}
_MOST_POINTS: Final = 12
_COUNTS: Final = (2, 4, 8)
_CONTEXTS: Final = (1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)
_STEPS: Final = 24


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


def _job(asked: ChartQuery) -> FitIn:
    return FitIn(
        model=_needed(asked, "model"),
        gpu=asked.gpu or "any",
        method=asked.method,
        quant=asked.quant,
        context=asked.context,
        batch=asked.batch,
    )


def _memory(shelf: Shelf, asked: ChartQuery) -> Chart:
    """What a job needs, part by part, with the line of what the card has."""
    job = _job(asked)
    gpu = shelf.gpu(asked.gpu) if asked.gpu else None
    found = check_fit(shelf.workload(job), gpu)
    name = found.estimate.workload.ml_model.called
    return Chart(
        kind="stack",
        title=f"{name}: memory by part",
        y_label="GiB",
        series=(("need", tuple((step.name, float(step.value or 0)) for step in found.estimate.components)),),
        marks=(Mark(label=gpu.name, at=found.usable_gib),) if gpu and found.usable_gib else (),
    )


def _prices(shelf: Shelf, asked: ChartQuery) -> Chart:
    """Cards that hold a job: what they cost and how fast they are, the pick first."""
    wish = RecommendIn(
        model=asked.model,
        method=asked.method,
        task=asked.task,
        context=asked.context,
        budget=asked.budget,
        currency=asked.currency,
        deploy=asked.deploy,
    )
    found = recommended(shelf, wish).ranked
    fast = [one for one in found if one.speed_ratio][:_MOST_POINTS]
    renting = bool(fast) and fast[0].deploy == "rent"
    return Chart(
        kind="scatter",
        title="Price and speed of the cards that hold the job",
        x_label=f"{asked.currency} per hour" if renting else asked.currency,
        y_label="speed, winner = 1",
        series=tuple(
            (one.gpu if one.cards == 1 else f"{one.cards}x {one.gpu}", ((one.total, one.speed_ratio or 0.0),))
            for one in fast
        ),
    )


def _break_even(shelf: Shelf, asked: ChartQuery) -> Chart:
    """Money spent over the months, both ways."""
    wish = RentOrBuyIn(
        gpu=_needed(asked, "gpu"),
        hours_per_week=asked.hours_per_week,
        months=asked.months,
        currency=asked.currency,
    )
    found = rent_or_buy(shelf, wish)
    hours = asked.hours_per_week / 7
    last = max(asked.months * DAYS_A_MONTH, found.break_even_days.value * 1.3 if found.break_even_days else 0.0)
    days = [last * at / _STEPS for at in range(_STEPS + 1)]
    rent, power, capital = found.rent_per_hour, found.electricity_per_hour, found.capital
    return Chart(
        kind="lines",
        title="Money spent: rent against buy",
        x_label="days",
        y_label=asked.currency,
        series=(
            ("rent", tuple((day, rent.value * hours * day) for day in days)),
            ("buy", tuple((day, capital.value + power.value * hours * day) for day in days)),
        ),
        bands=(
            ("rent", tuple((day, rent.low * hours * day, rent.high * hours * day) for day in days)),
            (
                "buy",
                tuple(
                    (day, capital.low + power.low * hours * day, capital.high + power.high * hours * day)
                    for day in days
                ),
            ),
        ),
    )


def _scaling(shelf: Shelf, asked: ChartQuery) -> Chart:
    """What more cards bring."""
    gpu = shelf.gpu(_needed(asked, "gpu"))
    rows = scaling_table(gpu, _COUNTS, shelf.workload(_job(asked)))
    gained = tuple((float(row.n_gpus), row.speedup) for row in rows)
    return Chart(
        kind="lines",
        title="Speed-up over one card",
        x_label="cards",
        y_label="times one card",
        series=(
            ("linear", ((1.0, 1.0), *((float(n), float(n)) for n in _COUNTS))),
            (gpu.name, ((1.0, 1.0), *((n, one.value) for n, one in gained))),
        ),
        bands=((gpu.name, ((1.0, 1.0, 1.0), *((n, one.low, one.high) for n, one in gained))),),
    )


def _context(shelf: Shelf, asked: ChartQuery) -> Chart:
    """Tokens a second as the context grows, as far as the model reads and the card holds it."""
    gpu, job = shelf.gpu(_needed(asked, "gpu")), _job(asked)
    model = shelf.model(job.model)
    found: list[tuple[float, Estimate]] = []
    for length in _CONTEXTS:
        work = shelf.workload(job.model_copy(update={"context": length}))
        if length > (model.max_seq or _CONTEXTS[-1]) or check_fit(work, gpu).verdict.value == "no":
            break
        try:
            found.append((float(length), tokens_per_second(work, gpu).decode))
        except AdvisorError:
            break
    if len(found) < 2:
        raise Refused(422, f"{model.called} does not run on {gpu.name} this way: name a quant, such as q4_k_m")
    return Chart(
        kind="lines",
        title=f"{model.called}, {gpu.name}: speed by context",
        x_label="tokens of context",
        y_label="tokens/s",
        series=((gpu.name, tuple((length, one.value) for length, one in found)),),
        bands=((gpu.name, tuple((length, one.low, one.high) for length, one in found)),),
    )


_CHARTS: Final[dict[str, Callable[[Shelf, ChartQuery], Chart]]] = {
    "memory": _memory,
    "price-speed": _prices,
    "break-even": _break_even,
    "scaling": _scaling,
    "context": _context,
}
