"""Sums of money of a kind of its own: a ladder of prices, a commission, a warranty, a deposit that comes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from bot.answers.sums.choose import Chosen
from bot.answers.sums.of_deals import OF_DEALS, TURNED
from bot.core.sums import SumFrame
from bot.read.placed import Amounts, Framed

_SURELY: Final = 6.0
"""Words of its own name such a sum, so that no other need keeps it out."""
_SPAN: Final = "span_days"
"""The time that a sum is told for where words alone name it."""
_MONEY: Final = "money"
_EXCHANGED: Final = "bank_rate"
_NOTHING: Final[Mapping[str, float]] = {}


def dealt(amounts: Amounts, before: SumFrame | None) -> tuple[Chosen, Amounts] | None:
    """The likeliest sum of a kind whose words the message tells and whose numbers are all there; None where none is.

    Args:
        amounts: what the message gives and asks for.
        before: the sum of the last answer.
    """
    known = _known(before) if before is not None else _NOTHING
    last = before.asked if before is not None else ()
    for framed in amounts.deals(known, last):
        found = _made(framed, known, amounts.implied) if _is_of_one_currency(framed, amounts.wanted) else None
        if found is not None:
            return found, replace(amounts, placed=framed.placed, others=(), unplaced=(), apiece=(), odd=())
    return None


def _known(before: SumFrame) -> Mapping[str, float]:
    """What was said before, and what came out of it last and the time before."""
    twice = next((name for name in before.earlier if QUANTITIES[name].unit == _MONEY), "")
    if not twice:
        return before.given
    return {**before.given, "price_before": before.earlier[twice], "price_after": before.values[twice]}


def _is_of_one_currency(framed: Framed, wanted: str) -> bool:
    """Whether nothing has to be exchanged, or the sum exchanges it itself."""
    named = {one.measure.currency for one in framed.placed} - {""}
    return any(one.quantity == _EXCHANGED for one in framed.placed) or len(named | {wanted} - {""}) <= 1


def _made(framed: Framed, known: Mapping[str, float], implied: Iterable[Given]) -> Chosen | None:
    """The sum of one kind; None where it does not rest on every number that was given a place in it."""
    placed = {one.quantity: one.value for one in framed.placed}
    found = ((way, _solved(framed.unknown, {**way, **placed}, placed)) for way in _ways(framed, known, implied))
    way, solution = next((one for one in found if one[1] is not None), (_NOTHING, None))
    if solution is None:
        return None
    follows = framed.follows and bool(framed.kept or way is known)
    given = tuple(Given(*one) for one in {**(known if follows else _NOTHING), **placed}.items())
    counted = (*(one.measure for one in framed.placed), *framed.idle)
    return Chosen((solution,), given, follows=follows, score=_SURELY, counted=counted)


def _ways(framed: Framed, known: Mapping[str, float], implied: Iterable[Given]) -> Iterator[Mapping[str, float]]:
    """What a sum may rest on beside the numbers of its message, the least first."""
    yield framed.kept
    if framed.follows:
        yield known
    spans = {one.name: one.value for one in implied if one.name == _SPAN}
    if spans:
        yield {**spans, **framed.kept}


def _solved(unknown: str, values: Mapping[str, float], placed: Mapping[str, float]) -> Solution | None:
    """What is asked from some values, where it and what is told beside it rest on all that were said now."""
    solution = solve(unknown, [Given(*one) for one in values.items()])
    if solution is None or (solution.value < 0 and unknown not in TURNED):
        return None
    parts = [solve(one, [*map(Given, values, values.values())]) for one in OF_DEALS.get(unknown, ())]
    said = solution.node.said.union(*(one.node.said for one in parts if one is not None))
    return solution if said >= placed.keys() else None
