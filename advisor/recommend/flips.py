"""What would change the verdict: the nearest value of each axis at which the same function gives another winner.

Money axes (budget, hours, price of the winner) only re-order options that are already prepared; axes of the job (batch,
sequence, model) prepare again. Every flip is checked on both sides before it is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from advisor.errors import AdvisorError
from advisor.models import MlModel, Money, Workload
from advisor.recommend.candidates import Prepared, prepare
from advisor.recommend.choose import Choice, choose, hours_per_week, purchase_limit, rental_limit
from advisor.recommend.models import Channel, Flip, Need, Option
from advisor.recommend.need import Models
from advisor.recommend.rank import order_key

if TYPE_CHECKING:
    from advisor.catalog import Catalog

Verdict = tuple[str, Channel] | None
_PRICE_STEPS = 7  # halvings of the interval: the drift is then known to within about 1 %
_DRIFT = (1.0, 4.0)
_HOURS = (0.5, 168.0)
_JOB_STEPS = 8


def find_flips(
    need: Need, catalog: Catalog, today: date, models: Models, made: Prepared, choice: Choice
) -> tuple[Flip, ...]:
    """The nearest flips along each axis, in a fixed order."""
    if choice.winner is None:
        return ()
    found: list[Flip] = []
    found += _budget_flips(need, made, choice)
    found += _hours_flip(need, made, choice)
    found += _price_flip(need, made, choice)
    found += _job_flips(need, catalog, today, models, choice)
    return tuple(found)


def verdict(choice: Choice) -> Verdict:
    """Who wins, and how it is had."""
    winner = choice.winner
    return (winner.gpu.name, choice.channel) if winner else None


def _flip(axis: str, at: float, last: float, choice: Choice, unit: str = "", label: str = "") -> Flip:
    winner = choice.winner
    return Flip(
        axis=axis,
        direction="up" if at > last else "down",
        at=at,
        last=last,
        unit=unit,
        label=label,
        winner=winner.gpu.name if winner else "",
        channel=choice.channel if winner else None,
        n=winner.n if winner else 1,
    )


# --- money -----------------------------------------------------------------------------------------------------------


def _budget_flips(need: Need, made: Prepared, choice: Choice) -> list[Flip]:
    """Nearest budgets above and below with another winner. Only prices of options can be thresholds."""
    winner = choice.winner
    if winner is None:
        return []
    buying = choice.channel is Channel.BUY
    limit = purchase_limit(need) if buying else rental_limit(need)
    costs = sorted({o.cost for o in (*made.options, *made.fallbacks) if o.quote.channel is choice.channel})
    old = verdict(choice)
    unit = need.currency if buying else f"{need.currency}/h"
    found: list[Flip] = []
    if limit is not None:
        for cost in costs:
            if cost <= limit:
                continue
            after = choose(made, _with_limit(need, choice.channel, cost))
            if verdict(after) != old:
                found.append(_flip("budget", cost, limit, after, unit))
                break
    below = _with_limit(need, choice.channel, winner.cost * (1 - 1e-9))
    if verdict(choose(made, _with_limit(need, choice.channel, winner.cost))) == old:
        after = choose(made, below)
        if verdict(after) != old and after.winner is not None and after.channel is choice.channel:
            found.append(_flip("budget", winner.cost * (1 - 1e-9), winner.cost, after, unit))
    return found


def _with_limit(need: Need, channel: Channel, limit: float) -> Need:
    """The same need with a plain budget: per hour for renting, once for buying."""
    period = "hour" if channel is Channel.RENT else "once"
    money = Money(amount=Decimal(repr(limit)), currency=need.currency)
    return need.model_copy(update={"budget": money, "budget_period": period, "deploy": channel})


def _hours_flip(need: Need, made: Prepared, choice: Choice) -> list[Flip]:
    """Hours a week at which buying overtakes renting, or the other way round, when both are open."""
    if need.deploy is not None or need.providers or need.budget is not None or not choice.rent or not choice.buy:
        return []
    plain = need.model_copy(update={"hours_per_week": hours_per_week(need)})

    def at(hours: float) -> Choice:
        return choose(made, plain.model_copy(update={"hours_per_week": hours}))

    here = hours_per_week(need)
    start = at(here)
    far = _HOURS[1] if start.channel is Channel.RENT else _HOURS[0]
    end = at(far)
    if end.channel is start.channel:
        return []
    last, first = here, far
    for _ in range(_PRICE_STEPS + 2):
        middle = (last + first) / 2
        if at(middle).channel is start.channel:
            last = middle
        else:
            first = middle
    return [_flip("hours_per_week", first, last, at(first), "h/week")]


def _price_flip(need: Need, made: Prepared, choice: Choice) -> list[Flip]:
    """By how much the winner's price may rise before another one wins."""
    winner = choice.winner
    if winner is None:
        return []
    old = verdict(choice)

    def at(factor: float) -> Choice:
        return choose(_dearer(made, winner, factor), need)

    rival = next((o for o in choice.order if o.gpu.name != winner.gpu.name), None)
    base = made.base if choice.channel is Channel.BUY else 0.0
    place = order_key(need.objective, base=base, work_shrinks=made.work_shrinks)
    limit = purchase_limit(need) if choice.channel is Channel.BUY else rental_limit(need)

    def leads(factor: float) -> bool:
        dearer = _moved(winner, factor)
        within = limit is None or dearer.cost <= limit
        return within and (rival is None or place(dearer) < place(rival))

    low, high = _DRIFT
    if leads(high):
        return []
    for _ in range(_PRICE_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if leads(middle) else (low, middle)
    after = at(high)
    if verdict(at(low)) != old or verdict(after) == old:
        return []
    return [_flip("price", high, low, after, "x", winner.gpu.name)]


def _moved(option: Option, factor: float) -> Option:
    quote = replace(option.quote, price=option.quote.price * Decimal(repr(factor)))
    return replace(option, quote=quote, cost=option.cost * factor)


def _dearer(made: Prepared, winner: Option, factor: float) -> Prepared:
    """The same options with the winner's price multiplied."""
    options, fallbacks = (
        [_moved(o, factor) if o.key == winner.key else o for o in pool] for pool in (made.options, made.fallbacks)
    )
    return replace(made, options=options, fallbacks=fallbacks, orders={})


# --- the job ---------------------------------------------------------------------------------------------------------


def _job_flips(need: Need, catalog: Catalog, today: date, models: Models, choice: Choice) -> list[Flip]:
    job = need.workload
    winner = choice.winner
    if job is None or winner is None:
        return []
    old = verdict(choice)

    def ask(changed: Workload) -> Choice | None:
        wish = need.model_copy(update={"workload": changed})
        try:
            return choose(prepare(wish, catalog, today, models), wish)
        except AdvisorError:
            return None

    def holds(changed: Workload) -> bool:
        try:
            return models.usable(winner.gpu) >= models.gib(changed, winner.n)
        except AdvisorError:
            return False

    found: list[Flip] = []
    if job.batch:
        found += _count_flip("batch", job.batch, lambda v: job.model_copy(update={"batch": v}), ask, holds, old)
    if job.seq_len:
        longest = job.ml_model.max_seq
        found += _count_flip(
            "seq_len", job.seq_len, lambda v: job.model_copy(update={"seq_len": v}), ask, holds, old, longest
        )
    found += _model_flip(job, catalog, ask, old)
    return found


def _count_flip(
    axis: str,
    value: int,
    changed: Callable[[int], Workload],
    ask: Callable[[Workload], Choice | None],
    holds: Callable[[Workload], bool],
    old: Verdict,
    most: int | None = None,
) -> list[Flip]:
    """Smallest larger count at which the winner no longer holds the job; checked by asking again on both sides."""
    last, first = value, value * 2
    for _ in range(_JOB_STEPS):
        if most is not None and first > most:
            return []
        if not holds(changed(first)):
            break
        last, first = first, first * 2
    else:
        return []
    while first - last > max(1, last // 32):
        middle = (first + last) // 2
        last, first = (middle, first) if holds(changed(middle)) else (last, middle)
    before, after = ask(changed(last)), ask(changed(first))
    if before is None or after is None or verdict(before) != old or verdict(after) == old:
        return []
    return [_flip(axis, first, last, after)]


def _model_flip(job: Workload, catalog: Catalog, ask: Callable[[Workload], Choice | None], old: Verdict) -> list[Flip]:
    """The next larger usual model with another winner."""
    before = job.ml_model
    for model in _ladder(job.ml_model, catalog):
        after = ask(job.model_copy(update={"ml_model": model}))
        if after is None:
            return []
        if verdict(after) != old:
            return [_flip("model", model.parameters, before.parameters, after, "parameters", model.name)]
        before = model
    return []


_DECODERS = ("llm-7b", "llm-14b", "llm-32b", "llm-70b")
_SAME_FAMILY = {"text-encoder": "bert-large-uncased"}


def _ladder(model: MlModel, catalog: Catalog) -> Iterable[MlModel]:
    if model.modality == "text-decoder":
        sizes = [found for name in _DECODERS if (found := catalog.find_ml_model(name)) is not None]
        return [size for size in sizes if size.parameters > model.parameters * 1.2]
    larger = catalog.find_ml_model(_SAME_FAMILY.get(model.modality, ""))
    return (larger,) if larger is not None and larger.parameters > model.parameters else ()
