"""Reads the words of makers and series that stand before the name of a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from bot.understand.files import Cards
from bot.understand.slots.card_tree import Entry
from bot.understand.slots.context import longest_first
from bot.understand.slots.found import Reading
from bot.understand.slots.names import NameTree


class Brand(NamedTuple):
    """What the brand words before a name say: that there are any, that a card number follows, whose card it is."""

    said: bool
    telling: bool
    maker: str


_NO_BRAND: Final = Brand(said=False, telling=False, maker="")
_HYPHENS: Final = "-_"


class Brands:
    """The words that say whose card is meant."""

    def __init__(
        self, tree: NameTree[Entry], grammar: Cards, makers: dict[str, str], even: Callable[[str], str]
    ) -> None:
        """`makers`: word -> maker; `even` normalises a surface."""
        self._tree = tree
        self._makers = makers
        self._latin = frozenset(grammar["brands"]["latin"])
        self._han = longest_first(map(even, grammar["brands"]["han"]))
        self._telling = frozenset(grammar["telling"])
        self.openers = self._latin | {brand[0] for brand in self._han}
        """What brand words begin with."""

    def skip(self, reading: Reading, index: int) -> tuple[int, Brand]:
        """First token after brand words, and what those words say."""
        tokens, brand = reading.tokens, _NO_BRAND
        while index < len(tokens):
            if word := self._word_at(reading, index, brand.said):
                brand = Brand(True, brand.telling or word in self._telling, self._makers.get(word, brand.maker))
                index += len(word) if tokens[index].kind == "h" else 1
            elif brand.said and tokens[index].glued and tokens[index].text in _HYPHENS:
                index += 1
            else:
                break
        return index, brand

    def _word_at(self, reading: Reading, index: int, branded: bool) -> str:
        """The brand word that stands at a token and is no part of a name, else ""."""
        token = reading.tokens[index]
        if token.kind == "h":
            return next((brand for brand in self._han if reading.text.startswith(brand, token.start)), "")
        if token.kind != "w" or token.text not in self._latin or index + 1 >= len(reading.tokens):
            return ""
        begins = self._tree.starts(token.text) and self._name_with_brand(reading, index, branded)
        return "" if begins else token.text

    def _name_with_brand(self, reading: Reading, index: int, branded: bool) -> bool:
        """Whether a brand word begins a name ("rtx 8000"), and no longer name stands behind it ("rtx" "4000 ada")."""
        whole = self._tree.walk(reading, index, branded)
        if whole is None:
            return False
        behind = self._tree.walk(reading, index + 1, True)
        return behind is None or behind.end <= whole.end
