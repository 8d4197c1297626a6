"""Sums of several products: so many of these at so much, plus so many of those, plus a fee.

A part of a message that names an amount in the unit that is asked for is a term. What stands in the same part is said of
it alone; what stands in a part of its own is said of every term that is counted for it: hours of what is paid by the hour,
cards of what is paid for each card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from advisor.calculators.reckon import ANY, HOUR, MEASURED, SPANS, Stated
from advisor.periods import HOURS_A_MONTH

_FEWEST, _MOST = 2, 6
"""Terms of one sum."""
_LARGEST: Final = 12
"""Values that are put together."""
_WITHIN_A_MONTH: Final = HOURS_A_MONTH * 1.02
"""What is paid by the month is paid once for so many hours."""
_MONTH: Final = "month"
_OFF: Final = "-"


@dataclass(frozen=True, slots=True)
class Spoken:
    """A value, and which part of the text it stands in."""

    stated: Stated
    part: int
    added: bool = False
    """A word adds its part to the one before."""


@dataclass(frozen=True, slots=True)
class Term:
    """One product: what it comes to, and the places of the values that it is made of, its own amount the first."""

    value: float
    head: int
    used: tuple[int, ...]
    conversion: float = 1.0
    added: bool = False


def terms_in(base: str, spoken: Sequence[Spoken]) -> tuple[Term, ...]:
    """The terms of a sum in a unit, in the order of the text; () where a value has no place in any.

    Args:
        base: unit of what is asked for, of those that are measured.
        spoken: what was said, in the order of the text.
    """
    heads = _heads(base, spoken)
    parts = frozenset(spoken[at].part for at in heads)
    if len(parts) < len(heads) or len(spoken) > _LARGEST:
        return ()
    told = tuple(filter(None, (_Term(base, spoken, at, parts).made() for at in heads)))
    used = frozenset().union(*(one.used for one in told))
    needed = frozenset(at for at, one in enumerate(spoken) if not one.stated.free)
    return told if len(told) == len(heads) and used >= needed else ()


def _heads(base: str, spoken: Sequence[Spoken]) -> list[int]:
    """The places of the amounts in a unit; none where they are too few or too many to be added up."""
    heads = [at for at, one in enumerate(spoken) if one.stated.unit.get(base) == 1 and not one.stated.share]
    return heads if _FEWEST <= len(heads) <= _MOST else []


@dataclass(frozen=True)
class _Term:
    """A term in the making."""

    base: str
    spoken: Sequence[Spoken]
    head: int
    headed: frozenset[int]
    """Parts that have an amount of their own."""

    def made(self) -> Term | None:
        """The term; None where something that it is counted for was not said, or its own part says what is none of it."""
        one = self.spoken[self.head]
        needs = _needs(one.stated)
        own = [at for at in self._of_part(one.part) if at != self.head]
        found = self._provided(needs, own)
        if found is None or not self._is_sound([at for at in own if at not in found[0]], needs):
            return None
        used, conversion = found
        used += filter(self._multiplies, {*own, *self._of_all()} - {*used})
        value = conversion * prod(self.spoken[at].stated.value for at in (self.head, *used))
        sign = -1.0 if one.stated.mark == _OFF else 1.0
        return Term(sign * value, self.head, (self.head, *used), conversion, one.added)

    def _is_sound(self, rest: Sequence[int], needs: Sequence[str]) -> bool:
        """Whether what else stands in its part goes with it, and is of one kind: a second may be the size of the first."""
        nouns = {name for at in rest for name in self.spoken[at].stated.unit} - MEASURED
        return len(nouns) <= 1 and all(self._goes_with(at, needs) for at in rest)

    def _of_part(self, part: int) -> list[int]:
        return [at for at, one in enumerate(self.spoken) if one.part == part]

    def _of_all(self) -> list[int]:
        """The shares that stand in a part of their own: they hold for all."""
        return [at for at, one in enumerate(self.spoken) if one.part not in self.headed and one.stated.share]

    def _multiplies(self, at: int) -> bool:
        """Whether a value goes into the product: a time that this term is not counted for is another one's."""
        return not _is_time(self.spoken[at].stated)

    def _goes_with(self, at: int, needs: Sequence[str]) -> bool:
        """Whether a value of the same part is a number of what costs so much each, a share, or a time for others."""
        one = self.spoken[at].stated
        counted = at < self.head and not MEASURED & one.unit.keys() and all(power > 0 for power in one.unit.values())
        return one.share or counted or (_is_time(one) and not any(name in SPANS for name in needs))

    def _provided(self, needs: Sequence[str], own: Sequence[int]) -> tuple[list[int], float] | None:
        """The values that a term is counted for, its own before those of all."""
        used: list[int] = []
        conversion = 1.0
        others = [at for at, one in enumerate(self.spoken) if at not in own and at != self.head]
        for name in needs:
            found = self._timed(name, own, others) if name in SPANS else self._counted(name, own, others)
            if found is None:
                return None
            used += found[0]
            conversion *= found[1]
        return used, conversion

    def _counted(self, name: str, own: Sequence[int], others: Sequence[int]) -> tuple[list[int], float] | None:
        """How many of a noun there are; one where nothing of the kind was counted for all."""
        near = [at for at in own if self.spoken[at].stated.unit in ({name: 1}, {ANY: 1})]
        far = [at for at in others if self._is_free(at) and self.spoken[at].stated.unit.get(name) == 1]
        if near or not far:
            return near[:1], 1.0
        return (far + self._of_which(far[0], own, others), 1.0) if len(far) == 1 else None

    def _of_which(self, at: int, own: Sequence[int], others: Sequence[int]) -> list[int]:
        """How many there are of what a count is said of each of: cards of so many machines."""
        names = [one for one in _needs(self.spoken[at].stated) if one not in SPANS]
        found = filter(None, (self._counted(one, own, others) for one in names))
        return [place for each, _ in found for place in each]

    def _is_free(self, at: int) -> bool:
        """Whether a value stands in a part that has no amount of its own."""
        return self.spoken[at].part not in self.headed

    def _timed(self, name: str, own: Sequence[int], others: Sequence[int]) -> tuple[list[int], float] | None:
        """The time that a term is counted for, of its own part or of any other."""
        near = self._time(name, own)
        return near if near is not None else self._time(name, others)

    def _time(self, name: str, places: Sequence[int]) -> tuple[list[int], float] | None:
        """A time among some values in a unit: itself, so many hours of each of so many days, or turned into it."""
        times = {next(iter(one.unit)): at for at in places if _is_time(one := self.spoken[at].stated)}
        rated = self._of_each_span(name, places) if not times else self._of_each(name, places, times)
        if rated is not None:
            return rated
        if name in times:
            return [times[name]], 1.0
        if len(times) != 1:
            return None
        span, at = next(iter(times.items()))
        if name == _MONTH and span == HOUR:
            return ([], 1.0) if self.spoken[at].stated.value <= _WITHIN_A_MONTH else None
        return [at], SPANS[span] / SPANS[name]

    def _of_each(self, name: str, places: Sequence[int], times: Mapping[str, int]) -> tuple[list[int], float] | None:
        """So many hours of each of so many days, and for each of so many people."""
        for at in places if name == HOUR else ():
            unit = self.spoken[at].stated.unit
            per = [one for one, power in unit.items() if power == -1]
            if unit.get(HOUR) != 1 or not any(one in SPANS for one in per):
                continue
            found = self._provided_for(per, places, times)
            return ([at, *found[0]], found[1]) if found is not None else None
        return None

    def _provided_for(
        self, per: Sequence[str], places: Sequence[int], times: Mapping[str, int]
    ) -> tuple[list[int], float] | None:
        """What a time is counted for: the longest span that was said, and how many there are."""
        used: list[int] = []
        conversion = 1.0
        for name in per:
            if name not in SPANS:
                counted = self._counted(name, places, places)
                used += counted[0] if counted is not None else []
                continue
            span = next((one for one in tuple(SPANS)[:0:-1] if one in times), "")
            if not span:
                return None
            used.append(times[span])
            conversion *= SPANS[span] / SPANS[name]
        return used, conversion

    def _of_each_span(self, name: str, places: Sequence[int]) -> tuple[list[int], float] | None:
        """The hours of each month, week or day, where the sum is one for each of these; once what is paid by it."""
        for at in places:
            unit = self.spoken[at].stated.unit
            span = next((one for one, power in unit.items() if power == -1 and one in SPANS), "")
            if span and unit == {HOUR: 1, span: -1}:
                return ([at], 1.0) if name == HOUR else ([], 1.0) if name == span else None
        return None


def _needs(one: Stated) -> list[str]:
    """What an amount is counted for."""
    return [name for name, power in one.unit.items() for _ in range(-power)]


def _is_time(one: Stated) -> bool:
    """Whether a value is a span of time."""
    return len(one.unit) == 1 and all(name in SPANS and power == 1 for name, power in one.unit.items())


def sides_of(terms: Sequence[Term]) -> list[tuple[Term, ...]]:
    """The terms of each of several ways: what is added to nothing begins the next."""
    return [tuple(side) for side in _runs(terms)]


def _runs(terms: Sequence[Term]) -> Iterator[list[Term]]:
    run: list[Term] = []
    for one in terms:
        if run and not one.added:
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def units_of(spoken: Sequence[Spoken]) -> Mapping[str, int]:
    """How often each unit that is measured is that of an amount."""
    found: dict[str, int] = {}
    for one in spoken:
        for name, power in one.stated.unit.items():
            if power == 1 and name in MEASURED:
                found[name] = found.get(name, 0) + 1
    return found


__all__ = ["Spoken", "Term", "sides_of", "terms_in", "units_of"]
