"""What a term means, how a thing works, how two concepts differ: from the glossary and the documents."""

from __future__ import annotations

from advisor.models import Note, Step
from bot.core.answers import Answer, Outcome
from bot.core.message import Fact
from bot.core.request import Request
from bot.handlers.passages import not_in_documents, passage_answer

_MATMUL_ROWS = frozenset({"002-035", "002-037", "002-039", "002-042", "002-043", "002-044"})


def handle(request: Request) -> Outcome:
    """Explain from passages; the matrix-multiplication example is computed step by step."""
    answer = passage_answer(request, "concept_explain", template="concept_explain")
    if answer is None:
        return not_in_documents(request, "concept_explain")
    lead = request.services.library.get(answer.extra["lead"].id)
    return _computed(answer) if _MATMUL_ROWS & set(lead.covers) else answer


def _computed(answer: Answer) -> Answer:
    """The answer with the cycle example worked out, so that `why` unfolds it."""
    from advisor.speed.published import matmul_cycles

    without, with_cores, ratio = matmul_cycles()
    facts = tuple(
        Fact(name=figure.trace.name, value=figure.value, unit=figure.trace.unit, basis=figure.trace.how)
        for figure in (without, with_cores, ratio)
    )
    note = Note("matmul_steps", {"without": without.trace, "with_cores": with_cores.trace, "ratio": ratio.value})
    trace: tuple[Step, ...] = (ratio.trace, *answer.trace)
    return answer.model_copy(update={"facts": (*facts, *answer.facts), "trace": trace, "notes": (*answer.notes, note)})
