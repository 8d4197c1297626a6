"""The probability of one of two things by learned weights: a sum over the signs that are known."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

_FARTHEST: Final = 50.0
"""Logits beyond which a probability is 0 or 1."""


class Chance:
    """Weights of two classes, ready to be added."""

    def __init__(self, content: Mapping[str, Any], first: str) -> None:
        """Take the weights.

        Args:
            content: as `Fitted.packed` makes it, of two classes or of none.
            first: the class whose probability is given.
        """
        names = list(content["intents"])
        column = names.index(first) if names else 0
        step = content["step"] / content["temperature"]
        table = zlib.decompress(base64.b64decode(content["weights"])) if names else b""
        ours, others = table[column::2], table[1 - column :: 2]
        self._weights = {
            sign: (a - b) * step for sign, a, b in zip(content["signs"], ours, others, strict=True) if a != b
        }
        prior = content["prior"]
        self._prior = prior[column] - prior[1 - column] if names else _FARTHEST

    def of(self, signs: Iterable[str]) -> float:
        """The probability of the first class."""
        known = [weight for weight in map(self._weights.get, signs) if weight is not None]
        logit = math.fsum([self._prior, *known])
        return 1.0 / (1.0 + math.exp(-max(-_FARTHEST, min(_FARTHEST, logit))))
