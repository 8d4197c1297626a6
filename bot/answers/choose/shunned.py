"""Which second-hand cards to keep away from, and why: what is sold of those that software or cooling leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from advisor.models import Note
from bot.core.line import Line
from bot.core.request import Request

_REASONS: Final = ("used_cuda_end", "used_no_tensor", "used_locked", "used_not_cuda", "used_mod", "used_passive")
"""What speaks against a card, the heaviest first; a card is named for the first that holds of it."""
_NAMED: Final = 6


def is_asked(request: Request) -> bool:
    """Whether it is asked which cards not to buy."""
    return request.heard.shows("worth", "shunned")


def shunned_lines(found: Iterable[tuple[str, tuple[Note, ...]]]) -> tuple[Line, ...]:
    """A line for each reason, with the cards that it holds of.

    Args:
        found: cards that are sold, each with what speaks against it.
    """
    return tuple(_lines(_by_reason(found)))


def _by_reason(found: Iterable[tuple[str, tuple[Note, ...]]]) -> Mapping[str, list[str]]:
    cards: dict[str, list[str]] = {code: [] for code in _REASONS}
    for name, risks in found:
        codes = {risk.code for risk in risks}
        reason = next((code for code in _REASONS if code in codes), None)
        if reason is not None:
            cards[reason].append(name)
    return cards


def _lines(cards: Mapping[str, list[str]]) -> Iterator[Line]:
    for code, names in cards.items():
        if names:
            yield Line(f"shun.{code.removeprefix('used_')}", {"cards": tuple(names[:_NAMED])})
