"""From which bars a passage fits a question: by the need, by whose word is wanted, by the cards that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bot.answers.documents.bars import (
    ASKED,
    LEADING,
    MEANT,
    OFF_PATH,
    OPENS,
    OPENS_OF_CARD,
    OTHER,
    SEED_MEANT,
    SIZING_CARD,
    SIZING_LEADING,
    SIZING_MEANT,
    SIZING_OTHER,
    UNSURE,
    Bar,
)
from bot.core.request import Request
from knowledge.terms import name_key

if TYPE_CHECKING:
    from knowledge.models import Passage
    from knowledge.search import Hit

OF_TODAY: Final = frozenset({"price_lookup", "used_or_cheap", "upgrade_or_not", "estimate_cost"})
"""Needs whose answer is a price of today or rests on one."""
_OWN_FIGURES: Final = (
    *("electricity_price", "gpu_count", "psu_w", "budget", "price", "batch"),
    *("seq_len", "users", "utilization"),
)
"""Slots whose figure makes a question about the asker's own case: a passage that lacks it tells of another one."""
_OWN_JOB: Final = frozenset(
    {"model", "budget", "batch", "seq_len", "resolution", "users", "psu_w", "ram_gb", "price", "limit_w"}
)
"""Slots that make a job, a machine or a deal of the asker's own: what is computed of it is no general answer."""
_TOLD: Final = (("interconnect", "dock"), ("scaling", "pooling"))
"""Sides of questions that have figures of their own."""
_INFERENCE: Final = "inference"
_OF_FORMATS: Final = frozenset({"precision_advice"})
"""Needs whose answer is a verdict on the number format that is named."""
_SUPPLY: Final = "power_supply"
"""Need whose watts are computed for the card that is named."""
_BRIDGE: Final = "nvlink"
_ALIKE: Final = 0.1
"""A figure of a passage this near to the asker's is about the same case: 32 cards in a document and 30 at hand."""
_FIGURE: Final = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)(?:\s?[-\u2013]\s?(\d+(?:\.\d+)?))?\s?(k(?![a-z]))?")
"""A figure or a range, maybe in thousands."""
_THOUSAND: Final = 1000.0
_SERIES: Final = 6
"""More cards than this and a passage lists a series: it says nothing about which of two is better."""
OWN_PATH: Final = frozenset({"perf_troubleshooting"})
"""Intents that choose their passages by themselves."""
SIZING: Final = frozenset(
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
_BESIDE: Final = {
    (True, True): SIZING_MEANT,
    (True, False): SIZING_OTHER,
    (False, True): MEANT,
    (False, False): OTHER,
}
"""Bars by whether the need is about one's own job, and whether the passage is meant for the need."""
_LEADS: Final = {True: SIZING_LEADING, False: LEADING}


def _is_sure(request: Request) -> bool:
    """Whether the words of a message surely have the need that it is answered for."""
    best = request.heard.best
    return best is not None and best.intent == request.intent and best.score >= UNSURE


def bars_for(request: Request, passage: Passage, leads: bool, *, first: bool = True) -> tuple[Bar, ...]:
    """Bars from which a passage stands beside a computed answer; none where it is about something else.

    `leads`: no other passage comes near it; `first`: it is the best that was found.
    """
    meant = request.intent in passage.intents
    if (not meant and _lists_series(request, passage)) or _of_other_cards(request, passage):
        return ()
    special, sizing = is_special(request, passage), request.intent in SIZING
    if special and sizing:
        return SIZING_CARD
    if request.intent in OWN_PATH and not meant:
        return OFF_PATH
    seeds = SEED_MEANT if meant and first and passage.origin == "seed" and not special else ()
    return (*seeds, *_BESIDE[sizing, meant], *(_LEADS[sizing] if leads else ()))


def is_of_own_case(request: Request, passage: Passage) -> bool:
    """Whether a question states figures of its own that a passage does not speak of: the passage tells another sum.

    Of 307 passages that once stood beside answers to the labelled questions this leaves out 68, of 338 that told what
    was asked of the documents 8.
    """
    told = _figures_of(passage.texts(request.language).full)
    return any(not any(low <= value <= high for low, high in told) for value in _own_figures(request))


def is_before_card(request: Request, passage: Passage) -> bool:
    """Whether a question is about a card that came out years after what a passage of the documents says.

    Where a price of today is asked for, a year later is late enough: what was forecast of a card is no advice on it.
    """
    catalog, year = request.services.catalog, int(passage.as_of.date[:4])
    named = (catalog.find_gpu(str(name)) for name in request.slot("gpu") or ())
    days = [gpu.release_date for gpu in named if gpu is not None and gpu.release_date is not None]
    later = year if request.intent in OF_TODAY else year + 1
    return passage.origin == "seed" and any(day.year > later for day in days)


def is_sheet(request: Request, passage: Passage) -> bool:
    """Whether the whole sheet of a card is asked for, and a passage of the documents lists its figures once more."""
    if request.intent != "gpu_specs" or passage.origin != "seed" or not request.slot("gpu"):
        return False
    return request.heard.speaks_of("spec_sheet") and not request.heard.sides("attribute")


def is_beside_the_point(request: Request, hit: Hit) -> bool:
    """Whether a passage is neither of the need that a question surely has, nor of the cards that it names.

    Of 71 passages that stood beside answers on choosing and money to the labelled questions this, and a card that came
    out later, leave out 16; of the 252 that stood beside questions to the documents one, which told nothing of it. The
    same for needs of comparing and recommending would leave out two more, and eight that told what was asked.
    """
    passage = hit.passage
    if passage.origin != "seed" or request.intent not in OF_TODAY or not _is_sure(request):
        return False
    meant = request.intent in passage.intents
    if not meant or hit.score * hit.closeness >= ASKED:
        return not meant
    named = {name_key(str(name)) for name in request.slot("gpu") or ()}
    return bool(named and passage.gpus) and not named <= set(map(name_key, passage.gpus))


def tells_more(request: Request, hit: Hit) -> bool:
    """Whether a passage from outside the documents says what is asked, where the need alone has a general answer.

    General is what follows from no job and no figure of the asker's: a list of savings for an example, a rule of slots
    and supplies, the sheet of a card whose figures nobody asked for.
    """
    passage = hit.passage
    if passage.origin != "beyond" or _states_job(request) or is_of_own_case(request, passage):
        return False
    if _of_other_cards(request, passage) or not _is_meant(request, passage):
        return False
    return clears(hit, (OPENS_OF_CARD if request.slot("gpu") else OPENS).get(request.intent, ()))


def _states_job(request: Request) -> bool:
    """Whether a question states what is computed: a job, a machine or a deal of its own, a message with its figures."""
    if _OWN_JOB & set(request.slots) or request.heard.ran_out is not None:
        return True
    return (
        _is_of_figures(request)
        or _asks_watts(request)
        or any(request.heard.shows(group, side) for group, side in _TOLD)
        or (request.slot("method") == _INFERENCE and bool(request.heard.slot_of_board("lanes")))
    )


def _is_of_figures(request: Request) -> bool:
    """Whether a verdict on a number format, on the memory of a card or on its limit of watts is asked for."""
    heard, intent = request.heard, request.intent
    format_named = intent in _OF_FORMATS and bool(request.slot("precision"))
    memory_named = intent == "gpu_specs" and bool(request.slot("vram_gb"))
    return format_named or memory_named or (bool(request.slot("gpu")) and heard.shows("power_supply", "limit"))


def _asks_watts(request: Request) -> bool:
    """Whether a supply is asked for the card that is named, and no other side of supplies is spoken of."""
    return request.intent == _SUPPLY and bool(request.slot("gpu")) and not request.heard.sides(_SUPPLY)


def _is_meant(request: Request, passage: Passage) -> bool:
    """Whether a passage is meant for the need; of a card, whether it tells of that card and no figure is asked for."""
    if request.intent == "gpu_specs":
        return bool(passage.gpus) and not request.heard.sides("attribute")
    of_bridge = request.heard.speaks_of(_BRIDGE) and _BRIDGE not in " ".join(passage.topics)
    return request.intent in passage.intents and not of_bridge


def _own_figures(request: Request) -> Iterator[float]:
    for name in _OWN_FIGURES:
        value = request.slot(name)
        amount = value.get("amount") if isinstance(value, dict) else value
        if isinstance(amount, (int, float)) and (name != "gpu_count" or (amount > 1 and request.slot("gpu"))):
            yield float(amount) * (100.0 if name == "utilization" else 1.0)


@lru_cache(maxsize=1024)
def _figures_of(text: str) -> tuple[tuple[float, float], ...]:
    """The figures and ranges of a text, each with what counts as alike; those in thousands as such."""
    found = []
    for first, last, thousands in _FIGURE.findall(text):
        low, scale = float(first.replace(",", "")), _THOUSAND if thousands else 1.0
        found.append((low * scale * (1 - _ALIKE), max(low, float(last or 0)) * scale * (1 + _ALIKE)))
    return tuple(found)


def _lists_series(request: Request, passage: Passage) -> bool:
    """Whether two cards are to be compared, and a passage lists a whole series."""
    return request.intent == "compare_gpus" and len(passage.gpus) > _SERIES


def is_special(request: Request, passage: Passage) -> bool:
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


def clears(hit: Hit, bars: Sequence[Bar]) -> bool:
    """Whether what was found reaches one of the bars."""
    return any(hit.score >= score and hit.closeness >= closeness for score, closeness in bars)
