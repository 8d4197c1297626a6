"""Several products side by side: a day at one tariff and a night at another, a rent and what is kept on disk.

What is said once of each goes into one product each; what is said once of all goes into every product that it fits.
The units decide, as in `product.py`: each product comes to the unit that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile
from typing import Final, TypeAlias

from advisor.calculators.product import Dimensions, Factor, Product, product_in

_Kind: TypeAlias = tuple[frozenset[tuple[str, int]], bool]
_FEWEST, _MOST = 2, 4
"""Products side by side."""
_SHARED: Final = 5
"""Values that are said of all, at most."""
_MONEY: Final = "money"
_EXACT: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Lane:
    """One product: what it comes to and, by their places, the factors it is made of."""

    value: float
    used: tuple[int, ...]
    own: tuple[int, ...]
    """Those of them that no other product has."""


def lanes_in(unit: Dimensions, factors: Sequence[Factor], *, nonstop: bool = False) -> tuple[Lane, ...]:
    """The products in a unit, in the order of the text; () where there are none that leave nothing out.

    Args:
        unit: what each of them comes to.
        factors: what was said, in the order of the text.
        nonstop: all hours of a day are meant.
    """
    for own, shared in _ways(factors):
        found = (_lane(unit, factors, lane, shared, nonstop=nonstop) for lane in own)
        lanes = tuple(one for one in takewhile(_is_one, found) if one is not None)
        used = frozenset().union(*(one.used for one in lanes))
        if len(lanes) == len(own) and all(at in used for at, one in enumerate(factors) if not one.free):
            return lanes
    return ()


def _is_one(lane: Lane | None) -> bool:
    """Whether there is a product: without one of them there are none side by side."""
    return lane is not None


def _ways(factors: Sequence[Factor]) -> Iterator[tuple[list[tuple[int, ...]], tuple[int, ...]]]:
    """What each product has of its own and what all share: by kinds that are said as often, else by what is paid."""
    several = [places for places in _by_kind(factors).values() if len(places) > 1]
    paid = [at for at, one in enumerate(factors) if one.unit.get(_MONEY, 0) > 0]
    counts = {len(places) for places in several} or {0}
    if len(counts) == 1:
        own = list(zip(*several, strict=True)) or [(at,) for at in paid]
        if _FEWEST <= len(own) <= _MOST:
            yield own, _others(factors, own)


def _by_kind(factors: Sequence[Factor]) -> dict[_Kind, list[int]]:
    """The places of factors by their unit."""
    kinds: dict[_Kind, list[int]] = {}
    for at, one in enumerate(factors):
        kinds.setdefault((frozenset(one.unit.items()), one.share), []).append(at)
    return kinds


def _others(factors: Sequence[Factor], own: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """What no product has of its own."""
    taken = {at for lane in own for at in lane}
    return tuple(at for at in range(len(factors)) if at not in taken)


def _lane(
    unit: Dimensions, factors: Sequence[Factor], own: tuple[int, ...], shared: tuple[int, ...], *, nonstop: bool
) -> Lane | None:
    """The product of what is a lane's own and as much of the rest as fits."""
    if len(shared) > _SHARED:
        return None
    for size in range(len(shared), -1, -1):
        ways = [tuple(sorted((*own, *some))) for some in combinations(shared, size)]
        made = [(places, _product(unit, [factors[at] for at in places], nonstop=nonstop)) for places in ways]
        found = [(abs(one.conversion - 1.0) > _EXACT, places, one) for places, one in made if one is not None]
        if found:
            _, places, best = min(found, key=lambda entry: entry[0])
            return Lane(best.value, places, own)
    return None


def _product(unit: Dimensions, factors: Sequence[Factor], *, nonstop: bool) -> Product | None:
    """The product of all of these, None where their units do not cancel."""
    alone = [Factor(1.0, {}, share=True)] if len(factors) == 1 else []
    each = [*(one._replace(free=False) for one in factors), *alone]
    return product_in(unit, each, nonstop=nonstop, whole=True)
