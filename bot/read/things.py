"""What a message counts and measures, of whatever: so many cameras, so much for each of them, every so many steps.

The quantities of `quantities.py` have names that formulas know. Here a number is a value in its unit, and where it has
none in the noun behind it; what stands before or behind it says of what each it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.calculators.reckon import ANY, MEASURED, SIDE_BY_SIDE, SPANS, Stated
from bot.read.measured_units import Measure
from bot.read.thing_words import (
    CUT,
    Near,
    ThingWords,
    any_of,
    is_amount,
    piece_before,
    rate_of,
    shaped,
    singular,
    typed_noun,
    words_of,
)
from bot.read.units import PER_HOURS

_MEASURED: Final[Mapping[str, tuple[Mapping[str, int], float]]] = {
    "time": ({"hour": 1}, 1.0),
    **{span: ({span: 1}, 1.0) for span in ("day", "week", "month", "year")},
    "money": ({"money": 1}, 1.0),
    "energy": ({"kwh": 1}, 1.0),
    "power": ({"kwh": 1, "hour": -1}, 1e-3),
    "data": ({"gigabyte": 1}, 1.0),
    "data_rate": ({"gigabyte": 1, "hour": -1}, 3600.0),
    "byte": ({"gigabyte": 1, ANY: -1}, 1e-9),
    "bit": ({"gigabyte": 1, ANY: -1}, 1.25e-10),
    "item_rate": ({ANY: 1, "hour": -1}, 3600.0),
    "step_rate": ({"step": 1, "hour": -1}, 3600.0),
    "step_time": ({"hour": 1, "step": -1}, 1.0),
    "cycle_rate": ({"hour": -1}, 3600.0),
    "mass": ({"kilogram": 1}, 1.0),
}
"""Kind of a measure -> its unit, and how much of it one is."""
_OTHERS: Final = frozenset({"volt", "ampere", "va", "lane", "compute", "date"})
"""Kinds that have formulas of their own and are counted with nothing else."""
_FACTORS: Final = frozenset({"share", "times"})
_TIMES: Final = "times"
_OF_TIME: Final = frozenset({"time", *PER_HOURS})
_GENERAL: Final = frozenset({"item", "request"})
"""Kinds of which the typed noun says more."""
_WIDTHS: Final = frozenset({"byte", "bit"})
_SHEET: Final = "sheet"
_SHEET_HAN: Final = "\u5f20"
"""Counts cards and pictures."""
_CARD, _MACHINE = "card", "machine"
_PARAMETER: Final = "parameter"
_FOLD: Final = "fold"
GENERAL_HAN: Final = "\u4e2a"
"""Counts whatever there is."""
_ADJACENT: Final = 3
"""Characters in which a Chinese word that says more of a share stands before or behind it."""
_NOUN: Final = re.compile(r"[ -]?([a-z][a-z'-]*(?!\w)(?: [a-z][a-z'-]*(?!\w)){0,2})")
_BEHIND: Final = re.compile(r"\s*(?:(?:per|an?|each|every) +|/ ?)([a-z]{3,})(?![\w])")
_SPAN: Final = re.compile(rf"\s*(?:each )?(?:(?:per|an?|each|every) +|/ ?)({'|'.join(PER_HOURS)})(?![a-z])")
_TIMELESS: Final = frozenset({"time", "day", "week", "month", "year"})
_GLUED: Final = re.compile(r"[a-z]-$")
"""Before a number that is a part of a name: ZeRO-3."""
_SUBJECT: Final = re.compile(r"([a-z]{3,}) ?(?:=|:|is|takes|needs|costs|weighs)?\s*$")
_EACH_DOES: Final = re.compile(r"\s*each [a-z]+ ?$")
_NEAR: Final = 14
"""Characters behind a number in which a word is said of it."""
_NOT_LEFT_OUT: Final = frozenset({"", "money"})
"""Numbers of no unit, and those whose sign stands before them."""
_PHRASE: Final = 20
"""Characters behind it in which words may say that it is taken off."""
_ROWS: Final[Mapping[str, frozenset[str]]] = {
    "taken": frozenset({"fixed_gb"}),
    "smaller": frozenset({"discount"}),
    "larger": frozenset({"raised_share", "headroom"}),
    "working": frozenset({"efficiency", "utilization", "speedup"}),
}
"""What words near a number say -> the quantities of measures.yaml whose words say so, too."""
_LEAST_NOUN: Final = 2


@dataclass(frozen=True, slots=True)
class Thing:
    """A value, the measures that it was read from, and how it was typed."""

    stated: Stated
    measures: tuple[Measure, ...] = ()
    text: str = ""
    noun: str = ""
    """As typed: "docs"."""
    part: int = 0
    """Which part of the message it stands in."""
    join: str = ""
    """What joins that part to the one before: "+" or "&"."""

    @property
    def is_width(self) -> bool:
        """Whether it is how many bits or bytes a number has."""
        return bool(self.measures) and self.measures[0].kind in _WIDTHS


class Things:
    """The words of lexicon/things.yaml, ready for look-up. Holds no state."""

    def __init__(self, content: ThingWords, measures: Near, even: Callable[[str], str]) -> None:
        """Take the words.

        Args:
            content: lexicon/things.yaml.
            measures: lexicon/measures.yaml, for what comes on top.
            even: normalises a word as messages are.
        """
        each = any_of([*measures["each"], *measures["per"]], even)
        recurring = any_of([*content["recurring"], "every"], even)
        scales = {even(str(word)): float(times) for word, times in measures["billions"].items() if len(word) > 1}
        self.classifiers = frozenset(even(content["classifiers"]))
        self.stops = frozenset(content["no_nouns"].split())
        self._widths = {even(str(word)): float(width) for word, width in measures["value_formats"].items()}
        self._named_width = re.compile(rf"(?<![a-z0-9])({'|'.join(map(re.escape, self._widths))})(?![a-z0-9])")
        self._scales = scales
        self._scale = re.compile(rf" ?({'|'.join(sorted(map(re.escape, scales), key=len, reverse=True))})(?![a-z])")
        self._of_each = re.compile(rf"(?:{each}) ((?:[a-z-]+ )??[a-z-]{{3,}})\b")
        counts = "".join(sorted(self.classifiers))
        no_counted = any_of(content["no_counted"], even)
        self._of_one = re.compile(rf"[{counts}]?\u4e00([{counts}])(?!{no_counted})(?=[,;.?!\uff0c\uff1b\u3002\s]|$)")
        self._han_each = re.compile(f"[\u6bcf\u4e00]([{counts}])(?!{no_counted})")
        self._to_each = re.compile(rf"\s*(?:{any_of(content['to_each'], even)})")
        self._to_each_before = re.compile(rf"(?:{any_of(content['to_each_before'], even)})\s*$")
        self.recurring = recurring
        self._recurring = re.compile(rf"(?:{recurring})\s*$")
        self._minus = re.compile(rf"(?:{any_of(content['minus'], even)})\s*(?:the )?$")
        self._sizes = re.compile(rf"(?:{any_of(content['sizes'], even)})[\s:=\uff1a]*$")
        rows = {kind: words_of(measures["rows"], named) for kind, named in _ROWS.items()}
        self._added, self._not_added = (re.compile(any_of(measures[kind], even)) for kind in ("adds", "no_adds"))
        self.taken, self._smaller, self._larger, self._working = (
            re.compile(any_of([*content[kind], *rows[kind]], even))
            for kind in ("taken", "smaller", "larger", "working")
        )

    def read(self, text: str, measures: Iterable[Measure]) -> tuple[Thing, ...]:
        """What a message counts and measures, in the order of the text; () where something is none of these."""
        said = _typed(text, measures)
        listed = shaped(text, said)
        if not _OTHERS.isdisjoint(one.kind for one in said):
            return ()
        paid = any(one.kind == "money" for one, _ in listed)
        found: list[Thing] = []
        behind, each = 0, ""
        for measure, parts in listed:
            piece = piece_before(text, behind, measure.start)
            behind = measure.end
            if _is_one(measure):
                each = ANY if _is_picture(measure, said) else self._noun_of(text, measure)[0] or measure.kind
                continue
            thing = replace(self._thing(text, measure, piece, found, paid=paid), measures=parts)
            found.append(_for_each(thing, each) if each and not CUT.search(piece) else thing)
            each = ""
        return () if _is_sped_up(found) else (*_of_widths(found), *self._formats(text, found))

    def _formats(self, text: str, found: Sequence[Thing]) -> tuple[Thing, ...]:
        """The width of the one number format that a message names, where no width is said."""
        widths = {self._widths[word] for word in self._named_width.findall(text)}
        if len(widths) != 1 or any(one.is_width for one in found):
            return ()
        width = widths.pop()
        return (Thing(Stated(width * 1e-9, {"gigabyte": 1, ANY: -1}, share=True, free=True), text=f"{width:g} B"),)

    def _thing(self, text: str, measure: Measure, piece: str, before: Sequence[Thing], *, paid: bool) -> Thing:
        """One measure as a value in its unit, with what the words around it say."""
        tail = CUT.split(text[measure.end : measure.end + _NEAR])[0]
        if measure.kind in _FACTORS and not measure.per:
            return self._factor(measure, piece, tail)
        if measure.kind == _FOLD and paid:
            return Thing(Stated(measure.value, {}, share=True), text=measure.text)
        stated, noun = self._counted(text, measure)
        stated = _by_the_day(text, measure, stated, noun)
        stated = self._each(text, measure, stated, piece, before)
        if self._recurring.search(piece) and list(stated.unit.values()) == [1]:
            stated = Stated(1 / stated.value, {name: -power for name, power in stated.unit.items()})
        behind = CUT.split(text[measure.end : measure.end + _PHRASE])[0]
        mark, bare = self._mark(piece, behind), self._is_bare(measure, stated, piece)
        told = replace(stated, mark=mark, bare=bare) if (mark, bare) != (stated.mark, stated.bare) else stated
        return Thing(told, text=measure.rated or measure.text, noun=noun)

    def _is_bare(self, measure: Measure, stated: Stated, piece: str) -> bool:
        """Whether nothing says what a number counts: no noun, no word for a size, no shape."""
        return not (stated.unit or self._sizes.search(piece) or "x" in measure.text)

    def _factor(self, measure: Measure, piece: str, tail: str) -> Thing:
        """A share or a factor: what is left, what comes on top, how well something works, else so much of it."""
        value = measure.value
        if self._says(self._working, piece, tail):
            return Thing(Stated(value, {}, helps=True), text=measure.text)
        left = self._says(self._smaller, piece, tail) or self.taken.search(tail)
        if measure.kind == "share" and left:
            return Thing(Stated(1.0 - value, {}, share=True), text=f"(1 \N{MINUS SIGN} {measure.text})")
        if measure.kind == "share" and self._says(self._larger, piece, tail):
            return Thing(Stated(1.0 + value, {}, share=True), text=f"(1 + {measure.text})")
        return Thing(Stated(value, {}, share=True), text=measure.text)

    @staticmethod
    def _says(words: re.Pattern[str], piece: str, tail: str) -> bool:
        """Whether one of these words stands near a number; a Chinese one right beside it."""
        near = [*words.finditer(piece[-_NEAR:]), *words.finditer(tail)]
        beside = f"{piece[-_ADJACENT:]} {tail[:_ADJACENT]}"
        return any(one[0].isascii() or one[0] in beside for one in near)

    def _counted(self, text: str, measure: Measure) -> tuple[Stated, str]:
        """A measure in its own unit without what it is counted for, and its noun as typed."""
        unit, times = _MEASURED.get(measure.kind, ({}, 1.0))
        if unit:
            widths = measure.kind in _WIDTHS and bool(measure.per)
            return Stated(measure.value * times, {"gigabyte": 1} if widths else unit), ""
        number = measure.number if measure.kind == _FOLD else measure.value
        scale = self._scale.match(text, measure.end) if not measure.kind else None
        if scale is not None:
            number *= self._scales[scale[1]]
            measure = replace(measure, end=scale.end())
        noun, typed = self._noun_of(text, measure)
        return Stated(number, {noun: 1} if noun else {}), typed

    def _noun_of(self, text: str, measure: Measure) -> tuple[str, str]:
        """The noun of what is counted, in the singular, and as typed."""
        if not measure.kind:
            return self.noun_at(text, measure.end)
        if measure.kind in _GENERAL:
            return typed_noun(measure.text)
        sheets = measure.unit == _SHEET and not text[measure.end : measure.end + 1].isdigit()
        return (ANY, "") if measure.kind == _TIMES or sheets else (measure.kind, "")

    def scaled(self, text: str, end: int) -> tuple[float, int]:
        """The power of ten that is spelt out behind a number, and where it ends: "2 billion words"."""
        found = self._scale.match(text, end)
        return (self._scales[found[1]], found.end()) if found is not None else (1.0, end)

    def noun_at(self, text: str, at: int) -> tuple[str, str]:
        """The noun that stands at a place behind a number, in the singular, and as typed; "" where none does."""
        if text[at : at + 1] in self.classifiers:
            return (ANY, "") if text[at] == GENERAL_HAN else (text[at], text[at])
        found = _NOUN.match(text, at)
        words: list[str] = []
        for word in found[1].split() if found is not None else ():
            if word in self.stops:
                break
            words.append(word)
        if not words or len(words[-1]) < _LEAST_NOUN:
            return "", ""
        return singular(words[-1]), " ".join(words)

    def _each(self, text: str, measure: Measure, stated: Stated, piece: str, before: Sequence[Thing]) -> Stated:
        """A value with what it is counted for: as the measure has it, else by the words around it."""
        value, unit = stated.value, dict(stated.unit)
        for kind, spelt in dict(zip(measure.per, measure.per_units, strict=False)).items():
            value, base = rate_of(value, _meant(kind, before, spelt), spelt)
            unit[base] = unit.get(base, 0) - 1
        nouns = [*self._nouns_of_each(text, measure, piece), *self._last_counted(text, measure, piece, before, unit)]
        nouns = [_same_thing(noun, before) for noun in nouns] or _subject(piece, before, unit)
        nouns += self._left_out(measure, piece, before)
        general = unit.get(ANY, 0) < 0 and len(nouns) == 1
        unit |= {noun: -1 for noun in nouns if noun not in unit and not general}
        return stated.of(value, {name: power for name, power in unit.items() if power})

    def _left_out(self, measure: Measure, piece: str, before: Sequence[Thing]) -> list[str]:
        """What a number is counted for that comes on top of the one before it, whose unit it leaves out."""
        bare = measure.kind not in _NOT_LEFT_OUT and measure.text.strip().isdigit()
        on_top = bare and before and self._added.search(piece)
        return [name for name, power in before[-1].stated.unit.items() if power < 0] if on_top else []

    def _last_counted(
        self, text: str, measure: Measure, piece: str, before: Sequence[Thing], unit: Mapping[str, int]
    ) -> list[str]:
        """The noun that was counted last, where a number is said to be of each of these."""
        said = self._to_each.match(text, measure.end) or self._to_each_before.search(piece)
        if said is None and not self._each_does(piece):
            return []
        last = next((name for one in reversed(before) for name in _counted_nouns(one.stated.unit)), "")
        return [last] if last and not any(unit.get(name) for name in (last, ANY)) else []

    def _each_does(self, piece: str) -> bool:
        """Whether "each" stands for what was counted right before: "3 workers, each loads 40"."""
        return _EACH_DOES.match(piece) is not None or any(
            found[1].split()[-1] in self.stops for found in self._of_each.finditer(piece)
        )

    def _nouns_of_each(self, text: str, measure: Measure, piece: str) -> list[str]:
        """The nouns of what a number is counted for that no table knows."""
        behind = _BEHIND.match(text, measure.end) or self._of_one.match(text, measure.end)
        found = [behind[1]] if behind is not None else []
        if _OF_TIME.issuperset((*measure.per, *measure.per_units)) and not self._each_does(piece):
            before = [one[1].split()[-1] for one in self._of_each.finditer(piece)]
            before += [ANY if one[1] == GENERAL_HAN else one[1] for one in self._han_each.finditer(piece)]
            found += before[-1:]
        return [singular(word) for word in found if word not in self.stops and singular(word) not in PER_HOURS]

    def _mark(self, piece: str, tail: str) -> str:
        """Whether a value comes on top of what was said before, or is taken off it."""
        behind = self.taken.search(tail)
        before = self.taken.search(piece) or self._minus.search(piece)
        if before or (behind is not None and behind[0].isascii()):
            return "-"
        return "+" if self._added.search(piece) and not self._not_added.search(piece) else ""


def _by_the_day(text: str, measure: Measure, stated: Stated, noun: str) -> Stated:
    """A number with the time behind its noun that it is for: "90,000 pages a day"."""
    at = text.find(noun, measure.end) + len(noun) if noun and not measure.kind else measure.end
    behind = _SPAN.match(text, at)
    if behind is None or not _TIMELESS.isdisjoint(measure.per) or measure.kind in _MEASURED:
        return stated
    value, base = rate_of(stated.value, behind[1] if behind[1] in SPANS else "time", behind[1])
    return replace(stated, value=value, unit={**stated.unit, base: -1})


def _is_sped_up(found: Sequence[Thing]) -> bool:
    """Whether so many cards are named with a factor of speed, which is theirs together."""
    factors = any(one.stated.helps and one.stated.value > 1 for one in found)
    return factors and any(not SIDE_BY_SIDE.isdisjoint(_counted_nouns(one.stated.unit)) for one in found)


def _meant(kind: str, before: Sequence[Thing], spelt: str) -> str:
    """What "each" is said of: a card, unless machines alone were counted, or pictures by the same word."""
    if spelt == _SHEET and any(_SHEET_HAN in one.text and one.stated.unit.get(ANY) for one in before):
        return ANY
    counted = {name for one in before for name in _counted_nouns(one.stated.unit)}
    return _MACHINE if kind == _CARD and _MACHINE in counted and _CARD not in counted else kind


def _for_each(thing: Thing, noun: str) -> Thing:
    """A value as that of each of a noun."""
    if noun in thing.stated.unit or any(power < 0 for power in thing.stated.unit.values()):
        return thing
    return replace(thing, stated=replace(thing.stated, unit={**thing.stated.unit, noun: -1}))


def _typed(text: str, measures: Iterable[Measure]) -> list[Measure]:
    """The measures that are typed and no part of a name, in the order of the text."""
    told = [one for one in measures if one.text and not _GLUED.search(text[: one.start])]
    return sorted(told, key=lambda one: one.start)


def _is_one(measure: Measure) -> bool:
    """Whether a measure is one of a thing, of which the next number is said."""
    return measure.words and measure.number == 1 and bool(measure.kind) and measure.kind not in _MEASURED


def _is_picture(measure: Measure, said: Iterable[Measure]) -> bool:
    """Whether one sheet is one of the pictures that were counted, and no card."""
    return measure.unit == _SHEET and any(one.kind == "item" and _SHEET_HAN in one.text for one in said)


def _counted_nouns(unit: Mapping[str, int]) -> list[str]:
    """The nouns that a value counts."""
    return [name for name, power in unit.items() if power > 0 and name not in MEASURED]


def _same_thing(noun: str, before: Sequence[Thing]) -> str:
    """The noun of what was counted by the same Chinese word: "each group" of so many groups of experiments."""
    if noun.isascii():
        return noun
    counted = (name for one in before if noun in one.text for name in _counted_nouns(one.stated.unit))
    return next(counted, noun)


def _subject(piece: str, before: Sequence[Thing], unit: Mapping[str, int]) -> list[str]:
    """The noun right before a number that something else is said of, too: "step = 1.8 s"."""
    found = _SUBJECT.search(piece)
    if found is None or not is_amount(unit):
        return []
    noun = singular(found[1])
    return [noun] if noun not in PER_HOURS and any(noun in one.stated.unit for one in before) else []


def _of_widths(found: Sequence[Thing]) -> list[Thing]:
    """The values, the width of a number as that of each parameter where these are counted."""
    if not any(one.stated.unit.get(_PARAMETER, 0) > 0 for one in found):
        return list(found)
    return [_of_parameter(one) if one.is_width and one.stated.unit.get(ANY) == -1 else one for one in found]


def _of_parameter(one: Thing) -> Thing:
    """A width as that of each parameter."""
    unit = {**{name: power for name, power in one.stated.unit.items() if name != ANY}, _PARAMETER: -1}
    return replace(one, stated=replace(one.stated, unit=unit))


__all__ = ["GENERAL_HAN", "Thing", "Things"]
