"""Sums of a topic: what its rows read goes into the formulas of what it asks for.

Of several topics that a message speaks of the one is taken whose sum uses most of the numbers and leaves fewest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from bot.answers.sums.choose import PLAIN, Chosen, leading_from
from bot.answers.sums.left import left_out
from bot.answers.sums.reader import Reader
from bot.answers.sums.tell import SIGNED, TELLS
from bot.core.sums import SumFrame
from bot.read.placed import Amounts, Asked
from bot.read.relative import Change
from bot.understand.normalise import NormalisedText

_NAMED: Final = 3.0
"""From here on an unknown was named."""
_MOST_LEFT: Final = 1
_TIMES: Final = frozenset({"hour", "second", "minute", "day", "week", "month"})
_SPEED: Final = "speedup"


@dataclass(frozen=True, slots=True)
class OnTopic:
    """The sum of a topic and what its numbers are."""

    topic: str
    chosen: Chosen
    amounts: Amounts


def of_trade(reader: Reader, even: NormalisedText, before: SumFrame | None) -> OnTopic | None:
    """The sum of a trade that a message asks for by its own numbers, else by those of the sum `before`."""
    found = on_topic(reader.on_topics(even))
    if found is not None or before is None:
        return found
    more = reader.after_topic(even, before.topic, before.given.keys())
    return going_on(before.topic, before, *more) if more is not None else None


def on_topic(readings: Sequence[tuple[str, Amounts]]) -> OnTopic | None:
    """The sum of a message that stands alone; None where no topic's sum is whole.

    Args:
        readings: the topics that it speaks of, and what it gives and asks for in each.
    """
    found: list[tuple[tuple[int, int], OnTopic]] = []
    for topic, amounts in readings:
        chosen = _chosen(amounts.asked, amounts.given)
        if chosen is None or _is_odd(amounts):
            continue
        used = _said(chosen)
        # what another sum of the topic counts with says nothing that this one leaves out
        known = replace(amounts, placed=tuple(one for one in amounts.placed if one.quantity in used))
        left = len(left_out(chosen, known, frozenset(), ()))
        if left <= _MOST_LEFT and len(known.values) > left:
            found.append(((len(known.values) - left, -left), OnTopic(topic, chosen, known)))
    return max(found, key=lambda one: one[0])[1] if found else None


def going_on(topic: str, before: SumFrame, amounts: Amounts, changes: Sequence[Change]) -> OnTopic | None:
    """The sum of before with what is said now; None where nothing of it changes and nothing else is asked.

    Args:
        topic: of the sum before.
        before: its values.
        amounts: what the message gives and asks for within the topic.
        changes: what becomes larger or smaller by a share or so many times.
    """
    if _is_odd(amounts):
        return None
    values, speed = _changed(_with(before.given, amounts), changes)
    given = _as_given(values)
    chosen = _chosen(_newly_named(amounts, before), given)
    if chosen is None:
        chosen = _asked_again(before, given)
        chosen = _at_that_speed(chosen, speed, changed=values != before.given)
    return OnTopic(topic, replace(chosen, follows=True), amounts) if chosen is not None else None


def _as_given(values: Mapping[str, float]) -> tuple[Given, ...]:
    return tuple(Given(name, value) for name, value in values.items())


def _at_that_speed(chosen: Chosen | None, speed: float, *, changed: bool) -> Chosen | None:
    """The sums when all goes so many times as fast; None where nothing of them changes."""
    if chosen is None:
        return None
    told = tuple(_at_speed(one, speed) for one in chosen.solutions)
    return replace(chosen, solutions=told) if changed or told != chosen.solutions else None


def _newly_named(amounts: Amounts, before: SumFrame) -> list[Asked]:
    """The unknowns that are named now and were not asked for before."""
    return [one for one in amounts.asked if one.score >= _NAMED and one.name not in before.asked]


def _with(before: Mapping[str, float], amounts: Amounts) -> dict[str, float]:
    """The values of before with those of a message, which take their place or come on top."""
    values = dict(before)
    for one in amounts.given:
        values[one.name] = one.value + (values.get(one.name, 0.0) if one.name in amounts.adding else 0.0)
    return values


def _asked_again(before: SumFrame, given: tuple[Given, ...]) -> Chosen | None:
    """What was asked before from other values."""
    fresh = frozenset(one.name for one in given if before.given.get(one.name) != one.value)
    found = [one for name in before.asked if (one := _again(name, given, fresh)) is not None]
    return Chosen(tuple(found), given, score=PLAIN) if found else None


def _again(name: str, given: tuple[Given, ...], fresh: frozenset[str]) -> Solution | None:
    """What was asked before from other values; where it has no use for one, what it leads to that has."""
    found = solve(name, given)
    if found is None or not _makes_sense(found) or fresh <= found.node.said:
        return found if found is not None and _makes_sense(found) else None
    beyond = (solve(one, given) for one in leading_from(name))
    return next((one for one in beyond if one is not None and fresh <= one.node.said), None)


def _chosen(asked: Iterable[Asked], given: tuple[Given, ...]) -> Chosen | None:
    """The unknowns that were named, of those that one word names the first; else the first that the numbers reach."""
    known = {one.name for one in given}
    wanted = [one for one in asked if one.name not in known]
    named = [one for one in wanted if one.score >= _NAMED]
    # what was named and cannot be found is not answered by something else
    solved = _all_solved(named or wanted, given)
    parts = dict(reversed(solved if named else solved[:1]))
    kept = _without_repeats([parts[part] for part in sorted(parts)])
    return Chosen(kept, given, score=PLAIN) if kept else None


def _all_solved(asked: Iterable[Asked], given: tuple[Given, ...]) -> list[tuple[int, Solution]]:
    """The sums for some unknowns, each with the part that asks for it."""
    return [(one.part, found) for one in asked if (found := _solved(one.name, given)) is not None]


def _solved(name: str, given: tuple[Given, ...]) -> Solution | None:
    """The sum for an unknown, unless it makes no sense."""
    found = solve(name, given)
    return found if found is not None and _makes_sense(found) else None


def _without_repeats(told: Sequence[Solution]) -> tuple[Solution, ...]:
    """The sums without a figure that the sentence of a verdict, or of a sum before it, tells anyway."""
    kept: list[Solution] = []
    for one in sorted(told, key=lambda one: -len(one.node.said)):
        judged = any(
            other is not one and QUANTITIES[other.name].unit == "yes" and one.name in other.nodes for other in told
        )
        if not judged and not any(one.name in TELLS.get(other.name, ()) for other in kept):
            kept.append(one)
    return tuple(one for one in told if one in kept)


def _makes_sense(found: Solution) -> bool:
    """Whether no amount comes out below nothing: then a number was taken for what it is not."""
    nodes = found.nodes.values()
    return all(isfinite(one.value) and (one.value >= 0 or one.name in SIGNED) for one in nodes)


def _said(chosen: Chosen) -> frozenset[str]:
    return frozenset().union(*(one.node.said for one in chosen.solutions))


def _is_odd(amounts: Amounts) -> bool:
    """Whether a value makes no sense as what it was read as."""
    kinds = [(QUANTITIES[one.quantity], one.value) for one in amounts.placed]
    return any(not kind.low <= value <= kind.high or (kind.positive and value == 0) for kind, value in kinds)


def _changed(values: Mapping[str, float], changes: Iterable[Change]) -> tuple[dict[str, float], float]:
    """The values after all changes, and how many times as fast things go."""
    changed, speed = dict(values), 1.0
    for one in changes:
        if not one.quantity:
            speed *= one.times
        elif one.quantity in changed or one.more:
            changed[one.quantity] = changed.get(one.quantity, 1.0) * one.times + one.more
    return changed, speed


def _at_speed(solution: Solution, speed: float) -> Solution:
    """A time or a pace when everything goes so many times as fast; anything else as it is."""
    if speed == 1.0:
        return solution
    unit = QUANTITIES[solution.name].unit
    slower = unit in _TIMES
    if not slower and not unit.endswith("/s"):
        return solution
    sign = "\N{DIVISION SIGN}" if slower else "\N{MULTIPLICATION SIGN}"
    formula = Formula(solution.name, (), f"{{{solution.name}}} {sign} {{{_SPEED}}}", float)
    value = solution.value / speed if slower else solution.value * speed
    inputs = (solution.node, Node(_SPEED, speed, said=frozenset({_SPEED})))
    return Solution(Node(solution.name, value, formula, inputs, solution.node.said | {_SPEED}))
