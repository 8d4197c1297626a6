"""A message that puts another value into the question before asks what that one asked.

"does a 3090 have NVLink?", "a 4090?": the second asks whether, and of NVLink. What was asked is kept as the names of
signs and ideas, never as words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from bot.core.heard import Heard

IDEAS: Final = "concept"
"""Where the ideas that a question speaks of stand among its signs."""
_ASKING: Final = ("form", "attribute", "aspect", "bill", "asked", "scaling", "draw", "interconnect")
"""Groups of signs that tell what is asked, whatever it is asked of."""
ATTRIBUTE: Final = "attribute"
_OF_PRICES: Final = ("price_lookup", ("price",))
"""A need, and what is asked of nothing but that."""
_OF_USED: Final = {"used_or_cheap": frozenset({"money_question"})}
"""Ideas that are asked of a card by one need alone: what it costs, and not whether it is worth it."""
_ASKED: Final = frozenset({"kv_cache", "nvlink", "throughput", "power_draw", "vram_amount", "count_question"})
"""Ideas that tell what is asked; others describe the job or the card, which the slots hold."""


@dataclass(frozen=True)
class HeardAgain(Heard):
    """A message that goes on with a question: what it does not say of what it asks is what that one asked."""

    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def ideas(self) -> frozenset[str]:
        """Concepts that it speaks of, else those of the question that it goes on with."""
        own = super().ideas
        return own if own & _ASKED else own.union(self.asks.get(IDEAS, ()))

    def sides(self, group: str) -> tuple[str, ...]:
        """Names of a group of signs that it speaks of, else those of the question before."""
        return super().sides(group) or self.asks.get(group, ())

    def placed(self, group: str) -> tuple[str, ...]:
        """The same in the order in which they are spoken of."""
        return super().placed(group) or self.asks.get(group, ())


def asked_by(heard: Heard, need: str) -> dict[str, tuple[str, ...]]:
    """What a message asks, as later ones go on with it.

    Args:
        heard: the message.
        need: who answered it.
    """
    of_need, more = _OF_PRICES
    groups = (*_ASKING, *(more if need == of_need else ()))
    asks = {group: sides for group in groups if (sides := _sides(heard, group))}
    ideas = tuple(sorted(heard.ideas & (_ASKED | _OF_USED.get(need, frozenset()))))
    return {**asks, IDEAS: ideas} if ideas else asks


def _sides(heard: Heard, group: str) -> tuple[str, ...]:
    """Of what a card has the words tell more than the group: the longest of them is meant."""
    return (heard.placed(group) if group == ATTRIBUTE else ()) or heard.sides(group)
