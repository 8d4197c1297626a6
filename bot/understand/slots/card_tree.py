"""Puts the names of cards into a tree of tokens: the catalogue's with their spellings, and further real cards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.understand.files import Cards, Table
from bot.understand.gazetteer import CardName
from bot.understand.slots.card_words import CardWords, is_plain_number, needs_brand
from bot.understand.slots.names import NameTree, squeeze

_TWO: Final = 2
"""Parts of a name that has one suffix."""
_SIZED: Final = re.compile(r"\d+GB|\(mod\)")


@dataclass(frozen=True, slots=True)
class Variant:
    """One card of several that share a base name; memory in GiB."""

    name: str
    memory: float | None
    form: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What a walk through the tree ends in: a fixed name, or a base whose variants are told apart by memory."""

    base: str
    fixed: str = ""
    needs_brand: bool = False
    known: bool = True


class CardTree:
    """All card names as a tree of tokens, and the variants of each base."""

    def __init__(self, cards: Sequence[CardName], grammar: Cards, words: CardWords) -> None:
        """`cards` are those of the catalogue; `grammar` names further ones."""
        self.names: NameTree[Entry] = NameTree()
        self.variants: dict[str, list[Variant]] = {}
        self.laptops: dict[str, str] = {}
        """The card of portable computers of each base; of several the plain one."""
        self.laptop_sizes: dict[str, dict[float, str]] = {}
        """Those of a base that say their memory, by it ("RTX 3080 Laptop 16GB")."""
        self._words = words
        self._left_out = frozenset(grammar["left_out"])
        self._brandless = frozenset(map(squeeze, grammar["brandless"]))
        for card in cards:
            self._add_card(card)
        for card in cards:
            self._add_aliases(card)
            self._add_short(card)
        self._add_spellings(grammar["extra"])
        self._add_spellings(grammar["brand_only"], needs_brand=True)
        recorded = {card.name for card in cards}
        for name in grammar["other"]:
            if name not in recorded:
                self._add_other(name)

    def _add_card(self, card: CardName) -> None:
        cut = self._words.cut(card.name)
        if cut.is_laptop:
            self._add_laptop(cut.words[:-1], card.name)
            if cut.memory is not None:
                self.laptop_sizes.setdefault(squeeze("".join(cut.words[:-1])), {})[cut.memory] = card.name
            return
        base = cut.base
        stated = cut.memory if cut.memory is not None else card.vram_gib
        self.variants.setdefault(base, []).append(Variant(card.name, stated, cut.form))
        branded = needs_brand(cut.words) and base not in self._brandless
        self.names.add(cut.words, Entry(base, needs_brand=branded))
        if "(" in card.name and "(mod)" not in card.name:
            self.names.add(self._words.words(card.name), Entry(base, card.name), keep=True)

    def _add_laptop(self, words: list[str], name: str) -> None:
        """A card of portable computers; where no other card has that number, the number alone means it."""
        base = squeeze("".join(words))
        self.laptops.setdefault(base, name)
        if base not in self.variants:
            self.names.add(words, Entry(base, name, is_plain_number(words)), keep=True)

    def _add_aliases(self, card: CardName) -> None:
        for alias in card.aliases:
            cut = self._words.cut(alias)
            if cut.words and not cut.is_laptop and cut.base not in self.variants:
                self.names.add(self._words.words(alias), self._alias_entry(card, alias, cut.base), keep=True)

    def _add_short(self, card: CardName) -> None:
        """A name without architecture ("RTX PRO 2000") or series ("AGX Xavier"), and its suffixes in one ("DV2")."""
        cut = self._words.cut(card.name)
        kind = frozenset(self._words.words(card.architecture)) | self._left_out
        plain = [word for word in cut.words if word not in kind]
        if 1 < len(plain) < len(cut.words) and not cut.is_laptop and squeeze("".join(plain)) not in self.variants:
            self.names.add(plain, Entry(cut.base), keep=True)
        head, suffixes = cut.words[:1], "".join(cut.words[1:])
        if len(cut.words) > _TWO and not cut.is_laptop and head[0].isdigit():
            self.names.add(self._words.words(head[0] + suffixes), Entry(cut.base), keep=True)

    def _alias_entry(self, card: CardName, alias: str, base: str) -> Entry:
        """What an alias stands for: its base where it says no memory, so that one said beside it counts."""
        cut = self._words.cut(card.name)
        variants = self.variants.get(cut.base, [])
        open_name = self._words.cut(alias)[1:] == cut[1:] == (None, "") and len(variants) > 1
        if open_name and plainest(variants) == card.name:
            return Entry(cut.base, needs_brand=self._words.is_bare(alias))
        return Entry(base, card.name, self._words.is_bare(alias))

    def _add_spellings(self, listed: Table, *, needs_brand: bool = False) -> None:
        """Further spellings of cards; those that need a brand take no other card's place."""
        for name, spellings in listed.items():
            for spelling in spellings:
                branded = needs_brand or self._words.is_bare(spelling)
                self.names.add(self._words.words(spelling), Entry(squeeze(spelling), name, branded), keep=needs_brand)

    def _add_other(self, name: str) -> None:
        """A real card that the catalogue does not hold."""
        cut = self._words.cut(name)
        if cut.is_laptop:
            self._add_laptop(cut.words[:-1], name)
            return
        base = cut.base
        if base in self.variants:
            branded = self._words.words(name)
            if branded[0] in self._words.brands:  # a GTX 580 beside the RX 580: with its own brand it is no other's
                self.names.add(branded, Entry(squeeze(name), name), keep=True)
            return
        self.variants[base] = [Variant(name, cut.memory, "")]
        bare = cut.words[0].isdigit() and base not in self._brandless
        self.names.add(cut.words, Entry(base, needs_brand=bare, known=False), keep=True)


def plainest(variants: Sequence[Variant]) -> str:
    """The card whose name says no memory, else the first: what is meant where no memory was said."""
    return next((one.name for one in variants if not _SIZED.search(one.name)), variants[0].name)
