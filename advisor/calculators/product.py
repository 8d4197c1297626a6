"""The product of values whose units cancel down to the unit that is asked for.

A price per card and hour, so many cards, hours a day and days make an amount of money in one way only: each value is
multiplied or divided by, and the units decide which. This finds that way for values of any kinds, where no formula of
the registry is made of just these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, prod
from typing import Final, NamedTuple, TypeAlias

from advisor.calculators.signs import ways_to_cancel
from advisor.periods import HOURS_A_DAY, HOURS_A_MONTH, HOURS_A_WEEK, HOURS_A_YEAR

Dimensions: TypeAlias = Mapping[str, int]
"""Unit -> its power: money per hour is {"money": 1, "hour": -1}."""

_HOURS: Final[Mapping[str, float]] = {
    "hour": 1.0,
    "day": HOURS_A_DAY,
    "week": HOURS_A_WEEK,
    "month": HOURS_A_MONTH,
    "year": HOURS_A_YEAR,
}
_COUNTED: Final = frozenset({"card", "machine", "person", "run", "round"})
"""What may be left over in a product with a rate: so many cards, each at so much an hour."""
_HOUR: Final = "hour"
_FEWEST, _MOST = 2, 8
"""Values of one product; more are a table."""
_CONVERTED, _DROPPED, _LEFT = 1.0, 0.25, 1.0
"""What a conversion that nobody said costs, a count that nothing is paid for, and a value that is left out."""
_DEAREST: Final = 1.25
_DIGITS: Final = 9


class Factor(NamedTuple):
    """A value in a unit. `share` may only be multiplied by; `free` need not be used."""

    value: float
    unit: Dimensions
    share: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True)
class Product:
    """What came out, and by the places of the factors what was multiplied, divided by and left out."""

    value: float
    times: tuple[int, ...]
    over: tuple[int, ...]
    left: tuple[int, ...]
    conversion: float
    """What changes units of time into one another, 1 where they cancel by themselves."""


def product_in(
    unit: Dimensions,
    factors: Sequence[Factor],
    *,
    nonstop: bool = False,
    turning: bool = False,
    whole: bool = False,
) -> Product | None:
    """The product of the factors in a unit; None where none is, or two are equally good.

    Args:
        unit: what is asked for.
        factors: what was said, at most eight; more give None.
        nonstop: all hours of a day are meant, so that turning days into hours is no guess.
        turning: a run is timed, so that its hours may be told in days, whatever was said of either.
        whole: a product that leaves out what was said is none.
    """
    if not _FEWEST <= len(factors) <= _MOST:
        return None
    length = next((name for name, power in unit.items() if name in _HOURS and power == 1), "")
    if turning and length not in {"", _HOUR}:
        found = product_in({**unit, length: 0, _HOUR: 1}, factors, nonstop=nonstop, whole=whole)
        return replace(found, value=found.value / _HOURS[length]) if found else None
    best, least = _cheapest(unit, factors, nonstop=nonstop, whole=True)
    if least >= _LEFT and (best or not whole):
        # what leaves something out takes as much for granted
        best, _ = _cheapest(unit, factors, nonstop=nonstop, whole=False)
    found = best[0] if len({f"{one.value:.{_DIGITS}g}" for one in best}) == 1 else None
    return None if found is not None and whole and found.left else found


def _cheapest(
    unit: Dimensions, factors: Sequence[Factor], *, nonstop: bool, whole: bool
) -> tuple[list[Product], float]:
    """The products that take least for granted, and how much that is; `whole`: of those that leave nothing out."""
    best: list[Product] = []
    least = _DEAREST
    for signs in _signs(unit, factors, whole=whole):
        found = _made(unit, factors, signs)
        cost = _cost(found, unit, factors, nonstop=nonstop) if found is not None else inf
        if found is not None and cost <= least:
            best, least = [*(best if cost == least else ()), found], cost
    return best, least


def _signs(unit: Dimensions, factors: Sequence[Factor], *, whole: bool) -> Iterator[tuple[int, ...]]:
    """Every way to multiply, divide by or leave out, at most one value that was said left out, none if `whole`."""
    said = sum(not one.free for one in factors)
    names = {*unit, *(name for one in factors for name in one.unit)}
    rest = {name: -power for name, power in unit.items()}
    may_be = partial(_next_signs, factors, 0 if whole else min(1, said - _FEWEST))
    ways = ways_to_cancel(rest, [one.unit for one in factors], {name: _left_of(name) for name in names}, may_be)
    return ways if said >= _FEWEST else iter(())


def _left_of(name: str) -> tuple[float, float]:
    """The least and the highest power of a unit that may be left over in a product."""
    if name in _HOURS:
        return -1, 1
    return 0, inf if name in _COUNTED else 0


def _next_signs(factors: Sequence[Factor], most: int, signs: tuple[int, ...]) -> Iterator[int]:
    """What may be done with the next value where so many at most of those that were said are left out."""
    one = factors[len(signs)]
    if one.free or most > sum(not sign and not factors[at].free for at, sign in enumerate(signs)):
        yield 0
    if not _is_odd(factors, signs):
        yield from (1,) if one.share else (-1, 1)


def _made(unit: Dimensions, factors: Sequence[Factor], signs: tuple[int, ...]) -> Product | None:
    """The product with these signs, None where its unit is another one."""
    sound = _holds_a_rate(factors, signs)
    conversion = _conversion(_rest(unit, factors, signs)) if sound else 0.0
    value = _multiplied(factors, signs) if conversion else 0.0
    if not 0.0 < value * conversion < inf:
        return None
    used = [[at for at, sign in enumerate(signs) if sign == wanted] for wanted in (1, -1, 0)]
    left = tuple(at for at in used[2] if not factors[at].free)
    return Product(value * conversion, tuple(used[0]), tuple(used[1]), left, conversion)


def _multiplied(factors: Sequence[Factor], signs: Sequence[int]) -> float:
    """The number of a product; 0 where a factor is none."""
    return prod(one.value**sign if one.value else 0.0 for sign, one in zip(signs, factors, strict=True))


def _rest(unit: Dimensions, factors: Sequence[Factor], signs: Sequence[int]) -> dict[str, int]:
    """What is left of the units of a product beside the one that is asked for."""
    rest = {name: -power for name, power in unit.items()}
    for sign, one in zip(signs, factors, strict=True):
        for name, power in one.unit.items():
            rest[name] = rest.get(name, 0) + sign * power
    return rest


def _holds_a_rate(factors: Sequence[Factor], signs: Sequence[int]) -> bool:
    """Whether one of the values that are used is so much for each of something."""
    return any(power < 0 for sign, one in zip(signs, factors, strict=True) if sign for power in one.unit.values())


def _is_odd(factors: Sequence[Factor], signs: Sequence[int]) -> bool:
    """Whether the next amount is one more in a unit that is used already: that makes a square or a share."""
    unit = factors[len(signs)].unit
    amount = bool(unit) and min(unit.values()) > 0
    return amount and any(sign and factors[at].unit == unit for at, sign in enumerate(signs))


def _conversion(rest: Dimensions) -> float:
    """What makes units of time that are left over cancel; 0 where something else is left that nobody counts."""
    if any(power < 0 or (power and name not in _COUNTED) for name, power in rest.items() if name not in _HOURS):
        return 0.0
    times = {name: power for name, power in rest.items() if name in _HOURS}
    return prod(_HOURS[name] ** power for name, power in times.items()) if _is_plain(times) else 0.0


def _is_plain(times: Dimensions) -> bool:
    """Whether one unit of time is turned into one other at most: no more is ever meant."""
    return sorted(power for power in times.values() if power) in ([], [-1, 1])


def _cost(found: Product, unit: Dimensions, factors: Sequence[Factor], *, nonstop: bool) -> float:
    """How much a product takes for granted."""
    held = dict.fromkeys(_COUNTED, 0)
    for places, sign in ((found.times, 1), (found.over, -1)):
        for at in places:
            for name, power in factors[at].unit.items():
                if name in held:
                    held[name] += sign * power
    dropped = sum(power - unit.get(name, 0) for name, power in held.items())
    told = abs(found.conversion - 1.0) < 1e-9 or (nonstop and _is_of_days(found.conversion))
    return _LEFT * len(found.left) + _DROPPED * dropped + (0.0 if told else _CONVERTED)


def _is_of_days(conversion: float) -> bool:
    """Whether a conversion is one of whole days, weeks or months into all of their hours."""
    return any(abs(conversion - hours) < 1e-6 for hours in (HOURS_A_DAY, HOURS_A_WEEK, HOURS_A_MONTH, HOURS_A_YEAR))


__all__ = ["Dimensions", "Factor", "Product", "product_in"]
