"""One series of cards against another: rung for rung the speed, and at which rungs the money goes further."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.models import Gpu, Money, Workload
from advisor.recommend import Channel, Need
from advisor.recommend.estimates import speed_on
from advisor.recommend.market import quotes_for
from advisor.recommend.models import Quote
from advisor.speed.uses import generation_job
from bot.answers.choose.makers import families_of
from bot.answers.choose.offer_lines import rounded
from bot.answers.choose.wishes import market_currency_of, read_wish, region_of
from bot.answers.common import source_refs
from bot.answers.money.marks import mark_of_quote, market_alone
from bot.answers.phrases import model_named
from bot.core.answers import Decline, Outcome, answer_with, elicit_of, offered_of
from bot.core.line import Figure, Label, Line, Worded, amount
from bot.core.message import fact_of
from bot.core.request import Request

_TWO: Final = 2
_USUAL: Final = "llm-8b"
"""What cards are told apart by where no job is named."""
_BESIDE: Final = ("or_word", "compare")
_RUNG: Final = re.compile(r"RTX (\d\d)(\d0(?: (?:Ti|Super|\d+GB))*)")
"""A card of a series: the number of the series and the rung."""
_LAPTOP: Final = "laptop"
_TOLD: Final = 3
_LEAST: Final = 16.0
"""GB from which a card has room for models of today."""


@dataclass(frozen=True, slots=True)
class _Rung:
    """The same place in two series, with the speed and the price of the newer card over the older one."""

    old: Gpu
    new: Gpu
    faster: float
    prices: tuple[Quote, Quote] | None = None

    @property
    def dearer(self) -> float:
        """How many times as much the newer one costs; 0 where prices are not known of both."""
        return float(self.prices[1].price / self.prices[0].price) if self.prices else 0.0


def are_weighed(request: Request) -> bool:
    """Whether two series of cards are set side by side, and no card is named.

    What one of them brought is a question for the documents.
    """
    heard = request.heard
    return heard.speaks_of(*_BESIDE) and not heard.wished("gpu") and len(_series(request)) == _TWO


def _series(request: Request) -> list[str]:
    """Series of desktop cards that are named, the older one first."""
    known = request.services.catalog
    return sorted(
        name for name in families_of(request) if any(_RUNG.fullmatch(one.name) for one in known.gpus_of(name))
    )


def handle(request: Request) -> Outcome:
    """The newer series with what it gains, and at which rungs it costs more than it gains."""
    wish = read_wish(request)
    if isinstance(wish, Decline):
        return wish
    said = any(request.slot(name) for name in ("model", "task", "method"))
    work = (wish.workload if said else None) or generation_job(request.services.catalog.get_ml_model(_USUAL))
    rungs = list(_rungs(request, _series(request), work))
    if not rungs:
        return elicit_of(slot="gpu")
    gains = [one.faster for one in rungs]
    return answer_with(
        headline=(_headline(_series(request), rungs, work),),
        lines=(*_lines(rungs), *_memory(rungs)),
        facts=(fact_of(name="speed_gain", value=_mean(gains), low=min(gains), high=max(gains), unit="x"),),
        sources=source_refs(request, _sources(rungs)),
        assumptions=wish.assumptions if said else (),
        asks=None if said else offered_of(slot="task"),
    )


def _sources(rungs: Sequence[_Rung]) -> list[str]:
    return [quote.source for one in rungs[:_TOLD] for quote in one.prices or ()]


def _headline(series: Sequence[str], rungs: Sequence[_Rung], work: Workload) -> Line:
    """The series that the money goes further with, and what the newer one gains."""
    gains = [one.faster for one in rungs]
    pays = [one.new.name for one in rungs if one.prices and one.faster >= one.dearer]
    saves = [one.new.name for one in rungs if one.prices and one.faster < one.dearer]
    values: dict[str, Worded] = {
        "old": series[0],
        "new": series[1],
        "gain": Figure(_mean(gains), "times", low=min(gains), high=max(gains)),
        "job": model_named(work.ml_model.name),
        "but": tuple(saves if len(pays) > len(saves) else pays) or None,
    }
    return Line(_code(len(pays), len(saves)), values)


def _code(pays: int, saves: int) -> str:
    """Which series the money goes further with, by the number of rungs at which the newer one pays and does not."""
    if not pays and not saves:
        return "series.open"
    return "series.new" if pays > saves else "series.old"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _rungs(request: Request, series: Sequence[str], work: Workload) -> Iterator[_Rung]:
    """Places that both series have, those with room for models of today first, the cheaper before the dearer."""
    currency = market_currency_of(request)
    need = Need(currency=currency, region=region_of(currency))
    view = quotes_for(request.services.catalog, request.now.date(), need)
    old, new = (_by_rung(request, name) for name in series)
    for rung in sorted(old.keys() & new.keys(), key=lambda one: ((old[one].vram_gib or 0.0) < _LEAST, one)):
        before, after = speed_on(work, old[rung], 1), speed_on(work, new[rung], 1)
        if before and after:
            bought = [_least(view.get(gpu.id, ())) for gpu in (old[rung], new[rung])]
            priced = (bought[0], bought[1]) if bought[0] is not None and bought[1] is not None else None
            yield _Rung(old[rung], new[rung], after / before, priced)


def _by_rung(request: Request, series: str) -> dict[str, Gpu]:
    found = ((_RUNG.fullmatch(gpu.name), gpu) for gpu in request.services.catalog.gpus_of(series))
    return {match[2]: gpu for match, gpu in found if match is not None and _LAPTOP not in (gpu.form_factor or "")}


def _least(quotes: Sequence[Quote]) -> Quote | None:
    bought = [one for one in quotes if one.channel is Channel.BUY and one.standing.solid]
    return min(bought, key=lambda one: one.price, default=None)


def _lines(rungs: Sequence[_Rung]) -> Iterator[Line]:
    """Speed and price of the first rungs that have both."""
    for one in [rung for rung in rungs if rung.prices][:_TOLD]:
        values: dict[str, Worded] = {"new": one.new.name, "old": one.old.name, "gain": Figure(one.faster, "times")}
        for name, quote in zip(("less", "more"), one.prices or (), strict=False):
            money = Money(amount=quote.price, currency=quote.currency)
            mark = market_alone(mark_of_quote(quote))
            terms = Line("offer.of_terms", {"terms": Label(quote.terms, "terms"), "dated": quote.day, "mark": mark})
            values |= {name: amount(rounded(money)), f"{name}_of": terms}
        yield Line("series.rung", values)


def _memory(rungs: Sequence[_Rung]) -> Iterator[Line]:
    """Where the newer series has more memory."""
    more = [one for one in rungs if (one.new.vram_gib or 0.0) > (one.old.vram_gib or 0.0)]
    sizes = tuple(
        Line("series.size", {"card": one.new.name, "vram": Figure(one.new.vram_gib or 0.0, "GB")}) for one in more
    )
    yield Line("series.memory", {"cards": sizes}) if sizes else Line("series.same_memory")
