"""What the parts of a message ask for, by unit and by word, for sums put together as they are said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple, TypeAlias, TypedDict

from advisor.calculators.expression import Goal
from advisor.calculators.reckon import ANY
from bot.read.blanks import Blank
from bot.read.measured_units import Measure, Unit, UnitTable
from bot.read.term_units import BASES, OF_UNIT, SPANS, UNITS, put, unit_of
from bot.read.thing_words import ThingWords, any_of, singular

_WORDED: Final[Mapping[str, str]] = {"gigabyte": "data", "hour": "time", "gigabyte_rate": "data_rate"}
"""What words of things.yaml ask for -> the kind of what fills it."""
_PACE: Final = "pace"
_PACED: Final = frozenset({"token", "step", "item"})
_CHOSEN: Final = frozenset({"choice", "verdict"})
"""What no value answers."""
_COMPUTE: Final = "compute"
_SCALED: Final = frozenset({"token", "time"})
"""Kinds of which something may be asked for a million, or for a second."""
_VAGUE: Final = frozenset({"any", "named"})
_CARD_HOURS, _RATE, _TIME, _FOLD = "card_hour", "_rate", "time", "times"
_MARK, _MONEY, _ANY = "?", "money", "any"
_Told: TypeAlias = tuple[str, dict[str, int] | None, str]
"""A kind, its unit, and the noun of what is counted."""
_NounAt: TypeAlias = Callable[[str, int], tuple[str, str]]
_NUMBER_ALONE: Final = re.compile(r"\s*\W*$")
_WHAT_IS_LEFT: Final = re.compile(
    r"what(?:'?s| is) left(?: over)?|what remains"
    r"|\u51e0\u4e2a?(?:\u4eba|\u540c\u5b66|\u670b\u53cb)(?=\u5408|\u4e00\u8d77|\u5e73|\u5747|\u5206|\u51d1|\u5171)"
)
"""Asks for nothing: it is shared out, or filled; some people who share."""
_ALL: Final = 1.0
_ONE: Final = 1.0
_SENTENCE: Final = re.compile(r"[?.;\u3002\uff1f\uff1b](?:\s|$)")
_TOTAL: Final = re.compile(r"(?<!in )total\W*$")
"""What is asked for is the total, and not that of anything named behind the word."""
_WORD: Final = re.compile(r"[a-z-]+ ")
_EACH_OF: Final = re.compile(
    r"(?:\u6bcf\s?(?:\u4e2a|\u4e00)?|\u4e00\s?\u4e2a?(?=\u4eba)"
    r"|\bper |\beach |\bevery |\ban? (?=month|day|year|week|hour))"
)


class TermWords(TypedDict):
    """lexicon/terms.yaml."""

    more: list[str]
    less: list[str]
    of: list[str]
    speed: list[str]
    plus: list[str]
    minus: list[str]
    total: list[str]
    gap: list[str]
    each: list[str]
    down: list[str]
    up: list[str]
    by: dict[str, list[str]]
    sizes: dict[str, Size]
    asks: list[str]
    money: list[str]
    named: dict[str, list[str]]
    one_of: dict[str, list[str]]
    no_tags: str
    no_sum: list[str]
    holds: dict[str, list[str]]
    among: list[str]
    reach: list[str]
    manifold: list[str]
    more_times: list[str]
    how_many: list[str]
    rounded_up: list[str]
    paced: list[str]
    free: list[str]
    spent: list[str]
    factors: list[str]
    ones: dict[str, list[str]]
    signs_of_ones: dict[str, str]
    share: list[str]


class Size(TypedDict):
    """A size that words before a bare number name."""

    words: list[str]
    unit: dict[str, int]


@dataclass(frozen=True, slots=True)
class Target:
    """What a part asks for, and how it is told."""

    goal: Goal
    part: int
    end: int
    """Where the part ends."""
    whole: str = ""
    """"down" | "up": as many as go in, as many as are needed."""
    days: bool = False
    """A time is asked for in days or longer."""
    times: float = 1.0
    """So many of what it is for each of: a million tokens."""


class Targets:
    """The words of lexicon/terms.yaml for what is asked. Holds no state."""

    def __init__(
        self, content: TermWords, things: ThingWords, units: UnitTable, even: Callable[[str], str], noun_at: _NounAt
    ) -> None:
        """Take the words.

        Args:
            content: lexicon/terms.yaml.
            things: lexicon/things.yaml, for what is asked without a unit and where more than a sum is meant.
            units: spellings of units.
            even: normalises a word as messages are.
            noun_at: the noun at a place of a text, "" where none is.
        """
        self._noun_at = noun_at

        def near(words: Iterable[str]) -> re.Pattern[str]:
            return re.compile(any_of(words, even))

        self._units = units
        self._no_sum = near([*content["no_sum"], *things["no_product"]])
        self._total, self._gap, self._each = map(near, (content["total"], content["gap"], content["each"]))
        self._reach, self._manifold = near(content["reach"]), near(content["manifold"])
        self._rounded_up = near(content["rounded_up"])
        self._how_many, self._more_times = near(content["how_many"]), near(content["more_times"])
        self._down, self._up, self._asks = map(near, (content["down"], content["up"], content["asks"]))
        self._worded = [(_WORDED[name], near(words)) for name, words in things["asked"].items() if name in _WORDED]
        self._named = {kind: re.compile(any_of(words, even)) for kind, words in content["named"].items()}
        self._by = {unit: re.compile(any_of(words, even)) for unit, words in content["by"].items()}

    def read(
        self, text: str, measures: Sequence[Measure], blanks: Sequence[Blank], *, paid: bool
    ) -> tuple[Target, ...]:
        """What each part that asks may ask for, in the order of the text.

        Args:
            text: the even text.
            measures: its measures: "how fast" asks for what a rate of the message is of.
            blanks: its parts that ask.
            paid: whether money is spoken of, so that a bare "how much" asks for it.
        """
        if any(blank.kinds & _CHOSEN for blank in blanks) or self._no_sum.search(text):
            return ()
        asking = list(enumerate(self._asking(text, blanks)))
        return tuple(one for at, blank in asking for one in self._of(text, measures, blank, at, paid=paid))

    def _asking(self, text: str, blanks: Sequence[Blank]) -> list[Blank]:
        """The parts that ask in words; where none does, those without a number."""
        parts = [(blank, _WHAT_IS_LEFT.sub("", text[blank.start : blank.end])) for blank in blanks]
        asking = [blank for blank, part in parts if _MARK in part or self._asks.search(part)]
        return asking or [blank for blank, part in parts if not any(map(str.isdigit, part))]

    def _of(self, text: str, measures: Sequence[Measure], blank: Blank, at: int, *, paid: bool) -> list[Target]:
        """What one part may ask for."""
        part = text[blank.start : blank.end]
        per, times, unnamed = self._per(part)
        each = unnamed or (bool(self._each.search(part)) and not per)
        kind = self._kind(text, blank)
        whole = self._whole(part, text[blank.start :])
        units = _units(self._kinds(part, measures, blank, paid=paid))
        told = units or self._open(part, blank, paid=paid, alone=bool(whole) or kind == "total")
        asked = _Asked(per, kind, whole, each, more=self._more_times.search(part) is not None)
        made = [(one, _goal(one, unit or {}, noun, asked)) for one, unit, noun in told]
        return [_target(goal, (at, blank.end), whole, times, days=one in SPANS) for one, goal in made]

    def _open(self, part: str, blank: Blank, *, paid: bool, alone: bool) -> list[_Told]:
        """The noun of no table of which it is asked how many; any where a bound or total is, and none is named."""
        places = [found.end() for found in self._how_many.finditer(part)] if not paid and _ANY in blank.kinds else []
        nouns = [self._noun(part, at) or ANY * (alone and bool(_NUMBER_ALONE.match(part, at))) for at in places]
        told: list[_Told] = [(_ANY, {}, noun) for noun in nouns if noun]
        return told[:1]

    def _noun(self, part: str, at: int) -> str:
        """The noun behind "how many", in the singular: the first that is a plural."""
        noun, typed = self._noun_at(part, at)
        plural = next((word for word in typed.split() if word.endswith("s")), "")
        return singular(plural) if plural else noun

    def _whole(self, part: str, behind: str) -> str:
        """Whether as many are asked for as go in, or as are needed; `behind`: the text from there on."""
        if self._rounded_up.search(_SENTENCE.split(behind, maxsplit=1)[0]):
            return "up"
        return "down" if self._down.search(part) else "up" if self._up.search(part) else ""

    def _kind(self, text: str, blank: Blank) -> str:
        """Whether a part asks for what all comes to, or for what lies between two."""
        if self._gap.search(text[blank.start : blank.end]):
            return "gap"
        sentence = _SENTENCE.split(text[blank.start :], maxsplit=1)[0]
        return "total" if self._total.search(sentence) else ""

    def _kinds(self, part: str, measures: Sequence[Measure], blank: Blank, *, paid: bool) -> set[str]:
        """The kinds of what may fill a part: what its unit says, else money or what a word names."""
        kinds = self._named_kinds(part, blank, paid=paid)
        others = kinds - {_MONEY}
        if others and self._is_paid_with(part, paid=paid):
            kinds = others
        if _MONEY in kinds or (paid and not kinds and "any" in blank.kinds):
            return {_MONEY}
        return _with_paces(kinds, measures) if kinds else self._worded_kinds(part)

    def _named_kinds(self, part: str, blank: Blank, *, paid: bool) -> set[str]:
        """The kinds that a part names: hours of cards rather than hours, a rate rather than what it is of."""
        if _FOLD in blank.kinds and self._manifold.search(part):
            return {_FOLD}
        kinds = set(blank.kinds) - _VAGUE | {kind for kind, words in self._named.items() if words.search(part)}
        if _CARD_HOURS in kinds and _TIME in blank.kinds and (not paid or self._reach.search(part)):
            return {_CARD_HOURS}
        return kinds - {_CARD_HOURS, *(kind.removesuffix(_RATE) for kind in kinds if kind.endswith(_RATE))}

    def _worded_kinds(self, part: str) -> set[str]:
        """The kinds that words name where no unit is asked for."""
        return {kind for kind, words in self._worded if words.search(part)}

    def _is_paid_with(self, part: str, *, paid: bool) -> bool:
        """Whether money is what a number of things is had for, or is spoken of nowhere, and is not asked for."""
        return bool(self._reach.search(part)) or not (paid or _TOTAL.search(part))

    def _per(self, part: str) -> tuple[dict[str, int], float, bool]:
        """What the amount that is asked for is for each of, how many of these, and whether some is in no table."""
        found: dict[str, int] = {}
        times, unnamed = 1.0, False
        for match in _EACH_OF.finditer(part):
            behind = _WORD.match(part, match.end())
            unit = self._units.at(part, match.end()) or (self._units.at(part, behind.end()) if behind else None)
            unnamed |= unit is None and behind is not None
            if unit is not None:
                per, size = _of_each(unit[0])
                found |= per
                times *= size
        return found or {unit: 1 for unit, pattern in self._by.items() if pattern.search(part)}, times, unnamed


def _of_each(unit: Unit) -> tuple[Mapping[str, int], float]:
    """What something is asked of each of, and how many of it that is."""
    if unit.kind == _COMPUTE:
        known, size = UNITS[unit.kind]
        return known, unit.times * size
    per = OF_UNIT.get(unit.name) or {BASES.get(unit.kind, unit.kind): 1}
    return per, unit.times if unit.kind in _SCALED else 1.0


def _units(kinds: set[str]) -> list[_Told]:
    """The kinds that sums are made of, with their units."""
    return [(one, *unit_of(one)) for one in sorted(kinds) if unit_of(one)[0] is not None]


def _with_paces(kinds: set[str], measures: Sequence[Measure]) -> set[str]:
    """The kinds, a pace as that of what the rates of a message are of."""
    return (kinds - {_PACE}) | _paces(measures) if _PACE in kinds else kinds


def _paces(measures: Sequence[Measure]) -> set[str]:
    """What the rates of a message are of."""
    return {f"{one.kind}_rate" for one in measures if one.kind in _PACED and "time" in one.per}


def _target(goal: Goal, place: tuple[int, int], whole: str, times: float, *, days: bool) -> Target:
    """What a part asks for: what is counted in whole ones, and for so many of what it is for each of."""
    counted = bool(goal.noun)
    return Target(goal, *place, whole if counted else "", days, times if counted or times > 1 else 1.0)


class _Asked(NamedTuple):
    """How something is asked for."""

    per: Mapping[str, int]
    kind: str
    whole: str
    each: bool
    more: bool
    """How many times more it is."""


def _goal(kind: str, unit: Mapping[str, int], noun: str, asked: _Asked) -> Goal:
    """What is asked for, of one kind."""
    per = {name: power for name, power in asked.per.items() if not unit.get(name)}
    room = noun and asked.whole == "down"
    least = _ONE if (noun and asked.whole != "up") or (asked.more and kind == _FOLD) else 0.0
    return Goal(
        put(unit, per), noun, asked.each, "gap" if room else asked.kind, least, _ALL if kind == "share" else inf
    )


__all__ = ["Target", "Targets", "TermWords"]
