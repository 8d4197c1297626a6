"""A value that was said, by all it may be, and what values in a row say of one another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from advisor.calculators.expression import Atom, Said
from advisor.calculators.reckon import MEASURED
from bot.read.measured_units import Measure

_TWO: Final = 2
_SUPPLY: Final = frozenset({"ampere", "volt"})
_POWER: Final = "power"
_JOINED: Final = re.compile(r"[\s\u3001\uff0c,/+]*(?:and|\u548c|\u8ddf|\u4e0e)?\s*")
"""Between two values of a list."""
_SENTENCE: Final = re.compile(r"[;?!\u3002\uff1b\uff1f\uff01\n]|\.(?:\s|$)")
_EVERYTHING: Final = re.compile(
    r"[^,.;\d\uff0c\u3002]{0,20}\b(?:on|off|of|over) (?:(?:the|it|that) )?"
    r"(?:everything|all|total|lot|whole|sum|bill)\b"
)
"""Behind a share that is of all that was said."""
_ON_TOP: Final = re.compile(r"^[^,;\d\uff0c\uff1b]*(?:\+|\bplus\b|\u52a0)[^,;\d\uff0c\uff1b]*$")
_PART: Final = re.compile(r"[,\uff0c\u3001]")
"""Between an amount and a share that comes on top of it; ends a part of a sentence."""
_OF_ALL: Final = re.compile(r" ?(?:of|out of|/|of the|\u5171) ?")
_AT: Final = re.compile(r"\b(step|round|epoch|iteration|batch)s? (?:no\.? ?)?$")
"""Before a number of one kind of which so many are done."""
_SIGN: Final = re.compile(r"[^,;:.\d\uff0c\uff1b\u3002]{0,24}[x\u00d7*] ?")
_NO_SIGN: Final = re.compile(r"[\u4e00-\u9fff],? ?[a-z\u4e00-\u9fff ]{1,8}")
"""Between so many settings of one and of another: 3 grades of rate, 4 of decay."""
_RIGHT_BEFORE: Final = re.compile(r"[\u4e00-\u9fff ]{0,6}|\s?(?:x|at|of|[x\u00d7])?\s?")
"""Between a number of things and what one of them takes."""


@dataclass(frozen=True, slots=True)
class Term:
    """A value that was said, by all it may be, the measures that it was read from, and how it was typed."""

    said: Said
    measures: tuple[Measure, ...]
    text: str
    gone: bool = False
    """What it was before, or between how many something is: no part of a sum of all."""

    @property
    def nouns(self) -> list[str]:
        """What it counts."""
        units = (name for atom in self.said.atoms for name, power in atom.unit if power > 0)
        return [name for name in units if name not in MEASURED]

    def stands_before(self, end: int) -> bool:
        """Whether it stands before a place; what is read out of a format stands anywhere."""
        return not self.measures or self.measures[0].start < end


def in_a_row(text: str, found: Sequence[Term]) -> list[Term]:
    """The values with what those beside them say of them: how many there are of the next, of which supply they are.

    Args:
        text: the even text.
        found: its values in order.
    """
    placed = _of_a_supply(_listed(text, _multiplied(text, _reached(text, found))))
    return _bound(text, _closed(text, _off_something(placed)))


def _off_something(found: Sequence[Term]) -> list[Term]:
    """The values; money that would be taken off stands for itself where there is no other money to take it off."""
    paid = [term for term in found if _is_money(term)]
    alone = paid[0] if len(paid) == 1 else None
    return [_unsigned(term) if term is alone else term for term in found]


def _is_money(term: Term) -> bool:
    return any(name == "money" and power > 0 for name, power in term.said.atoms[0].unit)


def _unsigned(term: Term) -> Term:
    atoms = tuple(one._replace(sign="" if one.sign == "-" else one.sign) for one in term.said.atoms)
    return replace(term, said=term.said._replace(atoms=atoms))


def _closed(text: str, found: Sequence[Term]) -> list[Term]:
    """The values, a share that is of what was said before it marked so."""
    told = list(found)
    for at, (one, then) in enumerate(pairwise(found)):
        share = one.measures and then.measures and not one.said.atoms[0].unit and "share" in one.said.atoms[0].sign
        if share and _is_of_the_former(text, one, then, found[:at]):
            told[at] = replace(one, said=one.said._replace(last=True))
    return [replace(one, said=one.said._replace(whole=True)) if _is_of_everything(text, one) else one for one in told]


def _is_of_everything(text: str, one: Term) -> bool:
    """Whether words behind a share say that it is of all that was said."""
    atom = one.said.atoms[0]
    share = bool(one.measures) and not atom.unit and "share" in atom.sign
    return share and _EVERYTHING.match(text, one.measures[-1].end) is not None


def _is_of_the_former(text: str, one: Term, then: Term, before: Sequence[Term]) -> bool:
    """Whether a share ends its sentence, or comes on top of the amount of money right before it and ends its part."""
    between = _between(text, one, then)
    tops = before and _is_money(before[-1]) and _ON_TOP.search(_between(text, before[-1], one)) is not None
    return _SENTENCE.search(between) is not None or bool(tops and _PART.search(between))


def _reached(text: str, found: Sequence[Term]) -> list[Term]:
    """The values; how far something has come of all of it is taken off: at step 7,300 of 25,000."""
    told = list(found)
    for at, (one, then) in enumerate(pairwise(found)):
        if not (one.measures and then.measures) or _OF_ALL.fullmatch(_between(text, one, then)) is None:
            continue
        noun = _AT.search(text[: one.measures[0].start])
        if noun is not None and not {_kind(one), _kind(then)} - {"", noun[1]}:
            told[at], told[at + 1] = (_as_count(two, noun[1], sign) for two, sign in ((one, "-"), (then, "")))
    return told


def _as_count(term: Term, noun: str, sign: str) -> Term:
    atom = term.said.atoms[0]._replace(unit=((noun, 1),), cost=0.0, sign=sign)
    return replace(term, said=term.said._replace(atoms=(atom,)))


def _multiplied(text: str, found: Sequence[Term]) -> list[Term]:
    """The values, so many of one thing times so many of another as one number: 5 rates x 4 decays x 3 seeds."""
    told: list[Term] = []
    for term in found:
        if told and _are_multiplied(text, told[-1], term):
            told[-1] = _product(told[-1], term)
        else:
            told.append(term)
    return told


def _are_multiplied(text: str, one: Term, then: Term) -> bool:
    """Whether a sign stands between two values that merely count, or they count so many settings each."""
    if not (one.measures and then.measures and _merely_counts(one) and _merely_counts(then)):
        return False
    settings = any(len(noun) == 1 for noun in {*one.nouns} & {*then.nouns})
    return (_NO_SIGN if settings else _SIGN).fullmatch(_between(text, one, then)) is not None


def _merely_counts(term: Term) -> bool:
    """Whether a value is so many of something that is not measured."""
    unit = term.said.atoms[0].unit
    return len(unit) == 1 and unit[0][1] > 0 and unit[0][0] not in MEASURED


def _product(one: Term, then: Term) -> Term:
    value = one.said.atoms[0].value * then.said.atoms[0].value
    atoms = (Atom(value, (("run", 1),)), then.said.atoms[0]._replace(value=value))
    text = f"{one.text.strip()} \N{MULTIPLICATION SIGN} {then.text.strip()}"
    return Term(Said(atoms), (*one.measures, *then.measures), text)


def by_the_way(term: Term) -> Term:
    """A value as one that a sum may do without."""
    return replace(term, said=term.said._replace(spare=True))


def as_gone(term: Term) -> Term:
    """A value as one that is no part of a sum of all."""
    return replace(term, said=term.said._replace(spare=True), gone=True)


def _listed(text: str, found: Sequence[Term]) -> list[Term]:
    """The values; so many of what is then told one by one are no part of a sum: three models, 9, 7 and 6 GB."""
    return [as_gone(term) if _counts_a_list(text, term, found[at + 1 :]) else term for at, term in enumerate(found)]


def _counts_a_list(text: str, term: Term, behind: Sequence[Term]) -> bool:
    """Whether as many values of one kind stand right behind as are counted."""
    value = term.said.atoms[0].value
    told = behind[: int(min(value, len(behind)))]
    if not term.nouns or value < _TWO or len(told) != value or not all(one.measures for one in told):
        return False
    joined = all(_JOINED.fullmatch(_between(text, one, then)) for one, then in pairwise(told))
    return joined and len({one.measures[0].kind for one in told}) == 1 and not told[0].nouns


def _of_a_supply(found: Sequence[Term]) -> list[Term]:
    """The values; volts and amperes that stand together are of one supply, of what there is beside watts."""
    told = list(found)
    drawn = any(_kind(one) == _POWER for one in found)
    for at, (one, then) in enumerate(pairwise(found)):
        if {_kind(one), _kind(then)} == _SUPPLY and (drawn or one.said.holds != then.said.holds):
            told[at : at + 2] = [replace(term, said=term.said._replace(holds=True)) for term in (one, then)]
    return told


def _kind(term: Term) -> str:
    return term.measures[0].kind if term.measures else ""


def _bound(text: str, found: Sequence[Term]) -> list[Term]:
    """The values, those that count what the one right behind them is said of marked so."""
    behind = [*found[1:], None][: len(found)]
    return [
        replace(one, said=one.said._replace(bound=True)) if then is not None and _counts(text, one, then) else one
        for one, then in zip(found, behind, strict=True)
    ]


def _counts(text: str, one: Term, then: Term) -> bool:
    """Whether a value is so many of what the next one is said of: four 450 W cards."""
    unit, other = one.said.atoms[0].unit, then.said.atoms[0].unit
    nouns = [name for name, power in unit if power > 0]
    counted = len(nouns) == 1 and nouns[0] not in MEASURED
    measured = any(name in MEASURED and power > 0 for name, power in other)
    return counted and measured and _RIGHT_BEFORE.fullmatch(_between(text, one, then)) is not None


def _between(text: str, one: Term, then: Term) -> str:
    """What stands between two values."""
    return text[one.measures[-1].end : then.measures[0].start]


__all__ = ["Term", "as_gone", "by_the_way", "in_a_row"]
