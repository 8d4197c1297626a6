"""What the catalogue knows of the cards that are named: maker, family, memory, traits, numbers like another."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.understand.files import Cards
from bot.understand.gazetteer import CardName

_NUMBER: Final = re.compile(r"\d{3,4}")
_OWN_MAKER: Final = "NVIDIA"
_OLD_SERVER: Final = frozenset({"P100", "K20", "K40"})
"""Old data-centre cards that no record has."""
_MOST_NEAR: Final = 3


class CardFacts:
    """Facts by the name of a card."""

    def __init__(self, cards: Sequence[CardName], grammar: Cards, words: Callable[[str], list[str]]) -> None:
        """`cards` are those of the catalogue; `words` parts a name into words."""
        self.memory: Mapping[str, float | None] = {card.name: card.vram_gib for card in cards}
        """GiB of each card of the catalogue."""
        self.family = {card.name: card.family for card in cards}
        self.kind_words = {
            card.name: frozenset(words(f"{card.vendor} {card.family} {card.architecture}")) for card in cards
        }
        """Words that only repeat what a card is."""
        self.in_laptops = _in_laptops(cards)
        """Cards that only portable computers have."""
        self._vendor = {card.name: card.vendor for card in cards}
        self._vendor_by_prefix = {prefix: maker for maker, listed in grammar["vendors"].items() for prefix in listed}
        self._foreign = tuple(self._vendor_by_prefix)
        self._mining = tuple(grammar["mining_cards"])
        old = tuple(grammar["old_server"])
        self._old_server = _OLD_SERVER.union(
            card.name for card in cards if card.family.startswith("Tesla") and card.architecture.startswith(old)
        )
        self._numbered = _by_digits(cards)

    def maker(self, name: str) -> str:
        """Who makes a card, "" when that is not known."""
        return self._vendor.get(name) or next((m for p, m in self._vendor_by_prefix.items() if name.startswith(p)), "")

    def traits(self, name: str) -> tuple[str, ...]:
        """What rules may ask of a card: another maker than NVIDIA, an old data-centre card."""
        rows = (
            (self._is_foreign(name), "trait:other_vendor"),
            (name.startswith(self._mining), "second_hand"),
            ("(mod)" in name, "trait:modified_card"),
            (name in self._old_server, "trait:old_server_card"),
        )
        return tuple(trait for holds, trait in rows if holds)

    def nearest(self, number: str, maker: str = "") -> tuple[str, ...]:
        """Catalogue names whose number shares most digits, of one maker, for an offer of what may have been meant."""
        near = sorted(
            (-same, name)
            for digits, name in self._numbered.get(len(number), ())
            if maker in ("", self._vendor[name]) and (same := sum(map(operator.eq, digits, number))) >= len(number) - 1
        )
        return tuple(name for _, name in near if self._vendor[name] == self._vendor[near[0][1]])[:_MOST_NEAR]

    def _is_foreign(self, name: str) -> bool:
        """Whether another maker's card, by the catalogue or by how its name begins."""
        vendor = self._vendor.get(name)
        return name.startswith(self._foreign) if vendor is None else vendor != _OWN_MAKER


def _in_laptops(cards: Sequence[CardName]) -> frozenset[str]:
    return frozenset(card.name for card in cards if card.in_laptops)


def _by_digits(cards: Sequence[CardName]) -> dict[int, list[tuple[str, str]]]:
    """The number in the name of each card with the name, by how many figures it has."""
    found: dict[int, list[tuple[str, str]]] = {}
    for card in cards:
        if digits := _NUMBER.search(card.name):
            found.setdefault(len(digits[0]), []).append((digits[0], card.name))
    return found
