"""What documents say beside a computed answer, as blocks of its complete form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.models import Note
from bot.core.line import Block, Depth, Line, Listing
from bot.core.passages import PassageView


def told_in_full(views: Sequence[PassageView], remarks: Sequence[Note] = ()) -> Iterator[Block]:
    """Remarks that a private chat sees, then the passages, each with its day and what has changed since."""
    if remarks:
        yield Listing(tuple(remarks), depth=Depth.PRIVATE)
    if views:
        told = tuple(
            Line("said.passage", {"title": one.title, "day": one.as_of, "text": one.full, "today": one.today or None})
            for one in views
        )
        yield Listing(told, Line("said.title"), Depth.DETAILS)
