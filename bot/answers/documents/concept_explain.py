"""What a term means, how a thing works, how two concepts differ: from the glossary and the documents."""

from __future__ import annotations

from advisor.models import Step, note_of
from bot.answers.documents.passages import not_in_documents, passage_answer
from bot.core.answers import Answer, Outcome
from bot.core.message import fact_of
from bot.core.request import Request

_INTENT = "concept_explain"
_CLEAR = 0.45
"""From this score a passage meant for explaining is taken before any other."""
_MATMUL_ROWS = frozenset({"002-035", "002-037", "002-039", "002-042", "002-043", "002-044"})


def handle(request: Request) -> Outcome:
    """Explain from passages; the matrix-multiplication example is computed step by step."""
    words = _without_cards(request)
    answer = passage_answer(request, _INTENT, template=_INTENT, floor=_CLEAR, only=True, query=words)
    answer = answer or passage_answer(request, _INTENT, template=_INTENT)
    if answer is None:
        return not_in_documents(request, _INTENT)
    lead = request.services.library.get(answer.told.passages[0])
    return _computed(answer) if _MATMUL_ROWS & set(lead.covers) else answer


def _without_cards(request: Request) -> str:
    """The user's words without the names of cards, which would draw passages about those cards; empty when none."""
    if not request.heard.named("gpu"):
        return ""
    rest = request.heard.terms_without("gpu")
    return rest if any(letter.isalnum() for letter in rest) else ""


def _computed(answer: Answer) -> Answer:
    """The answer with the cycle example worked out, so that `why` unfolds it."""
    from advisor.speed.published import matmul_cycles

    without, with_cores, ratio = matmul_cycles()
    facts = tuple(
        fact_of(name=figure.trace.name, value=figure.value, unit=figure.trace.unit, basis=figure.trace.how)
        for figure in (without, with_cores, ratio)
    )
    note = note_of("matmul_steps", {"without": without.trace, "with_cores": with_cores.trace, "ratio": ratio.value})
    trace: tuple[Step, ...] = (ratio.trace, *answer.trace)
    return answer.model_copy(update={"facts": (*facts, *answer.facts), "trace": trace, "notes": (*answer.notes, note)})
