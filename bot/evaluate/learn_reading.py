"""Learns which clause asks and which part a mention plays: the weights of `bot/languages/reading.json`.

From labelled messages (`tests/evaluation/messages_dev.jsonl`) and messages composed of labelled clauses. Each labelled
message is also read by weights that were learned without it, and the report says how well.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.catalog import Catalog
from bot.core.intents import load_intents
from bot.evaluate.aside import aside
from bot.evaluate.compare import value_set
from bot.evaluate.composed import Composed, Labelled, clause_files, composed_messages
from bot.evaluate.corpus import TOLD, Line, messages_file, read_lines, scope_files
from bot.evaluate.fit import Examples, Fitted
from bot.evaluate.messages import Message, read_rows
from bot.evaluate.records import Record, read_records
from bot.evaluate.written import read_written, written_files
from bot.read.asking import ASKS, TELLS, clause_signs
from bot.read.reader import Read, Reader
from bot.read.scope import OURS, OUTSIDE, scope_signs
from bot.read.wished import NO_ROLE

FOLDS: Final = 5
_WEAK: Final = 0.3
"""Weight of a question whose slots are labelled and whose roles are not."""
_WISHES: Final = ("own", "wanted", "compared")
_MAY_BE: Final[Mapping[str, tuple[str, ...]]] = {
    "gpu": _WISHES,
    "model": ("job",),
    "provider": ("wanted", "own"),
    "gpu_family": (NO_ROLE, *_WISHES),
    "vram_gb": ("per_card", "limit", "wanted", "own"),
    "ram_gb": ("own", "wanted"),
    "gpu_count": ("count", "compared"),
    "batch": ("setting",),
    "seq_len": ("setting",),
    "resolution": ("setting",),
    "dataset": ("setting",),
    "users": ("people",),
    "budget": ("budget",),
    "price": ("purchase_price", "rent_price"),
    "electricity_price": ("electricity_price",),
    "duration": ("usage", "span", "measured", "deadline"),
    "psu_w": ("own", "wanted"),
    "utilization": ("measured", "rate"),
}
"""The parts that a value may play which is a slot of its question by the labels."""
_SEEDS: Final = (1, 2)
_COMPOSED: Final = 0.2
"""How often the messages are composed anew, and the weight of each beside one that somebody wrote: twice at half the
weight depends less on which names happened to stand in a clause."""
_SCOPE_STRENGTH: Final = 3.0
_ROLE_TELLING, _SCOPE_TELLING = 6, 3
"""Steps that the largest weight of a sign must have to be kept: half of the file for 0.3 points of fitted roles, and
the same scope on every set."""
_SCOPE_WEIGHT: Final = {TOLD: 0.6}
_OUTSIDE: Final = 4.0
"""Weight of a line of another subject: there are ten times fewer of them. With questions about documents at 0.1, 0.3,
0.6 and 1 of a line, 36, 29, 16 and 27 questions of the reader sets are turned away, and 19, 20, 21 and 20 of 28 left
out messages of other subjects are caught."""
_THRESHOLD: Final = 0.4
"""Probability of being ours below which a message is turned away, beside those whose likeliest need is none of ours. Of
five sets not learned from, 0.3 / 0.4 / 0.5 catch 0.94 of other subjects alike and turn away 0.63 / 0.72 / 0.81 %."""
_WRITTEN: Final = 4.0
"""Weight of a message that somebody wrote and labelled: twice as much reads messages left out no worse."""
_ROLE_STRENGTH, _CLAUSE_STRENGTH = 0.4, 0.5
_ROUGH: Final = 1e-2
"""When fitting stops for weights that only tell which of the open parts a value of a labelled question plays."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled message as the reader sees it."""

    text: str
    ours: bool
    read: Read
    roles: list[str]
    """Of each candidate."""
    lost: int
    """Labelled mentions that no candidate overlaps."""
    clauses: list[str]
    clause_signs: list[list[str]]
    weight: float


def fingerprint() -> str:
    """Short digest of everything that is learned from: tells whether weights were learned from it."""
    digest = hashlib.sha256()
    for path in (
        messages_file(),
        *written_files(),
        *clause_files(),
        *scope_files(),
        clause_files()[0].with_name("fillers.yaml"),
    ):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class WeakSample:
    """A question whose slots are labelled: for each candidate the roles it may have, none where nothing is known."""

    read: Read
    allowed: list[tuple[str, ...]]


def weak_samples(reader: Reader, catalog: Catalog) -> list[WeakSample]:
    """The labelled questions that may be learned from (never `questions_unseen*`)."""
    folder = messages_file().parent
    files = [path for name in ("dev", "fresh", "second") for path in sorted(folder.glob(f"questions_{name}_*.jsonl"))]
    found: list[WeakSample] = []
    for record in read_records(files):
        if record.ambiguous or record.context:
            continue
        read = reader.look(record.text)
        outside = record.intent == "out_of_scope"
        allowed = [
            ("off_topic",) if outside else _allowed(catalog, record, one.slot, one.value) for one in read.candidates
        ]
        found.append(WeakSample(read, allowed))
    return found


def _allowed(catalog: Catalog, record: Record, slot: str, value: object) -> tuple[str, ...]:
    roles = _MAY_BE.get(slot, ())
    if not roles or not value_set(catalog, slot, [value] if slot in {"gpu", "model"} else value) <= value_set(
        catalog, slot, record.slots.get(slot)
    ):
        return ()
    parts = value if isinstance(value, Mapping) else {}
    if slot == "price":
        return ("rent_price",) if parts.get("unit") == "hour" else ("purchase_price",)
    return ("usage",) if slot == "duration" and parts.get("per") else roles


def samples_of(reader: Reader) -> tuple[list[Sample], list[Sample]]:
    """Written and composed messages, some five thousand. `reader` may know nothing yet."""
    reader.prepare()
    rows = [*read_rows(messages_file(), Message), *(row for path in written_files() for row in read_written(path))]
    written = [_sample(reader, message, _WRITTEN) for message in map(_as_composed, rows)]
    composed = [message for seed in _SEEDS for message in composed_messages(seed)]
    return written, [_sample(reader, message, _COMPOSED) for message in composed]


def _as_composed(row: Message) -> Composed:
    mentions = tuple(Labelled(label.start, label.end, label.role) for label in row.mentions)
    places = [(row.text.find(part), len(part)) for part in row.asking]
    return Composed(row.text, mentions, tuple((at, at + size) for at, size in places if at >= 0), row.in_scope)


def _sample(reader: Reader, message: Composed, weight: float) -> Sample:
    read = reader.look(message.text)
    roles, lost = align(read, message.mentions)
    reading, normalised = read.analysis.reading, read.analysis.normalised
    spans = [normalised.raw_span(part.start, part.end) for part in read.parts]
    asks = [
        any(start < end and first < last for start, end, first, last in _overlaps(span, message.asking))
        for span in spans
    ]
    return Sample(
        message.text, message.ours, read, roles, lost, [ASKS if its else TELLS for its in asks],
        clause_signs(reading, read.parts, read.marks), weight,
    )  # fmt: skip


def _overlaps(span: tuple[int, int], places: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int, int, int]]:
    """Of each place the part within a span, and at least half of the smaller of the two."""
    for start, end in places:
        first, last = max(span[0], start), min(span[1], end)
        if last - first >= min(span[1] - span[0], end - start) / 2:
            yield (*span, first, last)


def align(read: Read, mentions: Sequence[Labelled]) -> tuple[list[str], int]:
    """The role of each candidate by the labelled mention it overlaps most, and how many mentions found none."""
    normalised = read.analysis.normalised
    spans = [normalised.raw_span(candidate.start, candidate.end) for candidate in read.candidates]
    roles = [NO_ROLE] * len(spans)
    lost = 0
    for mention in mentions:
        shared = [
            (min(end, mention.end) - max(start, mention.start) if roles[number] == NO_ROLE else 0, -number)
            for number, (start, end) in enumerate(spans)
        ]
        most, number = max(shared, default=(0, 0))
        if most > 0:
            roles[-number] = mention.label
        else:
            lost += 1
    return roles, lost


@dataclass(frozen=True, slots=True)
class ScopeLine:
    """One line with the signs of its scope."""

    signs: list[str]
    ours: bool
    weight: float


def scope_lines(reader: Reader, lines: Sequence[Line], written: Sequence[Sample]) -> list[ScopeLine]:
    """Labelled lines, ours and others', and composed messages."""
    found: list[ScopeLine] = []
    for line in (*lines, *read_lines(scope_files(), load_intents())):
        weight = _SCOPE_WEIGHT.get(line.origin, 1.0)
        ours = line.intent != "out_of_scope"
        found.append(ScopeLine(_scope_signs(reader.look(line.text)), ours, weight if ours else weight * _OUTSIDE))
    return [*found, *(_of_sample(sample) for sample in written)]


def _scope_signs(read: Read) -> list[str]:
    return scope_signs(read.analysis.reading, read.analysis.keys, read.marks.heads)


def _of_sample(sample: Sample) -> ScopeLine:
    return ScopeLine(_scope_signs(sample.read), sample.ours, sample.weight)


def _fit_scope(lines: Iterable[ScopeLine]) -> Fitted:
    examples = Examples()
    for line in lines:
        examples.add(line.signs, OURS if line.ours else OUTSIDE, line.weight)
    return Fitted(examples, strength=_SCOPE_STRENGTH)


def _scope_left_out(lines: Sequence[ScopeLine], written: Sequence[Sample]) -> tuple[int, int, int, int]:
    """Of messages left out: caught, of how many of other subjects; turned away, of how many of ours."""
    caught = outside = turned = inside = 0
    for fold in range(FOLDS):
        kept = [_of_sample(sample) for sample in written if zlib.crc32(sample.text.encode()) % FOLDS != fold]
        held = [_of_sample(sample) for sample in written if zlib.crc32(sample.text.encode()) % FOLDS == fold]
        model = _fit_scope([*lines, *kept])
        place = model.names.index(OURS)
        for line, row in zip(held, model.chances([line.signs for line in held]), strict=True):
            out = float(row[place]) < _THRESHOLD
            caught += out and not line.ours
            turned += out and line.ours
            inside, outside = inside + line.ours, outside + (not line.ours)
    return caught, outside, turned, inside


def learn_reading(reader: Reader, catalog: Catalog, lines: Sequence[Line]) -> tuple[dict[str, object], list[str]]:
    """The weights for `reading.json`, and a report. `reader` knows nothing yet (`reader_over(..., blank=True)`)."""
    written, composed = samples_of(reader)
    report = [f"{len(written)} written and {len(composed)} composed messages"]
    weak = weak_samples(reader, catalog)
    others = [*scope_lines(reader, lines, composed)]
    honest = aside(lambda: (_left_out(written, composed, weak), _scope_left_out(others, written)))
    roles = _fit_roles([*written, *composed], weak)
    clauses = Fitted(_examples([*written, *composed], _clauses), strength=_CLAUSE_STRENGTH)
    fitted = _role_score(roles, written)
    report.append(f"mentions F1 {fitted:.3f} fitted")
    scope = _fit_scope([*others, *map(_of_sample, written)])
    left_out, (caught, outside, turned, inside) = honest()
    report += [f"mentions F1 {left_out[0]:.3f}, clauses right {left_out[1]:.3f}, each message left out once"]
    report.append(f"scope, left out: {caught} of {outside} caught, {turned} of {inside} turned away")
    content: dict[str, object] = {
        "learned_from": fingerprint(),
        "left_out": {
            "mentions": round(left_out[0], 4),
            "clauses": round(left_out[1], 4),
            "caught": round(caught / outside, 4),
            "turned_away": round(turned / inside, 4),
        },
        "roles": roles.packed(telling=_ROLE_TELLING),
        "asking": clauses.packed(),
        "scope": {**scope.packed(telling=_SCOPE_TELLING), "threshold": _THRESHOLD},
    }
    return content, report


_Rows = Callable[[Sample], Iterable[tuple[Sequence[str], str]]]


def _roles(sample: Sample) -> Iterable[tuple[Sequence[str], str]]:
    return zip(sample.read.signs, sample.roles, strict=True)


def _clauses(sample: Sample) -> Iterable[tuple[Sequence[str], str]]:
    return zip(sample.clause_signs, sample.clauses, strict=True)


def _examples(samples: Iterable[Sample], rows: _Rows) -> Examples:
    examples = Examples()
    for sample in samples:
        for signs, label in rows(sample):
            examples.add(signs, label, sample.weight)
    return examples


def _fit_roles(samples: Sequence[Sample], weak: Sequence[WeakSample]) -> Fitted:
    """Weights of the roles: first of what is labelled, then with the questions read under what their slots allow."""
    examples = _examples(samples, _roles)
    first = Fitted(examples, strength=_ROLE_STRENGTH, seen=3, tolerance=_ROUGH)
    for sample in weak:
        rows = [number for number, roles in enumerate(sample.allowed) if roles]
        if not rows:
            continue
        signs = [sample.read.signs[number] for number in rows]
        for number, row, its in zip(rows, first.chances(signs), signs, strict=True):
            open_to = [
                (float(row[first.names.index(role)]), role) for role in sample.allowed[number] if role in first.names
            ]
            if open_to:
                examples.add(its, max(open_to)[1], _WEAK)
    return Fitted(examples, strength=_ROLE_STRENGTH, seen=3)


def _role_score(model: Fitted, samples: Iterable[Sample]) -> float:
    """F1 of mentions: found with the right role."""
    hit = extra = missed = 0
    for sample in samples:
        missed += sample.lost
        if not sample.read.signs:
            continue
        for row, role in zip(model.chances(sample.read.signs), sample.roles, strict=True):
            found = model.names[int(row.argmax())]
            right = found == role
            hit += right and role != NO_ROLE
            extra += not right and found != NO_ROLE
            missed += not right and role != NO_ROLE
    return 2 * hit / (2 * hit + extra + missed)


def _left_out(written: Sequence[Sample], composed: Sequence[Sample], weak: Sequence[WeakSample]) -> tuple[float, float]:
    """F1 of mentions and share of clauses that are right, each written message read without having been learned."""
    scores: list[float] = []
    right = total = 0
    for fold in range(FOLDS):
        kept = [sample for sample in written if zlib.crc32(sample.text.encode()) % FOLDS != fold]
        held = [sample for sample in written if zlib.crc32(sample.text.encode()) % FOLDS == fold]
        scores.append(_role_score(_fit_roles([*kept, *composed], weak), held))
        model = Fitted(_examples([*kept, *composed], _clauses), strength=_CLAUSE_STRENGTH)
        for sample in held:
            for row, label in zip(model.chances(sample.clause_signs), sample.clauses, strict=True):
                right += model.names[int(row.argmax())] == label
                total += 1
    return sum(scores) / len(scores), right / total
