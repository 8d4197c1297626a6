"""What a few words ask of the answer just given: something cheaper, its cost, the other way to get the card.

Such a line would otherwise be read for itself, and the answer given again. Words are in languages/dialogue.yaml.
"""

from __future__ import annotations

from typing import Final

from bot.core.conversation import Episode, HeldSlot
from bot.dialogue.after_cards import OF_CARDS
from bot.dialogue.asked_of import Asked
from bot.dialogue.ground import says
from bot.dialogue.means import asks_cheaper, price_to_beat
from bot.dialogue.turn import Turn

_PRICED: Final = frozenset({"price_lookup", "estimate_cost"})
"""Needs whose answer is the price of a card: cheaper is another card that holds as much."""
_FOR_A_JOB: Final = frozenset({"check_fit", "compare_gpus", "upgrade_or_not", "estimate_time", "gpu_count"})
"""Needs about cards for some job: cheaper is the cheapest that does it."""
_TIMED: Final = "estimate_time"
_FIGURES: Final = frozenset({"spec_sheet", "power_draw"})
"""Ideas of a figure on a card's sheet."""
_CHOSEN: Final = frozenset({"recommend_gpu", "cluster_design"})
"""Needs whose answer chooses cards."""
_RUN_HOURS: Final = frozenset({"hours", "timed_hours", "hours_on_n", "one_card_hours"})
"""Facts of an answer that timed a run."""
_PLANNED: Final = frozenset({"compare_gpus", "price_lookup", "platform_choice", "gpu_specs", "estimate_cost"})
"""Needs after which the whole cost of what was planned before them may be asked."""
_JUDGED: Final = frozenset({"price_lookup", "gpu_specs", "estimate_time", "check_fit", "recommend_gpu", "compare_gpus"})
"""Needs about a card after which it may be asked whether it is worth its money."""
_OF_ONE_CARD: Final = frozenset({"check_fit", "estimate_time", "power_supply", "gpu_specs", "estimate_cost"})
"""Needs that are asked about the card just recommended."""
_PURPOSE: Final = frozenset({"deploy", "task", "method", "model"})
"""What may be said beside the question whether a card is worth it."""
_WAYS: Final = frozenset({"recommend_gpu", "price_lookup", "platform_choice"})
"""Needs that are answered otherwise for who rents than for who buys."""
_MONEY: Final = frozenset({"money_question", "cost"})
_ASKS_MORE: Final = _MONEY | {"where", "which_card", "why_ask"}
_BESIDE_COST: Final = frozenset({"deploy", "provider", "currency"})
_HOURLY: Final = frozenset({"price"})
_RENTED: Final = frozenset({"gpu", "gpu_count"})
"""What may be said beside the question for the cost of a run; cards where they are to be rented."""
_MEMORY: Final = frozenset({"vram", "memory"})
"""Ideas of memory, beside that of being enough."""
_OF_A_BILL: Final = ("duration", "usage", "span", "utilization", "gpu_count", "deploy")
"""What a bill is for beside its card."""
_OF_SEVERAL: Final = frozenset({"compare_gpus", "price_lookup", "gpu_specs"})
"""Needs whose answer may have set several cards side by side."""
_COUNTING: Final = frozenset({"count_question", "few_cards"})
"""Ideas of asking for a number of cards."""
_CHEAPER: Final = "follow-up: cheaper"
_SETTING: Final = frozenset({"model", "task", "method", "precision", "seq_len", "batch", "users"})
"""What may be said of the job whose fit is doubted."""
_NOTHING: Final = HeldSlot(value=())
_LONGEST_GAP: Final = 60
_HOURS: Final = frozenset({"duration", "usage", "span", "utilization"})
"""How long, and how much of that time, something is used."""
_JOB: Final = ("model", "task", "method", "precision", "batch", "seq_len", "dataset", "epochs", "users", "currency")
"""What a choice goes on with of a job that was judged on a card."""
_CARD: Final = ("gpu", "vram_gb", "gpu_count", "ram_gb")


def asked_of_answer(turn: Turn) -> Asked | None:
    """What a short line asks of the last answer, if anything."""
    if turn.pending is not None:
        return None
    gap = _price_gap(turn) or _rented_for_hours(turn) or _at_a_price(turn)
    if gap is not None or not turn.conversation.turn or len(turn.message.text) > turn.policy.short_line:
        return gap
    return next((found for rule in _RULES if (found := rule(turn)) is not None), None)


def _cheaper(turn: Turn) -> Asked | None:
    """Too dear: the best below the price of the pick, or a cheaper card that holds what the priced one does."""
    subject = turn.subject
    about = subject is not None and subject.intent == turn.last_intent and not turn.stated.values
    if subject is None or not about or not asks_cheaper(turn.message.text):
        return None
    if subject.intent in _FOR_A_JOB and not turn.earlier.keys().isdisjoint({"model", "task"}):
        return Asked("recommend_gpu", _CHEAPER, {"objective": "cheapest"})
    if subject.intent == "recommend_gpu":
        beat = price_to_beat(subject)
        wanted: dict[str, object] = {"cheaper_than": beat} if beat else {"objective": "cheapest"}
        # what the pick was for, and nothing that only an answer before it was about
        return Asked("recommend_gpu", _CHEAPER, wanted, keeps=tuple(subject.slots))
    return _cheaper_card(turn, subject) if subject.intent in _PRICED else None


def _cheapest(turn: Turn) -> Asked | None:
    """The cheapest card that does the job which was judged on another."""
    known = turn.last_intent in _FOR_A_JOB and not turn.earlier.keys().isdisjoint({"model", "task"})
    asks = known and not turn.stated.values and says(turn.message.text, "cheapest")
    return Asked("recommend_gpu", "follow-up: the cheapest", {"objective": "cheapest"}, keeps=_JOB) if asks else None


def _worth_it(turn: Turn) -> Asked | None:
    """Whether the one card spoken of is worth its money, for what is named or was spoken of."""
    held = turn.earlier.get("gpu")
    one = held is not None and len(held.value) == 1
    bare = turn.stated.values.keys() <= _PURPOSE and turn.last_intent in _JUDGED
    if not (one and bare) or "worth" not in turn.understanding.concepts:
        return None
    own = turn.earlier.get("own_gpu")
    further = held is not None and own is not None and own.value != held.value[0]
    return Asked("upgrade_or_not" if further else "used_or_cheap", "follow-up: is it worth it")


def _enough(turn: Turn) -> Asked | None:
    """Whether the memory of the card spoken of is enough for the job spoken of."""
    concepts = turn.understanding.concepts
    asks = "enough" in concepts and not _MEMORY.isdisjoint(concepts) and turn.last_intent != "check_fit"
    known = "gpu" in turn.earlier and not turn.earlier.keys().isdisjoint({"model", "task"})
    return Asked("check_fit", "follow-up: is it enough") if asks and known and not turn.stated.values else None


def _surely_fits(turn: Turn) -> Asked | None:
    """Whether the card just chosen really holds the job: judged, and not explained."""
    doubts = {"why_answer", "fits"} <= set(turn.understanding.concepts)
    known = turn.stated.values.keys() | turn.earlier.keys()
    if not doubts or turn.last_intent == "check_fit" or turn.stated.values.keys() - _SETTING or "model" not in known:
        return None
    spec = turn.intents["check_fit"]
    return Asked("check_fit", "follow-up: does it really fit") if "gpu" in turn.spoken_of(spec) else None


def _cheaper_card(turn: Turn, subject: Episode) -> Asked | None:
    """A card that holds as much as the priced one, and costs less."""
    beat = price_to_beat(subject)
    card = turn.names.find_gpu(beat["gpu"]) if beat and turn.names else None
    if beat is None or card is None or not card.vram_gib:
        return None
    wanted = {"vram_gb": card.vram_gib, "cheaper_than": beat}
    return Asked("recommend_gpu", _CHEAPER, wanted, keeps=("currency", "deploy"))


def _cheaper_place(turn: Turn) -> Asked | None:
    """A cheaper place for the card just recommended, or priced: its prices, the cheapest place first."""
    stated, text = turn.stated.values.keys(), turn.message.text
    places = says(text, "cheaper") and says(text, "places")
    if not places or stated - {"deploy"} or turn.subject is None:
        return None
    if turn.last_intent in _PRICED and "gpu" in turn.earlier:
        return Asked("platform_choice", "follow-up: a cheaper place", {"deploy": "rent"}, keeps=("gpu", "currency"))
    if turn.last_intent != "recommend_gpu":
        return None
    return Asked("price_lookup", "follow-up: a cheaper place") if price_to_beat(turn.subject) else None


def _other_way(turn: Turn) -> Asked | None:
    """The same choice the other way: renting for buying, or buying for renting."""
    stated, concepts = turn.stated.values, turn.understanding.concepts
    if stated.keys() != {"deploy"} or stated["deploy"] not in {"rent", "buy"} or not turn.elliptical:
        return None
    if not _ASKS_MORE.isdisjoint(concepts):
        return None  # a question for the cost beside it is read for itself
    if turn.last_intent == "recommend_gpu" and says(turn.message.text, "asks_price"):
        return Asked("price_lookup", "follow-up: price the other way")
    if turn.last_intent in _WAYS and "rent_versus_buy" not in concepts:
        return Asked(turn.last_intent, "follow-up: the other way")
    return _one_of_two(turn) if turn.last_intent == "rent_or_buy" and turn.stated.belongs else None


def _which_to_have(turn: Turn) -> Asked | None:
    """Which card to rent, or to buy, for the job that was judged on another."""
    stated = turn.stated.values
    bare = stated.get("deploy") in {"rent", "buy"} and stated.keys() <= {"deploy", "provider"}
    known = turn.last_intent in _FOR_A_JOB and not turn.earlier.keys().isdisjoint({"model", "task"})
    asks = says(turn.message.text, "which_to_have") and _MONEY.isdisjoint(turn.understanding.concepts)
    if not (bare and known and asks) or "rent_versus_buy" in turn.understanding.concepts:
        return None
    return Asked("recommend_gpu", "follow-up: which to have", keeps=_JOB)


def _rented_for_hours(turn: Turn) -> Asked | None:
    """Renting what was just chosen for so many hours: weighed against buying it, or its bill where it is rented."""
    stated = turn.stated.values
    timed = stated.get("deploy") == "rent" and not _HOURS.isdisjoint(stated) and stated.keys() <= _HOURS | _BESIDE_COST
    if turn.last_intent not in _CHOSEN or not timed or len(turn.message.text) > _LONGEST_GAP:
        return None
    if turn.subject is None or "gpu" not in turn.spoken_of(turn.intents["rent_or_buy"]):
        return None
    way = turn.earlier.get("deploy")
    rented = way is not None and way.value == "rent"
    return Asked("estimate_cost" if rented else "rent_or_buy", "follow-up: rented for so long")


def _one_of_two(turn: Turn) -> Asked:
    """One of the two ways that were weighed: the price of a card alone, or a choice for the job."""
    priced = "gpu" in turn.earlier and turn.earlier.keys().isdisjoint({"model", "task", "budget"})
    return Asked("price_lookup" if priced else "recommend_gpu", "follow-up: one of the two ways")


def _cost_of_run(turn: Turn) -> Asked | None:
    """What a run costs, after how long it takes: its hours at their price."""
    rented = turn.stated.values.get("deploy") == "rent"
    by_hour = turn.stated.values.get("price", {}).get("unit") == "hour"
    money = by_hour or not _MONEY.isdisjoint(turn.understanding.concepts) or (rented and "gpu" in turn.stated.values)
    asks = money and _took_hours(turn)
    beside = _BESIDE_COST | (_RENTED if rented else frozenset()) | (_HOURLY if by_hour else frozenset())
    if turn.last_intent != _TIMED or not asks or turn.stated.values.keys() - beside:
        return None
    return Asked("estimate_cost", "follow-up: cost of the run", slots=_hours_of_run(turn))


def _at_a_price(turn: Turn) -> Asked | None:
    """The same where the price of an hour is said, in a longer message."""
    by_hour = turn.stated.values.get("price", {}).get("unit") == "hour"
    return _cost_of_run(turn) if by_hour and len(turn.message.text) <= _LONGEST_GAP and turn.pending is None else None


def _cost_of_plan(turn: Turn) -> Asked | None:
    """What the card that is settled on comes to in all, over the time that was spoken of before."""
    timed = "duration" in turn.earlier and turn.last_intent in _PLANNED
    bare = turn.stated.values.keys() <= _BESIDE_COST | _RENTED
    if not (timed and bare) or not says(turn.message.text, "in_all"):
        return None
    return Asked("estimate_cost", "follow-up: cost in all", slots={})


def _took_hours(turn: Turn) -> bool:
    """Whether the last answer timed a run: of a rate alone there is nothing to bill."""
    facts = turn.subject.facts if turn.subject is not None else ()
    return any(fact.name.partition(":")[0] in _RUN_HOURS for fact in facts)


def _hours_of_run(turn: Turn) -> dict[str, object]:
    """How long the run just told takes, where it was told by one that was timed elsewhere."""
    facts = {fact.name: fact.value for fact in turn.subject.facts} if turn.subject is not None else {}
    hours = facts.get("hours") if "timed_hours" in facts else None
    return {"duration": {"amount": round(hours, 2), "unit": "hour"}} if isinstance(hours, float) else {}


def _price_gap(turn: Turn) -> Asked | None:
    """How much dearer one of the cards named, or compared before, is."""
    long = len(turn.message.text) > _LONGEST_GAP
    if long or "model" in turn.stated.values or not says(turn.message.text, "price_gap"):
        return None
    cards = _two_spoken_of(turn)
    if len(cards) < 2:
        return None
    billed = _billed(turn)
    if billed:
        return Asked("compare_gpus", "follow-up: gap of bills", {"gpu": cards, "aspect": "bill", **billed})
    return Asked("compare_gpus", "follow-up: gap of prices", {"gpu": cards, "aspect": "price"})


def _billed(turn: Turn) -> dict[str, object]:
    """What a bill is for, said now or before; nothing where no time is rented."""
    known: dict[str, object] = {name: held.value for name, held in turn.earlier.items()}
    known |= turn.stated.values
    billed: dict[str, object] = {name: known[name] for name in _OF_A_BILL if name in known}
    rented = turn.last_intent == "estimate_cost" or billed.get("deploy") == "rent"
    return billed if rented and "duration" in billed else {}


def _two_spoken_of(turn: Turn) -> list[object]:
    """The cards that are named, or were set side by side; one alone beside the one before it."""
    named, before = turn.stated.values.get("gpu", []), turn.earlier.get("gpu", _NOTHING).value
    if len(named) > 1 or (not named and len(before) > 1 and turn.last_intent in _OF_SEVERAL):
        return list(named or before)
    episodes = turn.conversation.episodes[-2:] if not named else turn.conversation.episodes[-1:]
    each = [one.slots["gpu"].value for one in episodes if "gpu" in one.slots]
    alone = [cards[0] for cards in each if len(cards) == 1]
    return list(dict.fromkeys((*alone, *named)))


def _runs_what(turn: Turn) -> Asked | None:
    """What the card spoken of can run: all it holds, whatever job was spoken of."""
    stated = turn.stated.values.keys()
    known = stated | turn.earlier.keys()
    if known.isdisjoint({"gpu", "vram_gb"}) or stated - set(_CARD) or not says(turn.message.text, "runs_what"):
        return None
    return Asked("check_fit", "follow-up: what it can run", keeps=() if "vram_gb" in stated else _CARD)


def _how_many(turn: Turn) -> Asked | None:
    """How many of the cards spoken of the job takes."""
    known = {"gpu", "model"} <= turn.earlier.keys() and "gpu_count" not in turn.earlier
    if turn.stated.values or not known or _COUNTING.isdisjoint(turn.understanding.concepts):
        return None
    return Asked("gpu_count", "follow-up: how many of them")


def _serves(turn: Turn) -> Asked | None:
    """How many people the cards spoken of serve with the model spoken of."""
    known = {"gpu", "model"} <= turn.earlier.keys() and turn.stated.values.keys() <= {"task", "method"}
    return Asked("gpu_count", "follow-up: how many they serve") if known and says(turn.message.text, "serves") else None


def _at_hand(turn: Turn) -> Asked | None:
    """A card and nothing else, after what a model needs: whether that card will do."""
    named = "gpu" in turn.stated.values and turn.stated.values.keys() <= _RENTED
    idle = set(turn.understanding.concepts) <= {"own"} and not says(turn.message.text, "asks")
    if turn.last_intent != "estimate_memory" or not (named and idle) or "model" not in turn.earlier:
        return None
    return Asked("check_fit", "follow-up: will it do")


def _of_the_pick(turn: Turn) -> Asked | None:
    """Another question about the card just recommended, which a word points at."""
    best, picked = turn.best, turn.last_intent == "recommend_gpu" and "gpu" not in turn.stated.values
    if picked and _asks_a_figure(turn):
        return Asked("gpu_specs", "follow-up: of the pick")
    if best is None or not picked or best.intent not in _OF_ONE_CARD or turn.score < turn.policy.answer_score:
        return None
    return Asked(best.intent, "follow-up: of the pick") if says(turn.message.text, "points") else None


def _asks_a_figure(turn: Turn) -> bool:
    """Whether a figure of the card that a word points at is asked for, and nothing is named."""
    named = not turn.stated.values and "this" in turn.understanding.said.acts
    return named and not _FIGURES.isdisjoint(turn.understanding.concepts) and "psu" not in turn.understanding.concepts


_RULES: Final = (
    *OF_CARDS,
    *(_of_the_pick, _surely_fits, _cheapest, _worth_it, _enough, _serves, _cost_of_plan, _cheaper_place, _cheaper),
    *(_other_way, _which_to_have, _cost_of_run, _runs_what, _how_many, _at_hand),
)
"""What may be asked of the last answer, in the order in which it is tried."""
