"""Each value of a message by all the units that it may have, for sums put together as they are said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Final, NamedTuple

from advisor.calculators.expression import Atom, Powers, Said
from advisor.calculators.reckon import ANY, KNOWN, SIDE_BY_SIDE
from bot.read.asides import in_brackets
from bot.read.holds import Holds
from bot.read.like_the_last import cheapest, like_the_last
from bot.read.measured_units import Measure
from bot.read.places import is_of_what_is_asked
from bot.read.tags import tags
from bot.read.targets import TermWords
from bot.read.term import Term, as_gone, by_the_way, in_a_row
from bot.read.term_bare import CUED, OWNED, PER_DROPPED, as_size, counted
from bot.read.term_kinds import FACTORS, are_people, is_a_board, said_by_the_way
from bot.read.term_ones import Ones
from bot.read.term_places import CHANGED, NEAR, RIGHT_BEHIND, Place, is_gone, places
from bot.read.term_signs import ROWS, TermSigns
from bot.read.term_units import GENERAL, OF_UNIT, OTHERS, SHEET, SPANS, UNITS, powers, put, rated
from bot.read.thing_words import Near, any_of, words_of
from bot.read.things import Things
from bot.read.units import PER_HOURS

_TWO: Final = 2
_WIDTHS: Final = frozenset({"byte", "bit"})
_AGAIN: Final = 0.15
"""To count with a value once more that was said before."""
_AS_MONEY, _MONEY_OF_A_NOUN, _LEAST_MONEY = 0.06, 0.3, 1e-3
"""To take a bare number for money, and one that a noun stands behind; less than that is none."""
_EACH_DROPPED, _PER_TAKEN = 0.35, 0.04
"""To leave out what an amount is for each of where "each" was said, and to take the time that a word names."""
_BARE, _BARE_LARGE, _LARGE = 0.6, 0.8, 100
"""To take a number that counts nothing for a factor, and a large one."""
_CALLED: Final = -0.01
"""What is called by its name is rather that than anything else."""
_SIZES: Final[Mapping[str, str]] = {"length": "tokens", "micro": "micro_batch", "accumulation": "accumulation"}
"""Sizes that words right before a number name -> the quantities whose words name them, too."""
_BEHIND: Final = re.compile(r"\s*(?:(?:per|an?|each|every) +|/ ?)([a-z]{3,})(?!\w)")
_BY_THE: Final = re.compile(r" ?(?:[a-z-]+ ){1,3}(?:a|per|each|every) (day|week|month|year)(?![a-z])")
_AT: Final = re.compile(r"(?:\bat|@|\u5355\u4ef7)[\s$\u20ac\u00a3\u00a5]*$")
_BY_THE_HOUR: Final = 0.1
"""To take what something is had "at" for so much an hour."""
_EACH_BEHIND: Final = re.compile(r"\s*(?:(?:of )?[a-z]{4,} )?(?:each|apiece)\b(?! [a-z]+ \d)")
_OF_THAT: Final = re.compile(r"(?:/|per) ?(?:gpu|card|node|machine|box|server)", re.IGNORECASE)
_OF_THEM: Final = re.compile(r"of (?:them|these|those)$|\u5176\u4e2d$", re.IGNORECASE)
"""At the end of a number: it is of what was told right before."""
_GLUED: Final = re.compile(r"[a-z]-$")
"""Before a number that is a part of a name: ZeRO-3."""
_UNFINISHED: Final = frozenset({"token", "step"})
"""What is known of which something else may be said of each, too."""
_PERSON: Final = "person"
_HOURLY, _STEP, _OF = "hour", "step", "of"
_ACCUMULATED: Final = re.compile(r"accum|\u7d2f\u79ef", re.IGNORECASE)
_FLOPS: Final = re.compile(r" ?(?:nd(?![a-z])|flops? (?:per|/) ?param)")
_WORK: Final = {"flop": 1, "parameter": -1, "token": -1}


class Terms:
    """The words of lexicon/terms.yaml, ready for look-up. Holds no state."""

    def __init__(self, content: TermWords, measures: Near, things: Things, even: Callable[[str], str]) -> None:
        """Take the words.

        Args:
            content: lexicon/terms.yaml.
            measures: lexicon/measures.yaml, for number formats and for the words of quantities.
            things: reads nouns.
            even: normalises a word as messages are.
        """

        def near(words: Iterable[str], kind: str = "") -> re.Pattern[str]:
            return re.compile(any_of([*words, *words_of(measures["rows"], ROWS.get(kind, frozenset()))], even))

        self._things, self._stops = things, frozenset([*content["no_tags"], *things.stops])
        self._signs = TermSigns(content, measures, things, even)
        self._ones = Ones(content["ones"], content["signs_of_ones"], things, even)
        self._money = near(content["money"])
        self._holds = Holds(content["holds"], content["spent"], even)
        self._shared = _before_a_number(any_of(content["factors"], even))
        classifiers = "".join(sorted(things.classifiers))
        nouns = f"[{classifiers}]|[a-z]{{3,}}(?: [a-z]{{3,}})?"
        self._of_each = re.compile(f"(?:\u6bcf|\\beach |\\bevery |\\bper )({nouns})")
        self._one_of = {noun: re.compile(any_of(words, even)) for noun, words in content["one_of"].items()}
        self._by = {unit: near(words, unit) for unit, words in content["by"].items()}
        self._widths = [
            (re.compile(rf"(?<![a-z0-9]){even(str(word))}(?![a-z0-9])"), float(width))
            for word, width in measures["value_formats"].items()
        ]
        self._sizes = [
            (
                _before_a_number(any_of([*row["words"], *_called(measures["rows"], _SIZES.get(name, ""))], even)),
                row["unit"],
            )
            for name, row in content["sizes"].items()
        ]

    def is_paid(self, text: str, measures: Iterable[Measure]) -> bool:
        """Whether money is spoken of."""
        return any(one.kind == "money" for one in measures) or bool(self._money.search(text))

    def read(self, text: str, measures: Iterable[Measure], days_a_week: float, *, paid: bool) -> tuple[Term, ...]:
        """The values of a message in the order of the text; () where one of them is of no unit that sums are made of.

        Args:
            text: the even text.
            measures: its measures.
            days_a_week: those that are named, 0 where none are.
            paid: whether money is spoken of, so that a bare number may be an amount of it.
        """
        told = (one for one in measures if one.text and not _GLUED.search(text[: one.start]))
        typed = sorted(told, key=lambda one: one.start)
        if not OTHERS.isdisjoint(one.kind for one in typed):
            return ()
        aside = tuple(in_brackets(text, typed))
        placed = list(places(text, typed))
        found: list[Term] = []
        for (place, parts), tag in zip(placed, self._tags([one for one, _ in placed]), strict=True):
            counted = _counted_last(found, timed=place.measure.kind == "time")
            atoms = tuple(_of_the_counted(place, self._atoms(place, counted, paid=paid), found))
            term = _term(place.measure, parts, _Near(atoms, tag, found, place.tail, changed=_is_changed(place, found)))
            more = term.said.atoms[0].sign == "+"
            holds = not more and self._holds.say(place.measure, place.piece, place.tail)
            term = replace(term, said=term.said._replace(holds=holds))
            term = by_the_way(term) if place.measure in aside else term
            term, found = self._ones.with_the_others(place, term, found)
            found.append(as_gone(term) if is_gone(place) else term)
        return (*in_a_row(text, found), *_of_a_week(days_a_week), *self._formats(text, typed))

    def _tags(self, places: Sequence[Place]) -> list[str]:
        """What each value is said of, where things are told apart: what is fed and what is written, else by name."""
        sides = [one.measure.side for one in places]
        if len({*sides, ""}) > _TWO:
            return sides
        return tags([(one.own, one.tail) for one in places], [one.measure.kind for one in places], self._stops)

    def _formats(self, text: str, measures: Sequence[Measure]) -> list[Term]:
        """The width of the one number format that a message names, where no width is said."""
        widths = {width for word, width in self._widths if word.search(text)}
        if len(widths) != 1 or any(one.kind in _WIDTHS for one in measures):
            return []
        width = widths.pop()
        atom = Atom(width * 1e-9, powers({"gigabyte": 1, ANY: -1}))
        return [Term(Said((atom,), spare=True), (), f"{width:g} B")]

    def _atoms(self, place: Place, counted: str, *, paid: bool) -> Iterator[Atom]:
        """All that a value may be; `counted`: the noun that was counted last, for which "each" may stand."""
        measure = place.measure
        if measure.kind in FACTORS and "time" not in measure.per:
            yield from self._signs.factor(place, paid=paid)
            return
        sign = self._signs.sign(place)
        value, unit = self._own(place.text, measure)
        value, per = rated(measure, value)
        unit, per = self._of_each_one(place, counted, unit, per)
        yield from self._plain(place, value, unit, per, sign)
        if not measure.kind:
            yield from self._bare(place, value, per, sign, paid=paid)
        if measure.kind == "money":
            yield from self._of_times(place, value, per, sign)
        noun = self._noun_of_each(place.text, measure)
        if noun and noun not in per and noun not in unit:
            yield Atom(value, put({**unit, noun: -1}, per), _CALLED, sign)

    def _of_times(self, place: Place, value: float, per: Mapping[str, int], sign: str) -> Iterator[Atom]:
        """An amount of money as one for a time that only words beside it name."""
        if per.keys() & {"hour", *SPANS}:
            return
        for name in self._said_by(place.piece, place.tail):
            yield Atom(value, put({"money": 1, name: -1}, per), _PER_TAKEN, sign)
        if not per and _AT.search(place.piece):
            yield Atom(value, powers({"money": 1, "hour": -1}), _BY_THE_HOUR, sign)

    def _plain(
        self, place: Place, value: float, unit: Mapping[str, int], per: Mapping[str, int], sign: str
    ) -> Iterator[Atom]:
        """A value in its own unit, and as that of all together where it is said beside a card or a machine."""
        bare = 0.0 if place.measure.kind else _BARE_LARGE if value >= _LARGE else _BARE
        if not per and self._ones.are_cards(place):
            yield Atom(value, put(unit, {"card": 1}), 0.0, sign)
            bare = PER_DROPPED
        yield Atom(value, put(unit, per), bare, sign)
        one_of = self._ones.of_one(place)
        owned = SPANS if sign == "-" else OWNED | {one_of}
        loose = {name: power for name, power in per.items() if name not in owned}
        if loose != per:
            surely = sign != "-" and self._is_of_each(place, one_of)
            yield Atom(value, put(unit, loose), bare + (_EACH_DROPPED if surely else PER_DROPPED), sign)

    def _is_of_each(self, place: Place, one_of: str) -> bool:
        """Whether words say that a value is for each of what it is said beside."""
        return bool(one_of or self._of_each.search(place.piece) or _OF_THAT.search(place.measure.rated))

    def _bare(self, place: Place, value: float, per: Mapping[str, int], sign: str, *, paid: bool) -> Iterator[Atom]:
        """All that a number without a unit may be: a size that a word names, so many of a noun, money."""
        if self._shared.search(place.piece):
            yield Atom(value, (), CUED, "share")
            return
        yield from as_size(
            value, next((unit for pattern, unit in self._sizes if pattern.search(place.piece)), {}), sign
        )
        if _FLOPS.match(place.text, place.measure.end):
            yield Atom(value, powers(_WORK), CUED, sign)
            return
        scale, end = self._things.scaled(place.text, place.measure.end)
        noun, value = self._things.noun_at(place.text, end)[0], value * scale
        if not noun and _HOURLY in per:
            yield Atom(value, put({ANY: 1}, per), PER_DROPPED, sign)
        yield from counted(value, noun, per, sign)
        if paid and value >= _LEAST_MONEY:
            yield from self._as_money(place, value, per, sign, _AS_MONEY + (_MONEY_OF_A_NOUN if noun else 0.0))

    def _as_money(self, place: Place, value: float, per: Mapping[str, int], sign: str, cost: float) -> Iterator[Atom]:
        """A bare number as an amount of money, with what it may be for each of."""
        loose = {name: power for name, power in per.items() if name not in OWNED}
        spans: list[dict[str, int]] = [{}, *({name: -1} for name in self._said_by(place.piece, ""))]
        for each, more in ((loose, PER_DROPPED * (loose != per)), (per, 0.0)):
            yield from (Atom(value, put({"money": 1, **span}, each), cost + more, sign) for span in spans)

    def _of_each_one(
        self, place: Place, counted: str, unit: dict[str, int], per: dict[str, int]
    ) -> tuple[dict[str, int], dict[str, int]]:
        """A unit and what it is for each of, with what the words before and behind the number say of it."""
        one_of = [noun for noun, words in self._one_of.items() if words.search(place.piece) and noun not in unit]
        if place.measure.kind == "time" and not per.keys() - {"card"}:
            return _of_time(place, counted, unit, (*one_of, *per))
        per = per | dict.fromkeys(one_of, 1)
        per |= dict.fromkeys(self._each_before(place, counted, {*unit, *per}), 1)
        behind = _EACH_BEHIND.match(place.text, place.measure.end)
        per |= dict.fromkeys([counted] if counted and counted not in unit and behind else [], 1)
        if per:
            return unit, per
        by_the = _BY_THE.match(place.text, place.measure.end)
        return unit, {by_the[1]: 1} if by_the is not None else {}

    def _each_before(self, place: Place, counted: str, known: Set[str]) -> list[str]:
        """The noun of each of which a value is, by the word before it; none where one is known already."""
        found = [one for one in self._of_each.finditer(place.piece) if not _is_of_other(place, one)]
        one = self._ones.of_one(place)
        if one and not known & {*KNOWN, *SPANS}:
            return [one]
        if not found or not known.isdisjoint({*KNOWN - _UNFINISHED, *SPANS, *found[-1][1].split()[:1]}):
            return []
        if counted and place.piece[: found[-1].start()].strip() in {counted, f"{counted}s"}:
            return [counted]
        noun = self._noun_of(found[-1][1], place.piece, counted)
        return [noun] if noun and noun not in PER_HOURS else []

    def _noun_of(self, word: str, piece: str, counted: str) -> str:
        """The noun behind "each"; where a verb stands between it and the number, what was counted."""
        noun = self._things.noun_at(" " + word, 0)[0] if word.isascii() else ANY
        return counted if counted and noun not in KNOWN and piece.rstrip().endswith(word) else noun

    def _own(self, text: str, measure: Measure) -> tuple[float, dict[str, int]]:
        """A value in its own unit, without what it is counted for."""
        if is_a_board(text, measure):
            return measure.value, {ANY: 1}
        known = {_PERSON: 1} if are_people(measure) else OF_UNIT.get(measure.unit)
        if known is not None:
            return measure.value, dict(known)
        if measure.kind == _STEP and _ACCUMULATED.search(measure.text):
            return measure.value, {"micro": 1, _STEP: -1}
        if measure.kind in UNITS:
            unit, times = UNITS[measure.kind]
            return measure.value * times, dict(unit)
        if measure.unit == SHEET and not text[measure.end : measure.end + 1].isdigit():
            return measure.value, {ANY: 1}
        noun = self._things.noun_at(text, measure.end)[0] if measure.kind in GENERAL else ""
        return measure.value, {noun or measure.kind: 1}

    def _noun_of_each(self, text: str, measure: Measure) -> str:
        """The open noun behind "per" right behind a number; "" where a table knows it."""
        if self._ones.makes_one(text, measure):
            return ANY
        found = _BEHIND.match(text, measure.end)
        if found is None or found[1] in PER_HOURS:
            return ""
        return self._things.noun_at(" " + found[1], 0)[0]

    def _said_by(self, piece: str, tail: str) -> list[str]:
        """The units of time that words beside an amount of money say it is for."""
        near = (piece[-NEAR:], tail[:RIGHT_BEHIND])
        return [unit for unit, words in self._by.items() if any(map(words.search, near))]


def _is_of_other(place: Place, each: re.Match[str]) -> bool:
    """Whether an "each" is said of what is asked for, or of the number before, right behind which it stands."""
    if is_of_what_is_asked(place.piece, each[0].split()[0], each.end()):
        return True
    return place.touches and each[1].isascii() and not place.piece[: each.start()].strip()


def _before_a_number(words: str) -> re.Pattern[str]:
    """One of these words right before a number."""
    return re.compile(rf"(?:{words})[\s:=]*(?:of|is|from|\u662f|\u4ece|\u7531)?\s*$")


def _of_time(
    place: Place, counted: str, unit: dict[str, int], per: Sequence[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """The unit of a time: for each piece of work, else so long on one card is so many card hours of work."""
    if counted not in {"", *SIDE_BY_SIDE} and _EACH_BEHIND.match(place.text, place.measure.end):
        return unit, {counted: 1}
    return unit | dict.fromkeys(per, 1), {}


def _counted_last(before: Sequence[Term], *, timed: bool) -> str:
    """The noun that was counted last; for a time rather that of the work than of what works side by side."""
    nouns = [noun for term in reversed(before) for noun in term.nouns]
    work = [noun for noun in nouns if noun not in SIDE_BY_SIDE] if timed else []
    return next(iter([*work, *nouns]), "")


def _called(rows: Iterable[Mapping[str, str | float | list[str]]], quantity: str) -> list[str]:
    """What numbers of a quantity are called by."""
    told = [row.get("label") for row in rows if row["quantity"] == quantity]
    return [word for words in told if isinstance(words, list) for word in words]


def _of_a_week(days: float) -> list[Term]:
    """The days of a week that are named."""
    return [Term(Said((Atom(days, powers({"day": 1, "week": -1})),)), (), f"{days:g}")] if days else []


def _is_changed(place: Place, before: Sequence[Term]) -> bool:
    """Whether a value is what the one right before it has become."""
    return bool(before) and before[-1].gone and CHANGED.fullmatch(place.piece) is not None


def _of_the_counted(place: Place, atoms: Iterable[Atom], before: Sequence[Term]) -> Iterator[Atom]:
    """What a value may be; behind so many of something and "of" it is that of each: 256 sequences of 2048."""
    nouns = before[-1].nouns if before and place.touches and place.piece.strip() == _OF else []
    for one in atoms:
        per = {name: 1 for name in nouns[:1] if all(name != known for known, _ in one.unit)}
        yield one._replace(unit=put(dict(one.unit), per))


class _Near(NamedTuple):
    """What is known of a value when it is read."""

    atoms: tuple[Atom, ...]
    tag: str
    before: Sequence[Term]
    tail: str
    changed: bool
    """It is what the one before has become."""


def _term(measure: Measure, parts: tuple[Measure, ...], near: _Near) -> Term:
    """A value with what was said before it: what is said once more, and one that is like the last."""
    again = any(_is_same(measure, one) for term in near.before for one in term.measures)
    cost, side = _AGAIN if again else 0.0, measure.side if near.tag else ""
    every = _readings(measure, near)
    made = cheapest(one._replace(cost=one.cost + cost, unit=_tagged(one.unit, side)) for one in every)
    return Term(
        Said(made, again or said_by_the_way(measure, near.tail), near.tag), parts, measure.rated or measure.text
    )


def _readings(measure: Measure, near: _Near) -> Iterator[Atom]:
    """All that a value may be by itself, and as one like the last."""
    told = [(term.said.atoms[0], term.measures) for term in near.before]
    if told and _OF_THEM.search(measure.text):
        yield told[-1][0]._replace(value=measure.number)
    like = like_the_last(measure, near.atoms, told, tail=near.tail, changed=near.changed)
    yield from map(_unlike, near.atoms) if like and not measure.kind else near.atoms
    yield from like


def _unlike(atom: Atom) -> Atom:
    """A bare number as money where an amount in another unit stands before it."""
    paid = any(name == "money" for name, _ in atom.unit)
    return atom._replace(cost=atom.cost + _MONEY_OF_A_NOUN) if paid else atom


def _is_same(one: Measure, other: Measure) -> bool:
    """Whether two measures are of one value."""
    return (one.kind, one.value) == (other.kind, other.value) and (one.per == other.per or not (one.per and other.per))


def _tagged(unit: Powers, tag: str) -> Powers:
    """A unit, its tokens told apart by what is fed and what is written."""
    if not tag:
        return unit
    return tuple(sorted((f"token {tag}" if name == "token" else name, power) for name, power in unit))


__all__ = ["Term", "Terms"]
