"""The code of a card that no list holds: letters and figures behind the word of a series, or of who makes cards."""

from __future__ import annotations

from collections.abc import Collection
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


def written_code_at(tokens: list[Token], at: int, formats: Collection[str]) -> int:
    """The same behind the word of a series ("Quadro K620"), written without a space; 0 for none and for a format."""
    place = code_at(tokens, at)
    opened = place > at and tokens[at].kind == "w" and tokens[at].text not in formats
    fits = opened and all(token.glued for token in tokens[at + 1 : place + 1])
    return place if fits and len(tokens[place].text) >= FEWEST else 0


def _may_open(token: Token, first: bool) -> bool:
    """Whether letters or a hyphen may stand before the number of a code, each written on to the one before."""
    return (first or token.glued) and (token.text in {"-", "_"} or (token.kind == "w" and len(token.text) < 4))
