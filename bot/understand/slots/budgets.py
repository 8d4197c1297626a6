"""Tells what may be spent from what was quoted, among the amounts of money."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from bot.understand.slots.context import Cues
from bot.understand.slots.found import Reading
from bot.understand.slots.numbers import Quantity

WISH: Final = frozenset(
    {"which_card", "which_config", "recommend", "buying", "upgrade", "workstation", "laptop", "cheap"}
)
"""What is spoken of where something is wished for that may be paid for."""
_SPENT_BY_OTHERS: Final = frozenset({"price", "cost", "money_question", "source_ask", "how_much"})
"""Where these are spoken of, an amount without a card is a cost and not what may be spent."""
_QUOTED: Final = frozenset({"second_hand", "worth", "expensive", "source_ask"})
_WHOLE_MACHINES: Final = frozenset({"workstation", "server", "cluster"})
"""What an amount "for" it is meant to buy, whatever card is named beside it."""
LEAST_OF_CARD: Final = 20
"""No card is had for less, in any currency: so little is what an hour of one costs."""
_LEAST_MACHINE: Final = 1000.0
_LEAST_SPENT: Final = 150.0
"""What is said in a question without a card and is no rate is a budget from here on."""
_BESIDE_PROVIDER: Final = 6
"""Characters between a platform and the rate that it asks."""


class Spending(NamedTuple):
    """An amount of money in its message."""

    reading: Reading
    quantity: Quantity
    cues: Cues
    amount: float
    """In whole units of its currency."""
    rate: str
    """The period it is paid for, "" where it is paid once."""

    @property
    def is_limit(self) -> bool:
        """Whether it is said to be the most, or about what things to compare may cost."""
        quantity = self.quantity
        return quantity.bound == "max" or (quantity.approximate and "compare" in self.reading.concepts)

    def before(self, kind: str) -> bool:
        """Whether a cue of this kind stands before it."""
        return self.cues.before(kind, self.reading, self.quantity.start)

    def after(self, kind: str) -> bool:
        """Whether a cue of this kind stands behind it."""
        return self.cues.after(kind, self.reading, self.quantity.end)

    def following(self, length: int | None = None) -> str:
        """The text behind it, so many characters of it."""
        end = self.quantity.end
        return self.reading.flat[end : None if length is None else end + length].lstrip()


def is_budget(spending: Spending) -> bool:
    """Whether an amount is what may be spent; else it is what something is said to cost."""
    for seen, says in _ROWS:
        if seen(spending):
            return says
    return False


def _asked_by_provider(one: Spending) -> bool:
    return bool(one.rate) and any(
        value.slot == "provider" and 0 < one.quantity.start - value.end <= _BESIDE_PROVIDER
        for value in one.reading.values
    )


def _called_budget(one: Spending) -> bool:
    return one.cues.either("budget_word", one.reading, one.quantity.start, one.quantity.end)


def _price_of_next_card(one: Spending) -> bool:
    return not one.is_limit and any(
        value.slot == "gpu" and 0 <= value.start - one.quantity.end <= 2 for value in one.reading.values
    )


def _limits_a_wish(one: Spending) -> bool:
    return one.is_limit and one.reading.concepts.isdisjoint(_QUOTED)


def _marked_as_budget(one: Spending) -> bool:
    return one.before("budget") or one.quantity.bound == "max" or one.following(8).startswith("budget")


def _hourly(one: Spending) -> bool:
    return one.rate == "hour"


def _speaks_of_prices(one: Spending) -> bool:
    return one.before("price") or not one.reading.concepts.isdisjoint(_QUOTED)


def _budget_beside_price(one: Spending) -> bool:
    """Where prices are spoken of, only a word for a budget behind an amount that no word for a price precedes."""
    return one.after("budget") and not one.before("price") and _speaks_of_prices(one)


def _followed_by_price(one: Spending) -> bool:
    return one.after("price")


def _wished(one: Spending) -> bool:
    return not one.reading.concepts.isdisjoint(WISH)


def _stands_behind_card(one: Spending) -> bool:
    """Whether a card stands right before an amount, whose price it is then ("4090 24500")."""
    start = one.quantity.start
    return any(value.slot == "gpu" and 0 <= start - value.end <= 1 for value in one.reading.values)


def _buys_machine(one: Spending) -> bool:
    """Whether an amount beside a card is said to be for the whole machine."""
    return (
        one.amount >= _LEAST_MACHINE
        and not one.reading.concepts.isdisjoint(_WHOLE_MACHINES)
        and one.reading.has("gpu")
        and one.following().startswith("for ")
    )


def _rents_an_hour(one: Spending) -> bool:
    """Whether an amount is less than any card costs, where renting is spoken of: an hour of one costs as much."""
    return not one.rate and one.amount < LEAST_OF_CARD and "renting" in one.reading.concepts


def _names_card(one: Spending) -> bool:
    return one.reading.has("gpu")


def _stands_free(one: Spending) -> bool:
    """Whether no card is priced: any amount in Chinese, a sum that nobody asked as a cost in English."""
    if one.reading.language == "zh":
        return one.amount >= LEAST_OF_CARD
    return one.amount >= _LEAST_SPENT and not one.rate and one.reading.concepts.isdisjoint(_SPENT_BY_OTHERS)


_Row: TypeAlias = "tuple[Callable[[Spending], bool], bool]"
_ROWS: Final[tuple[_Row, ...]] = (
    (_asked_by_provider, False),
    (_called_budget, True),
    (_price_of_next_card, False),
    (_limits_a_wish, True),
    (_marked_as_budget, True),
    (_hourly, False),
    (_budget_beside_price, True),
    (_speaks_of_prices, False),
    (_followed_by_price, False),
    (_stands_behind_card, False),
    (_rents_an_hour, False),
    (_wished, True),
    (_buys_machine, True),
    (_names_card, False),
    (_stands_free, True),
)
"""What is seen of an amount, and whether it is a budget then; the first row that holds decides."""
