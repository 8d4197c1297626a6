"""Names the sources of the last answer with their dates, and both sides where they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.answers.common import source_refs
from bot.core.answers import Outcome, answer_with
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.models import Conflict


def handle(request: Request) -> Outcome:
    """All sources of the answer the message is about; the dissent it touches when that was asked for."""
    episode = request.subject
    if episode is None or not (episode.sources or episode.conflicts):
        return answer_with(template="source", extra={"nothing": True, "sides": ()})
    library = request.services.library
    sides = tuple(library.conflicts[name] for name in episode.conflicts if name in library.conflicts)
    return answer_with(
        template="source",
        facts=episode.facts,
        sources=episode.sources,
        extra={
            "nothing": False,
            "sides": sides,
            "titles": _titles(request, sides),
            "only_sides": request.act == "conflicts" and bool(sides),
        },
    )


def _titles(request: Request, sides: Sequence[Conflict]) -> dict[str, str]:
    """Titles of the documents that take a position, by source id."""
    named = dict.fromkeys(position.source for side in sides for position in side.positions)
    return {ref.id: ref.title for ref in source_refs(request, named)}
