"""How a rental platform works: billing, retention, resources, paths, steps. From passages, each with its year."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.models import Provider
from bot.answers.documents.passages import answer_from, chosen, find_passages, not_in_documents, passage_answer
from bot.answers.money.platforms import FIRST_STEPS, MEANT, about_named, named_platforms, only_named, passages_about
from bot.core.answers import Outcome
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.models import Passage

_CLEAR = 0.45
"""Below this score the documents say nothing about the rule asked for."""
_LOOKED_AT = 12


def handle(request: Request) -> Outcome:
    """Answer from the passages about platforms; of a named one's rules and general ones, never from another one's."""
    named = named_platforms(request)
    if not named:
        answer = passage_answer(request, "platform_howto", floor=_CLEAR, template="platform_howto")
        return answer or not_in_documents(request, "platform_howto")
    told = _first_steps(request, named[0])
    if told:
        return answer_from(request, told, "platform_howto")
    hits = about_named(request, find_passages(request, "platform_howto", _LOOKED_AT), named)
    if not hits or hits[0].score < _CLEAR:
        return not_in_documents(request, "platform_howto")
    hits = [hits[0], *(hit for hit in hits[1:] if MEANT & set(hit.passage.intents))]
    return answer_from(request, chosen(hits[:3], request.services.library), "platform_howto")


def _first_steps(request: Request, provider: Provider) -> list[Passage]:
    """How to begin, where that is asked or nothing but the name is said; none where something else is."""
    begins = "steps" in request.heard.sides("platform")
    if not begins and not only_named(request):
        return []
    own = passages_about(request, provider)
    return [one for one in own if FIRST_STEPS in one.topics] or ([] if begins else own[:2])
