"""Sums of several products, added up or held against each other: boxes of two kinds, a fee on top, a rent and a disk.

Such a sum uses every number of the message or does not speak. It takes the place of one that leaves numbers out, and of
bills that were added up by their names: here what stands in one part of the message is said of that part alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.reckon import MEASURED
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from advisor.calculators.terms import Spoken, Term, sides_of, terms_in, units_of
from bot.answers.sums.choose import LEAST, PLAIN, Chosen
from bot.answers.sums.left import left_out
from bot.answers.sums.opened import open_of
from bot.answers.sums.reckoned import spans_in_words
from bot.answers.sums.versus import GAPS, Side, Versus
from bot.read.joins import AND, PLUS
from bot.read.placed import Amounts, Placed
from bot.read.things import Thing

TOLD: Final = {
    "money": "reckoned_money",
    "gigabyte": "reckoned_data",
    "hour": "reckoned_time",
    "kwh": "reckoned_energy",
}
"""Unit of what is asked for -> the quantity that tells it."""
_BUDGETS: Final = frozenset({"budget", "budget_month", "spent", "purchase_old", "resale", "deposit"})
_MONEY, _TOTALLED, _RIVALS = "money", "totalled", "rivals"
_DATA: Final = "gigabyte"
_TIMES, _PLUS = " \N{MULTIPLICATION SIGN} ", " + "
_TWO: Final = 2
_SAID: Final = 1.5
"""From here on words say that an amount is what there is to spend."""
_SAME: Final = 1e-9


def termed(chosen: Chosen | None, amounts: Amounts, *, recorded: bool = False) -> Chosen | None:
    """The sum of several products where words add one to another and it comes to something else; else the one found.

    Args:
        chosen: the sum found so far, if any.
        amounts: what the message gives and asks for.
        recorded: a card or a model is named: how long it takes and what it needs is in the records.
    """
    if amounts.odd or (chosen is not None and chosen.follows) or _is_to_spend(amounts):
        return chosen
    found = _found(amounts)
    if found is None or (recorded and QUANTITIES[found.solutions[0].name].unit != _MONEY):
        return chosen
    return found if chosen is None or _is_better(found, chosen, amounts) else chosen


def _is_better(found: Chosen, chosen: Chosen, amounts: Amounts) -> bool:
    """Whether a sum is of the same, comes to something else, and the other leaves something out or added bills up.

    Where a word adds one amount to another the other sum has no say.
    """
    first, second = found.solutions[0], chosen.solutions[0]
    alike = QUANTITIES[first.name].unit == QUANTITIES[second.name].unit
    if found.versus is not None and chosen.versus is None:
        return bool(left_out(chosen, amounts, frozenset(), ()))
    if not alike or isclose(first.value, second.value, rel_tol=_SAME):
        return False
    wanting = bool(chosen.open or chosen.added or chosen.versus or left_out(chosen, amounts, frozenset(), ()))
    return wanting or any(one.join == PLUS for one in amounts.things()[0])


def _found(amounts: Amounts) -> Chosen | None:
    """The products of a message, added up or held against each other."""
    things, wants = amounts.things()
    things = (*things, *spans_in_words(things, amounts))
    if _is_compared(amounts):
        return _compared(things, spoken_of(things), amounts)
    if any(one.stated.share for one in things):
        # of which of the parts a share is, no part says
        return None
    return _totalled([name for want in wants for name in want.wanted.unit], things, spoken_of(things), amounts)


def _is_to_spend(amounts: Amounts) -> bool:
    """Whether words say that an amount is what there is to spend, was spent, or comes back."""
    return any(one.quantity in _BUDGETS and one.score >= _SAID for one in amounts.placed)


def _is_compared(amounts: Amounts) -> bool:
    return _RIVALS in amounts.flags or any(one.name in GAPS and one.score >= LEAST for one in amounts.asked)


def _join_of(things: Sequence[Thing], at: int) -> str:
    """What joins the part of a value to the part before."""
    return next(one.join for one in things if one.part == things[at].part)


def _is_one_more(things: Sequence[Thing], at: int) -> bool:
    """Whether "and" adds a value: it is of another unit than the amount before it, so it is no second way."""
    before = [one for one in things[:at] if one.part < things[at].part and MEASURED & one.stated.unit.keys()]
    return _join_of(things, at) == AND and bool(before) and before[-1].stated.unit != things[at].stated.unit


def _totalled(
    bases: Sequence[str], things: Sequence[Thing], spoken: Sequence[Spoken], amounts: Amounts
) -> Chosen | None:
    """All terms added up, where words say that they are."""
    for base in dict.fromkeys([*bases, *_only_unit(spoken)]):
        terms = _of_all(base, terms_in(base, spoken), amounts) if base in TOLD else ()
        if terms and _is_added(terms, things, amounts, asked=base in bases):
            return _added_up(base, terms, things, amounts)
    return None


def _of_all(base: str, terms: Sequence[Term], amounts: Amounts) -> Sequence[Term]:
    """The terms; where it is asked what all of some data comes to, what takes some of it is a part of that."""
    whole = base == _DATA and _TOTALLED in amounts.flags
    return [replace(one, value=abs(one.value)) for one in terms] if whole else terms


def of_terms(base: str, things: Sequence[Thing]) -> Chosen | None:
    """Values that were added up before, added up again; None where they make no sum.

    Args:
        base: unit of what is asked for.
        things: the values.
    """
    terms = terms_in(base, spoken_of(things))
    return _added_up(base, terms, things, Amounts()) if terms else None


def _added_up(base: str, terms: Sequence[Term], things: Sequence[Thing], amounts: Amounts) -> Chosen:
    """The sum of all terms, and each of them."""
    name = TOLD[base]
    parts = tuple(Solution(_node(name, one, things)) for one in terms)
    return Chosen(
        (total_of(name, [one.value for one in parts]),),
        tuple(Given(name, value) for name, value in amounts.values.items()),
        score=PLAIN,
        counted=tuple(measure for one in things for measure in one.measures),
        added=parts,
        called=tuple(_worked(one, things) for one in terms),
        open=open_of("total", {base: 1}, things),
    )


def spoken_of(things: Sequence[Thing]) -> list[Spoken]:
    """The values with the parts that they stand in."""
    return [
        Spoken(one.stated, one.part, _join_of(things, at) == PLUS or _is_one_more(things, at))
        for at, one in enumerate(things)
    ]


def _only_unit(spoken: Sequence[Spoken]) -> list[str]:
    """The one unit that several amounts are in, where no words say what is asked for."""
    several = [name for name, count in units_of(spoken).items() if count >= _TWO and name in TOLD]
    return several if len(several) == 1 else []


def _is_added(terms: Sequence[Term], things: Sequence[Thing], amounts: Amounts, *, asked: bool) -> bool:
    """Whether words add every part to those before, or all are to be totalled; "and" where the unit is asked for."""
    joins = [_join_of(things, one.head) for one in terms[1:]]
    return _TOTALLED in amounts.flags or all(join == PLUS or (asked and join == AND) for join in joins)


def total_of(name: str, values: Sequence[float]) -> Solution:
    """Values of one quantity added up."""
    worked = _PLUS.join(f"{one:,.6g}" for one in values).replace("+ -", "\N{MINUS SIGN} ")
    return Solution(Node(name, sum(values), Formula(name, (), worked, float)))


def _compared(things: Sequence[Thing], spoken: Sequence[Spoken], amounts: Amounts) -> Chosen | None:
    """Two ways held against each other, each with all that is added to it."""
    terms = terms_in(_MONEY, spoken)
    sides = sides_of(terms)
    if len(sides) != _TWO or len(terms) == _TWO:
        return None
    before, after = (_side(one, things) for one in sides)
    gap = solve("price_gap", (Given("price_before", before.value), Given("price_after", after.value)))
    if gap is None or abs(before.value - after.value) <= _SAME:
        return None
    return Chosen(
        (gap,),
        amounts.given,
        score=PLAIN,
        versus=Versus((before, after), gap),
        counted=tuple(measure for one in things for measure in one.measures),
    )


def _side(terms: Sequence[Term], things: Sequence[Thing]) -> Side:
    """One of two ways, told from the other by its first amount."""
    total = total_of(TOLD[_MONEY], [one.value for one in terms])
    head = things[terms[0].head]
    first = Placed(head.measures[0], _rate(head), head.stated.value, 0.0)
    return Side((), total, total.value, first)


def _rate(thing: Thing) -> str:
    """The quantity that an amount of money is told as, by what it is counted for."""
    return "rent_card_hour" if "hour" in thing.stated.unit else "purchase"


def _node(name: str, term: Term, things: Sequence[Thing]) -> Node:
    return Node(name, term.value, Formula(name, (), _worked(term, things), float))


def _worked(term: Term, things: Sequence[Thing]) -> str:
    """The arithmetic of a term as it was typed."""
    typed = [_typed(things[at]) for at in sorted(term.used)]
    if abs(term.conversion - 1.0) > _SAME:
        typed.append(f"{term.conversion:.4g}")
    return _TIMES.join(typed)


def _typed(thing: Thing) -> str:
    return (thing.text or f"{thing.stated.value:.4g}").replace("{", "").replace("}", "").strip()


__all__ = ["of_terms", "termed"]
