"""The shapes in which the knowledge base is kept: what the files hold, checked and ready to be JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NotRequired, TypeAlias, TypedDict, TypeVar

from knowledge.errors import UnknownPassage
from knowledge.models import Frozen

Words: TypeAlias = Sequence[object]
"""Words of a YAML file: some of them read as numbers."""
_Model = TypeVar("_Model", bound=Frozen)


class Both(TypedDict):
    """A text in both languages."""

    zh: str
    en: str


class Texts(TypedDict):
    """What a passage says in one language."""

    short: str
    full: str
    today: NotRequired[str]


class Day(TypedDict):
    """When a statement held."""

    date: str
    stated: bool


class PassageRecord(TypedDict):
    """A passage, without what is empty."""

    id: str
    origin: str
    folder: NotRequired[str]
    title: Both
    questions: Mapping[str, Sequence[str]]
    sources: NotRequired[Sequence[object]]
    covers: NotRequired[Sequence[str]]
    as_of: Day
    topics: NotRequired[Sequence[str]]
    intents: NotRequired[Sequence[str]]
    gpus: NotRequired[Sequence[str]]
    ml_models: NotRequired[Sequence[str]]
    conflicts: NotRequired[Sequence[str]]
    zh: Texts
    en: Texts


class PositionRecord(TypedDict):
    """What one document says in a conflict."""

    says: Both


class ConflictRecord(TypedDict):
    """A conflict, without what is empty."""

    topic: Both
    ruling: Both
    positions: Sequence[PositionRecord]


class ReadingWords(TypedDict, total=False):
    """`data/reading.yaml`: how questions are read."""

    stop: Mapping[str, Words]
    digits: Mapping[str, str]
    counters: Sequence[str]
    sometimes_traditional: str
    anchors: Words
    programs: Sequence[str]
    formats: Sequence[str]
    methods: Sequence[str]
    amounts: Words
    bare: Words
    sources: Sequence[str]
    foreign: Words
    same: Mapping[str, Words]


class Data(TypedDict):
    """The files of `data/`; None for one that is missing or empty."""

    names: Mapping[str, Words | None] | None
    synonyms: Mapping[str, Mapping[str, Words | None] | None] | None
    reading: ReadingWords | None
    software: Sequence[Mapping[str, object]] | None
    techniques: Sequence[Mapping[str, object]] | None
    switches: Sequence[Mapping[str, object]] | None


class Content(TypedDict):
    """Everything that the files hold."""

    passages: dict[str, PassageRecord]
    sources: dict[str, Mapping[str, object]]
    conflicts: dict[str, ConflictRecord]
    tables: dict[str, Mapping[str, object]]
    data: Data
    problems: Sequence[tuple[str, int, str]]
    """Path, line and message of each fault."""


class Records(Mapping[str, _Model]):
    """Validated objects by id, made from raw records when first asked for."""

    def __init__(self, kind: str, raw: Mapping[str, object], make: Callable[[object], _Model]) -> None:
        """`kind`: what they are called where one is missing; `make` checks a raw record."""
        self._kind, self._raw, self._make = kind, raw, make
        self._made: dict[str, _Model] = {}

    def __getitem__(self, name: str) -> _Model:
        """The record of that id.

        Raises:
            UnknownPassage: there is none.
        """
        made = self._made.get(name)
        if made is None:
            raw = self._raw.get(name)
            if raw is None:
                raise UnknownPassage(self._kind, name)
            made = self._made[name] = self._make(raw)
        return made

    def __iter__(self) -> Iterator[str]:
        """The ids."""
        return iter(self._raw)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._raw)
