"""What the documents say beside a computed answer: the best passages meant for the intent, with their year."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.models import Step
from bot.answers.documents.passages import chosen, find_passages, passage_sources, step_of, view_of
from bot.core.message import SourceRef
from bot.core.passages import PassageView
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.models import Passage

_CONFLICTS = 2
_TOUCHED, _ERRATUM = 0.34, 0.62
"""Share of a question that a conflict, or a mere slip of a document, must speak of to be told beside an answer."""


@dataclass(frozen=True, slots=True)
class Said:
    """Passages beside an answer; empty when none fits."""

    views: tuple[PassageView, ...] = ()
    sources: tuple[SourceRef, ...] = ()
    steps: tuple[Step, ...] = ()
    conflicts: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


def said(request: Request, intent: str, limit: int = 2, hint: str = "", since: int = 0) -> Said:
    """Passages of the intent that the request is about; `hint` is searched beside the user's words.

    `since`: year before which nothing was written that counts (a card's own, for advice that is older than the card).
    """
    query = f"{request.heard.terms} {hint}" if hint else ""
    found = find_passages(request, intent, limit + 2, query)
    hits = [hit for hit in found if intent in hit.passage.intents and int(hit.passage.as_of.date[:4]) >= since]
    if not hits:
        return Said()
    return of_passages(request, chosen(hits, request.services.library)[:limit])


def of_passages(request: Request, passages: list[Passage]) -> Said:
    """These passages, ready to stand beside an answer."""
    library, language = request.services.library, request.language
    return Said(
        views=tuple(view_of(passage, language, library, request.heard.terms) for passage in passages),
        sources=passage_sources(request, passages),
        steps=tuple(step_of(passage, language, library) for passage in passages),
        conflicts=on_subject(request, passages)[:_CONFLICTS],
        ids=tuple(passage.id for passage in passages),
    )


def on_subject(request: Request, passages: list[Passage]) -> tuple[str, ...]:
    """Conflicts of passages that stand beside another answer, as far as the question speaks of them."""
    named = dict.fromkeys(name for passage in passages for name in passage.conflicts)
    if not named:
        return ()
    library = request.services.library
    shares = dict(library.disputed(request.heard.terms, _TOUCHED))
    told = {name: shares.get(name, 0.0) for name in named if name in library.conflicts}
    least = {name: _ERRATUM if library.conflicts[name].type == "erratum" else _TOUCHED for name in told}
    return tuple(sorted((name for name in told if told[name] >= least[name]), key=lambda name: -told[name]))
