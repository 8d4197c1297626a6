"""What a few words ask of the cards just spoken of: a figure of one, what sets two apart, another one for the job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.core.conversation import Episode
from bot.core.left import opened
from bot.dialogue.asked_of import Asked
from bot.dialogue.ground import says
from bot.dialogue.turn import Turn, picked_of

_FIGURES: Final = frozenset({"vram", "vram_amount", "bandwidth", "power_draw", "spec_sheet"})
"""Ideas of a figure on a card's sheet, ..."""
_OTHERWISE: Final = frozenset({"enough", "fits", "need", "psu", "electricity", "pooling", "kv_cache", "compare"})
"""... and of asking something else with the same word."""
_OF_A_CARD: Final = frozenset({"recommend_gpu", "used_or_cheap", "price_lookup", "upgrade_or_not"})
"""Needs whose answer is about a card alone: its memory is meant, and not that of a job ..."""
_ITS_OWN: Final = frozenset({"vram", "vram_amount", "bandwidth"})
"""... and what it draws only where it is pointed at: the whole machine draws, too."""
_OF_A_JOB: Final = frozenset({"check_fit", "estimate_time", "estimate_memory", "gpu_count", "reduce_memory"})
"""Needs whose answer is about a job on a card, or without one."""
_PRICED: Final = frozenset({"estimate_cost", "price_lookup", "platform_choice", "rent_or_buy", "estimate_time"})
_SETTINGS: Final = (
    *("model", "task", "method", "precision", "batch", "seq_len", "resolution", "users", "dataset", "epochs"),
    *("currency", "kv_precision", "optimizer", "recompute", "region"),
)
"""What a choice goes on with of a job that was judged."""
_MONEY: Final = frozenset({"money_question", "cost", "price"})
_PURPOSE: Final = frozenset({"task", "method", "model", "framework"})
_MEMORY: Final = "estimate_memory"
_SURELY: Final = 0.4
_UPGRADE: Final = "upgrade_or_not"
_TIMED: Final = "estimate_time"
_WHY: Final = frozenset({"why_ask", "why_answer"})
_TWO: Final = 2
_BOUGHT: Final = frozenset({"deploy", "gpu", "gpu_count"})
"""What may be said beside the wish to buy what was rented; of cards only one that is pointed at."""
_BESIDE_HOURS: Final = frozenset({"duration", "deploy"})


def figure_of_it(turn: Turn) -> Asked | None:
    """A figure of the card that a word points at, or that the last answer was about."""
    concepts = set(turn.understanding.concepts)
    stated = turn.stated.values.keys()
    pointed = turn.stated.pointed and stated == {"gpu"}
    if _FIGURES.isdisjoint(concepts) or not _OTHERWISE.isdisjoint(concepts) or (stated and not pointed):
        return None
    if not (pointed or _is_of_one(turn)) or len(_cards(turn)) > 1 or _is_needed(turn):
        return None
    return (
        Asked("gpu_specs", "follow-up: a figure of it") if "gpu" in turn.spoken_of(turn.intents["gpu_specs"]) else None
    )


def _is_needed(turn: Turn) -> bool:
    """Whether it is surely asked how much memory something takes, and not how much there is."""
    return turn.best is not None and turn.best.intent == _MEMORY and turn.score >= _SURELY


def _is_of_one(turn: Turn) -> bool:
    """Whether a word points at a card, or the last answer was about one and its own figure is asked for."""
    about = turn.last_intent in _OF_A_CARD and not _ITS_OWN.isdisjoint(turn.understanding.concepts)
    return about or says(turn.message.text, "points") or says(turn.message.text, "this_card")


def _cards(turn: Turn) -> Sequence[object]:
    """The cards that the message or the talk holds."""
    held = turn.earlier.get("gpu")
    named: Sequence[object] = turn.stated.values.get("gpu") or (held.value if held is not None else ())
    return named


def difference_of_two(turn: Turn) -> Asked | None:
    """What sets the two cards apart that were asked about one after the other."""
    text = turn.message.text
    bare = not turn.stated.values or (turn.stated.pointed and turn.stated.values.keys() == {"gpu"})
    both = _last_two(turn) if bare and (says(text, "differs") or says(text, "faster_by")) else []
    if not both or not _MONEY.isdisjoint(turn.understanding.concepts):
        return None
    figures = not _FIGURES.isdisjoint(turn.understanding.concepts)
    return Asked("gpu_specs" if figures else "compare_gpus", "follow-up: what sets them apart", {"gpu": both})


def which_of_two(turn: Turn) -> Asked | None:
    """Which of the two that were asked about one after the other is the one for a purpose, where no need is sure."""
    asks = says(turn.message.text, "which_one") and turn.stated.values.keys() <= _PURPOSE
    plain = asks and says(turn.message.text, "which_to_take") and not turn.stated.values
    both = _last_two(turn) if plain or (asks and turn.score < turn.policy.one_card_score) else []
    return Asked("compare_gpus", "follow-up: which of the two", {"gpu": both}) if both else None


def _last_two(turn: Turn) -> list[object]:
    """The cards of the last two answers, each about another one; nothing where they were not."""
    alone = [_only(one) for one in turn.conversation.episodes[-_TWO:]]
    return alone if len(set(alone)) == _TWO and all(alone) else []


def _only(episode: Episode) -> object:
    """The one card that an answer was about, or chose; "" for none or several."""
    held = episode.slots.get("gpu")
    if held is None:
        picked = picked_of(opened(episode)).get("gpu")
        return picked[0] if isinstance(picked, list) else ""
    return held.value[0] if len(held.value) == 1 else ""


def other_card(turn: Turn) -> Asked | None:
    """Which card the job takes that was judged, or counted, before; in the place of another it is bought."""
    known = turn.last_intent in _OF_A_JOB and not turn.earlier.keys().isdisjoint({"model", "task"})
    text = turn.message.text
    if not known or turn.stated.values.keys() - {"deploy", "budget"} or not says(text, "card_for_it"):
        return None
    upgrades = turn.best is not None and turn.best.intent == _UPGRADE and turn.score >= turn.policy.alone_score
    if upgrades or not _MONEY.isdisjoint(turn.understanding.concepts):
        return None
    way = {"deploy": "buy"} if says(text, "another_card") and "deploy" not in turn.stated.values else {}
    return Asked("recommend_gpu", "follow-up: a card for the job", dict(way), keeps=_SETTINGS)


def bought_instead(turn: Turn) -> Asked | None:
    """The price of the card whose rent was told, where it is to be bought."""
    stated, text = turn.stated.values, turn.message.text
    known = turn.last_intent in _PRICED and "gpu" in turn.earlier and ("gpu" not in stated or turn.stated.pointed)
    asks = says(text, "asks_price") or not _MONEY.isdisjoint(turn.understanding.concepts)
    if not known or stated.get("deploy") != "buy" or stated.keys() - _BOUGHT or not asks:
        return None
    if "rent_versus_buy" in turn.understanding.concepts and not turn.stated.belongs:
        return None
    return Asked("price_lookup", "follow-up: its price", {"deploy": "buy"}, keeps=("gpu", "currency", "region"))


def both_for_so_long(turn: Turn) -> Asked | None:
    """What both of two cards come to over a time, after it was told which of them is cheaper to rent."""
    stated, held = turn.stated.values.keys(), turn.earlier.get("gpu")
    both = held is not None and len(held.value) == _TWO and turn.last_intent == "compare_gpus"
    if not both or "duration" not in stated or stated - _BESIDE_HOURS or turn.subject is None:
        return None
    rented = any(fact.name.startswith("price_rent") for fact in turn.subject.facts)
    return (
        Asked("compare_gpus", "follow-up: both for so long", {"aspect": "bill", "deploy": "rent"}) if rented else None
    )


def pooled(turn: Turn) -> Asked | None:
    """The memory of the several cards spoken of, taken together."""
    count = turn.earlier.get("gpu_count")
    several = count is not None and count.value >= _TWO and "gpu" in turn.earlier
    asks = {"pooling", "vram"} <= set(turn.understanding.concepts)
    return (
        Asked("multi_gpu_scaling", "follow-up: memory of all") if several and asks and not turn.stated.values else None
    )


def times_as_fast(turn: Turn) -> Asked | None:
    """How many times the card at hand the one is that an upgrade would go to."""
    last = turn.conversation.episodes[-1:]
    if turn.last_intent != _UPGRADE or not last or turn.stated.values or not says(turn.message.text, "how_many_times"):
        return None
    facts = {fact.name: fact.value for fact in opened(last[0]).facts}
    both = [facts[name] for name in ("owned", "target") if name in facts]
    return Asked("compare_gpus", "follow-up: how many times", {"gpu": both}) if len(both) == _TWO else None


def why_not_it(turn: Turn) -> Asked | None:
    """Why not this card: what speaks for the other one that was compared, or whether it does the job at all."""
    stated, named = turn.stated.values, _named(turn)
    if len(named) != 1 or not says(turn.message.text, "why_not") or stated.keys() - {"gpu", "gpu_count", "precision"}:
        return None
    held = turn.earlier.get("gpu")
    compared = held is not None and len(held.value) > 1 and named[0] in held.value
    if turn.last_intent == "compare_gpus" and compared and held is not None:
        return Asked("compare_gpus", "follow-up: why not this one", {"gpu": held.value, "against": named[0]})
    if turn.last_intent in _OF_A_JOB and "model" in turn.earlier:
        return Asked("check_fit", "follow-up: whether it does", {"gpu": named})
    return None


def why_so_quick(turn: Turn) -> Asked | None:
    """The reason for the pace just told."""
    known = turn.last_intent == _TIMED and {"gpu", "model"} <= turn.earlier.keys()
    asks = says(turn.message.text, "so_quick") and not _WHY.isdisjoint(turn.understanding.concepts)
    if not (known and asks) or turn.stated.values.keys() - {"model"}:
        return None
    return Asked(_TIMED, "follow-up: why so fast", {"model": turn.earlier["model"].value})


def _named(turn: Turn) -> list[object]:
    """The cards that a message names, wished for or ruled out."""
    return [one.value for one in turn.understanding.slots if one.slot == "gpu"]


def share_of_each(turn: Turn) -> Asked | None:
    """How much of the model spoken of each of the several cards has to hold."""
    known = {"gpu", "model"} <= turn.earlier.keys() and turn.stated.values.keys() <= {"gpu_count"}
    several = "gpu_count" in turn.earlier or "gpu_count" in turn.stated.values
    asks = says(turn.message.text, "each_card") and not _MONEY.intersection(turn.understanding.concepts)
    if not (known and several and asks) or turn.last_intent not in _OF_A_JOB:
        return None
    return Asked("check_fit", "follow-up: what each of them holds")


OF_CARDS: Final = (
    *(share_of_each, why_so_quick, why_not_it, times_as_fast, difference_of_two, which_of_two),
    *(figure_of_it, other_card, bought_instead, both_for_so_long, pooled),
)
"""What may be asked of the cards spoken of, in the order in which it is tried."""
