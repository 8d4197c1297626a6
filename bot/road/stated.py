"""What a message states that no slot of its own holds stays with the job: rounds, tokens, a limit of watts, prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict

from bot.answers.asked_job import gguf_of
from bot.answers.common import most_of
from bot.answers.sums.gate import WORK
from bot.core.conversation import HeldSlot
from bot.core.numbers import figure
from bot.dialogue.decide import SAID_OTHERWISE
from bot.dialogue.referents import CARDS_OF, OTHERS, owner_in
from bot.road.lots import of_one_card
from bot.road.turn import GOES_ON, Turn

_JOB_WITH_DATA: Final = frozenset({"estimate_time", "check_fit", "estimate_cost", "recommend_gpu", "gpu_count"})
"""Needs that count how many times the data is gone through."""


_OF_CLIPS: Final = frozenset({"estimate_time", "check_fit", "estimate_memory"})
"""Needs in which seconds may be the length of a clip."""
_A_LOT: Final = 2
_SUPPLY: Final = "power_supply"
_SWAPPED: Final = "swapped"
_MOST_BLOCKS: Final = 80
"""No network that draws has more."""
_RECOMPUTES: Final = {"off": False, "on": True}
_DEADLINE, _SOUND = "deadline_hours", "sound_hours"
_TIME_LEFT: Final = (_DEADLINE, "hours_total", "hours_day")
"""What may be the time for such a pile, the plainest first."""


class HeldPrice(TypedDict):
    """What a card costs by the asker's own words, as a conversation keeps it."""

    of: str
    """The card, "" for the one that is spoken of."""
    unit: str
    """hour | card"""
    amount: float
    currency: str


def with_stated(turn: Turn) -> Turn:
    """The turn with what its message states beside its slots."""
    if turn.message.action or turn.decision.rule == SAID_OTHERWISE:
        return turn
    turn = _with_money_to_spend(turn)
    turn = _with_power_of_all(_with_price_of_power(_without_most_of_before(turn)))
    turn, heard = _each_of_a_lot(_without_difference(_without_limit_as_supply(turn))), turn.heard
    job = turn.decision.intent in _JOB_WITH_DATA
    said: Mapping[str, object] = {
        **(_data_of(turn) if job else {}),
        "limit_w": _limit(turn),
        "card_counts": heard.counts_of("gpu") if len(heard.wished("gpu")) > 1 else None,
        "prices": _prices(turn),
        "own_gpu": _own_card(turn),
        CARDS_OF: _cards_of(turn),
        "most": most_of(turn.request(turn.need)),
        "clip_seconds": _clip_seconds(turn),
        "weight_files": list(gguf_of(turn.request(turn.need))) or None,
        "kv_precision": next(iter(heard.caches), None),
        "optimizer": heard.side("optimizer") or None,
        "recompute": _RECOMPUTES.get(heard.side("recompute")),
        "settings": _settings(turn) or None,
        "scratch": heard.shows("wish", "from_scratch") or None,
        "driver": _driver(turn),
        "at_once": _at_once(turn),
        "span": heard.span if _is_rated(turn) and "span" not in turn.decision.slots else None,
    }
    return _holding(turn, said)


_VERSIONED: Final = "cuda_compat"
_DRIVERS: Final = (300.0, 1000.0)
"""Branches of drivers lie between these."""


def _driver(turn: Turn) -> str | None:
    """The driver that is installed, by its word; behind another one also a bare number that can be one."""
    if turn.decision.intent != _VERSIONED:
        return None
    low, high = _DRIVERS
    bare = turn.heard.bare_numbers if "driver" in turn.decision.slots else ()
    fitting = (one for one in bare if low <= (figure(one.partition(".")[0]) or 0.0) < high)
    return turn.heard.driver or next(fitting, None)


def _at_once(turn: Turn) -> bool | None:
    """Whether all people that are spoken of ask at the same time; None where that is not said."""
    told = "users" in turn.decision.slots and turn.heard.shows("cluster_design", "at_once")
    return True if told else None


def _settings(turn: Turn) -> list[str]:
    """Settings of a program that are named; blocks that are swapped with their number, and only where one is said."""
    named = turn.heard.sides("setting")
    numbers = {int(one) for one in turn.heard.bare_numbers if one.isdigit() and 0 < int(one) <= _MOST_BLOCKS}
    swapped = [f"{_SWAPPED}:{numbers.pop()}"] if _SWAPPED in named and len(numbers) == 1 else []
    return [*(one for one in named if one != _SWAPPED), *swapped]


def _limit(turn: Turn) -> float | None:
    """Watts that each card is limited to; what several may draw together is no limit of one."""
    watts = turn.amounts.get("card_limit_w") or turn.heard.watts_limit
    return (None if _of_all_cards(turn, watts) else watts) or _watts_below(turn) or _share_of_board(turn)


def _share_of_board(turn: Turn) -> float | None:
    """Watts of a limit that is told as a share of what the one card may draw that is named, or is limited already."""
    low, high = _PART_OF_BOARD
    shares = [one / 100 for one in turn.heard.amounts_of("percent") if low <= one / 100 <= high]
    cards = _limited(turn)
    if len(shares) != 1 or len(cards) != 1:
        return None
    gpu = turn.rooms.services.catalog.find_gpu(str(cards[0]))
    board = gpu.board_power_w if gpu is not None else None
    return round(board * shares[0]) if board else None


def _limited(turn: Turn) -> Sequence[object]:
    """The cards whose limit is spoken of: those that are named beside it, or whose limit was told right before."""
    if turn.heard.speaks_of("power_limit"):
        return turn.heard.wished("gpu")
    held = turn.decision.slots.get("gpu")
    again = "limit_w" in turn.state.slots and turn.decision.intent == _SUPPLY
    return held.value if again and held is not None else []


def _of_all_cards(turn: Turn, watts: float | None) -> bool:
    """Whether so many watts are more than one of the several cards spoken of can draw."""
    cards, count = turn.decision.slots.get("gpu"), turn.decision.slots.get("gpu_count")
    if not watts or cards is None or count is None or count.value < _A_LOT or len(cards.value) != 1:
        return False
    gpu = turn.rooms.services.catalog.find_gpu(str(cards.value[0]))
    return gpu is not None and bool(gpu.board_power_w) and watts > (gpu.board_power_w or 0)


def _with_power_of_all(turn: Turn) -> Turn:
    """The turn with what several cards may draw together as what their supply has to give."""
    watts = turn.heard.watts_limit
    if turn.decision.intent != _SUPPLY or "psu_w" in turn.decision.slots or not _of_all_cards(turn, watts):
        return turn
    return _holding(turn, {"psu_w": watts})


def _holding(turn: Turn, said: Mapping[str, object]) -> Turn:
    """The turn with these values beside its slots, as far as there are any."""
    held = {
        name: HeldSlot(value=value, said_by=turn.message.user_id, said_at=turn.now, turn=turn.state.turn + 1)
        for name, value in said.items()
        if value or value is False
    }
    return turn.decided(slots={**turn.decision.slots, **held}) if held else turn


def _clip_seconds(turn: Turn) -> float | None:
    """How long a clip is to last; a bare time is a new length where one was told before."""
    if turn.decision.intent not in _OF_CLIPS:
        return None
    return turn.heard.clip_seconds(again="clip_seconds" in turn.decision.slots)


def _without_most_of_before(turn: Turn) -> Turn:
    """The turn without what the question before wanted the most of, where this one does not go on with it."""
    if "most" not in turn.decision.slots or turn.decision.rule.startswith(GOES_ON):
        return turn
    return turn.decided(slots={name: slot for name, slot in turn.decision.slots.items() if name != "most"})


_OF_POWER: Final = "electricity_cost"
"""Fact of a bill for electricity."""


def _with_price_of_power(turn: Turn) -> Turn:
    """The turn with small money that was said after a bill for electricity as the price of a unit of it."""
    held, last = turn.decision.slots.get("price"), turn.state.episodes[-1:]
    said = held is not None and "price" in turn.decision.stated and held.value.get("amount", 1) < 1
    if held is None or not said or not any(fact.name == _OF_POWER for one in last for fact in one.facts):
        return turn
    money = {name: held.value[name] for name in ("amount", "currency")}
    kept = {name: slot for name, slot in turn.decision.slots.items() if name != "price"}
    return turn.decided(slots={**kept, "electricity_price": held.model_copy(update={"value": money})})


def _without_difference(turn: Turn) -> Turn:
    """The turn without a price that is what one card costs beyond the other."""
    between, held = turn.heard.price_between, turn.decision.slots.get("price")
    if between is None or held is None or held.value.get("amount") != between[0]:
        return turn
    return turn.decided(slots={name: slot for name, slot in turn.decision.slots.items() if name != "price"})


_CHOOSES: Final = frozenset({"recommend_gpu", "gpu_count", "cluster_design"})
"""Needs in which money is what may be spent."""
_BOUGHT: Final = frozenset({"used_or_cheap", "price_lookup"})
"""Needs in which money beside a number of cards is what they are offered for."""


def _with_money_to_spend(turn: Turn) -> Turn:
    """The turn with the price of a card that nobody names as what may be spent, where something is chosen."""
    slots, held = turn.decision.slots, turn.decision.slots.get("price")
    chosen = turn.decision.intent in _CHOOSES and "price" in turn.decision.stated
    if held is None or not chosen or "gpu" in slots or "budget" in slots or held.value.get("unit", "card") != "card":
        return turn
    money = {"amount": held.value["amount"], "currency": held.value["currency"], "period": "once"}
    kept = {name: slot for name, slot in slots.items() if name != "price"}
    return turn.decided(slots=kept | {"budget": held.model_copy(update={"value": money})})


def _each_of_a_lot(turn: Turn) -> Turn:
    """The turn with the price of one card, where several of one kind are offered for one sum."""
    slots, count, asked = turn.decision.slots, _counted_now(turn), _sum_asked(turn)
    if asked is None or count < _A_LOT or not turn.heard.money_in_all:
        return turn
    name, held = asked
    money = {"amount": held.value["amount"], "currency": held.value["currency"]}
    each = {**money, "amount": money["amount"] / count, "unit": "card"}
    lot = {"price": each, "lot": {**money, "n": count}}
    kept = {other: slot for other, slot in slots.items() if other != name}
    return turn.decided(slots=kept | {new: held.model_copy(update={"value": value}) for new, value in lot.items()})


def _counted_now(turn: Turn) -> int:
    """The number of cards that the message itself states."""
    n = turn.decision.slots.get("gpu_count")
    return int(n.value) if n is not None and n.turn > turn.state.turn else 1


def _sum_asked(turn: Turn) -> tuple[str, HeldSlot] | None:
    """The slot in which the message names what cards are offered for, once and not by the hour."""
    names = ("price", "budget") if turn.decision.intent in _BOUGHT else ("price",)
    told = ((name, turn.decision.slots.get(name)) for name in names)
    now = [(name, held) for name, held in told if held is not None and held.turn > turn.state.turn]
    return next(((name, held) for name, held in now if held.value.get("unit", "card") == "card"), None)


def _without_limit_as_supply(turn: Turn) -> Turn:
    """The turn without a supply whose watts are the limit of each card; one that was spoken of before stays."""
    held, before = turn.decision.slots.get("psu_w"), turn.state.slots.get("psu_w")
    limit = turn.amounts.get("card_limit_w") or (turn.heard.watts_limit if before is not None else None)
    if held is None or limit is None or held.value != limit:
        return turn
    kept = {name: slot for name, slot in turn.decision.slots.items() if name != "psu_w"}
    return turn.decided(slots=kept | {"psu_w": before} if before is not None else kept)


def _data_of(turn: Turn) -> Mapping[str, object]:
    """Rounds and tokens of training, and what is to be got through."""
    heard = turn.heard
    work, left = {**_sound_of(turn), **_work_of(turn.amounts)}, turn.amounts.get(_DEADLINE) or _named_time(turn)
    if left and (work or "dataset" in turn.decision.slots):
        work = {_DEADLINE: left, **work}
    rounds = None if "epochs" in turn.decision.stated else heard.epochs
    return {"epochs": rounds, "train_tokens": heard.train_tokens, "train_steps": _steps_of(turn), **work}


_FEWEST_STEPS: Final = 20
"""Fewer are epochs, or steps of drawing."""


def _steps_of(turn: Turn) -> float | None:
    """Optimizer steps of training."""
    epochs, numbers = turn.heard.epochs, turn.understanding.said.numbers
    found = (one.value for one in numbers if one.unit == "step" and one.value != epochs)
    return next((value for value in found if value >= _FEWEST_STEPS), None)


def _sound_of(turn: Turn) -> Mapping[str, float]:
    """Hours of sound, where the data are hours."""
    data = turn.decision.slots.get("dataset")
    said = str(data.value) if data is not None and data.turn > turn.state.turn else ""
    hours = (one.value for one in turn.understanding.said.numbers if one.unit == "hour")
    found = next((value for value in hours if said.startswith(f"{value:g}")), None)
    return {_SOUND: found} if found else {}


_NAMED_TIMES: Final = {"night": 10.0, "weekend": 48.0}
"""Hours of times that have a name, as work is left to run through them."""


def _named_time(turn: Turn) -> float | None:
    """Hours that there are by a word alone: a night, a weekend, till the end of the day before a day of the week."""
    heard = turn.heard
    found = next((_NAMED_TIMES[name] for name in heard.sides("period") if name in _NAMED_TIMES), None)
    due = next((_DAYS.index(name) for name in heard.sides("due") if name in _DAYS), None)
    return found or (None if due is None else 24.0 * ((due - turn.now.weekday()) % len(_DAYS) or len(_DAYS)))


_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _work_of(amounts: Mapping[str, float]) -> Mapping[str, float]:
    """A pile of work to be got through, with the time that there is for it."""
    work = {name: amounts[name] for name in sorted(WORK) if name in amounts}
    left = next((amounts[name] for name in _TIME_LEFT if name in amounts), None)
    return {**work, _DEADLINE: left} if work and left else work


_PART_OF_BOARD: Final = (0.3, 0.97)
"""Watts of a card between these shares of its board power are a limit that is set, and no figure of the card."""


def _watts_below(turn: Turn) -> float | None:
    """Watts said of the one card that is named, too few to be its board power: a limit in other words."""
    watts, cards = turn.heard.watts_of_card, turn.heard.wished("gpu")
    if watts is None or len(cards) != 1 or "psu_w" in turn.decision.slots:
        return None
    gpu = turn.rooms.services.catalog.find_gpu(str(cards[0]))
    board = gpu.board_power_w if gpu is not None else None
    low, high = _PART_OF_BOARD
    return watts if board is not None and low * board <= watts <= high * board else None


def _own_card(turn: Turn) -> object | None:
    """The one card that somebody says to have; of an upgrade the first of two."""
    cards = turn.heard.wished("gpu")
    several = turn.decision.intent == "upgrade_or_not" and len(cards) > 1
    if len(cards) == 1 and owner_in(turn.understanding.text) == OTHERS:
        return None
    return cards[0] if cards and (several or (len(cards) == 1 and turn.heard.speaks_of("own"))) else None


def _cards_of(turn: Turn) -> Mapping[str, object] | None:
    """The cards that people were said to have, with the one that this message says somebody has."""
    cards, whose = turn.heard.wished("gpu"), owner_in(turn.understanding.text)
    if not whose or len(cards) != 1:
        return None
    held, count = turn.state.slots.get(CARDS_OF), turn.decision.slots.get("gpu_count")
    said = int(count.value) if count is not None and "gpu_count" in turn.decision.stated else 1
    return {**(held.value if held is not None else {}), whose: (cards[0], said)}


def _is_rated(turn: Turn) -> bool:
    """Whether so many hours of a longer time are used: a time beside them is for how long in all."""
    held = turn.decision.slots.get("duration")
    return held is not None and isinstance(held.value, dict) and bool(held.value.get("per"))


def _prices(turn: Turn) -> Sequence[HeldPrice] | None:
    """Prices that are said now over those said before, each card and unit on its own; None where nothing changes."""
    held = turn.decision.slots.get("prices")
    before: list[HeldPrice] = held.value if held is not None else []
    said = _told_prices(turn) or _one_price(turn) or _paid_instead(turn, before)
    if not said:
        return None
    own = _only_card(turn)
    said = [HeldPrice({**one, "of": one["of"] or own}) for one in said]
    now = {(price["of"], price["unit"]): price for price in said}
    return [*(price for price in before if (price["of"], price["unit"]) not in now), *now.values()]


def _told_prices(turn: Turn) -> list[HeldPrice]:
    """The prices of a message; what may be spent is none."""
    told = of_one_card(turn, (one for one in turn.heard.prices if one.of or one.amount != _spent(turn)))
    return [HeldPrice(of=one.of, unit=one.unit, amount=one.amount, currency=one.currency) for one in told]


def _spent(turn: Turn) -> float | None:
    """What may be spent by the message itself, where that is no price of anything."""
    held = turn.decision.slots.get("budget") if turn.decision.intent in _CHOOSES else None
    return held.value.get("amount") if held is not None and "budget" in turn.decision.stated else None


def _only_card(turn: Turn) -> str:
    """The one card that is spoken of, "" where there are several or none."""
    cards = turn.decision.slots.get("gpu")
    return str(cards.value[0]) if cards is not None and len(cards.value) == 1 else ""


def _one_price(turn: Turn) -> list[HeldPrice]:
    """The price that the message states as a slot; a bare amount is that of a card."""
    held = turn.decision.slots.get("price")
    return [_held(held, held.value.get("unit", "card"))] if held and "price" in turn.decision.stated else []


def _paid_instead(turn: Turn, before: Sequence[HeldPrice]) -> list[HeldPrice]:
    """What is spent on buying, after the price of an hour, is the price of the card."""
    held = turn.decision.slots.get("budget")
    rented = any(price["unit"] == "hour" for price in before)
    if held is None or "budget" not in turn.decision.stated or held.value.get("period") != "once":
        return []
    return [_held(held, "card")] if rented and turn.heard.speaks_of("buying") else []


def _held(held: HeldSlot, unit: str) -> HeldPrice:
    return HeldPrice(of="", unit=unit, amount=held.value["amount"], currency=held.value["currency"])
