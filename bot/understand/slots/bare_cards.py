"""Tells whether a plain number, or what looks like a chip, is a card, by the words around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.core.numbers import figure
from bot.understand.files import Cards
from bot.understand.slots.card_tree import Entry
from bot.understand.slots.names import Walk
from bot.understand.tokens import Token

_MONEY_BEFORE: Final = frozenset({"$", "\uffe5", "\u20ac", "\u00a3"})
_TIMES: Final = frozenset({"x", "*"})
_MOST_CARDS: Final = 64


class BareCards:
    """The words that leave a number a card, and those that make it something else."""

    def __init__(self, grammar: Cards, even: Callable[[str], str]) -> None:
        """`grammar` is `languages/names/cards.yaml`; `even` normalises a surface."""
        self._not_after = _MONEY_BEFORE | frozenset(map(even, grammar["no_card_after"]))
        self._not_before = frozenset(map(even, grammar["no_card_before"]))
        self._but_before = {word: frozenset(map(even, rest)) for word, rest in grammar["but_before"].items()}
        self._not_behind = {head: frozenset(words) for head, words in grammar["no_card_behind"].items()}

    def accept(self, tokens: list[Token], walk: Walk[Entry]) -> bool:
        """Whether a name without a brand is a card: no bare number of something else, not the rest of a model."""
        if walk.entry.needs_brand or (walk.start and self._ends_model(tokens, walk.start)):
            return False
        bare = tokens[walk.start].text.isdigit() and walk.end - walk.start == 1
        return not bare or self.is_card(tokens, walk.start)

    def is_card(self, tokens: list[Token], index: int) -> bool:
        """Whether a plain 1080 or 3060 is a card: not money, not a screen size, not a count of something."""
        if index and not self._stands_behind(tokens, index):
            return False
        if index + 2 < len(tokens) and tokens[index + 1].text in _TIMES and tokens[index + 2].kind == "n":
            return _counts_cards(tokens[index + 2].text.split(".")[0])
        if index + 1 < len(tokens) and self._is_counted(tokens, index):
            return False
        return "." not in tokens[index].text and "," not in tokens[index].text

    def _stands_behind(self, tokens: list[Token], index: int) -> bool:
        """Whether a card may follow what stands before: neither money nor a size nor too many of it."""
        before = tokens[index - 1].text
        if before in self._not_after:
            return False
        times = before in _TIMES and index >= 2 and tokens[index - 2].kind == "n"
        return not times or _counts_cards(tokens[index - 2].text)

    def _is_counted(self, tokens: list[Token], index: int) -> bool:
        """Whether a number counts what follows ("1080 images"); of "on 3090 tokens ..." the tokens go on."""
        after = tokens[index + 1].text
        rate = after == "tokens" and index > 0 and tokens[index - 1].text == "on"
        beyond = tokens[index + 2].text if index + 2 < len(tokens) else ""
        return after in self._not_before and not rate and beyond not in self._but_before.get(after, ())

    def _ends_model(self, tokens: list[Token], start: int) -> bool:
        """Whether what looks like a chip is the rest of the name of a model: "minimax m2", "bge-m3"."""
        words = self._not_behind.get(tokens[start].text)
        if words is None:
            return False
        hyphened = tokens[start].glued and tokens[start - 1].text in {"-", "_"}
        at = start - 2 if hyphened else start - 1
        versioned = at >= 1 and tokens[at].kind == "n" and (hyphened or tokens[at - 1].text == "v")
        return versioned or (at >= 0 and tokens[at].text in words)


def _counts_cards(number: str) -> bool:
    """Whether so many cards may stand in one place."""
    return (figure(number) or 0.0) <= _MOST_CARDS
