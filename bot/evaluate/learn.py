"""Learns the weights of `bot/languages/evidence.json` from labelled lines, and how well lines left out are read.

A multinomial logistic regression over the signs of each line (scikit-learn, needed here only). Signs seen once are
dropped, weights are rounded to a byte. The temperature that makes scores honest probabilities comes from lines that
were left out. The same lines give the same file.
"""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.evaluate.corpus import TOLD, WRITTEN, Line, fingerprint
from bot.understand.recognise import Understander

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FOLDS = 4
"""Parts that are left out in turn; which one a line is in follows from its text, so new lines move no other."""
_STRENGTH = 2.0
"""Inverse of the regularisation. 1 to 8 differ by about a point on lines left out."""
_OTHER_SHARE = 0.3
"""Weight that the first other accepted intent of a line takes from its own."""
_WEIGHT = {WRITTEN: 2.0, TOLD: 0.1}
"""Beside a line of the corpus: a phrase is its intent's own; passages are meant for intents in a wider sense."""
_SEEN = 2
_BYTE = 127
_TELLING = 5
"""Steps that the largest weight of a sign must have: the rest changes no reading, and a third of the file."""
_SMALL_TALK = frozenset({"greeting", "thanks", "help", "why", "source", "cancel", "out_of_scope"})
_TEMPERATURES = tuple(0.8 + 0.05 * step for step in range(30))


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned, and how well it reads lines it has not seen."""

    content: dict[str, Any]
    """For `evidence.json`."""
    left_out: dict[str, tuple[int, int]]
    """Origin of the lines -> (right, all), each read by weights that were learned without it."""


def _examples(signs: Sequence[str], line: Line) -> list[tuple[Sequence[str], str, float]]:
    """A line as its intent, and a little as the first other one that is accepted."""
    other = next((name for name in line.others if name != line.intent), "")
    weight = _WEIGHT.get(line.origin, 1.0)
    if not other:
        return [(signs, line.intent, weight)]
    return [(signs, line.intent, weight * (1.0 - _OTHER_SHARE)), (signs, other, weight * _OTHER_SHARE)]


class Model:
    """Weights over signs, while they are being learned."""

    def __init__(self, signs: Sequence[Sequence[str]], lines: Sequence[Line], order: Sequence[str]) -> None:
        """Fit lines with these signs. `order`: all intents, which fixes the columns."""
        from sklearn.linear_model import LogisticRegression

        seen = Counter(sign for each in signs for sign in each)
        self.signs = sorted(sign for sign, count in seen.items() if count >= _SEEN)
        self._place = {sign: number for number, sign in enumerate(self.signs)}
        examples = [one for each, line in zip(signs, lines, strict=True) for one in _examples(each, line)]
        rows, labels, weights = zip(*examples, strict=True)
        model = LogisticRegression(C=_STRENGTH, max_iter=1000)
        model.fit(self.matrix(rows), labels, sample_weight=weights)
        self.names = [name for name in order if name in set(model.classes_)]
        places = [list(model.classes_).index(name) for name in self.names]
        self.weights = model.coef_[places]
        self.prior = model.intercept_[places]

    def matrix(self, signs: Sequence[Sequence[str]]) -> csr_matrix:
        """One row for each line, one column for each known sign."""
        from scipy.sparse import csr_matrix

        ends, columns = [0], []
        for each in signs:
            columns += [self._place[sign] for sign in each if sign in self._place]
            ends.append(len(columns))
        return csr_matrix(([1.0] * len(columns), columns, ends), shape=(len(signs), len(self.signs)))

    def logits(self, signs: Sequence[Sequence[str]]) -> Any:
        """For each line the logit of each of `names`."""
        return self.matrix(signs) @ self.weights.T + self.prior


def learn(understander: Understander, lines: Sequence[Line], order: Sequence[str], *, folds: int = FOLDS) -> Learned:
    """Learn from labelled lines.

    Args:
        understander: reads the signs.
        lines: labelled lines; their order does not matter.
        order: all intents.
        folds: parts that are left out in turn.
    """
    lines = sorted(set(lines), key=lambda line: (line.text, line.context, line.intent))
    alone = [line for line in lines if not line.context]
    first = Model([understander.signs(line.text) for line in alone], alone, order)
    signs = [understander.signs(line.text, _subject(understander, first, line.context)) for line in lines]
    left_out, temperature = _leave_out(signs, lines, order, folds)
    model = Model(signs, lines, order)
    content = {
        "learned_from": fingerprint(line for line in lines if line.origin != TOLD),
        "lines": len(lines),
        "left_out": {origin: round(right / total, 4) for origin, (right, total) in left_out.items()},
        "intents": model.names,
        "temperature": round(temperature, 2),
        **_packed(model, Counter(sign for its in signs for sign in its)),
    }
    return Learned(content, left_out)


def _packed(model: Model, seen: Mapping[str, int]) -> dict[str, Any]:
    """The weights as whole numbers of steps, without signs that tell little."""
    step = float(abs(model.weights).max()) / _BYTE
    table = (model.weights / step).round().astype(int) + _BYTE + 1
    used = [number for number in range(len(model.signs)) if abs(table[:, number] - _BYTE - 1).max() >= _TELLING]
    # what most messages have stands together, which spares the processor's memory
    used.sort(key=lambda number: (-seen[model.signs[number]], model.signs[number]))
    return {
        "step": round(step, 8),
        "prior": [round(float(value), 4) for value in model.prior],
        "signs": [model.signs[number] for number in used],
        "weights": base64.b64encode(zlib.compress(table[:, used].T.astype("uint8").tobytes(), 9)).decode(),
    }


def _subject(understander: Understander, model: Model, context: Sequence[str]) -> str:
    """The intent that earlier turns were about: small talk leaves the subject where it was."""
    subject = ""
    for text in context:
        found = model.names[int(model.logits([understander.signs(text, subject)]).argmax())]
        if found not in _SMALL_TALK:
            subject = found
    return subject


def _leave_out(
    signs: Sequence[Sequence[str]], lines: Sequence[Line], order: Sequence[str], folds: int
) -> tuple[dict[str, tuple[int, int]], float]:
    """How lines are read by weights that were learned without them, and the temperature that fits them best."""
    import numpy

    fold_of = [zlib.crc32(line.text.encode()) % folds for line in lines]
    counts: dict[str, list[int]] = {}
    losses = numpy.zeros(len(_TEMPERATURES))
    for fold in range(folds):
        rows = list(zip(signs, lines, fold_of, strict=True))
        held, lines_held = _unzipped([(its, line) for its, line, number in rows if number == fold])
        model = Model(*_unzipped([(its, line) for its, line, number in rows if number != fold]), order)
        logits = model.logits(held)
        _count(counts, model, lines_held, logits)
        losses += _losses(model, lines_held, logits)
    best = _TEMPERATURES[int(losses.argmin())]
    return {origin: (right, total) for origin, (right, total) in sorted(counts.items())}, best


def _unzipped(rows: Sequence[tuple[Sequence[str], Line]]) -> tuple[list[Sequence[str]], list[Line]]:
    """The signs, and the lines that they are of."""
    return [signs for signs, _ in rows], [line for _, line in rows]


def _count(counts: dict[str, list[int]], model: Model, lines: Sequence[Line], logits: Any) -> None:
    """Add to each origin how many of its lines are right, and how many there are."""
    for line, row in zip(lines, logits, strict=True):
        tally = counts.setdefault(line.origin, [0, 0])
        tally[0] += line.accepts(model.names[int(row.argmax())])
        tally[1] += 1


def _losses(model: Model, lines: Sequence[Line], logits: Any) -> Any:
    """The loss of these lines at each temperature."""
    import numpy

    known = [at for at, line in enumerate(lines) if line.intent in model.names]
    gold = [model.names.index(lines[at].intent) for at in known]
    losses = numpy.zeros(len(_TEMPERATURES))
    for place, temperature in enumerate(_TEMPERATURES):
        scaled = logits[known] / temperature
        whole = numpy.log(numpy.exp(scaled - scaled.max(1, keepdims=True)).sum(1)) + scaled.max(1)
        losses[place] = (whole - scaled[range(len(known)), gold]).sum()
    return losses
