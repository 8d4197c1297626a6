"""What is asked for of whatever is counted or measured: by the unit behind "how many", else by its noun or its word."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from advisor.calculators.reckon import ANY, HOUR, Units, Wanted
from bot.read.blanks import NAMED_ONLY, Blank
from bot.read.thing_words import ThingWords, any_of, singular
from bot.read.things import GENERAL_HAN, Things
from bot.read.units import PER_HOURS

_UNITS: Final[Mapping[str, Units]] = {
    **{span: {"hour": 1} for span in ("time", "day", "week", "month", "year")},
    "money": {"money": 1},
    "data": {"gigabyte": 1},
    "data_rate": {"gigabyte": 1, "hour": -1},
    "energy": {"kwh": 1},
    "power": {"kwh": 1, "hour": -1},
    "mass": {"kilogram": 1},
    "share": {},
    "times": {},
}
"""Kind of a blank -> the unit that fills it."""
_LONG: Final = frozenset({"day", "week", "month", "year"})
_LENGTHS: Final = _LONG | {"time"}
_PACES: Final = {"token_rate": "token", "item_rate": ANY, "step_rate": "step"}
_COUNTED: Final = frozenset(
    {"card", "machine", "item", "request", "person", "step", "round", "run", "token", "parameter", "layer", "process"}
)
_AT_WORK: Final = frozenset({"card", "machine"})
"""What works: so many are needed as there is work for, the last of them in part."""
_ONE: Final = 1.0
_GENERAL: Final = frozenset({"item", "request"})
_OPEN: Final = frozenset({"any", NAMED_ONLY})
_VAGUE: Final = frozenset({"any", "named", "verdict"})
_WORDS: Final[Mapping[str, Units]] = {
    "gigabyte": {"gigabyte": 1},
    "hour": {"hour": 1},
    "rate": {"hour": -1},
    "gigabyte_rate": {"gigabyte": 1, "hour": -1},
    "count": {},
}
_HOW_MANY: Final = re.compile(r"\b(?:how many|what number of|number of) ((?:[a-z-]+ ){0,3}[a-z-]+)")
_PER_SECOND: Final = re.compile(r"(?:/s\b|per second|a second|per sec\b|\u6bcf\u79d2)")
_YES: Final = frozenset({"verdict"})
_ENDS: Final = re.compile(r"[,;.?!:]\s*(?!\d)")
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Want:
    """One thing that may be asked for in a part, and how it is told."""

    wanted: Wanted
    part: int
    noun: str = ""
    """As typed."""
    whole: str = ""
    """"down": no more of them go in; "up": so many are needed."""
    days: bool = False
    """A time is asked for in days or longer."""
    each: str = ""
    """It is what each of these has, in a unit that what was said tells."""
    named: bool = False
    """By its unit or noun, and not by a word for it alone."""


class Wants:
    """The words of lexicon/things.yaml for what is asked. Holds no state."""

    def __init__(self, content: ThingWords, things: Things, even: Callable[[str], str]) -> None:
        """`content` is lexicon/things.yaml; `even` normalises a word as messages are."""
        self._things = things
        self._words = {name: re.compile(any_of(words, even)) for name, words in content["asked"].items()}
        self._down, self._up = re.compile(any_of(content["down"], even)), re.compile(any_of(content["up"], even))
        self._no_product = re.compile(any_of(content["no_product"], even))
        self._left = re.compile(any_of(content["left"], even))
        each = any_of(content["each_of"], even)
        self._each = re.compile(rf"(?:per|an?) ([a-z]{{3,}})(?![a-z])|(?:{each})()")
        self._han = re.compile(f"(?:\u591a\u5c11|\u51e0)([{''.join(sorted(things.classifiers))}])")

    def read(self, text: str, blanks: Iterable[Blank]) -> tuple[Want, ...]:
        """What each part that asks may ask for, in the order of the text."""
        if self._no_product.search(text):
            return ()
        listed = list(blanks)
        found = [want for at, blank in enumerate(listed) for want in self._of(text[blank.start : blank.end], at, blank)]
        each = dict(self._parts_of(text, listed))
        if found:
            return tuple(replace(one, each=each.get(one.part, "")) for one in found)
        return tuple(Want(Wanted({}), at, each=noun) for at, noun in each.items() if listed[at].kinds & _OPEN)

    def _parts_of(self, text: str, blanks: Iterable[Blank]) -> list[tuple[int, str]]:
        """The parts that ask what each of several has, and the noun of these."""
        parts = [(at, text[blank.start : blank.end]) for at, blank in enumerate(blanks)]
        told = [(at, found[1] or ANY) for at, part in parts if (found := self._each.search(part)) is not None]
        return [(at, singular(noun)) for at, noun in told]

    def asked(self, text: str) -> list[Blank]:
        """The questions without a number that name what is worked out and nothing else; the last part as well."""
        ends = [0, *(found.end() for found in _ENDS.finditer(text)), len(text)]
        parts = [(start, end) for start, end in itertools.pairwise(ends) if text[start:end].strip(" .,!")]
        told = [part for part in parts if part == parts[-1] or text[: part[1]].rstrip().endswith("?")]
        return [
            Blank(start, end, frozenset({NAMED_ONLY}))
            for start, end in told
            if not any(map(str.isdigit, text[start:end])) and self._names(text[start:end])
        ]

    def _names(self, part: str) -> bool:
        """Whether a part names what is worked out."""
        return len(part) <= _LONGEST and bool(self._named(part))

    def _named(self, part: str) -> list[str]:
        """What words of a part ask for."""
        return [name for name, pattern in self._words.items() if pattern.search(part)]

    def _of(self, part: str, at: int, blank: Blank) -> list[Want]:
        """What one part may ask for."""
        if blank.kinds == _YES or self._left.search(part):
            return []
        words = self._named(part)
        paid = "money" in blank.kinds and HOUR not in words
        found = self._of_kinds(blank.kinds - _LENGTHS if paid else blank.kinds, at)
        counted = [] if found or not blank.kinds.isdisjoint(_AT_WORK) else self._of_count(part, at)
        if counted:
            return counted
        found += self._of_counted(blank.kinds & _COUNTED, part, at)
        plain = not found or blank.kinds <= _VAGUE | {"data", "time", "money"}
        return [*found, *(_of_word(name, at, self._rounded(part)) for name in words if plain)]

    def _rounded(self, part: str) -> str:
        """Whether as many as go in are asked for, or as many as are needed."""
        return "down" if self._down.search(part) else "up" if self._up.search(part) else ""

    def _of_count(self, part: str, at: int) -> list[Want]:
        """So many of a noun, or so many of it by the second."""
        noun, typed = self._counted(part)
        whole = self._rounded(part)
        wanted = Wanted({HOUR: -1}, noun) if _PER_SECOND.search(part) else Wanted({}, noun, least=_least(whole))
        return [Want(wanted, at, typed, "" if wanted.unit else whole, named=True)] if noun else []

    def _of_counted(self, kinds: frozenset[str], part: str, at: int) -> list[Want]:
        """So many of a noun that a table knows."""
        nouns = [ANY if kind in _GENERAL else kind for kind in sorted(kinds)]
        ways = [(noun, self._rounded(part) or ("up" if noun in _AT_WORK else "")) for noun in nouns]
        return [Want(Wanted({}, noun, least=_least(whole)), at, "", whole, named=True) for noun, whole in ways]

    @staticmethod
    def _of_kinds(kinds: frozenset[str], at: int) -> list[Want]:
        """What is asked for by the unit that fills the blank."""
        units = [(kind, unit) for kind in sorted(kinds) if (unit := _UNITS.get(kind)) is not None]
        paces = [Want(Wanted({"hour": -1}, _PACES[kind]), at, named=True) for kind in sorted(kinds & _PACES.keys())]
        measured = [Want(Wanted(unit, whole=not unit), at, days=kind in _LONG, named=True) for kind, unit in units]
        return [*measured, *paces]

    def _counted(self, part: str) -> tuple[str, str]:
        """The noun behind "how many" that no table knows, in the singular, and as typed; "" where none is."""
        han = self._han.search(part)
        if han is not None:
            return (ANY, "") if han[1] == GENERAL_HAN else (han[1], han[1])
        found = _HOW_MANY.search(part)
        if found is None:
            return "", ""
        noun, typed = self._things.noun_at(" " + found[1], 0)
        return (noun, typed) if noun not in PER_HOURS else ("", "")


def _least(whole: str) -> float:
    """What is counted comes to one at least; a part of one is rounded up where so many are needed."""
    return 0.0 if whole == "up" else _ONE


def _of_word(name: str, at: int, whole: str) -> Want:
    """What a word alone asks for."""
    unit = _WORDS[name]
    return Want(Wanted(unit, least=0.0 if unit else _ONE), at, whole="" if unit else whole)


__all__ = ["Want", "Wants"]
