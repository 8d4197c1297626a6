"""Of the cards that were counted those that one would take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.models import Precision
from bot.answers.choose.count_lines import CountRow, by_card

ONE_BOX: Final = 8
_FEWEST: Final = 3
"""Cards that take more than a box of these are not proposed, unless all do: then those that take the fewest."""
_NONE: Final = 65
"""A number that stands behind all counts."""


def sensible(rows: list[CountRow]) -> list[CountRow]:
    """Rows of the cards that one would take: none beyond a box of eight where some stay within, none larger than one
    that does it alone."""
    # what is published in FP8 runs on cards that have it
    native = {row.gpu for row in rows if row.format == Precision.FP8.value}
    rows = [row for row in rows if not native or row.gpu in native]
    # cards after the first one that does it alone are larger than needed
    cards = by_card(rows)
    alone = next((at for at, card in enumerate(cards) if _does_alone(card)), len(cards))
    return [row for card in _within_box(cards[: alone + 1]) for row in card]


def _within_box(cards: Sequence[Sequence[CountRow]]) -> Sequence[Sequence[CountRow]]:
    """The cards of which a box of eight does it in every format, else in some, else those that take the fewest."""
    for count_of in (max, min):
        within = [card for card in cards if count_of(map(_count, card)) <= ONE_BOX]
        if within:
            return within
    return sorted(cards, key=lambda card: min(map(_count, card)))[:_FEWEST]


def _does_alone(card: list[CountRow]) -> bool:
    return all((row.count or row.by_memory) == 1 for row in card)


def _count(row: CountRow) -> int:
    """Its number of cards; more than all counts where none does."""
    return row.count or row.by_memory or _NONE
