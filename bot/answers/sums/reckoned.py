"""Sums of open nouns once more with other values, and what of a message the records answer.

A sum that was told is kept as its values and what was asked; what is said after it takes the place of one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Final

from advisor.calculators import Given, Solution
from advisor.calculators.joined import Part, joined
from advisor.calculators.reckon import ANY, HOUR, MEASURED, SPANS, Reckoned, Stated, reckoned
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from advisor.periods import HOURS_A_DAY
from bot.answers.sums.choose import PLAIN, Chosen
from bot.answers.sums.opened import open_of
from bot.core.understanding import Understanding
from bot.read.placed import Amounts
from bot.read.things import Thing
from bot.read.wants import Want

_NAMES: Final[Mapping[frozenset[tuple[str, int]], tuple[str, float]]] = {
    frozenset({("hour", 1)}): ("reckoned_time", 1.0),
    frozenset({("money", 1)}): ("reckoned_money", 1.0),
    frozenset({("gigabyte", 1)}): ("reckoned_data", 1.0),
    frozenset({("gigabyte", 1), ("hour", -1)}): ("reckoned_flow", 1 / 3600),
    frozenset({("kwh", 1)}): ("reckoned_energy", 1.0),
    frozenset({("kwh", 1), ("hour", -1)}): ("reckoned_power", 1000.0),
    frozenset({("kilogram", 1)}): ("reckoned_mass", 1.0),
    frozenset({("hour", -1)}): ("reckoned_pace", 1 / 3600),
    frozenset(): ("reckoned_count", 1.0),
}
"""Unit of what is asked for -> the quantity that tells it, and how much of its unit one is."""
_NAMED: Final = frozenset({"gpu", "gpu_family", "model", "provider"})
_SIZED: Final = _NAMED | {"vram_gb"}
_IN_RECORDS: Final = frozenset(
    {
        *("check_fit", "estimate_memory", "gpu_count", "compare_gpus", "recommend_gpu", "reduce_memory"),
        *("multi_gpu_scaling", "upgrade_or_not", "gpu_specs", "power_supply", "ram_sizing", "interconnect"),
        *("carbon_footprint", "rent_or_buy", "price_lookup", "used_or_cheap"),
    }
)
"""Needs that the records of cards and models answer."""
_LIKELY: Final = 0.3
"""How sure a need is at least that the records answer."""
_KNOWN: Final = frozenset({"card", "machine", "person", "token", "step", "run", "round", "process"})
_PACED: Final = frozenset({"token", "step"})
_OFF: Final = "-"
_SPAN: Final = "span_days"
_NEARLY: Final = 1e-9
_DEAREST: Final = 1.2
"""How much a sum may take for granted."""
_LEAST: Final = 1e-6
_MOST: Final[Mapping[str, float]] = {"gigabyte": 1e8, "hour": 1e7, "money": 1e9, "kwh": 1e9, "": 1e13}
"""More than that is no answer that anybody asks for."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One sum: what was asked, and what it is made of."""

    want: Want
    found: Reckoned
    parts: Sequence[Part]


def _as_chosen(ways: Sequence[_Way], things: Sequence[Thing], amounts: Amounts) -> Chosen:
    """The sums to tell."""
    want = ways[0].want
    kept = open_of("product", want.wanted.unit, things, noun=want.wanted.noun, whole=want.whole, days=want.days)
    return Chosen(
        tuple(Solution(_node(way, things)) for way in ways),
        tuple(Given(name, value) for name, value in amounts.values.items()),
        score=PLAIN,
        counted=tuple(measure for thing in things for measure in thing.measures),
        called=tuple(_noun(way, things) for way in ways),
        open=kept if len(ways) == 1 else None,
    )


def of_values(want: Want, things: Sequence[Thing]) -> Chosen | None:
    """The sum of some values for what is asked; None where they give none, or several as likely.

    Args:
        want: what is asked for.
        things: the values.
    """
    parts = joined([one.stated for one in things])
    way = _best(want.part, [want], parts, _DEAREST) if parts else None
    return _as_chosen([way], things, Amounts()) if way is not None else None


def _rated(things: Sequence[Thing]) -> set[str]:
    """What something is said of each of."""
    return {name for one in things for name, power in one.stated.unit.items() if power < 0}


def spans_in_words(things: Sequence[Thing], amounts: Amounts) -> tuple[Thing, ...]:
    """The month or year that words stand for, where something is said by the month and no time was measured."""
    timed = any(one.stated.unit.get(name, 0) > 0 for one in things for name in SPANS)
    wanting = not timed and not _rated(things).isdisjoint(SPANS.keys() - {HOUR})
    days = [one.value for one in amounts.implied if one.name == _SPAN] if wanting else []
    return tuple(Thing(Stated(value, {"day": 1}, free=True), text=f"{value:.4g} d", part=-1) for value in days[:1])


def is_of_records(understanding: Understanding, things: Sequence[Thing]) -> bool:
    """Whether what is asked of a card, a size or a model is in the records, whatever numbers stand beside it.

    A size that something is taken off, or that is paid for by the gigabyte, is no size of a card.
    """
    best = understanding.ranking[0] if understanding.ranking else None
    marked = any(one.stated.mark == _OFF or _is_price_of_data(one) for one in things)
    sizes = _NAMED if marked else _SIZED
    of_need = best is not None and best.intent in _IN_RECORDS and best.score >= _LIKELY
    return of_need and any(slot.slot in sizes for slot in understanding.slots)


def _is_price_of_data(thing: Thing) -> bool:
    """Whether a value is money for each gigabyte."""
    return thing.stated.unit.get("money", 0) > 0 > thing.stated.unit.get("gigabyte", 0)


def names_a_thing(understanding: Understanding) -> bool:
    """Whether a card or a model is named, and not by its size alone."""
    return any(slot.slot in _NAMED and not str(slot.value).startswith("llm-") for slot in understanding.slots)


def _best(part: int, wants: Sequence[Want], parts: Sequence[Part], dearest: float) -> _Way | None:
    """What one part asks for, taking the least for granted."""
    ways = list(_ways([one for one in wants if one.part == part], parts, dearest))
    return min(ways, key=lambda one: (one.found.cost, not one.want.named), default=None)


def _ways(wants: Sequence[Want], parts: Sequence[Part], dearest: float) -> Iterator[_Way]:
    for want in wants:
        found = reckoned(want.wanted, [one.stated for one in parts], dearest)
        paid = not want.wanted.unit.get("money") or any(one.stated.unit.get("money", 0) > 0 for one in parts)
        if found is not None and paid and _LEAST < found.value < _MOST.get("".join(want.wanted.unit), inf):
            yield _Way(want, found, parts)


def _node(way: _Way, things: Sequence[Thing]) -> Node:
    """The sum under the name of its unit, its arithmetic as it was typed."""
    unit = way.want.wanted.unit.items()
    name, times = _NAMES[frozenset((name, power) for name, power in unit if power and (name in MEASURED or power > 0))]
    if way.want.days:
        name, times = "reckoned_days", 1 / HOURS_A_DAY
    name, counted = _counted(name, way)
    value = way.found.value * times
    whole = {"down": lambda one: floor(one + _NEARLY), "up": lambda one: ceil(one - _NEARLY)}.get(way.want.whole)
    if counted and whole is not None:
        value = float(whole(value))
    return Node(name, value, Formula(name, (), _worked(way, things), float))


def _noun(way: _Way, things: Sequence[Thing]) -> str:
    """What is counted, as it was typed; "" where its unit says so."""
    noun = way.want.wanted.noun
    if way.want.noun or not noun:
        return way.want.noun
    return next((one.noun for one in things if one.noun and noun in {*one.stated.unit, ANY}), "")


def _counted(name: str, way: _Way) -> tuple[str, bool]:
    """The quantity that tells so many of a noun that is known, and whether it is a count."""
    noun = way.want.wanted.noun
    if name == "reckoned_pace":
        return (f"reckoned_pace_{noun}" if noun in _PACED else name), False
    return (f"reckoned_{noun}" if name == "reckoned_count" and noun in _KNOWN else name), name == "reckoned_count"


def _worked(way: _Way, things: Sequence[Thing]) -> str:
    """The arithmetic as it was typed."""
    times = [_shown(way.parts[at], things) for at in way.found.times]
    over = [_shown(way.parts[at], things) for at in way.found.over]
    if way.found.conversion > 1:
        times.append(f"{way.found.conversion:.4g}")
    elif way.found.conversion < 1:
        over.append(f"{1 / way.found.conversion:.4g}")
    return " \N{DIVISION SIGN} ".join([" \N{MULTIPLICATION SIGN} ".join(times), *over])


def _shown(part: Part, things: Sequence[Thing]) -> str:
    """A value as it was typed; one that is made of several in brackets."""
    typed = [_typed(things[place]) for place in part.places]
    if not part.sign:
        return typed[0]
    sign = {"+": " + ", "-": " \N{MINUS SIGN} "}
    first = " \N{MULTIPLICATION SIGN} ".join(typed[:-1]) if part.sign == "+" else sign["-"].join(typed[:-1])
    return f"({first}{sign[part.sign]}{typed[-1]})"


def _typed(thing: Thing) -> str:
    text = thing.text or f"{thing.stated.value:.4g}"
    return text.replace("{", "").replace("}", "").strip()


__all__ = ["is_of_records", "names_a_thing", "of_values", "spans_in_words"]
