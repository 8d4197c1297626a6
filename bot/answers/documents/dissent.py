"""Conflicts that a message asks about: the passage that takes part in one, and which of an answer's goes first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.answers.documents.bars import HEAD_ON, HEAD_ON_NEAR, TOUCHED
from bot.answers.documents.passages import answer_from, find_passages
from bot.core.answers import Answer
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.search import Hit

_HITS: Final = 3
"""Passages looked at."""


def about_conflict(request: Request, hits: Sequence[Hit], least: float = HEAD_ON) -> Answer | None:
    """The passage that takes part in the conflict which the message asks about; None when it asks about none.

    `hits`: passages near to the message; without any, every passage may be the one. `least`: share of the message that
    the conflict speaks of at least.
    """
    library = request.services.library
    for name, _ in library.disputed(request.heard.terms, least):
        near = [hit.passage for hit in hits] if hits else library.taking_part(name)
        taking_part = [passage for passage in near if name in passage.conflicts]
        if taking_part:
            return with_dissent(request, answer_from(request, taking_part[:1]), request.intent)
    return None


def with_dissent(request: Request, answer: Answer, intent: str) -> Answer:
    """The answer with the conflict that was asked about in front, also when no passage that is shown takes part.

    Passages meant for `intent` are lifted. Where none fits, the question is about something else.
    """
    kept = tuple(name for name in answer.conflicts if not _is_of_other_cards(request, name))
    if kept != answer.conflicts:
        answer = answer.model_copy(update={"conflicts": kept})
    disputed = request.services.library.disputed(request.heard.terms, TOUCHED)
    hits = find_passages(request, intent, _HITS) if disputed else []
    if not hits:
        return answer
    asked = _asked_conflict(disputed, hits)
    shares = dict(disputed)
    # sorted is stable: conflicts that the question does not speak of keep their order
    names = sorted(answer.conflicts, key=lambda name: -shares.get(name, 0.0))
    if asked and not _is_of_other_cards(request, asked):
        names = [asked, *(name for name in names if name != asked)]
    return answer if tuple(names) == answer.conflicts else answer.model_copy(update={"conflicts": tuple(names)})


def _is_of_other_cards(request: Request, name: str) -> bool:
    """Whether a conflict is about certain cards, and the message about others."""
    about, named = request.services.library.conflicts[name].cards, request.slot("gpu") or ()
    alike = any(str(card).startswith(one) for card in named for one in about)
    return bool(about and named) and not alike


def _asked_conflict(disputed: Sequence[tuple[str, float]], hits: Sequence[Hit]) -> str:
    """The conflict that a question is plainly about; empty where there is none."""
    plainly = [name for name, share in disputed if share >= HEAD_ON_NEAR]
    # of conflicts that the question speaks of alike, the one of the nearest passage is meant
    near = (name for hit in hits for name in plainly if name in hit.passage.conflicts)
    head_on = (name for name, share in disputed[:1] if share >= HEAD_ON)
    return next(near, "") or next(head_on, "")
