"""What a question back gives way to: a passage that fits very well, or one that is put before it as a remark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from advisor.models import Note
from bot.answers.asked import is_bare_wish
from bot.answers.documents.bars import (
    INSTEAD,
    INSTEAD_BARE,
    INSTEAD_OF_NO,
    LEADING,
    REMARK,
    REMARK_BEYOND,
    REMARK_NEAR,
    SIZING_BARE,
    SIZING_BARE_LEADING,
    SIZING_SIZED,
    Bar,
)
from bot.answers.documents.fitting import SIZING, bars_for, clears, is_special
from bot.answers.documents.passages import view_of
from bot.core.answers import Answer, Decline, Elicit, Offered, Outcome
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.models import Passage
    from knowledge.search import Hit

_AMOUNT: Final = frozenset({"estimate_memory", "reduce_memory"})
"""Of these the bare question how much memory it takes is about the user's own job, not about a document."""
JOB: Final = frozenset(
    {"model", "budget", "batch", "seq_len", "dataset", "resolution", "duration", "users", "gpu", "gpu_count", "ram_gb"}
)
"""Slots that are part of somebody's own job or machine."""
CHOOSING: Final = "recommend_gpu"
"""Need that a bare wish has: it asks nothing that a passage of another need could tell."""


def bars_instead(request: Request, outcome: Elicit | Decline, passage: Passage, leads: bool) -> tuple[Bar, ...]:
    """Bars from which a passage answers instead; none where the message names a part of the user's own job."""
    job = bool(JOB & set(request.slots))
    if isinstance(outcome, Decline):
        return () if job else INSTEAD_OF_NO
    if request.intent in SIZING:
        return () if job else _instead_of_job(request, passage, leads)
    if job:
        return INSTEAD
    return (*INSTEAD, *(() if request.slots else INSTEAD_BARE), *(LEADING if leads else ()))


def _instead_of_job(request: Request, passage: Passage, leads: bool) -> tuple[Bar, ...]:
    """The same where the question back is for the user's job, and none of it is named."""
    seed_leads = leads and passage.origin == "seed"
    fits = request.intent in passage.intents or seed_leads
    if not fits or request.services.library.asks_amount(request.heard.terms):
        return ()
    bare = SIZING_BARE_LEADING if seed_leads and request.intent not in _AMOUNT else ()
    return (*(SIZING_SIZED if request.slot("vram_gb") else SIZING_BARE), *bare)


def asking(request: Request, outcome: Elicit | Decline, answer: Answer) -> Answer:
    """The answer of the documents with the question for the user's own job after it."""
    if not isinstance(outcome, Elicit) or request.intent not in SIZING:
        return answer
    asks = Offered(slot=outcome.slot, choices=outcome.choices, values=outcome.values)
    return answer.model_copy(update={"asks": asks})


def remarked(request: Request, outcome: Elicit | Decline, hit: Hit, leads: bool) -> Outcome:
    """A question back with what the documents know put before it; a refusal as it is."""
    if isinstance(outcome, Decline) or not clears(hit, _bars_of_remark(request, hit, leads)):
        return outcome
    if hit.passage.origin == "seed" and request.intent in SIZING - {CHOOSING} and JOB & set(request.slots):
        return outcome  # a part of the asker's own job is named: what some document says of others is no help with it
    lead = view_of(hit.passage, request.language, request.services.library, request.heard.terms)
    beside = Note("passage_beside", {"short": f"{lead.short} {lead.more}".strip(), "as_of": lead.as_of})
    return outcome.model_copy(update={"notes": (beside, *outcome.notes)})


def _bars_of_remark(request: Request, hit: Hit, leads: bool) -> tuple[Bar, ...]:
    """Bars from which a passage is put before a question back; none for a bare wish, of which it is not meant."""
    own = hit.passage.origin != "beyond" or hit.score >= REMARK_BEYOND
    fits = (leads and hit.passage.origin == "seed") or (own and request.intent in hit.passage.intents)
    asks = request.intent != CHOOSING or not is_bare_wish(request)
    if (fits or (asks and _is_near(request, hit))) and not is_special(request, hit.passage):
        return REMARK
    return bars_for(request, hit.passage, leads) if asks else ()


def _is_near(request: Request, hit: Hit) -> bool:
    """Whether a passage of the documents is plainly about the question, whatever need it is meant for."""
    return hit.passage.origin == "seed" and clears(hit, REMARK_NEAR) and not request.slot("gpu")
