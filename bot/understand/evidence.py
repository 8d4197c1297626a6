"""Weighs the signs of a message: a linear model whose weights were learned from labelled lines (`bot learn`).

One row of weights for each sign, one column for each intent. A row is kept as one whole number with 16 bits for each
intent, so that many rows are added in one sum; probabilities follow by softmax. Every weight is a whole
number of steps, so a message gets the same score to the bit on every machine.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

from bot.core.understanding import RankedIntent
from bot.understand.files import Weights
from bot.understand.signs import kind_of

_ZERO = 128
"""What stands for a weight of nothing in a byte."""
_LANE = 2
"""Bytes for each intent in a row."""
_TOGETHER = 250
"""Rows whose sum fits: 255 in each lane at most."""
_RANKED = 12
_FAR = 9.0
"""Logits this far below the best are shares of less than one in 8000."""
_ALIKE = 0.01
"""Logits farther below the best have another score."""
_PARTS = 10_000
"""Scores are whole numbers of such parts."""


BLANK: Final[Weights] = {"intents": [], "prior": [], "step": 1.0, "temperature": 1.0, "signs": [], "weights": ""}
"""Weights that know nothing."""


class Evidence:
    """Learned weights, ready to be added."""

    def __init__(self, content: Weights, order: Sequence[str]) -> None:
        """Take the weights.

        Args:
            content: `languages/evidence.json`.
            order: all intents by priority; of equal ones the first wins.
        """
        listed = content["intents"]
        place = {name: number for number, name in enumerate(order)}
        columns = sorted(range(len(listed)), key=lambda column: place.get(listed[column], len(place)))
        self.names: tuple[str, ...] = tuple([listed[column] for column in columns])
        """The intents by priority."""
        self._step = content["step"] / content["temperature"]
        self._prior = [content["prior"][column] / content["temperature"] for column in columns]
        count = len(self.names)
        self._lanes = struct.Struct(f"<{count}H")
        self._size = self._lanes.size
        table = zlib.decompress(base64.b64decode(content["weights"])) if content["signs"] else b""
        wide = bytearray(len(content["signs"]) * self._size)
        for intent, column in enumerate(columns):
            wide[intent * _LANE :: self._size] = table[column::count]
        size = self._size
        self._rows: dict[str, int] = {
            sign: int.from_bytes(wide[at : at + size], "little")
            for sign, at in zip(content["signs"], range(0, len(wide), size or 1), strict=True)
        }

    def rank(self, signs: Sequence[str]) -> tuple[RankedIntent, ...]:
        """The likeliest intents of a message with these signs, best first; the score is a probability."""
        step = self._step
        # each known sign adds the same nothing to all intents, which leaves their shares as they are
        logits = [prior + step * total for prior, total in zip(self._prior, self._sums(signs), strict=True)]
        top = max(logits, default=0.0)
        least = top - _FAR
        exp = math.exp
        shares = [exp(logit - top) if logit > least else 0.0 for logit in logits]
        if not shares:
            return ()
        parts = _PARTS / math.fsum(shares)
        # as whole numbers: a tenth of the time of round(), and equal scores go by priority
        order = sorted([(-int(share * parts + 0.5), number) for number, share in enumerate(shares) if share])
        names, reasons = self.names, _Reasons(self, signs)
        make = tuple.__new__  # a third of the time of the class call
        return tuple(
            [make(RankedIntent, (names[n], -score / _PARTS, reasons)) for score, n in order[:_RANKED] if score]
        )

    def best(self, signs: Sequence[str]) -> tuple[str, float]:
        """The first of `rank` and its score, where nobody asks for the rest; "" and 1 where nothing is weighed."""
        if not self.names:
            return "", 1.0
        step = self._step
        logits = [prior + step * total for prior, total in zip(self._prior, self._sums(signs), strict=True)]
        top = max(logits)
        least = top - _FAR
        parts = _PARTS / math.fsum([math.exp(logit - top) for logit in logits if logit > least])
        score = int(parts + 0.5)
        # of those whose score is the same whole number the one with priority
        alike = (n for n, logit in enumerate(logits) if logit > top - _ALIKE)
        first = next(n for n in alike if int(math.exp(logits[n] - top) * parts + 0.5) == score)
        return self.names[first], score / _PARTS

    def weights(self, sign: str) -> tuple[float, ...] | None:
        """The weight of a sign for each of `names`; None for an unknown sign."""
        row = self._rows.get(sign)
        if row is None:
            return None
        lanes = self._lanes.unpack(row.to_bytes(self._size, "little"))
        return tuple((lane - _ZERO) * self._step for lane in lanes)

    def _sums(self, signs: Sequence[str]) -> Sequence[int]:
        """For each intent the sum over the rows of all signs that are known."""
        rows = list(filter(None, map(self._rows.get, signs)))
        parts = [
            self._lanes.unpack(sum(rows[at : at + _TOGETHER]).to_bytes(self._size, "little"))
            for at in range(0, len(rows) or 1, _TOGETHER)
        ]
        return parts[0] if len(parts) == 1 else [sum(lanes) for lanes in zip(*parts, strict=True)]


class _Reasons:
    """Why a message is taken for an intent, worked out only when somebody looks."""

    __slots__ = ("_evidence", "_signs")

    def __init__(self, evidence: Evidence, signs: Sequence[str]) -> None:
        self._evidence, self._signs = evidence, signs

    def __call__(self, intent: str) -> Iterator[tuple[str, str, float]]:
        """Kind, detail and weight of each sign, over what it says for all intents on average."""
        number = self._evidence.names.index(intent)
        for sign in self._signs:
            weights = self._evidence.weights(sign)
            if weights is not None:
                weight = weights[number] - math.fsum(weights) / len(weights)
                if abs(weight) >= 0.05:
                    yield (*kind_of(sign), weight)
