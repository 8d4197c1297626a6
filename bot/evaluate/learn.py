"""Learns the weights of `bot/languages/evidence.json` from labelled lines, and how well lines left out are read.

A multinomial logistic regression over the signs of each line (scikit-learn, needed here only). Signs seen once are
dropped, weights are rounded to a byte. The temperature that makes scores honest probabilities comes from lines that
were left out. The same lines give the same file.
"""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.evaluate.aside import aside
from bot.evaluate.corpus import ASKING, MESSAGES, TOLD, WRITTEN, Line, fingerprint
from bot.evaluate.fit import Examples, Packed
from bot.evaluate.learned import digest_of_rows
from bot.understand.recognise import Understander

if TYPE_CHECKING:
    from numpy import ndarray
    from scipy.sparse import csr_matrix

FOLDS: Final = 8
"""Parts that are left out in turn; which one a line is in follows from its text, so new lines move no other.

The more parts, the more each is like what is written: labelled lines left out are read right 0.933 of the time with
four, 0.949 with ten."""
_ASIDE: Final = 5
"""Of these parts so many are left out in a second process, the others beside what is written."""
_STRENGTH: Final = 1.0
"""Inverse of the regularisation. 1 to 8 differ by about a point on lines left out; with 2, two fewer of a hundred held
messages are read right, and as many of four sets of unseen questions."""
_OTHER_SHARE: Final = 0.3
"""Weight that the first other accepted intent of a line takes from its own."""
_WEIGHT: Final = {WRITTEN: 2.0, TOLD: 0.05, MESSAGES: 0.5, ASKING: 0.3}
"""Beside a line of the corpus: a phrase is its intent's own; passages are meant for intents in a wider sense; most of a
long message is background; what asks in it, taken alone, leaves its need open as often as not (0.60 right left out).
With messages at 0, 0.25, 0.5 and 1, 74, 77, 77 and 77 of a hundred held ones are read right, and 0.919, 0.915, 0.915
and 0.907 of the second unseen set; with what asks at 1, 0.3 and 0.1, 534, 536 and 534 of the first two such sets; with
passages at 0.1, 0.05 and 0.02, 78, 79 and 80 of the held ones and 1,109, 1,108 and 1,098 of the four sets."""
_ROUGH, _CLOSE, _CLOSEST = 1e-2, 1e-3, 1e-4
"""When fitting stops: for the subjects of earlier turns, for lines that are left out, for what is written. At 1e-3 that
would read two to eight fewer of each set of 300 unseen questions right."""
_SEEN: Final = 2
_TOLD_ELSEWHERE: Final = frozenset({TOLD, MESSAGES, ASKING})
"""Origins of lines that are no lines of the corpus: a new passage asks for no learning, and messages have a digest of
their own in `reading.json`."""
_BYTE: Final = 127
_TELLING: Final = 5
"""Steps that the largest weight of a sign must have: the rest changes no reading, and a third of the file."""
_SMALL_TALK: Final = frozenset({"greeting", "thanks", "help", "why", "source", "cancel", "out_of_scope"})
_TEMPERATURES: Final = tuple(0.8 + 0.05 * step for step in range(30))


class Evidence(Packed):
    """What `evidence.json` holds."""

    learned_from: str
    lines: int
    left_out: dict[str, float]


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned, and how well it reads lines it has not seen."""

    content: Evidence
    """For `evidence.json`."""
    left_out: dict[str, tuple[int, int]]
    """Origin of the lines -> (right, all), each read by weights that were learned without it."""
    needs: dict[str, str]
    """The likeliest need of each message by weights that were learned without it, by its text."""
    signs: str
    """Digest of the lines as they were read."""


class Model:
    """Weights over signs, while they are being learned."""

    def __init__(
        self, signs: Sequence[Sequence[str]], lines: Sequence[Line], order: Sequence[str], tolerance: float
    ) -> None:
        """Fit lines with these signs. `order`: all intents, which fixes the columns."""
        import numpy
        from sklearn.linear_model import LogisticRegression

        seen = Counter(sign for each in signs for sign in each)
        self.signs = sorted(sign for sign, count in seen.items() if count >= _SEEN)
        self._place = {sign: number for number, sign in enumerate(self.signs)}
        examples = _examples(signs, lines)
        model = LogisticRegression(C=_STRENGTH, max_iter=1000, tol=tolerance)
        model.fit(
            self.matrix(examples.signs), examples.labels, sample_weight=numpy.array(examples.weights, dtype="float32")
        )
        self.names = [name for name in order if name in set(model.classes_)]
        places = [list(model.classes_).index(name) for name in self.names]
        self.weights = model.coef_[places]
        self._columns = numpy.ascontiguousarray(self.weights.T)
        self.prior = model.intercept_[places]

    def matrix(self, signs: Sequence[Sequence[str]]) -> csr_matrix:
        """One row for each line, one column for each known sign."""
        import numpy
        from scipy.sparse import csr_matrix

        ends, columns = [0], []
        for each in signs:
            # signs come from sets: in whatever order they are, the same lines give the same sums to the last bit
            columns += sorted([self._place[sign] for sign in each if sign in self._place])
            ends.append(len(columns))
        # single precision takes two thirds of the time, and a weight is rounded to a byte
        ones = numpy.ones(len(columns), dtype="float32")
        return csr_matrix((ones, columns, ends), shape=(len(signs), len(self.signs)))

    def logits(self, signs: Sequence[Sequence[str]]) -> ndarray:
        """For each line the logit of each of `names`."""
        found: ndarray = self.matrix(signs) @ self._columns + self.prior
        return found


def learn(understander: Understander, lines: Sequence[Line], order: Sequence[str], *, folds: int = FOLDS) -> Learned:
    """Learn from labelled lines.

    Args:
        understander: reads the signs.
        lines: labelled lines; their order does not matter.
        order: all intents.
        folds: parts that are left out in turn.
    """
    lines = sorted(set(lines), key=in_order)
    alone = [line for line in lines if not line.context]
    first = Model([understander.signs(line.text) for line in alone], alone, order, _ROUGH)
    signs = [understander.signs(line.text, _subject(understander, first, line.context)) for line in lines]
    held = _parts(lines, folds)
    honest = aside(lambda: [_left_out(part, signs, lines, order) for part in held[:_ASIDE]])
    model = Model(signs, lines, order, _CLOSEST)
    rest = [_left_out(part, signs, lines, order) for part in held[_ASIDE:]]
    left_out = _together([*honest(), *rest])
    step = float(abs(model.weights).max()) / _BYTE
    used, packed = _packed(model, signs, step)
    content: Evidence = {
        "learned_from": fingerprint(line for line in lines if line.origin not in _TOLD_ELSEWHERE),
        "lines": len(lines),
        "left_out": {origin: round(right / total, 4) for origin, (right, total) in left_out.counts.items()},
        "intents": model.names,
        "temperature": round(left_out.temperature, 2),
        "step": round(step, 8),
        "prior": [round(float(value), 4) for value in model.prior],
        "signs": [model.signs[number] for number in used],
        "weights": packed,
    }
    rows = ((line, sorted(its)) for line, its in zip(lines, signs, strict=True))
    return Learned(content, left_out.counts, left_out.needs, digest_of_rows(rows))


def in_order(line: Line) -> tuple[object, ...]:
    """By text first and by all else then: of two lines alike in one thing the order is the same in every run."""
    return (line.text, line.context, line.intent, line.others, line.origin, line.of)


def _packed(model: Model, signs: Sequence[Sequence[str]], step: float) -> tuple[list[int], str]:
    """Places of the signs that tell something, and the weights of these, each in a byte of so large a step."""
    table = (model.weights / step).round().astype(int) + _BYTE + 1
    used = _by_use(signs, model.signs, abs(table - _BYTE - 1).max(0) >= _TELLING)
    return used, base64.b64encode(zlib.compress(table[:, used].T.astype("uint8").tobytes(), 9)).decode()


def _examples(signs: Sequence[Sequence[str]], lines: Sequence[Line]) -> Examples:
    """Each line as an example of its intent, and where another one would do, with a share of its weight of that."""
    found = Examples()
    for each, line in zip(signs, lines, strict=True):
        other = next((name for name in line.others if name != line.intent), "")
        weight = _WEIGHT.get(line.origin, 1.0)
        found.add(each, line.intent, weight * (1.0 - _OTHER_SHARE) if other else weight)
        if other:
            found.add(each, other, weight * _OTHER_SHARE)
    return found


def _by_use(signs: Sequence[Sequence[str]], named: Sequence[str], telling: Sequence[bool]) -> list[int]:
    """Places of the signs that tell something, the commonest first.

    What most messages have then stands together, which spares the processor's memory.
    """
    seen = Counter(sign for its in signs for sign in its)
    used = [number for number, tells in enumerate(telling) if tells]
    return sorted(used, key=lambda number: (-seen[named[number]], named[number]))


def _subject(understander: Understander, model: Model, context: Sequence[str]) -> str:
    """The intent that earlier turns were about: small talk leaves the subject where it was."""
    subject = ""
    for text in context:
        found = model.names[int(model.logits([understander.signs(text, subject)]).argmax())]
        if found not in _SMALL_TALK:
            subject = found
    return subject


class _LeftOut(NamedTuple):
    """How lines are read by weights that were learned without them."""

    counts: dict[str, tuple[int, int]]
    """Origin -> (right, all)."""
    losses: tuple[float, ...]
    """How surprised scores are, for each of the temperatures."""
    needs: dict[str, str]
    """What messages are taken for, by their texts."""

    @property
    def temperature(self) -> float:
        """The temperature that fits them best."""
        return _TEMPERATURES[self.losses.index(min(self.losses))]


def _parts(lines: Sequence[Line], folds: int) -> list[list[int]]:
    """The numbers of the lines of each part: a message and what asks in it are of one."""
    found: list[list[int]] = [[] for _ in range(folds)]
    for number, line in enumerate(lines):
        found[zlib.crc32((line.of or line.text).encode()) % folds].append(number)
    return found


def _left_out(
    held: Sequence[int], signs: Sequence[Sequence[str]], lines: Sequence[Line], order: Sequence[str]
) -> _LeftOut:
    """One part read by weights that were learned without it."""
    model = _without(held, signs, lines, order)
    logits = model.logits([signs[n] for n in held])
    its = [lines[number] for number in held]
    found = [model.names[int(row.argmax())] for row in logits]
    counts: dict[str, list[int]] = {}
    _count(counts, its, found)
    return _LeftOut(
        {origin: (right, total) for origin, (right, total) in counts.items()},
        tuple(map(float, _losses(model.names, its, logits))),
        {line.text: name for line, name in zip(its, found, strict=True) if line.origin == MESSAGES},
    )


def _together(parts: Sequence[_LeftOut]) -> _LeftOut:
    """All parts as one."""
    counts: dict[str, tuple[int, int]] = {}
    needs: dict[str, str] = {}
    for part in parts:
        for origin, (right, total) in part.counts.items():
            before = counts.get(origin, (0, 0))
            counts[origin] = (before[0] + right, before[1] + total)
        needs |= part.needs
    losses = tuple(sum(its) for its in zip(*(part.losses for part in parts), strict=True))
    return _LeftOut(dict(sorted(counts.items())), losses, needs)


def _without(held: Sequence[int], signs: Sequence[Sequence[str]], lines: Sequence[Line], order: Sequence[str]) -> Model:
    """Weights that were learned without some lines."""
    gone = frozenset(held)
    kept = [number for number in range(len(lines)) if number not in gone]
    return Model([signs[n] for n in kept], [lines[n] for n in kept], order, _CLOSE)


def _count(counts: dict[str, list[int]], lines: Sequence[Line], found: Sequence[str]) -> None:
    """Count what is right and all, by the origin of the lines."""
    for line, intent in zip(lines, found, strict=True):
        tally = counts.setdefault(line.origin, [0, 0])
        tally[0] += line.accepts(intent)
        tally[1] += 1


def _losses(names: Sequence[str], lines: Sequence[Line], logits: ndarray) -> ndarray:
    """How surprised scores are by the intents of lines, summed, for each of the temperatures."""
    import numpy

    known = [at for at, line in enumerate(lines) if line.intent in names]
    gold = [names.index(lines[at].intent) for at in known]
    losses = numpy.zeros(len(_TEMPERATURES))
    for place, temperature in enumerate(_TEMPERATURES):
        scaled = logits[known] / temperature
        whole = numpy.log(numpy.exp(scaled - scaled.max(1, keepdims=True)).sum(1)) + scaled.max(1)
        losses[place] = (whole - scaled[range(len(known)), gold]).sum()
    return losses
