"""What was made of the measures of a message: the quantities that they are, and those that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from advisor.calculators import Given
from bot.read.measured_units import Measure

if TYPE_CHECKING:
    from bot.read.relative import Factor
    from bot.read.targets import Target
    from bot.read.terms import Term
    from bot.read.things import Thing
    from bot.read.wants import Want

TIMED_TOGETHER: Final = "timed_together"
"""Flag: the cards are named with the time that they took together, so that it is not divided among them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A quantity that the message may ask for."""

    name: str
    score: float
    part: int
    """Which asking part of the message."""
    fills: bool
    """It is of the kind that the blank wants."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A measure and the quantity that it is."""

    measure: Measure
    quantity: str
    value: float
    score: float
    adds: bool = False
    """ "And another 2 hours": added to what is there."""


class Places(NamedTuple):
    """The measures of a message by what they are."""

    placed: tuple[Placed, ...]
    others: tuple[Placed, ...]
    unplaced: tuple[Measure, ...]
    """Those of `others` among them."""


class Apiece(NamedTuple):
    """A thing that has its part of an amount, and how many of it are meant."""

    kind: str
    number: float
    start: int
    end: int
    text: str
    """As typed, to be told with the part. Never stored."""

    def holds(self, measure: Measure) -> bool:
        """Whether a measure is its own number, and no amount besides."""
        return self.start <= measure.start < self.end


class Framed(NamedTuple):
    """A sum of a kind of its own, and what each number of the message is in it."""

    unknown: str
    placed: tuple[Placed, ...]
    idle: tuple[Measure, ...]
    """Numbers that are told and change nothing."""
    kept: Mapping[str, float]
    """Values of the sum before that stand in its places."""
    worth: float
    follows: bool
    """It may go on with the sum before."""


Deals: TypeAlias = Callable[[Mapping[str, float], Sequence[str]], Iterable[Framed]]
"""From the values of the sum before and what it gave to the kinds of a message, likeliest first."""


def no_deals(_: Mapping[str, float], __: Sequence[str]) -> Iterable[Framed]:
    """No kind at all."""
    return ()


def no_change() -> None:
    """Nothing becomes more or less."""


Readings: TypeAlias = Sequence[Sequence[Placed]]
"""For each measure all that it may be, likeliest first."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a message gives and asks for, in quantities."""

    placed: tuple[Placed, ...] = ()
    unplaced: tuple[Measure, ...] = ()
    others: tuple[Placed, ...] = ()
    """Further values of a quantity that has one: "at $12 or $15 an hour"."""
    asked: tuple[Asked, ...] = ()
    implied: tuple[Given, ...] = ()
    """Values that words stand for: "one-day rule", "weekdays", "FP16 cache"."""
    currency: str = ""
    currencies: frozenset[str] = frozenset()
    span: str = ""
    """week | month | year: the unit that a time is asked for in; "" for any."""
    wanted: str = ""
    """Currency that the answer is asked for in."""
    odd: tuple[Placed, ...] = ()
    """Values that make no sense: 31 hours a day."""
    flags: frozenset[str] = field(default_factory=frozenset)
    """linear, nonstop: how the sum is meant; gratis: something of it is free."""
    named: tuple[tuple[int, str], ...] = ()
    """Cards and providers by where their names stand."""
    apiece: tuple[Apiece, ...] = ()
    """What has a part of an amount that is asked for, too."""
    called: tuple[tuple[int, str], ...] = ()
    """What the writer calls a thing, by where its price stands."""
    adding: frozenset[str] = frozenset()
    """Quantities that come on top of what was said before: "another 11 hours"; "" for a number that is none."""
    readings: Callable[[], Readings] = field(default=tuple, compare=False, repr=False)
    """Works out for each measure everything that it may be, with or without a word that says so."""
    things: Callable[[], tuple[Sequence[Thing], Sequence[Want]]] = field(
        default=lambda: ((), ()), compare=False, repr=False
    )
    """Works out what is counted and measured, of whatever, and what of it is asked for."""
    change: Callable[[], Factor | None] = field(default=no_change, compare=False, repr=False)
    """Works out how many times as much a message makes of something."""
    terms: Callable[[], tuple[Sequence[Term], Sequence[Target]]] = field(
        default=lambda: ((), ()), compare=False, repr=False
    )
    """Works out all that each value may be in a sum put together as it is said, and what the parts ask for."""
    whether: bool = False
    """A part of the message asks for a yes or a no."""
    deals: Deals = field(default=no_deals, compare=False, repr=False)
    """Finds the kinds of sums of money that the words of the message tell."""

    @property
    def values(self) -> Mapping[str, float]:
        """Quantity -> its value, of all that was stated."""
        return {one.quantity: one.value for one in self.placed}

    @property
    def given(self) -> tuple[Given, ...]:
        """Everything that counts, stated values over implied ones; values of one kind that add up are one."""
        values: dict[str, float] = {one.name: one.value for one in self.implied}
        stated: dict[str, float] = {}
        for one in self.placed:
            stated[one.quantity] = stated.get(one.quantity, 0.0) + one.value
        return tuple(Given(name, value) for name, value in (values | stated).items())
