"""Names the sources of the last answer with their dates, and both sides where they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.answers.common import source_refs
from bot.core.answers import Outcome, answer_with
from bot.core.line import Depth, Line, Listing, Prose
from bot.core.message import SourceRef
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.models import Conflict


def handle(request: Request) -> Outcome:
    """All sources of the answer the message is about; the dissent it touches when that was asked for."""
    episode = request.reviewed
    if episode is None or not (episode.sources or episode.conflicts):
        return answer_with(headline=(Line("source.nothing"),), is_talk=True)
    library = request.services.library
    sides = tuple(library.conflicts[name] for name in episode.conflicts if name in library.conflicts)
    blocks = tuple(_dispute(request, side) for side in sides)
    headline = Line("source.disputed")
    if request.act != "conflicts" or not sides:
        blocks = (Listing(tuple(map(_source, _named(request, episode.sources))), depth=Depth.GROUP), *blocks)
        headline = Line("source.rests")
    return answer_with(
        headline=(headline,),
        blocks=blocks,
        facts=episode.facts,
        sources=episode.sources,
        is_talk=True,
        is_whole=True,
        names_sources=True,
    )


def _named(request: Request, refs: Sequence[SourceRef]) -> list[SourceRef]:
    """Sources by their titles in the language of the reply."""
    titles = {one.id: one.title for one in source_refs(request, [ref.id for ref in refs])}
    return [ref.model_copy(update={"title": titles.get(ref.id, ref.title)}) for ref in refs]


def _source(ref: SourceRef) -> Line:
    title, section, as_of = ref.title, ref.section or None, ref.as_of or None
    if not ref.url:
        return Line("source.named", {"title": title, "section": section, "as_of": as_of})
    return Line("source.linked", {"title": title, "section": section, "as_of": as_of, "url": Prose(ref.url)})


def _dispute(request: Request, side: Conflict) -> Listing:
    """Who says what, which reading is followed and why."""
    language = request.language
    titles = {ref.id: ref.title for ref in source_refs(request, [one.source for one in side.positions])}
    positions = [
        Line(
            "source.says",
            {
                "title": titles.get(one.source, one.source),
                "date": one.date,
                "says": Prose(one.says.get(language)),
            },
        )
        for one in side.positions
    ]
    followed = {"ruling": Prose(side.ruling.get(language)), "reason": Prose(side.reason.get(language))}
    return Listing(
        (*positions, Line("source.followed", followed)),
        title=Line("source.disagree", {"topic": Prose(side.topic.get(language))}),
        depth=Depth.GROUP,
    )
