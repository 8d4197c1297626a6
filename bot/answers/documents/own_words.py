"""A passage that is asked for in the words it was written for, and that nothing computed can stand in for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.answers.documents.bars import (
    FAR,
    HARDLY,
    LEAST_OWN_WORDS,
    LEAST_WHOLE,
    OWN_WORDS,
    OWN_WORDS_OF_CARD,
    PAIR,
    TRADE,
    WAY,
    WHOLE_LEADING,
)
from bot.answers.documents.fitting import clears, is_of_own_case
from bot.answers.documents.passages import answer_from, find_passages, not_in_documents
from bot.core.answers import Outcome
from bot.core.request import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from knowledge.models import Passage
    from knowledge.search import Hit

_GOES_ON_AS: Final = "concept_explain"
_SEVERAL: Final = "multi_gpu_scaling"
_PRICE: Final = "price_lookup"
_SHEET: Final = "gpu_specs"
_NAMED: Final = frozenset({"gpu", "model"})
"""Slots of which much is computed, so that a question with one of them must be the nearer."""
_WAY: Final = ("howto", "where")
"""Concepts of a message that wants to be told what to do."""
_WEIGHED: Final = ("or_word", "compare")
"""Concepts of one that sets two things against each other."""
_AMOUNT: Final = ("count_question", "time_question", "money_question", "fits", "enough", "slow", "out_of_memory")
"""Concepts of one that wants a figure, or whose trouble has a family of its own."""
_RIVALS: Final = 3
"""Passages looked at."""
_GLOSSARY: Final = "glossary"
_LOOSE: Final = frozenset({"method", "task", "framework", "os", "persona"})
"""Slots from which alone nothing is computed."""
_LONGEST: Final = 200
"""Characters up to which a message can be one question and nothing else."""
_TELLING: Final = 2
"""Words of a question besides names and figures from which it can be the very question of a passage: a bare name is
near to every question with that name."""
_NAME: Final = "@"
"""Mark of the terms that are names."""


def is_asked(request: Request) -> bool:
    """Whether a question is in so many words one of those that a passage answers, whatever need it was read for.

    Of 2,695 labelled messages 28 come as near to a passage from outside the documents; the nine of them that are a bare
    name, a figure of a card's sheet or a price are left out by the rest, and passages that say what is computed by
    themselves, which is why each says of itself whether it is `whole`.
    """
    return _asked(request) is not None


def handle(request: Request) -> Outcome:
    """The passage that was asked for."""
    passage = _asked(request)
    return not_in_documents(request, _GOES_ON_AS) if passage is None else answer_from(request, [passage])


def _asked(request: Request) -> Passage | None:
    if not _is_question(request) or _is_of_figures(request) or _is_told_elsewhere(request):
        return None
    hardly = _hardly_has_a_need(request)
    hits = find_passages(request, "", _RIVALS, least=_least(request, hardly=hardly))
    weighed = [hit.passage for hit in hits if _is_pair_weighed(request, hit)]
    if weighed or not hits:
        return next(iter(weighed), None)  # which of two things to take is told whatever the figures are
    if not _is_near(request, hits, hardly=hardly) or _says_little(request):
        return None
    return None if is_of_own_case(request, hits[0].passage) else hits[0].passage


def _least(request: Request, *, hardly: bool) -> float:
    """The score of use; a lower one where a way, one of two things or the use of a card is asked."""
    heard = request.heard
    loose = hardly or heard.speaks_of(*_WAY, *_WEIGHED) or heard.shows("wish", "no_card")
    return LEAST_WHOLE if loose else LEAST_OWN_WORDS


def _is_near(request: Request, hits: Sequence[Hit], *, hardly: bool) -> bool:
    """Whether the best passage is asked for in its own words, or all there is for who has `hardly` a need."""
    bars = OWN_WORDS_OF_CARD if _NAMED & set(request.slots) else OWN_WORDS
    best = hits[0]
    asked = clears(best, bars) or (hardly and _is_all_there_is(hits)) or _is_way_asked(request, best)
    return best.passage.whole and asked


def _is_pair_weighed(request: Request, hit: Hit) -> bool:
    """Whether two things of this trade are set against each other, and a passage is about both."""
    heard = request.heard
    weighed = heard.speaks_of(*_WEIGHED) or heard.shows("alternative", "either")
    return (
        weighed
        and not heard.placed("effect")  # what one costs of memory or speed is no choice between the two
        and hit.passage.whole
        and clears(hit, PAIR)
        and request.services.library.weighs(heard.terms, hit.passage)
    )


def _is_way_asked(request: Request, hit: Hit) -> bool:
    """Whether a message asks how something is done with a program or a format that a passage is about.

    So does one that doubts whether a card is needed at all, and names no model to judge it by.
    """
    library, heard = request.services.library, request.heard
    asks = heard.speaks_of(*_WAY) and not heard.speaks_of(*_AMOUNT) and hit.passage.origin != _GLOSSARY
    doubted = heard.shows("wish", "no_card") and not request.slot("model")
    return clears(hit, WAY) and (doubted or (asks and library.shares_trade(heard.terms, hit.passage)))


def way_told(request: Request, hits: Sequence[Hit]) -> list[Passage]:
    """The passage that tells how something is done with a program or a format that a message names, where none else is.

    Nothing but this trade has those names, so that a passage need not come as near as where a need was read.
    """
    library, heard = request.services.library, request.heard
    if not heard.speaks_of(*_WAY):
        return []
    shared = [hit for hit in hits if library.shares_trade(heard.terms, hit.passage) and clears(hit, TRADE)]
    ways = [hit for hit in shared if hit.passage.origin != _GLOSSARY]
    best = sorted(ways or shared, key=lambda hit: -hit.score * hit.closeness)
    return [hit.passage for hit in best[:1]]


def _hardly_has_a_need(request: Request) -> bool:
    """Whether a message hardly has any need, and states nothing to compute from."""
    best = request.heard.best
    return best is not None and best.score < HARDLY and not request.slots.keys() - _LOOSE


def _is_all_there_is(hits: Sequence[Hit]) -> bool:
    """Whether one passage alone is about a message."""
    return stands_alone(hits) and clears(hits[0], WHOLE_LEADING)


def stands_alone(hits: Sequence[Hit]) -> bool:
    """Whether the best passage answers its questions by itself, and no other one comes anywhere near.

    A term of the glossary that the question holds, or a passage that the best one names, is no rival.
    """
    best = hits[0]
    rivals = (one for one in hits[1:] if one.passage.origin != _GLOSSARY and one.passage.id not in best.passage.related)
    return best.passage.whole and all(one.score <= FAR * best.score for one in rivals)


def _is_question(request: Request) -> bool:
    """Whether a message is one question that stands by itself."""
    heard = request.heard
    whole = heard.is_within(_LONGEST) and not heard.is_wordless and heard.ran_out is None
    return whole and (request.subject is None or not heard.goes_on)


def _is_of_figures(request: Request) -> bool:
    """Whether a price or one figure of a card's sheet is asked for."""
    return request.intent == _PRICE or (request.intent == _SHEET and bool(request.heard.sides("attribute")))


def _is_told_elsewhere(request: Request) -> bool:
    """Whether something is put up as good for nothing, or all cards that are there are to be used.

    A passage that says whether it is good would answer yes to the first; of cards that a platform lends it tells the
    hours.
    """
    heard = request.heard
    useless = heard.shows("claim", "useless") and heard.shows("form", "confirm")
    spread = request.intent == _SEVERAL and heard.shows("scaling", "howto") and bool(request.slot("provider"))
    return useless or spread


def _says_little(request: Request) -> bool:
    """Whether a message holds hardly more than names and figures."""
    return len(set(filter(_tells, request.services.library.searcher.analyzer.terms(request.heard.terms)))) < _TELLING


def _tells(term: str) -> bool:
    """Whether a term is a word and neither a name nor a figure."""
    return len(term) > 1 and not term.startswith(_NAME) and not any(map(str.isdigit, term))
