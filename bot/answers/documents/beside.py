"""What the documents say beside, before or instead of what the advisor says.

`bars` holds the score and closeness from which a passage is plainly about a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bot.answers.asked import is_bare_wish
from bot.answers.documents import known_error
from bot.answers.documents.bars import (
    ANCHORED,
    ASKED,
    CHOICE_LEADING,
    DATED,
    INSTEAD_OF_GENERAL,
    LEAD,
    LEAST,
    LEAST_DATED,
    LEAST_SIZING,
    LEAST_UNSURE,
    NAMED_SOURCE,
    NEAR,
    PLAIN,
    PLAIN_LEADING,
    SURE,
    SURELY,
    UNSURE,
    UNSURE_LEADING,
    WHOLE_LEADING,
    Bar,
)
from bot.answers.documents.dissent import about_conflict, with_dissent
from bot.answers.documents.fitting import (
    OF_TODAY,
    OWN_PATH,
    SIZING,
    bars_for,
    clears,
    is_before_card,
    is_beside_the_point,
    is_of_own_case,
    is_sheet,
    is_special,
    tells_more,
)
from bot.answers.documents.instead import CHOOSING, JOB, asking, bars_instead, remarked
from bot.answers.documents.own_words import stands_alone, way_told
from bot.answers.documents.passages import answer_from, chosen, find_passages, repeats, view_of, without_ruled_out
from bot.answers.documents.said import on_subject
from bot.core.answers import Answer, Decline, Elicit, Outcome
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.models import Passage
    from knowledge.search import Hit

_OF_THE_SOURCE: Final = frozenset({"budget"})
"""Of these what a source may have named itself: its budget is asked about, not the asker's."""
_SIZED: Final = frozenset({"check_fit", "estimate_memory"})
"""Intents whose answer is the figures of one job. Of 110 such questions with their model the documents add a fitting
line to none whose model they do not speak of."""
_USED_CARDS: Final = "used_or_cheap"
_PICK: Final = "pick"
"""Fact of an answer that picks a card."""
_OWN: Final = frozenset({"gpu", "model", "duration", "price", "budget", "ram_gb"})
"""What a message says of the asker's own case."""
_CASE: Final = 2
"""So many of them make a case: a group then hears of the documents only what was asked of them."""
_HITS: Final = 3
"""Passages looked at."""
_YEAR: Final = re.compile(r"(?<!\d)(20[12]\d)(?!\d)")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


def with_documents(request: Request, outcome: Outcome) -> Outcome:
    """An outcome of the advisor together with the passage that the question is plainly about, if there is one.

    A computed answer gets the passage beside it (`told.beside`, shown by the frame). A question or a refusal gives
    way to a passage that fits very well; a question gets the short form of a fitting one as a remark.
    """
    if _stands_alone(request, outcome):
        return outcome
    hits = find_passages(request, request.intent, _HITS, least=_least(request, outcome))
    told = _with_passage(request, outcome, hits) if hits else outcome
    if not isinstance(told, Answer) and not JOB & set(request.slots):
        told = about_conflict(request, (), SURELY) or told
    if not isinstance(told, Answer):
        return told
    keeps = told is outcome and _is_on_path(request, outcome)
    return told if keeps else with_dissent(request, told, request.intent)


def _stands_alone(request: Request, outcome: Outcome) -> bool:
    """Whether the documents have nothing to say to an outcome, whatever they hold."""
    if request.act or request.heard.is_wordless or _is_choice_ruled(request, outcome):
        return True
    if not JOB & set(request.slots) and request.services.library.says_nothing(request.heard.terms):
        return True
    if isinstance(outcome, Decline):
        return outcome.reason.code.startswith("unknown_")
    return isinstance(outcome, Answer) and (_goes_on(request, outcome) or _is_enough(request, outcome))


def _is_choice_ruled(request: Request, outcome: Outcome) -> bool:
    """Whether a card is wished for, something ruled out and the purpose asked back: old advice is no answer."""
    asked_back = isinstance(outcome, Elicit) and request.intent == CHOOSING
    return asked_back and bool(request.excluded) and is_bare_wish(request)


def _is_on_path(request: Request, outcome: Outcome) -> bool:
    """Whether an answer is a step of a need that chooses its passages by itself."""
    return isinstance(outcome, Answer) and outcome.asks is not None and request.intent in OWN_PATH


def _goes_on(request: Request, outcome: Answer) -> bool:
    """Whether it is a further step of such a need."""
    before = request.subject
    return before is not None and before.intent == request.intent and _is_on_path(request, outcome)


def _is_enough(request: Request, outcome: Answer) -> bool:
    """Whether an answer is about a model that the documents do not speak of, and nobody wants an earlier word."""
    return _is_sized(request) and not _is_unsure(request) and _least(request, outcome) != LEAST_DATED


def _least(request: Request, outcome: Outcome) -> float:
    """Score below which no passage changes an outcome, its conflicts aside."""
    if not isinstance(outcome, Answer):
        return 0.0
    if _YEAR.search(request.heard.terms) or _names_source(request):
        return LEAST_DATED
    least = LEAST_SIZING if request.intent in SIZING else LEAST
    return min(least, LEAST_UNSURE) if _is_unsure(request) else least


def _is_sized(request: Request) -> bool:
    """Whether a question is about a job whose model it names, one that no passage of the documents speaks of."""
    named = request.slot("model")
    return bool(named) and request.intent in _SIZED and request.services.library.seed_models.isdisjoint(named)


def _is_unsure(request: Request) -> bool:
    """Whether the message may well have been about something else than its intent."""
    best = request.heard.best
    return best is not None and best.score < UNSURE


def _with_passage(request: Request, outcome: Outcome, hits: Sequence[Hit]) -> Outcome:
    dated, by_source = _asked_for(request, hits)
    if isinstance(outcome, Answer):
        if dated is not None and by_source and _states_no_job(request):
            return answer_from(request, [dated.passage])
        return _answer_with_passage(request, outcome, hits, dated)
    if dated is not None:
        return answer_from(request, [dated.passage])
    hit, leads = hits[0], _leads(hits)
    if clears(hit, bars_instead(request, outcome, hit.passage, leads)):
        return asking(request, outcome, answer_from(request, [hit.passage]))
    return about_conflict(request, hits) or remarked(request, outcome, hit, leads)


def _answer_with_passage(request: Request, outcome: Answer, hits: Sequence[Hit], dated: Hit | None) -> Answer:
    """A computed answer with the passage beside it; the passage alone where the need was mistaken."""
    hit = dated or _of_documents(request, hits)
    if dated is None and _is_sized(request) and not _names_source(request):
        return outcome  # figures of one job, whose model no document speaks of
    if _goes_instead(request, hits[0], hit, dated):
        return answer_from(request, [hits[0].passage])
    if dated is None and (_is_another_case(request, hit) or not clears(hit, _bars_beside(request, hits, hit))):
        return outcome
    meant = request.intent in hit.passage.intents
    asked = dated is not None or (meant and hit.score * hit.closeness >= ASKED)
    return _beside(request, outcome, hit.passage, is_asked=asked)


def _goes_instead(request: Request, first: Hit, hit: Hit, dated: Hit | None) -> bool:
    """Whether the best passage says what is asked in place of what was computed; `hit` is what would stand beside it.

    One of the documents that only comes near is no rival, but of a card that is named it may say more.
    """
    passed = dated is None and not request.slot("gpu")
    return (hit is first or passed) and (_is_mistaken(request, first) or tells_more(request, first))


def _names_source(request: Request) -> bool:
    """Whether a source's word is wanted; a platform whose price of today is asked for is none."""
    asks_price = bool(request.slot("provider")) and request.intent in OF_TODAY
    return not asks_price and request.services.library.names_source(request.heard.terms)


def _is_another_case(request: Request, hit: Hit) -> bool:
    """Whether a passage tells of another case than the asker's own, and nobody wants a source's word."""
    passage = hit.passage
    if _names_source(request):
        return False
    if is_sheet(request, passage):
        return True
    return is_of_own_case(request, passage) or is_before_card(request, passage) or is_beside_the_point(request, hit)


def _is_mistaken(request: Request, hit: Hit) -> bool:
    """Whether a message that states nothing of its own is plainly about a passage meant for another need."""
    general = not request.slots and request.intent not in (*hit.passage.intents, *OWN_PATH)
    return general and hit.passage.origin == "seed" and clears(hit, INSTEAD_OF_GENERAL)


def _leads(hits: Sequence[Hit]) -> bool:
    """Whether no other passage comes near the first."""
    return len(hits) < 2 or hits[1].score <= LEAD * hits[0].score


def _bars_beside(request: Request, hits: Sequence[Hit], hit: Hit) -> tuple[Bar, ...]:
    first = hit is hits[0]
    leads = first and _leads(hits)
    bars = bars_for(request, hit.passage, leads, first=first)
    return (*bars, *UNSURE_LEADING) if leads and _is_unsure(request) else bars


def _states_no_job(request: Request) -> bool:
    """Whether a message states no job of its own: where a source's word is wanted, a sum for today would not answer."""
    return not (JOB - _OF_THE_SOURCE) & set(request.slots)


def _of_documents(request: Request, hits: Sequence[Hit]) -> Hit:
    """The best hit, or one of the five documents that comes near to it and is meant: only those stand beside."""
    if hits[0].passage.origin == "seed":
        return hits[0]
    seeds = (hit for hit in hits if hit.passage.origin == "seed" and not is_special(request, hit.passage))
    meant = (hit for hit in seeds if request.intent in hit.passage.intents)
    return next((hit for hit in meant if hit.score >= NEAR * hits[0].score), hits[0])


def _asked_for(request: Request, hits: Sequence[Hit]) -> tuple[Hit | None, bool]:
    """The best hit of the year or the source that the question names, and whether a source is named.

    None when none is plainly about it.
    """
    text = request.heard.terms
    if _YEAR.search(text):
        dated = next((hit for hit in hits if is_dated(text, hit.passage) and clears(hit, DATED)), None)
        if dated is not None:
            return dated, _names_source(request)
    if not _names_source(request):
        return None, False
    return next((hit for hit in hits if hit.passage.origin == "seed" and clears(hit, NAMED_SOURCE)), None), True


def is_dated(text: str, passage: Passage) -> bool:
    """Whether a question names the year of a passage of the documents."""
    return passage.origin == "seed" and passage.as_of.date[:4] in _YEAR.findall(text)


def plain_answer(request: Request, kind: str) -> Answer | None:
    """The passage that a message plainly asks for although no intent was sure of it; None when none is.

    `kind`: what would be said otherwise: clarify, fallback, out_of_scope or nothing_before. The bars keep what only
    sounds alike out.
    """
    named = known_error.told(request)
    if named is not None:
        return named
    library = request.services.library
    if library.says_nothing(request.heard.terms) or (kind == "out_of_scope" and library.foreign(request.heard.terms)):
        return None
    hits = find_passages(request, "", _HITS) if not request.heard.is_wordless else []
    if not hits:
        return about_conflict(request, (), SURELY)
    anchored = hits[0].passage.origin != "beyond" and library.anchored(request.heard.terms)
    dated = _asked_for(request, hits)[0] if anchored or kind == "clarify" else None
    if dated is not None:
        return with_dissent(request, answer_from(request, [dated.passage]), "")
    plain = clears(hits[0], _plain_bars(kind, hits, anchored=anchored))
    told = chosen(hits, library) if plain else way_told(request, hits)
    if told:
        return with_dissent(request, answer_from(request, told), "")
    if anchored or kind != "out_of_scope":
        return about_conflict(request, hits)
    return _about_sure_conflict(request, hits)


def _about_sure_conflict(request: Request, hits: Sequence[Hit]) -> Answer | None:
    """The conflict that a message which looks foreign surely speaks of."""
    sure = [hit for hit in hits if hit.score >= SURE]
    return about_conflict(request, sure, SURELY) or about_conflict(request, (), SURELY)


def _plain_bars(kind: str, hits: Sequence[Hit], *, anchored: bool) -> tuple[Bar, ...]:
    """Bars from which a passage answers a message that no intent was sure of."""
    leads = _leads(hits)
    bars = (*PLAIN[kind], *(WHOLE_LEADING if stands_alone(hits) else ()))
    if anchored:
        bars = (*bars, *ANCHORED[kind], *(PLAIN_LEADING if leads else ()))
    chosen_between = kind == "clarify" and hits[0].passage.origin == "seed"
    return (*bars, *CHOICE_LEADING) if chosen_between and leads else bars


# --- parts -----------------------------------------------------------------------------------------------------------


def _beside(request: Request, outcome: Answer, passage: Passage, *, is_asked: bool) -> Answer:
    """The answer with the passage beside it: in both forms, or in the short one when the full one has it anyway."""
    told = outcome.told
    if passage.origin != "seed" or _not_wanted(request, passage):
        return outcome
    view = view_of(passage, request.language, request.services.library, request.heard.terms)
    if passage.id in told.passages:
        if not told.only_in_full or not _adds(outcome, f"{view.short} {view.more}"):
            return outcome
        shown = {"beside": view, "is_asked": is_asked, "beside_in_full": False}
        return outcome.model_copy(update={"told": told.model_copy(update=shown)})
    if _told(passage, told.passages, request):
        return outcome
    said = answer_from(request, [passage])
    return outcome.model_copy(
        update={
            "facts": (*outcome.facts, *said.facts),
            "trace": (*outcome.trace, *said.trace),
            "sources": tuple({ref.id: ref for ref in (*outcome.sources, *said.sources)}.values()),
            "conflicts": tuple(dict.fromkeys((*outcome.conflicts, *on_subject(request, [passage])))),
            "told": told.model_copy(
                update={
                    "beside": view,
                    "is_asked": is_asked,
                    "beside_in_group": (is_asked or not _is_own_case(request)) and not _is_old_choice(request, outcome),
                    "passages": (*told.passages, passage.id),
                }
            ),
        }
    )


def _is_own_case(request: Request) -> bool:
    """Whether a message tells enough of the asker's own case for a computed answer to be all that is wanted."""
    told = _OWN & set(request.slots)
    # how fast a model is on a card is what the documents tell; whether it fits is the asker's own
    return len(told if request.intent in _SIZED else told - {"model"}) >= _CASE


def _is_old_choice(request: Request, outcome: Answer) -> bool:
    """Whether a card of today is picked for a sum or a model, and no advice of some year asked for: it stands alone."""
    sized = bool(request.slot("vram_gb")) and not request.slot("gpu")
    picked = (sized or request.slot("budget") or request.slot("model")) and any(
        one.name == _PICK for one in outcome.facts
    )
    return bool(picked) and not _YEAR.search(request.heard.terms) and not _names_source(request)


def _not_wanted(request: Request, passage: Passage) -> bool:
    """Whether a passage recommends what the message ruled out: used cards to somebody who wants none."""
    used = "purchase_used" in request.excluded.get("pricing_model", ()) and _USED_CARDS in passage.intents
    return used or not without_ruled_out(request, [passage])


def _adds(outcome: Answer, short: str) -> bool:
    """Whether a text has a figure that the facts of an answer lack; a text without figures adds its words."""
    figures = numbers(short)
    told = {str(value) for fact in outcome.facts for value in (fact.value, fact.low, fact.high)}
    told |= {value.removesuffix(".0") for value in told}
    return not figures or not figures <= told


@lru_cache(maxsize=4096)
def numbers(text: str) -> frozenset[str]:
    """The figures of a text, thousands ungrouped."""
    return frozenset(found.replace(",", "") for found in _NUMBER.findall(text))


def _told(passage: Passage, shown: Sequence[str], request: Request) -> bool:
    """Whether the passages already shown tell what this one tells."""
    library = request.services.library
    others = [library.get(name) for name in shown if name in library.passages]
    # a glossary entry says what something is, even where it rests on the same rows
    return any(repeats(passage, other, library) for other in others if other.origin == passage.origin)
