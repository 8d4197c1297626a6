"""Orders options: which are dominated, and which of the rest serves an objective best.

Every utility rises with memory and speed and falls with price, so an option that is worse in all three can never come
first. Nothing here reads the catalogue, a clock or a unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log
from operator import ge
from typing import Final

from advisor.recommend.models import Channel, Objective, Option

Utility = tuple[float, ...]
PlaceOf = Callable[[Option], tuple[object, ...]]
"""Sort key of options."""

_TIGHT: Final = 0.5  # an option that may not hold the job after all must be twice as good as one that surely does

_PRICE_WEIGHT: Final = 0.14  # so much of a doubling of speed must come with a doubling of the price: a tenth

_ROOM: Final = (
    0.25  # what is run from day to day grows: a doubling of the memory is worth a quarter of one of the speed
)

_TROUBLE: Final = 0.35  # each doubling of the cards must win back a third: boards, power, software that splits the job


_LEAST_PRICE, _LEAST_SPEED = 1e-9, 1e-12  # nothing has no logarithm

Merits = tuple[float, float, float, float, int, bool, bool]


def _merits(option: Option) -> Merits:
    """What options are held against each other by; more is better in each."""
    total, speed = option.total_vram_gib, option.fast
    return (-option.cost, option.vram_gib, total, speed, -option.n, option.sure, option.ample)


def dominates(one: Option, other: Option) -> bool:
    """Whether `one` is at least as good in price, memory, speed and certainty, and better in one of them."""
    return _beats(_merits(one), _merits(other))


def _beats(mine: Merits, theirs: Merits) -> bool:
    return mine != theirs and all(map(ge, mine, theirs))


def pareto_front(options: Sequence[Option]) -> list[Option]:
    """Options that no other one dominates, in a fixed order.

    Sorted by price, an option can only be dominated by one that stands before it.
    """
    ordered = sorted(
        options,
        key=lambda o: (o.cost, -o.total_vram_gib, -o.fast, -o.vram_gib, not o.sure, not o.ample, o.key),
    )
    front: list[Option] = []
    held: list[Merits] = []
    for option in ordered:
        merits = _merits(option)
        for kept in held:
            if kept != merits and all(map(ge, kept, merits)):
                break
        else:
            front.append(option)
            held.append(merits)
    return front


def utility(option: Option, objective: Objective, *, base: float, work_shrinks: bool) -> Utility:
    """How well an option serves; larger is better, compared element by element.

    Args:
        option: what is judged.
        objective: cheapest that works, fastest within the budget, or balanced.
        base: cost of the computer around a bought card, in the currency of the prices; 0 when renting.
            Value = performance / (base system + cards), row 002-118.
        work_shrinks: a faster card is needed for fewer hours (a training run), so cost counts per piece of work;
            serving and interactive use take the hours they take.
    """
    speed, room = option.fast, option.total_vram_gib
    price = max(option.cost, _LEAST_PRICE)
    renting = option.quote.channel is Channel.RENT
    if objective is Objective.FASTEST:
        return (option.sure, speed, option.ample, -option.cost, room)
    trust = 1.0 if option.sure else _TIGHT
    if objective is Objective.MOST:
        worth = gained(speed, price) + log(max(option.vram_gib, 1.0)) * _ROOM
        return (option.sure, option.ample, worth, room, -option.cost)
    if objective is Objective.CHEAPEST:
        per_work = speed / price if renting and work_shrinks else 1.0 / price
        return (trust * per_work, option.ample, trust / price, speed, room)
    if objective is Objective.FRUGAL:
        return (option.ample, trust / price, speed, room)
    exponent = 1.0 if work_shrinks else 0.5
    paid = price + (0.0 if renting else base)
    value = exponent * log(max(speed, _LEAST_SPEED)) + log(trust / paid)
    if option.n > 1:
        value -= _TROUBLE * log(option.n, 2)
    return (option.ample, value, option.sure, room, speed, -option.cost)


def gained(speed: float, price: float) -> float:
    """What a speed is worth at a price, for whoever spends a sum: rises with every speed that more money buys."""
    return log(max(speed, _LEAST_SPEED)) - _PRICE_WEIGHT * log(price)


def rank(
    options: Iterable[Option], objective: Objective, *, base: float = 0.0, work_shrinks: bool = True
) -> list[Option]:
    """Options, best first. Ties go to the cheaper, then the roomier, then the faster, then by name."""
    return sorted(options, key=order_key(objective, base=base, work_shrinks=work_shrinks))


_CLEARLY: Final = 1.05
"""A speed beyond this ratio is a difference that is worth a word."""


def undefeated(options: Sequence[Option]) -> tuple[Option, ...]:
    """The same order with a first option that no other one beats in price and in speed.

    Fewer cards are worth something (`_TROUBLE`), but where the first option splits its job as well, one that is cheaper
    and faster and holds the job as surely goes before it. One card that does the job alone keeps its place.
    """
    if not options or options[0].n == 1:
        return tuple(options)
    first = options[0]
    while True:
        better = next((option for option in options if _outdoes(option, first)), None)
        if better is None:
            break
        first = better
    if first is options[0]:
        return tuple(options)
    return (first, *(option for option in options if option is not first))


def _outdoes(one: Option, other: Option) -> bool:
    faster = one.fast > _CLEARLY * other.fast
    return faster and one.cost <= other.cost and one.sure >= other.sure and one.ample >= other.ample


def order_key(objective: Objective, *, base: float, work_shrinks: bool) -> PlaceOf:
    """Sort key that puts the best option first."""

    def key(option: Option) -> tuple[object, ...]:
        merits = utility(option, objective, base=base, work_shrinks=work_shrinks)
        return (*[-merit for merit in merits], option.cost, -option.total_vram_gib, -option.fast, option.key)

    return key
