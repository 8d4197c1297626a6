"""A passage of the knowledge base in one language, as an answer carries it."""

from __future__ import annotations

from pydantic import Field

from advisor.models import Frozen


class TableView(Frozen):
    """A table in one language."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


class PassageView(Frozen):
    """A passage in one language, ready to be shown."""

    id: str
    title: str
    short: str
    more: str = ""
    """The sentence of the full text that the question is about, when the short one leaves it out."""
    full: str
    today: str = ""
    as_of: str
    origin: str
    tables: tuple[TableView, ...] = Field(default=())


class Told(Frozen):
    """What the documents say within an answer: the passage that is the answer, those that add to it, one beside it."""

    passages: tuple[str, ...] = ()
    """Ids of all that is shown."""
    lead: PassageView | None = None
    """The answer proper, where the answer is a passage."""
    also: tuple[PassageView, ...] = ()
    documents: tuple[PassageView, ...] = ()
    """Passages below a computed answer, each with its year."""
    beside: PassageView | None = None
    """Stands beside a computed answer."""
    is_asked: bool = False
    """Whether what stands beside is as good as what was asked: it goes before the lines below the first."""
    beside_in_full: bool = True
    beside_in_group: bool = True
    """Whether the complete form shows it, too; not where that tells it anyway."""
    only_in_full: bool = False
    """Whether the answer's short form leaves out the passages that its complete form shows."""
