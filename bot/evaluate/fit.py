"""A linear model over signs, fitted with scikit-learn and packed as `Evidence` reads it."""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    from numpy import ndarray
    from scipy.sparse import csr_matrix

_BYTE: Final = 127
_TELLING: Final = 4
"""Steps that the largest weight of a sign must have to be kept: the rest changes no reading."""


@dataclass(slots=True)
class Examples:
    """Signs, label and weight of each example."""

    signs: list[Sequence[str]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    def add(self, signs: Sequence[str], label: str, weight: float) -> None:
        """One more example."""
        self.signs.append(signs)
        self.labels.append(label)
        self.weights.append(weight)


class Packed(TypedDict):
    """Weights as `Evidence` reads them."""

    intents: list[str]
    temperature: float
    step: float
    prior: list[float]
    signs: list[str]
    weights: str


class Fitted:
    """Weights over signs. Signs seen fewer than `seen` times are left out."""

    def __init__(self, examples: Examples, *, strength: float, seen: int = 2, tolerance: float = 1e-3) -> None:
        """Fit. `strength` is the inverse of the regularisation, `tolerance` when fitting stops."""
        from sklearn.linear_model import LogisticRegression

        counts = Counter(sign for each in examples.signs for sign in each)
        self.signs = sorted(sign for sign, count in counts.items() if count >= seen)
        self._counts = counts
        self._place = {sign: number for number, sign in enumerate(self.signs)}
        model = LogisticRegression(C=strength, max_iter=150, tol=tolerance)
        model.fit(self._matrix(examples.signs), examples.labels, sample_weight=examples.weights)
        self.names: list[str] = [str(name) for name in model.classes_]
        # of two classes scikit-learn keeps one column, that of the second
        self.weights = model.coef_ if len(self.names) > 2 else _both(model.coef_)
        self.prior = model.intercept_ if len(self.names) > 2 else _both(model.intercept_)

    def _matrix(self, signs: Sequence[Sequence[str]]) -> csr_matrix:
        from scipy.sparse import csr_matrix

        ends, columns = [0], []
        for each in signs:
            # signs come from sets: in whatever order they are, the same lines give the same sums to the last bit
            columns += sorted([self._place[sign] for sign in each if sign in self._place])
            ends.append(len(columns))
        return csr_matrix(([1.0] * len(columns), columns, ends), shape=(len(signs), len(self.signs)))

    def chances(self, signs: Sequence[Sequence[str]]) -> ndarray:
        """For each example the probability of each of `names`."""
        import numpy

        logits = self._matrix(signs) @ self.weights.T + self.prior
        shares = numpy.exp(logits - logits.max(1, keepdims=True))
        found: ndarray = shares / shares.sum(1, keepdims=True)
        return found

    def packed(self, telling: int = _TELLING) -> Packed:
        """The weights as whole numbers of steps, the commonest signs first; signs below `telling` steps are dropped."""
        step = float(abs(self.weights).max()) / _BYTE
        table = (self.weights / step).round().astype(int) + _BYTE + 1
        used = [number for number in range(len(self.signs)) if abs(table[:, number] - _BYTE - 1).max() >= telling]
        used.sort(key=lambda number: (-self._counts[self.signs[number]], self.signs[number]))
        return {
            "intents": self.names,
            "temperature": 1.0,
            "step": round(step, 8),
            "prior": [round(float(value), 4) for value in self.prior],
            "signs": [self.signs[number] for number in used],
            "weights": base64.b64encode(zlib.compress(table[:, used].T.astype("uint8").tobytes(), 9)).decode(),
        }


def _both(values: ndarray) -> ndarray:
    """For two classes the column of the first beside that of the second."""
    import numpy

    return numpy.concatenate([-values / 2, values / 2])
