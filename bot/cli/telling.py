"""Results of the advisor as what a person reads first: one headline and a few lines, worded by the YAML files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Final

from advisor.named.asking import shipped
from advisor.named.bills import Cost, Prices, RentOrBuy
from advisor.named.results import Advice, Comparison, Fit, Listing, Memory, Runs, Speed, Time
from advisor.named.shown import Shown
from advisor.named.values import PriceRow, Range, counted
from advisor.periods import HOURS_A_MONTH
from bot.channels.words import channel_words
from bot.core.message import Language

_SIZES: Final = (("month", HOURS_A_MONTH), ("day", 24.0), ("hour", 1.0), ("minute", 1 / 60))
_TWICE: Final = frozenset({"month", "day"})
_THOUSAND: Final = 1000
_BETWEEN: Final[dict[Language, str]] = {"zh": "\uff1b", "en": "; "}
_SIGNS: Final = {"USD": "$", "CNY": "\u00a5"}
_RUNS: Final = frozenset({"fits", "tight"})


@dataclass(frozen=True, slots=True)
class Saying:
    """Words of the command line in one language."""

    language: Language

    def __call__(self, key: str, **values: object) -> str:
        """The sentence of a key with its values."""
        return channel_words("cli")(key, self.language, **values)

    def named(self, kind: str, code: str) -> str:
        """The word for a column or a value; the code itself where there is none."""
        return self(f"{kind}.{code}") if f"{kind}.{code}" in _keys() else code

    def money(self, one: Range) -> str:
        """An amount with its currency; its ends where they differ."""
        unit = one.unit.removesuffix("/h")
        value = f"{_SIGNS[unit]}{_amount(one.value)}" if unit in _SIGNS else f"{_amount(one.value)} {unit}"
        return value if one.low == one.high else f"{value} ({_amount(one.low)}-{_amount(one.high)})"

    def provider(self, name: str) -> str:
        """What a provider is called in the language."""
        found = shipped().find_provider(name) if self.language == "zh" else None
        return (found.name_zh if found else None) or name

    def span(self, hours: float) -> str:
        """A time in the unit that people use for it."""
        for code, size in _SIZES:
            if hours >= size * (2 if code in _TWICE else 1):
                return self(f"unit.{code}", value=hours / size)
        return self("unit.second", value=hours * 3600)


def _keys() -> frozenset[str]:
    return frozenset(channel_words("cli").keys())


def _amount(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= _THOUSAND else f"{value:.3g}"


@singledispatch
def told(result: Shown, say: Saying) -> Iterator[str]:
    """The lines of a result, the headline first."""
    yield result.brief


@told.register
def _fit(result: Fit, say: Saying) -> Iterator[str]:
    margin = result.margin_gib or 0.0
    yield say(
        f"fit.{result.verdict}",
        gpu=counted(result.gpu, result.gpus),
        model=result.model,
        way=result.way,
        need=result.need.value,
        low=result.need.low,
        high=result.need.high,
        usable=result.usable_gib or 0.0,
        margin=margin,
        short=-margin,
    )
    if result.instead:
        yield say("fit.instead", way=result.instead)
    elif result.verdict == "no" and all(one.verdict == "no" for one in result.ways):
        yield say("fit.none")
    if result.also:
        yield say("also", names=", ".join(result.also))


@told.register
def _memory(result: Memory, say: Saying) -> Iterator[str]:
    need = result.need
    yield say("memory", model=result.model, way=result.way, need=need.value, low=need.low, high=need.high)


@told.register
def _speed(result: Speed, say: Saying) -> Iterator[str]:
    rate = result.rate
    yield say(
        "speed",
        gpu=counted(result.gpu, result.gpus),
        model=result.model,
        way=result.way,
        rate=rate.value,
        low=rate.low,
        high=rate.high,
        unit=rate.unit,
    )
    if result.seconds is not None:
        yield say("speed.seconds", seconds=result.seconds)
    if result.per_user is not None:
        yield say("speed.users", each=result.per_user, unit=rate.unit)
    if result.in_ram_gib is not None:
        yield say("speed.in_ram", gib=result.in_ram_gib)


@told.register
def _time(result: Time, say: Saying) -> Iterator[str]:
    hours = result.hours
    spans = {"hours": say.span(hours.value), "low": say.span(hours.low), "high": say.span(hours.high)}
    yield say("time", gpu=counted(result.gpu, result.gpus), model=result.model, way=result.way, **spans)


@told.register
def _cost(result: Cost, say: Saying) -> Iterator[str]:
    if result.time is not None:
        yield from told(result.time, say)
    name = counted(result.gpu, result.gpus)
    if result.total is None:
        yield say("cost.none", gpu=name)
        return
    first, hours = result.offers[0], say("unit.hour", value=result.hours)
    day = first.as_of.isoformat() if first.as_of else say("undated")
    yield say(
        "cost", gpu=name, hours=hours, total=say.money(result.total), provider=say.provider(first.provider), day=day
    )


@told.register
def _prices(result: Prices, say: Saying) -> Iterator[str]:
    firsts = {one.kind: one for one in reversed(result.prices)}
    shown = [_offer(f"price.{kind}", firsts[kind], say) for kind in ("rent", "new", "used") if kind in firsts]
    key = "price" if shown else "price.none"
    yield say(key, gpu=result.gpu, shown=_BETWEEN[say.language].join(shown))


def _offer(key: str, one: PriceRow, say: Saying) -> str:
    """A price with who asks it and its day."""
    day = one.as_of.isoformat() if one.as_of else say("undated")
    return say(key, amount=say.money(one.amount), provider=say.provider(one.provider), day=day)


@told.register
def _rent_or_buy(result: RentOrBuy, say: Saying) -> Iterator[str]:
    yield say(
        f"rent_or_buy.{result.verdict}",
        gpu=counted(result.gpu, result.gpus),
        months=result.months,
        week=result.hours_per_week,
        rent=say.money(result.rent),
        buy=say.money(result.buy),
    )
    even = result.break_even_months
    yield say("rent_or_buy.never") if even is None else say("rent_or_buy.even", even=even.value)
    unit, power = result.currency, result.electricity_per_hour.value
    yield say(
        "rent_or_buy.host",
        card=say.money(result.card),
        host=say.money(Range(result.host, result.host, result.host, unit)),
        power=say.money(Range(power, power, power, unit)),
    )


@told.register
def _advice(result: Advice, say: Saying) -> Iterator[str]:
    need = result.need.value
    if not result.picks:
        yield say("recommend.none", model=result.model, way=result.way, need=need)
        return
    first = result.picks[0]
    yield say(
        f"recommend.{first.channel}",
        gpu=counted(first.gpu, first.gpus),
        price=say.money(first.price),
        provider=say.provider(first.provider),
        day=first.as_of.isoformat() if first.as_of else say("undated"),
        state=say.named("value", first.terms.partition(",")[0].removeprefix("purchase_")),
        vram=first.vram_gib,
        model=result.model,
        way=result.way,
        need=need,
    )


@told.register
def _comparison(result: Comparison, say: Saying) -> Iterator[str]:
    margin = result.margin or Range(0.0, 0.0, 0.0, "x")
    job = say(f"compare.job.{result.jobs[0]}") if result.reason == "faster" else ""
    yield say(
        f"compare.{result.reason}", winner=result.winner, margin=margin.value, low=margin.low, high=margin.high, job=job
    )


@told.register
def _runs(result: Runs, say: Saying) -> Iterator[str]:
    able = sum(one.verdict in _RUNS for one in result.jobs)
    name = counted(result.gpu or f"{round(result.memory_gib or 0.0, 1):g} GB", result.gpus)
    key = "runs" if result.gpu or any(one.task != "run" for one in result.jobs) else "runs.alone"
    yield say(key, gpu=name, able=able, all=len(result.jobs))
    if result.also:
        yield say("also", names=", ".join(result.also))


@told.register
def _listing(result: Listing, say: Saying) -> Iterator[str]:
    yield say(result.kind, count=len(result.records))
