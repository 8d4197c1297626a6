"""The code of a card that no list holds: letters and figures behind the word of who makes nothing but cards."""

from __future__ import annotations

from typing import Final

from bot.understand.tokens import Token

FEWEST: Final = 2
"""Digits of the code of a card behind its maker's word."""
_LONGEST: Final = 5


def code_at(tokens: list[Token], at: int) -> int:
    """Where the number of a card's code stands that begins here: letters and figures ("s60", "bi-v150"); 0 for none.

    Figures alone are one of three digits at least, so that no count or size is taken for a card.
    """
    for place in range(at, min(at + _LONGEST, len(tokens))):
        token = tokens[place]
        if token.kind == "n":
            return place if place > at or len(token.text) > FEWEST else 0
        if not _may_open(token, place == at):
            return 0
    return 0


def _may_open(token: Token, first: bool) -> bool:
    """Whether letters or a hyphen may stand before the number of a code, each written on to the one before."""
    return (first or token.glued) and (token.text in {"-", "_"} or (token.kind == "w" and len(token.text) < 4))
