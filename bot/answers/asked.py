"""What a question of money or of a card wants: a bill, a verdict, or no more than what it names."""

from __future__ import annotations

from typing import Final

from bot.core.request import Request

_TRAINS: Final = frozenset(
    {"train", "full", "lora", "qlora", "pretrain", "ptuning", "llm_finetune", "llm_rl", "nlp_finetune"}
)


def means_bill(request: Request) -> bool:
    """Whether the amount asked for to train a named model is money: a word of cost, and none of memory."""
    trains = request.slot("task") in _TRAINS or request.slot("method") in _TRAINS
    return bool(trains and request.slot("model")) and request.heard.sides("run") == ("money",)


def is_judged(request: Request) -> bool:
    """Whether the message asks for a verdict on the card it names and for nothing else of it."""
    heard = request.heard
    purpose = heard.shows("wish", "purpose") and heard.shows("form", "open")
    return heard.is_read and heard.shows("worth", "judged") and not purpose and says_only(request, "gpu")


def says_only(request: Request, slot: str) -> bool:
    """Whether the message names values of a slot and asks for nothing in particular of them."""
    rest, library = request.heard.terms_without(slot), request.services.library
    return not library.searcher.analyzer.terms(rest) or library.says_nothing(rest)


def is_bare_wish(request: Request) -> bool:
    """Whether a card is wished for and nothing asked that a document could tell: neither what is so, nor why."""
    heard = request.heard
    return heard.speaks_of("need", "recommend", "which_card") and not {"open", "why"} & set(heard.sides("form"))
