"""How far two ways are apart that differ in one value and share the rest: two machines of other watts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.joined import joined
from advisor.calculators.reckon import Wanted, reckoned
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from bot.answers.sums.choose import LEAST, PLAIN, Chosen
from bot.answers.sums.versus import GAPS, Side, Versus
from bot.read.placed import Amounts, Placed
from bot.read.things import Thing

_MONEY: Final = "money"
_BILL: Final = "reckoned_money"
_PAIR, _FEWEST = 2, 3
_TIMES: Final = " \N{MULTIPLICATION SIGN} "


def apart(chosen: Chosen | None, amounts: Amounts) -> Chosen | None:
    """How much more the one costs than the other, where a difference is asked for and no comparison was found yet.

    Args:
        chosen: the sum found so far, if any.
        amounts: what the message gives and asks for.
    """
    if chosen is not None and (chosen.versus is not None or chosen.follows):
        return chosen
    asked = any(one.name in GAPS and one.fills and one.score >= LEAST for one in amounts.asked)
    return (_found(amounts) if asked else None) or chosen


def _found(amounts: Amounts) -> Chosen | None:
    """The two ways of a message."""
    things = amounts.things()[0]
    pair = _pair(things)
    if pair is None or len(things) < _FEWEST:
        return None
    rest = [one for one in things if one not in pair]
    first, second = (_side(one, rest, amounts) for one in pair)
    return _held(first, second, amounts, things) if first is not None and second is not None else None


def _held(first: Side, second: Side, amounts: Amounts, things: Sequence[Thing]) -> Chosen | None:
    """Two ways held against each other."""
    gap = solve("price_gap", (Given("price_before", first.value), Given("price_after", second.value)))
    if gap is None:
        return None
    counted = tuple(measure for one in things for measure in one.measures)
    return Chosen((gap,), amounts.given, score=PLAIN, versus=Versus((first, second), gap), counted=counted)


def _pair(things: Sequence[Thing]) -> tuple[Thing, Thing] | None:
    """The only two values in one unit."""
    found = [[other for other in things if other.stated.unit == one.stated.unit] for one in things if _is_own(one)]
    pairs = [each for each in found if len(each) == _PAIR]
    several = [each for each in found if len(each) > _PAIR]
    return (pairs[0][0], pairs[0][1]) if len(pairs) == _PAIR and not several else None


def _is_own(one: Thing) -> bool:
    """Whether a value may be that of one side: no share, nothing put on top."""
    return bool(one.measures) and not (one.stated.share or one.stated.mark)


def _side(own: Thing, rest: Sequence[Thing], amounts: Amounts) -> Side | None:
    """What one way comes to."""
    things = sorted((own, *rest), key=lambda one: one.measures[0].start if one.measures else 0)
    parts = joined([one.stated for one in things])
    found = reckoned(Wanted({_MONEY: 1}), [one.stated for one in parts]) if parts else None
    if found is None:
        return None
    worked = _TIMES.join(one.text.replace("{", "").replace("}", "") for one in things)
    total = Solution(Node(_BILL, found.value, Formula(_BILL, (), worked, float)))
    return Side((), total, found.value, _named(own, amounts))


def _named(own: Thing, amounts: Amounts) -> Placed:
    """The value that tells one way from the other, by the quantity that it was read as."""
    read = next((one for one in amounts.placed if one.measure is own.measures[0]), None)
    if read is not None and read.quantity in QUANTITIES:
        return read
    return Placed(own.measures[0], "purchase", own.measures[0].value, 0.0)


__all__ = ["apart"]
