"""Sums that neither a formula nor the units of bills give: so many of anything, so much of it for each of something.

Such a sum stands in where the others find none or leave numbers out. It uses every number of the message or does not
speak at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isclose
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution
from advisor.calculators.joined import Part, joined
from advisor.calculators.reckon import ANY, HOUR, MEASURED, SIDE_BY_SIDE, SPANS, Reckoned, Stated, Wanted, reckoned
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from advisor.periods import HOURS_A_DAY
from bot.answers.sums.choose import PLAIN, Chosen
from bot.answers.sums.left import left_out
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
_KNOWN: Final = frozenset({"card", "machine", "person", "token", "step", "run", "round", "process"})
_PACED: Final = frozenset({"token", "step"})
_TOLD: Final[Mapping[str, Mapping[str, int]]] = {"money": {"money": 1}, "GB": {"gigabyte": 1}, "kWh": {"kwh": 1}}
"""Unit of a sum that leaves something out -> the unit in which all of it is looked for."""
_SERVED: Final = frozenset({"request", "person"})
_OFF: Final = "-"
_SPAN: Final = "span_days"
_FEWEST: Final = 2
_NEARLY: Final = 1e-9
_DEAREST, _SURELY = 1.2, 0.5
"""How much a sum may take for granted, and where something else may well be meant."""
_LEAST: Final = 1e-6
_MOST: Final[Mapping[str, float]] = {"gigabyte": 1e8, "hour": 1e7, "money": 1e9, "kwh": 1e9, "": 1e13}
"""More than that is no answer that anybody asks for."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One sum: what was asked, and what it is made of."""

    want: Want
    found: Reckoned
    parts: Sequence[Part]


def reckoned_sum(chosen: Chosen | None, amounts: Amounts, understanding: Understanding) -> Chosen | None:
    """The sum of everything that was counted and measured, where the one found so far leaves something out; else that.

    Args:
        chosen: the sum found by names or by the units of bills, if any.
        amounts: what the message gives and asks for.
        understanding: the message; what is asked of a named card or model is mostly in the records.
    """
    things, asked = amounts.things()
    spans = spans_in_words(things, amounts)
    if not _is_wanting(chosen, amounts) and not _leaves_a_span(chosen, spans):
        return chosen
    things = (*_at_a_load(things), *spans)
    if is_of_records(understanding, things):
        return chosen
    wants = _in_a_unit(asked, things) or _wanted(chosen)
    if _is_served(things, wants):
        return chosen
    told = _of_all(things, wants, amounts, _SURELY if names_a_thing(understanding) else _DEAREST)
    if told is not None:
        return chosen if _is_same(chosen, told) else told
    return chosen or _without_one(things, wants, amounts)


def _is_served(things: Sequence[Thing], wants: Sequence[Want]) -> bool:
    """Whether a time is asked for while several are served at once: such sums are put together as they are said."""
    served = any(one.measures and one.measures[0].kind == "request" for one in things)
    return served and any(one.wanted.unit.get(HOUR, 0) > 0 for one in wants)


def _of_all(things: Sequence[Thing], wants: Sequence[Want], amounts: Amounts, dearest: float) -> Chosen | None:
    """The sum of everything that was said; None where there is none."""
    found = _of_parts(things, wants, dearest)
    return _as_chosen(found, things, amounts) if found and _is_whole(found, things) else None


def _without_one(things: Sequence[Thing], wants: Sequence[Want], amounts: Amounts) -> Chosen | None:
    """The sum without the one value of a noun of its own that has no place in it; it is named as left out."""
    ways = [[one for one in things if one is not gone] for gone in things if _is_alone(gone, things)]
    told = [(rest, found) for rest in ways if (found := _of_parts(rest, wants, _SURELY)) and _is_whole(found, rest)]
    return _as_chosen(told[0][1], told[0][0], amounts) if len(told) == 1 else None


def _is_alone(gone: Thing, things: Sequence[Thing]) -> bool:
    """Whether a value counts what no other value speaks of."""
    own = {name for name, power in gone.stated.unit.items() if power > 0} - MEASURED
    others = {name for one in things if one is not gone for name in one.stated.unit}
    return bool(own) and own.isdisjoint(others | SIDE_BY_SIDE)


def _is_same(chosen: Chosen | None, told: Chosen | None) -> bool:
    """Whether two sums come to one value: then the one by names says what it is."""
    return chosen is not None and told is not None and isclose(chosen.solutions[0].value, told.solutions[0].value)


def _wanted(chosen: Chosen | None) -> tuple[Want, ...]:
    """What the sum found so far tells, in its unit, where no words of the message say what is asked for."""
    unit = _TOLD.get(QUANTITIES[chosen.solutions[0].name].unit) if chosen is not None else None
    return (Want(Wanted(unit), 0),) if unit is not None else ()


def _of_parts(things: Sequence[Thing], wants: Sequence[Want], dearest: float) -> list[_Way]:
    """What each part asks for, where everything that was said gives it."""
    parts = joined([one.stated for one in things]) if wants and len(things) >= _FEWEST else None
    asked = sorted({one.part for one in wants}) if parts else []
    return [way for part in asked if (way := _best(part, wants, parts or (), dearest)) is not None]


def _is_wanting(chosen: Chosen | None, amounts: Amounts) -> bool:
    """Whether there is no sum of all that was said yet."""
    if chosen is None or amounts.odd:
        return not amounts.odd
    plain = not (chosen.follows or chosen.added or chosen.versus is not None)
    return plain and bool(left_out(chosen, amounts, frozenset(), ()))


def _leaves_a_span(chosen: Chosen | None, spans: Sequence[Thing]) -> bool:
    """Whether a bill is one of a day, while it is asked for the month or year in words."""
    if chosen is None or not spans or chosen.follows or QUANTITIES[chosen.solutions[0].name].unit != "money":
        return False
    return not any(_SPAN in one.node.said for one in chosen.solutions)


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


def _at_a_load(things: Sequence[Thing]) -> tuple[Thing, ...]:
    """The values; how many are served at once is idle where a rate of all and the work are said in one noun."""
    units = [dict(one.stated.unit) for one in things]
    if not any({**unit, HOUR: -1} in units for unit in units if len(unit) == 1):
        return tuple(things)
    each = _rated(things)
    return tuple(_idle(one) if _is_load(one) and each.isdisjoint(one.stated.unit) else one for one in things)


def _rated(things: Sequence[Thing]) -> set[str]:
    """What something is said of each of."""
    return {name for one in things for name, power in one.stated.unit.items() if power < 0}


def _is_load(one: Thing) -> bool:
    """Whether a value says how many are served at once."""
    return bool(one.measures) and one.measures[0].kind in _SERVED and len(one.stated.unit) == 1


def _idle(one: Thing) -> Thing:
    return replace(one, stated=replace(one.stated, free=True))


def spans_in_words(things: Sequence[Thing], amounts: Amounts) -> tuple[Thing, ...]:
    """The month or year that words stand for, where something is said by the month and no time was measured."""
    timed = any(one.stated.unit.get(name, 0) > 0 for one in things for name in SPANS)
    wanting = not timed and not _rated(things).isdisjoint(SPANS.keys() - {HOUR})
    days = [one.value for one in amounts.implied if one.name == _SPAN] if wanting else []
    return tuple(Thing(Stated(value, {"day": 1}, free=True), text=f"{value:.4g} d", part=-1) for value in days[:1])


def is_of_records(understanding: Understanding, things: Sequence[Thing]) -> bool:
    """Whether what is asked of a card, a size or a model is in the records, whatever numbers stand beside it.

    A size that something is taken off is no size of a card.
    """
    best = understanding.ranking[0].intent if understanding.ranking else ""
    sizes = _NAMED if any(one.stated.mark == _OFF for one in things) else _SIZED
    return best in _IN_RECORDS and any(slot.slot in sizes for slot in understanding.slots)


def _in_a_unit(wants: Sequence[Want], things: Sequence[Thing]) -> tuple[Want, ...]:
    """What is asked for; what each of several has, in the one unit in which something is taken off a whole."""
    wanted = _part_of_each(things)
    if wanted is None:
        return tuple(filter(_says_what, wants))
    return tuple(replace(one, wanted=wanted) for one in wants if one.each) or tuple(wants)


def _says_what(want: Want) -> bool:
    """Whether a want names a unit or a noun, and not only what each has."""
    return bool(want.wanted.unit or want.wanted.noun or not want.each)


def _is_off(one: Thing) -> bool:
    """Whether a value or a share of the whole is taken off."""
    return one.stated.mark == _OFF or (one.stated.share and one.text.startswith("(1 −"))


def _part_of_each(things: Sequence[Thing]) -> Wanted | None:
    """What each of the one kind of things has of a whole that something is taken off; None where it is not so."""
    powers = [(name, power) for one in things for name, power in one.stated.unit.items()]
    units = {name for name, _ in powers if name in MEASURED}
    nouns = {name for name, power in powers if power > 0} - MEASURED
    taken = any(map(_is_off, things))
    return Wanted({units.pop(): 1, nouns.pop(): -1}) if taken and len(units) == len(nouns) == 1 else None


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


def _is_whole(ways: Sequence[_Way], things: Sequence[Thing]) -> bool:
    """Whether enough was said: something for each of something, or three values at least."""
    rated = any(power < 0 for one in things for power in one.stated.unit.values())
    return rated or len(things) > _FEWEST or any(way.found.cost == 0 for way in ways)


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


__all__ = ["is_of_records", "names_a_thing", "reckoned_sum"]
