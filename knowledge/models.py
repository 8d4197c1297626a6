"""The words of the knowledge base: passages, sources, conflicts, tables and rows of the fact list.

Plain frozen values, no I/O. Everything a user reads stands in both languages. `None` or empty means "not known".
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

LANGUAGES = ("zh", "en")
MAX_QUESTIONS = 30
_DAY = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


class Frozen(BaseModel):
    """A value: immutable, compared by content, unknown fields refused."""

    # Schemas are built when a class is first used: a cold start pays for the few it needs, not for all.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _check_day(text: str) -> str:
    if not _DAY.fullmatch(text):
        raise ValueError('a date is "2022", "2022-09" or "2022-09-02"')
    return text


def _check_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


Day = Annotated[str, AfterValidator(_check_day)]
Text = Annotated[str, AfterValidator(_check_text)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
RowId = Annotated[str, Field(pattern=r"^\d{3}-\d{3}$")]
ConflictId = Annotated[str, Field(pattern=r"^E\d{2}$")]


class Both(Frozen):
    """One text in both languages."""

    zh: Text
    en: Text

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        """A plain text serves both languages: figures and names need no translation."""
        return {"zh": value, "en": value} if isinstance(value, str) else value

    def get(self, language: str) -> str:
        """The text in that language; English for any language but Chinese."""
        return self.zh if language == "zh" else self.en


class Questions(Frozen):
    """Ways in which people ask for a passage."""

    zh: tuple[Text, ...] = Field(min_length=3, max_length=MAX_QUESTIONS)
    en: tuple[Text, ...] = Field(min_length=3, max_length=MAX_QUESTIONS)


class SeedRef(Frozen):
    """A place in one of the five documents."""

    file: Literal["000", "001", "002", "003", "004"]
    section: Text


class AsOf(Frozen):
    """When a statement held. `stated`: the document says so itself; otherwise it was concluded from its content."""

    date: Day
    stated: bool


class Source(Frozen):
    """A document or page that statements come from."""

    id: Slug
    title: Text
    title_zh: str = ""
    author: str = ""
    url: str = ""
    date: Day | None = None
    """When it was written, as far as known."""
    read_on: Day | None = None
    kind: str = "web"
    """seed | docs | vendor | paper | news | blog | forum | web"""
    note: str = ""

    @property
    def as_of(self) -> str:
        """The day to show with it: when it was written, else when it was read."""
        return self.date or self.read_on or ""


class Texts(Frozen):
    """What is said in one language: the short form for groups, the whole, and what holds today."""

    short: Text
    full: Text
    today: str = ""


class Passage(Frozen):
    """One topic, restated in our own words in both languages."""

    id: Slug
    origin: Literal["seed", "glossary", "beyond"]
    folder: str = ""
    """Name of the folder it lies in; set by the loader."""
    title: Both
    questions: Questions
    seeds: tuple[SeedRef, ...] = ()
    sources: tuple[Slug | Source, ...] = ()
    covers: tuple[RowId, ...] = ()
    as_of: AsOf
    topics: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    gpus: tuple[str, ...] = ()
    ml_models: tuple[str, ...] = ()
    related: tuple[Slug, ...] = ()
    whole: bool = False
    """Whether it answers its questions whatever need they are read for: nothing that is computed says as much."""
    conflicts: tuple[ConflictId, ...] = ()
    tables: tuple[Slug, ...] = ()
    zh: Texts
    en: Texts

    @model_validator(mode="after")
    def _check_whole(self) -> Passage:
        """Refuse what no single field can see."""
        today = bool(self.zh.today), bool(self.en.today)
        faults = (
            (self.origin == "seed" and not (self.seeds and self.covers), "origin seed needs `seeds` and `covers`"),
            (self.origin == "beyond" and bool(self.seeds), "origin beyond has no `seeds`"),
            (self.origin == "beyond" and not self.sources, "origin beyond needs `sources`"),
            (any(today) and not self.sources, "`today` needs `sources`"),
            (today[0] != today[1], "`today` stands in one language only"),
        )
        for is_so, fault in faults:
            if is_so:
                raise ValueError(fault)
        return self

    def texts(self, language: str) -> Texts:
        """What it says in that language; English for any language but Chinese."""
        return self.zh if language == "zh" else self.en

    @property
    def source_ids(self) -> tuple[str, ...]:
        """Ids of the documents it restates, then of its other sources."""
        seeds = tuple(dict.fromkeys(f"seed-{ref.file}" for ref in self.seeds))
        return seeds + tuple(source if isinstance(source, str) else source.id for source in self.sources)


class Position(Frozen):
    """What one document says in a conflict."""

    source: Slug
    """Id in sources.yaml."""
    date: Day | None = None
    says: Both


class Conflict(Frozen):
    """Sources that disagree, a slip, a gap or overtaken advice: who says what, which reading is followed and why."""

    id: ConflictId
    type: str
    topic: Both
    positions: tuple[Position, ...] = Field(min_length=1)
    follows: str = ""
    """Source id of the position that is followed; empty when none is, or both."""
    ruling: Both
    """Which reading is followed, short enough for one line under an answer."""
    reason: Both
    as_of: Day
    """Newest year that the ruling rests on."""
    cards: tuple[str, ...] = ()
    """Cards that it is about, where it is about a few only: beside an answer on others it says nothing."""

    @property
    def line(self) -> Both:
        """One line for an answer that touches it: what is disputed, and what is followed."""
        return Both(zh=f"{self.topic.zh}\uff1a{self.ruling.zh}", en=f"{self.topic.en}: {self.ruling.en}")


class Table(Frozen):
    """Rows of figures shown with a passage, rendered by each channel in its way."""

    id: Slug
    title: Both
    columns: tuple[Both, ...] = Field(min_length=2)
    rows: tuple[tuple[str | Both, ...], ...] = Field(min_length=1)
    note: Both | None = None
    seeds: tuple[SeedRef, ...] = ()
    as_of: AsOf

    @model_validator(mode="after")
    def _check_width(self) -> Table:
        """Every row has a cell for each column."""
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.columns):
                raise ValueError(f"row {number} has {len(row)} cells, there are {len(self.columns)} columns")
        return self

    def cells(self, language: str) -> tuple[tuple[str, ...], ...]:
        """The rows as plain text of one language."""
        return tuple(tuple(cell if isinstance(cell, str) else cell.get(language) for cell in row) for row in self.rows)


class FactRow(Frozen):
    """One row of the fact list: what the documents say, and whether it can be answered."""

    id: RowId
    gist: Text
    kind: str
    figures: str = ""
    suggested_intent: str = ""
    module: str
    """advisor | cost | knowledge: the room expected to answer it."""
    as_of: str = ""
    conflicts: tuple[ConflictId, ...] = ()
    answerable: bool
    duplicate_of: str = ""
