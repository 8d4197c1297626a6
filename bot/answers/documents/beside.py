"""What the documents say beside, before or instead of what the advisor says.

Every bar is a pair: score and closeness (likeness to the nearest title or question of a passage) from which a passage
is plainly about a question. Measured on 430 questions to the documents and 460 to the advisor (knowledge/README.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from advisor.models import Note
from bot.answers.documents.passages import answer_from, chosen, find_passages, repeats, view_of
from bot.answers.documents.said import on_subject
from bot.core.answers import Answer, Decline, Elicit, Offered, Outcome
from bot.core.request import Request
from knowledge.terms import name_key

if TYPE_CHECKING:
    from knowledge.models import Passage
    from knowledge.search import Hit

Bar = tuple[float, float]

MEANT: tuple[Bar, ...] = ((0.62, 0.34), (0.85, 0.28))
"""Beside a computed answer: the passage is meant for the intent."""
SEED_MEANT: tuple[Bar, ...] = ((0.5, 0.25),)
"""The same for a passage of the five documents that comes first: what they say of this need is seldom out of place. Of
419 questions to the advisor 16 get one more line by it, most of them on their subject."""
OTHER: tuple[Bar, ...] = ((0.74, 0.42), (0.9, 0.36))
"""Beside a computed answer: the passage is meant for other intents."""
SIZING_MEANT: tuple[Bar, ...] = ((0.66, 0.42), (0.8, 0.36))
SIZING_OTHER: tuple[Bar, ...] = ((0.85, 0.5), (1.0, 0.42), (0.7, 0.6))
SIZING_CARD: tuple[Bar, ...] = ((1.05, 0.7), (1.15, 0.55))
"""Beside an answer about the user's own job, whose cards draw passages about those cards (the last)."""
LEADING: tuple[Bar, ...] = ((0.6, 0.25),)
SIZING_LEADING: tuple[Bar, ...] = ((0.74, 0.3),)
LEAD = 0.8
"""No other passage comes near: the second has at most this share of the score."""
DATED: tuple[Bar, ...] = ((0.45, 0.26),)
"""The question names the year of the passage: it wants what was said then."""
REMARK_BEYOND = 0.62
"""Score from which a passage from outside the documents can be such a remark."""
REMARK_NEAR: tuple[Bar, ...] = ((0.6, 0.4),)
"""As such a remark, when others come near and it is meant for other intents."""
REMARK: tuple[Bar, ...] = ((0.42, 0.22),)
"""As a remark before a question back: the passage is meant for the intent and about no single card or model."""
INSTEAD: tuple[Bar, ...] = ((1.0, 0.5),)
"""Instead of a question back."""
INSTEAD_OF_NO: tuple[Bar, ...] = ((0.85, 0.45),)
"""Instead of a refusal."""
INSTEAD_OF_GENERAL: tuple[Bar, ...] = ((1.0, 0.55),)
"""Instead of a computed answer to a message that states nothing of the user's own: the intent was mistaken."""
INSTEAD_BARE: tuple[Bar, ...] = ((0.72, 0.42),)
"""Instead of a question back about a message that states nothing of the user's own."""
SIZING_BARE: tuple[Bar, ...] = ((0.75, 0.5),)
SIZING_BARE_LEADING: tuple[Bar, ...] = ((0.55, 0.36),)
SIZING_SIZED: tuple[Bar, ...] = ((1.05, 0.65),)
"""Before a question back for the user's job: the message names no part of it, or no more than an amount of memory."""
NEAR = 0.85
"""Share of the best score from which a passage of the documents goes before one from outside them."""
PLAIN: dict[str, tuple[Bar, ...]] = {
    "clarify": ((0.62, 0.42), (0.85, 0.4)),
    "fallback": ((0.65, 0.42), (0.85, 0.4)),
    "out_of_scope": ((1.15, 0.55), (0.95, 0.75)),
    "nothing_before": ((1.1, 0.5),),
}
"""Instead of a choice, a fallback or a refusal when no intent was sure; or where a source is asked for before there
was any answer."""
PLAIN_LEADING: tuple[Bar, ...] = ((0.82, 0.62),)
CHOICE_LEADING: tuple[Bar, ...] = ((0.5, 0.35),)
"""The same when no other passage comes near; the second instead of a choice between intents."""
ANCHORED: dict[str, tuple[Bar, ...]] = {
    "clarify": ((0.55, 0.4), (0.6, 0.3)),
    "fallback": ((0.58, 0.4), (0.85, 0.3)),
    "out_of_scope": ((0.64, 0.38), (0.9, 0.3)),
    "nothing_before": ((0.6, 0.42), (0.5, 0.34)),
}
"""The same when the words name something that only this subject has."""
TOUCHED, HEAD_ON_NEAR, HEAD_ON, SURELY = 0.25, 0.53, 0.62, 0.7
"""Share of a question that a conflict speaks of, from which it goes before others, is told when a passage near to the
question takes part in it, is told in any case, and makes a message that looked foreign one of this subject, ..."""
SURE = 0.62
"""... if a passage with this score takes part in it."""
_SERIES = 6
"""More cards than this and a passage lists a series: it says nothing about which of two is better."""
UNSURE = 0.7
"""Probability of the intent below which the documents may have their say, ..."""
UNSURE_LEADING: tuple[Bar, ...] = ((0.5, 0.35),)
"""... when no other passage comes near. Of 460 questions to the advisor 3 get one more line, of 1000 to the documents
8."""
NAMED_SOURCE: tuple[Bar, ...] = ((0.45, 0.25),)
"""The question says whose word it wants."""
OFF_PATH: tuple[Bar, ...] = ((0.88, 0.46),)
OWN_PATH = frozenset({"perf_troubleshooting"})
"""Intents that choose their passages by themselves."""
SIZING = frozenset(
    {
        "check_fit",
        "estimate_memory",
        "estimate_time",
        "estimate_cost",
        "recommend_gpu",
        "gpu_count",
        "reduce_memory",
        "multi_gpu_scaling",
    }
)
"""Intents about the user's own job: no passage can replace the question for the model."""
_AMOUNT = frozenset({"estimate_memory", "reduce_memory"})
"""Of these the bare question how much memory it takes is about the user's own job, not about a document."""
_JOB = frozenset(
    {"model", "budget", "batch", "seq_len", "dataset", "resolution", "duration", "users", "gpu", "gpu_count", "ram_gb"}
)
"""Slots that are part of somebody's own job or machine."""
_OF_THE_SOURCE = frozenset({"budget"})
"""Of these what a source may have named itself: its budget is asked about, not the asker's."""
_SIZED = frozenset({"check_fit", "estimate_memory"})
"""Intents whose answer is the figures of one job. Of 110 such questions with their model the documents add a fitting
line to none whose model they do not speak of."""
_USED_CARDS: Final = "used_or_cheap"
_HITS = 3
"""Passages looked at."""


def _lowest(*kinds: tuple[Bar, ...]) -> float:
    return min(score for bars in (*kinds, INSTEAD_OF_GENERAL) for score, _ in bars)


_LEAST = _lowest(MEANT, SEED_MEANT, OTHER, LEADING, OFF_PATH)
_LEAST_SIZING = _lowest(SIZING_MEANT, SEED_MEANT, SIZING_OTHER, SIZING_CARD, SIZING_LEADING)
_LEAST_DATED = _lowest(DATED, NAMED_SOURCE)
_LEAST_UNSURE = _lowest(UNSURE_LEADING)
_YEAR = re.compile(r"(?<!\d)(20[12]\d)(?!\d)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def with_documents(request: Request, outcome: Outcome) -> Outcome:
    """An outcome of the advisor together with the passage that the question is plainly about, if there is one.

    A computed answer gets the passage beside it (`told.beside`, shown by the frame). A question or a refusal gives
    way to a passage that fits very well; a question gets the short form of a fitting one as a remark.
    """
    if request.act or request.heard.is_wordless:
        return outcome
    if not _JOB & set(request.slots) and request.services.library.says_nothing(request.heard.terms):
        return outcome
    if isinstance(outcome, Decline) and outcome.reason.code.startswith("unknown_"):
        return outcome
    on_path = isinstance(outcome, Answer) and outcome.asks is not None and request.intent in OWN_PATH
    if on_path and request.subject is not None and request.subject.intent == request.intent:
        return outcome
    least = _least(request, outcome)
    if isinstance(outcome, Answer) and least != _LEAST_DATED and _is_sized(request) and not _is_unsure(request):
        return outcome
    hits = find_passages(request, request.intent, _HITS, least=least)
    told = _with_passage(request, outcome, hits) if hits else outcome
    if not isinstance(told, Answer) and not _JOB & set(request.slots):
        told = _about_conflict(request, (), SURELY) or told
    if not isinstance(told, Answer):
        return told
    return told if on_path and told is outcome else _with_dissent(request, told, request.intent)


def _least(request: Request, outcome: Outcome) -> float:
    """Score below which no passage changes an outcome, its conflicts aside."""
    if not isinstance(outcome, Answer):
        return 0.0
    if _YEAR.search(request.heard.terms) or request.services.library.names_source(request.heard.terms):
        return _LEAST_DATED
    least = _LEAST_SIZING if request.intent in SIZING else _LEAST
    return min(least, _LEAST_UNSURE) if _is_unsure(request) else least


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
        hit = dated or _of_documents(request, hits)
        if dated is not None and by_source and _states_no_job(request):
            return answer_from(request, [dated.passage])
        leads = hit is hits[0] and (len(hits) < 2 or hits[1].score <= LEAD * hit.score)
        general = not request.slots and request.intent not in (*hit.passage.intents, *OWN_PATH)
        if general and hit is hits[0] and hit.passage.origin == "seed" and _clears(hit, INSTEAD_OF_GENERAL):
            return answer_from(request, [hit.passage])
        bars = _bars(request, hit.passage, leads, first=hit is hits[0])
        if leads and _is_unsure(request):
            bars = (*bars, *UNSURE_LEADING)
        if dated is None and not _clears(hit, bars):
            return outcome
        return _beside(request, outcome, hit.passage)
    if dated is not None:
        return answer_from(request, [dated.passage])
    hit = hits[0]
    leads = len(hits) < 2 or hits[1].score <= LEAD * hit.score
    if _clears(hit, _instead(request, outcome, hit.passage, leads)):
        return _asking(request, outcome, answer_from(request, [hit.passage]))
    return _about_conflict(request, hits) or _remarked(request, outcome, hit, leads)


def _states_no_job(request: Request) -> bool:
    """Whether a message states no job of its own: where a source's word is wanted, a sum for today would not answer."""
    return not (_JOB - _OF_THE_SOURCE) & set(request.slots)


def _of_documents(request: Request, hits: Sequence[Hit]) -> Hit:
    """The best hit, or one of the five documents that comes near to it and is meant: only those stand beside."""
    if hits[0].passage.origin == "seed":
        return hits[0]
    seeds = (hit for hit in hits if hit.passage.origin == "seed" and not _special(request, hit.passage))
    meant = (hit for hit in seeds if request.intent in hit.passage.intents)
    return next((hit for hit in meant if hit.score >= NEAR * hits[0].score), hits[0])


def _asked_for(request: Request, hits: Sequence[Hit]) -> tuple[Hit | None, bool]:
    """The best hit of the year or the source that the question names, and whether a source is named.

    None when none is plainly about it.
    """
    text = request.heard.terms
    if _YEAR.search(text):
        dated = next((hit for hit in hits if is_dated(text, hit.passage) and _clears(hit, DATED)), None)
        if dated is not None:
            return dated, request.services.library.names_source(text)
    if not request.services.library.names_source(text):
        return None, False
    return next((hit for hit in hits if hit.passage.origin == "seed" and _clears(hit, NAMED_SOURCE)), None), True


def is_dated(text: str, passage: Passage) -> bool:
    """Whether a question names the year of a passage of the documents."""
    return passage.origin == "seed" and passage.as_of.date[:4] in _YEAR.findall(text)


def plain_answer(request: Request, kind: str) -> Answer | None:
    """The passage that a message plainly asks for although no intent was sure of it; None when none is.

    `kind`: what would be said otherwise: clarify, fallback, out_of_scope or nothing_before. The bars keep what only
    sounds alike out.
    """
    hits = find_passages(request, "", _HITS) if not request.heard.is_wordless else []
    bars, library = PLAIN[kind], request.services.library
    if library.says_nothing(request.heard.terms) or (kind == "out_of_scope" and library.foreign(request.heard.terms)):
        return None
    if not hits:
        return _about_conflict(request, (), SURELY)
    anchored = hits[0].passage.origin != "beyond" and library.anchored(request.heard.terms)
    leads = len(hits) < 2 or hits[1].score <= LEAD * hits[0].score
    if anchored:
        bars = (*bars, *ANCHORED[kind], *(PLAIN_LEADING if leads else ()))
    if kind == "clarify" and leads and hits[0].passage.origin == "seed":
        bars = (*bars, *CHOICE_LEADING)
    dated = _asked_for(request, hits)[0] if anchored or kind == "clarify" else None
    if dated is not None:
        return _with_dissent(request, answer_from(request, [dated.passage]), "")
    if not _clears(hits[0], bars):
        if anchored or kind != "out_of_scope":
            return _about_conflict(request, hits)
        sure = [hit for hit in hits if hit.score >= SURE]
        return _about_conflict(request, sure, SURELY) or _about_conflict(request, (), SURELY)
    return _with_dissent(request, answer_from(request, chosen(hits, library)), "")


def _about_conflict(request: Request, hits: Sequence[Hit], least: float = HEAD_ON) -> Answer | None:
    """The passage that takes part in the conflict which the message asks about; None when it asks about none.

    `hits`: passages near to the message; without any, every passage may be the one. `least`: share of the message that
    the conflict speaks of at least.
    """
    library = request.services.library
    for name, _ in library.disputed(request.heard.terms, least):
        near = [hit.passage for hit in hits] if hits else library.taking_part(name)
        taking_part = [passage for passage in near if name in passage.conflicts]
        if taking_part:
            return _with_dissent(request, answer_from(request, taking_part[:1]), request.intent)
    return None


def _with_dissent(request: Request, answer: Answer, intent: str) -> Answer:
    """The answer with the conflict that was asked about in front, also when no passage that is shown takes part.

    Passages meant for `intent` are lifted. Where none fits, the question is about something else.
    """
    disputed = request.services.library.disputed(request.heard.terms, TOUCHED)
    hits = find_passages(request, intent, _HITS) if disputed else []
    if not hits:
        return answer
    shares = dict(disputed)
    # sorted is stable: conflicts that the question does not speak of keep their order
    names = sorted(answer.conflicts, key=lambda name: -shares.get(name, 0.0))
    plainly = [name for name, share in disputed if share >= HEAD_ON_NEAR]
    # of conflicts that the question speaks of alike, the one of the nearest passage is meant
    asked = [name for hit in hits for name in plainly if name in hit.passage.conflicts]
    asked = asked or [name for name, share in disputed[:1] if share >= HEAD_ON]
    if asked:
        names = [asked[0], *(name for name in names if name != asked[0])]
    return answer if tuple(names) == answer.conflicts else answer.model_copy(update={"conflicts": tuple(names)})


# --- parts -----------------------------------------------------------------------------------------------------------


def _beside(request: Request, outcome: Answer, passage: Passage) -> Answer:
    """The answer with the passage beside it: in both forms, or in the short one when the full one has it anyway."""
    told = outcome.told
    if passage.origin != "seed" or _not_wanted(request, passage):
        return outcome
    view = view_of(passage, request.language, request.services.library, request.heard.terms)
    if passage.id in told.passages:
        if not told.only_in_full or not _adds(outcome, f"{view.short} {view.more}"):
            return outcome
        return outcome.model_copy(update={"told": told.model_copy(update={"beside": view, "beside_in_full": False})})
    if _told(passage, told.passages, request):
        return outcome
    said = answer_from(request, [passage])
    return outcome.model_copy(
        update={
            "facts": (*outcome.facts, *said.facts),
            "trace": (*outcome.trace, *said.trace),
            "sources": tuple({ref.id: ref for ref in (*outcome.sources, *said.sources)}.values()),
            "conflicts": tuple(dict.fromkeys((*outcome.conflicts, *on_subject(request, [passage])))),
            "told": told.model_copy(update={"beside": view, "passages": (*told.passages, passage.id)}),
        }
    )


def _not_wanted(request: Request, passage: Passage) -> bool:
    """Whether a passage recommends what the message ruled out: used cards to somebody who wants none."""
    return "purchase_used" in request.excluded.get("pricing_model", ()) and _USED_CARDS in passage.intents


def _bars(request: Request, passage: Passage, leads: bool, *, first: bool = True) -> tuple[Bar, ...]:
    meant = request.intent in passage.intents
    if request.intent == "compare_gpus" and not meant and len(passage.gpus) > _SERIES:
        return ()
    if _of_other_cards(request, passage):
        return ()
    special = _special(request, passage)
    seeds = SEED_MEANT if meant and first and passage.origin == "seed" and not special else ()
    if request.intent in SIZING:
        if special:
            return SIZING_CARD
        return (*seeds, *(SIZING_MEANT if meant else SIZING_OTHER), *(SIZING_LEADING if leads else ()))
    if request.intent in OWN_PATH and not meant:
        return OFF_PATH
    return (*seeds, *(MEANT if meant else OTHER), *(LEADING if leads else ()))


def _instead(request: Request, outcome: Elicit | Decline, passage: Passage, leads: bool) -> tuple[Bar, ...]:
    """Bars from which a passage answers instead; none where the message names a part of the user's own job."""
    if isinstance(outcome, Decline):
        return () if _JOB & set(request.slots) else INSTEAD_OF_NO
    if request.intent in SIZING:
        sized = SIZING_SIZED if request.slot("vram_gb") else SIZING_BARE
        own = _JOB & set(request.slots) or request.services.library.asks_amount(request.heard.terms)
        fits = request.intent in passage.intents or (leads and passage.origin == "seed")
        if leads and passage.origin == "seed" and request.intent not in _AMOUNT:
            sized = (*sized, *SIZING_BARE_LEADING)
        return sized if fits and not own else ()
    if _JOB & set(request.slots):
        return INSTEAD
    return (*INSTEAD, *(() if request.slots else INSTEAD_BARE), *(LEADING if leads else ()))


def _asking(request: Request, outcome: Elicit | Decline, answer: Answer) -> Answer:
    """The answer of the documents with the question for the user's own job after it."""
    if not isinstance(outcome, Elicit) or request.intent not in SIZING:
        return answer
    asks = Offered(slot=outcome.slot, choices=outcome.choices, values=outcome.values)
    return answer.model_copy(update={"asks": asks})


def _special(request: Request, passage: Passage) -> bool:
    """Whether a card of the question drew the figures of that card, or a passage is about models it does not name."""
    named, about = set(request.slot("model") or ()), set(passage.ml_models)
    drawn = bool(request.slot("gpu")) and 0 < len(passage.gpus) <= 2 and "gpu_specs" in passage.intents
    return drawn or bool(about and not about & named)


def _of_other_cards(request: Request, passage: Passage) -> bool:
    """Whether a question names cards, and a passage is about a few others: a used 2070 of 2020 beside a 4090."""
    named = request.slot("gpu")
    if not named or not 0 < len(passage.gpus) <= _SERIES:
        return False
    return {name_key(str(name)) for name in named}.isdisjoint(map(name_key, passage.gpus))


def _clears(hit: Hit, bars: Sequence[Bar]) -> bool:
    return any(hit.score >= score and hit.closeness >= closeness for score, closeness in bars)


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


def _remarked(request: Request, outcome: Elicit | Decline, hit: Hit, leads: bool) -> Outcome:
    """A question back with what the documents know put before it; a refusal as it is."""
    if isinstance(outcome, Decline):
        return outcome
    own = hit.passage.origin != "beyond" or hit.score >= REMARK_BEYOND
    fits = (leads and hit.passage.origin == "seed") or (own and request.intent in hit.passage.intents)
    near = hit.passage.origin == "seed" and _clears(hit, REMARK_NEAR) and not request.slot("gpu")
    general = (fits or near) and not _special(request, hit.passage)
    if not _clears(hit, REMARK if general else _bars(request, hit.passage, leads)):
        return outcome
    lead = view_of(hit.passage, request.language, request.services.library, request.heard.terms)
    beside = Note("passage_beside", {"short": f"{lead.short} {lead.more}".strip(), "as_of": lead.as_of})
    return outcome.model_copy(update={"notes": (beside, *outcome.notes)})


def _told(passage: Passage, shown: Sequence[str], request: Request) -> bool:
    """Whether the passages already shown tell what this one tells."""
    library = request.services.library
    others = [library.get(name) for name in shown if name in library.passages]
    # a glossary entry says what something is, even where it rests on the same rows
    return any(repeats(passage, other, library) for other in others if other.origin == passage.origin)
