"""Names the sources of the last answer with their dates, and both sides where they disagree."""

from __future__ import annotations

from bot.core.answers import Answer, Outcome
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """All sources of the answer the message is about; the dissent it touches when that was asked for."""
    episode = request.subject
    if episode is None or not (episode.sources or episode.conflicts):
        return Answer(template="source", extra={"nothing": True, "sides": ()})
    library = request.services.library
    sides = tuple(library.conflicts[name] for name in episode.conflicts if name in library.conflicts)
    return Answer(
        template="source",
        facts=episode.facts,
        sources=episode.sources,
        extra={"nothing": False, "sides": sides, "only_sides": request.act == "conflicts" and bool(sides)},
    )
