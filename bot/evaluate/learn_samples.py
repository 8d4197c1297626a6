"""Labelled messages as the reader sees them, for who learns: written ones, composed ones, and questions with slots."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.catalog import Catalog
from bot.evaluate.compare import value_set
from bot.evaluate.composed import Composed, Labelled, clause_files, composed_messages
from bot.evaluate.corpus import messages_file, scope_files
from bot.evaluate.messages import Message
from bot.evaluate.records import Record, read_records
from bot.evaluate.written import labelled_messages, written_files
from bot.read.asking import ASKS, TELLS, clause_signs
from bot.read.reader import Read, Reader
from bot.read.wished import NO_ROLE

FOLDS: Final = 5
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
_COMPOSED: Final = 0.4
"""Weight of a composed message. With 0.1, 0.2 and 0.4, F1 of mentions is 0.646, 0.657 and 0.665 on held messages of
groups, 0.802, 0.817 and 0.840 on sloppy ones. Composing all a second time with other names reads none better."""
_WRITTEN: Final = 4.0
"""Weight of a message that somebody wrote and labelled: twice as much reads messages left out no worse."""
_OF_GROUPS: Final = "_groups-"
"""What the identifiers of messages typed as in group chats hold, by the name of their file."""


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
    of_group: bool = False
    """Typed as in group chats, which is harder to read: figures of these stand apart."""

    @property
    def fold(self) -> int:
        """The part of all messages that it is left out with, by its text alone."""
        return zlib.crc32(self.text.encode()) % FOLDS


def fingerprint(*, scope: bool = False) -> str:
    """Short digest of the labelled messages and clauses, and of the lines that only scope learns from."""
    digest = hashlib.sha256()
    fillers = clause_files()[0].with_name("fillers.yaml")
    for path in (messages_file(), *written_files(), *clause_files(), *(scope_files() if scope else ()), fillers):
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
    written = [
        replace(_sample(reader, _as_composed(row), _WRITTEN), of_group=_OF_GROUPS in row.id)
        for row in labelled_messages()
    ]
    return written, [_sample(reader, message, _COMPOSED) for message in composed_messages()]


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
