"""What would change the verdict: the nearest value of each axis at which the same function gives another winner.

Money axes (budget, hours, price of the winner) only re-order options that are already prepared; axes of the job (batch,
sequence, model) prepare again. Every flip is checked on both sides before it is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.models import MlModel, Workload
from advisor.recommend.candidates import Prepared, moved_in_price, prepare
from advisor.recommend.choose import Choice, hours_per_week
from advisor.recommend.models import Channel, Flip, Need, Option
from advisor.recommend.need import Models

if TYPE_CHECKING:
    from advisor.catalog import Catalog

Verdict = tuple[str, Channel] | None
_PRICE_STEPS: Final = 7  # halvings of the interval: the drift is then known to within about 1 %
_DRIFT: Final = (1.0, 4.0)
_HOURS: Final = (0.5, 168.0)
_JOB_STEPS: Final = 8


def find_flips(
    need: Need, catalog: Catalog, today: date, models: Models, made: Prepared, choice: Choice
) -> tuple[Flip, ...]:
    """The nearest flips along each axis, in a fixed order."""
    if choice.winner is None:
        return ()
    found: list[Flip] = []
    found += _budget_flips(need, made, choice)
    found += _hours_flip(need, choice)
    found += _price_flip(need, made, choice)
    found += _job_flips(need, catalog, today, models, choice)
    return tuple(found)


def verdict(choice: Choice) -> Verdict:
    """Who wins, and how it is had."""
    winner = choice.winner
    return (winner.gpu.name, choice.channel) if winner else None


def _flip(
    axis: str, at: float, last: float, winner: Option | None, channel: Channel, unit: str = "", label: str = ""
) -> Flip:
    return Flip(
        axis=axis,
        direction="up" if at > last else "down",
        at=float(at),
        last=float(last),
        unit=unit,
        label=label,
        winner=winner.gpu.name if winner else "",
        channel=channel if winner else None,
        n=winner.n if winner else 1,
    )


# --- money -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Budgets:
    """Who wins within a budget of the chosen channel, and whether that is somebody else."""

    made: Prepared
    choice: Choice
    winner: Option

    def within(self, money: float) -> Option | None:
        """The winner within a budget."""
        return next(iter(self.made.affordable(self.choice.channel, self.choice.objective, money)), None)

    def other(self, option: Option | None) -> bool:
        """Whether this is not the pick."""
        return option is None or option.gpu.name != self.winner.gpu.name

    def above(self, limit: float) -> Iterator[tuple[float, Option | None]]:
        """Prices above a limit, the lowest first, at which somebody else wins."""
        channel = self.choice.channel
        costs = {one.cost for one in self.made.prospects if one.quote.channel is channel and one.cost > limit}
        return ((cost, after) for cost in sorted(costs) if self.other(after := self.within(cost)))


def _budget_flips(need: Need, made: Prepared, choice: Choice) -> list[Flip]:
    """Nearest budgets above and below with another winner. Only prices of options can be thresholds.

    The budgets tried are plain ones of the chosen channel: per hour for renting, once for buying.
    """
    winner, channel = choice.winner, choice.channel
    if winner is None:
        return []
    budgets, limit = _Budgets(made, choice, winner), choice.limits[channel]
    unit = need.currency if channel is Channel.BUY else f"{need.currency}/h"
    found: list[Flip] = []
    if limit is not None:
        found += [_flip("budget", cost, limit, to, channel, unit) for cost, to in islice(budgets.above(limit), 1)]
    less = winner.cost * (1 - 1e-9)
    after = None if budgets.other(budgets.within(winner.cost)) else budgets.within(less)
    if after is not None and budgets.other(after):
        found.append(_flip("budget", less, winner.cost, after, channel, unit))
    return found


def _hours_flip(need: Need, choice: Choice) -> list[Flip]:
    """Hours a week at which buying overtakes renting, or the other way round, when both are open."""
    if need.deploy is not None or need.providers or need.budget is not None:
        return []
    if not choice.has(Channel.RENT) or not choice.has(Channel.BUY):
        return []
    here = hours_per_week(need)
    start = choice.cheaper_at(here)
    far = _HOURS[1] if start is Channel.RENT else _HOURS[0]
    end = choice.cheaper_at(far)
    if end is start:
        return []
    last, first = here, far
    for _ in range(_PRICE_STEPS + 2):
        middle = (last + first) / 2
        if choice.cheaper_at(middle) is start:
            last = middle
        else:
            first = middle
    return [_flip("hours_per_week", first, last, choice.options(end)[0], end, "h/week")]


def _price_flip(need: Need, made: Prepared, choice: Choice) -> list[Flip]:
    """By how much the winner's price may rise before another one wins."""
    winner = choice.winner
    if winner is None:
        return []
    old = verdict(choice)

    def at(factor: float) -> Choice:
        return Choice(made.dearer(winner, factor, choice.objective), need)

    rival = next((o for o in choice.order if o.gpu.name != winner.gpu.name), None)
    place = made.place(choice.channel, choice.objective)
    behind = place(rival) if rival is not None else None
    limit = choice.limits[choice.channel]

    def leads(factor: float) -> bool:
        dearer = moved_in_price(winner, factor)
        within = limit is None or dearer.cost <= limit
        return within and (behind is None or place(dearer) < behind)

    low, high = _DRIFT
    if leads(high):
        return []
    for _ in range(_PRICE_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if leads(middle) else (low, middle)
    after = at(high)
    if verdict(at(low)) != old or verdict(after) == old:
        return []
    return [_flip("price", high, low, after.winner, after.channel, "x", winner.gpu.name)]


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
            return Choice(prepare(wish, catalog, today, models), wish)
        except AdvisorError:
            return None

    found: list[Flip] = []
    for axis, most in (("batch", None), ("seq_len", job.ml_model.max_seq)):
        if getattr(job, axis):
            found += _count_flip(axis, job, ask, _holds(job, winner, models, axis), old, most)
    found += _model_flip(job, catalog, ask, old)
    return found


def _holds(job: Workload, winner: Option, models: Models, axis: str) -> Callable[[int], bool]:
    """Whether the winner's cards hold the job, as a function of its batch or length."""
    usable = models.usable(winner.gpu)
    try:
        gib = models.along(job, winner.n, axis) if models.along else None
    except AdvisorError:
        return lambda value: False

    def holds(value: int) -> bool:
        try:
            need = gib(value) if gib else models.gib(job.model_copy(update={axis: value}), winner.n)
        except AdvisorError:
            return False
        return usable >= need

    return holds


def _count_flip(
    axis: str,
    job: Workload,
    ask: Callable[[Workload], Choice | None],
    holds: Callable[[int], bool],
    old: Verdict,
    most: int | None = None,
) -> list[Flip]:
    """Smallest larger count at which the winner no longer holds the job; checked by asking again on both sides."""
    value = getattr(job, axis)
    last, first = value, value * 2
    for _ in range(_JOB_STEPS):
        if most is not None and first > most:
            return []
        if not holds(first):
            break
        last, first = first, first * 2
    else:
        return []
    while first - last > max(1, last // 32):
        middle = (first + last) // 2
        last, first = (middle, first) if holds(middle) else (last, middle)
    before = ask(job.model_copy(update={axis: last}))
    if before is None or verdict(before) != old:
        return []
    after = ask(job.model_copy(update={axis: first}))
    if after is None or verdict(after) == old:
        return []
    return [_flip(axis, first, last, after.winner, after.channel)]


def _model_flip(job: Workload, catalog: Catalog, ask: Callable[[Workload], Choice | None], old: Verdict) -> list[Flip]:
    """The next larger usual model with another winner."""
    before = job.ml_model
    for model in _ladder(job.ml_model, catalog):
        after = ask(job.model_copy(update={"ml_model": model}))
        if after is None:
            return []
        if verdict(after) != old:
            at, last = model.parameters, before.parameters
            return [_flip("model", at, last, after.winner, after.channel, "parameters", model.name)]
        before = model
    return []


_DECODERS: Final = ("llm-7b", "llm-14b", "llm-32b", "llm-70b")
_SAME_FAMILY: Final = {"text-encoder": "bert-large-uncased"}


def _ladder(model: MlModel, catalog: Catalog) -> Iterable[MlModel]:
    if model.modality == "text-decoder":
        sizes = [found for name in _DECODERS if (found := catalog.find_ml_model(name)) is not None]
        return [size for size in sizes if size.parameters > model.parameters * 1.2]
    larger = catalog.find_ml_model(_SAME_FAMILY.get(model.modality, ""))
    return (larger,) if larger is not None and larger.parameters > model.parameters else ()
