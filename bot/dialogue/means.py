"""What may be spent, in which currency, and whether cards are rented or bought, said in a few words of a conversation.

Words are in languages/dialogue.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from bot.core.conversation import Episode, HeldSlot
from bot.dialogue.ground import Ground, has_any, small_words
from bot.dialogue.slots import Stated

CHOOSES = frozenset({"recommend_gpu", "upgrade_or_not", "used_or_cheap"})
"""Needs whose answer waits for what may be spent: a number alone is that."""
LEAST_BUDGET = 300.0
"""From here on a number alone can be what may be spent."""
_LEAST_LIMIT = 100.0
"""... and from here on one that is said to be the most."""
_AMOUNTS = frozenset({"budget", "price", "electricity_price"})
_BESIDE_AMOUNT = 3
"""Characters between an amount and its currency."""
_SHELVES = {"rent": ("rent",), "buy": ("used", "new")}
_HOURLY = frozenset({"h", "hour", "gpu_hour"})
WELL_KNOWN_SIZES_B = frozenset({175.0, 180.0, 235.0, 405.0, 671.0})
"""Large sizes of language models that people call by the number alone."""


def own_currency(text: str, ground: Ground) -> str:
    """Currency of an amount said without one: that of the conversation so far, else of its language."""
    for slot in ("budget", "price"):
        held = ground.earlier.get(slot)
        if held is not None and isinstance(held.value, dict) and held.value.get("currency"):
            return str(held.value["currency"])
    asked = ground.earlier.get("currency")
    if asked is not None:
        return str(asked.value)
    return "CNY" if not text.isascii() or ground.language == "zh" else "USD"


def read_allowed(text: str, number: tuple[float, str], ground: Ground) -> dict[str, Any] | None:
    """A budget: an amount alone, or one said to be the most, where a choice within means is spoken of; else None.

    Args:
        text: the message, in lower case.
        number: its only number, and the scale behind it ("k").
        ground: what was said before.
    """
    if "budget" not in ground.uses or "budget" in ground.earlier or _asks_another(ground):
        return None
    value = number[0] * float(small_words()["scales"].get(number[1], 1))
    limited = has_any(text, small_words()["at_most"])
    if value < (_LEAST_LIMIT if limited else LEAST_BUDGET) or not (limited or number[1] or _is_money(value, ground)):
        return None
    amount = int(value) if value == int(value) else value
    return {"amount": amount, "currency": own_currency(text, ground), "period": "once"}


def _asks_another(ground: Ground) -> bool:
    """Whether the open question wants another number."""
    return ground.pending is not None and ground.pending.kind == "ask" and ground.asks_number


def _is_money(value: float, ground: Ground) -> bool:
    """Whether a number alone is what may be spent, and not the size of a model."""
    return ground.intent in CHOOSES and value not in WELL_KNOWN_SIZES_B


def settle_currency(text: str, stated: Stated, earlier: Mapping[str, HeldSlot], *, running: bool) -> None:
    """A currency that no amount goes with is the one to answer in; alone it means nothing at first.

    An amount named later is counted in its own currency again.
    """
    named = "" if stated.values.keys() & _AMOUNTS else named_currency(text)
    if named:
        _answer_in(named, stated, running=running)
    for slot in ("budget", "price"):
        value = stated.values.get(slot)
        if not isinstance(value, dict):
            continue
        currency = value.get("currency")
        if "amount" not in value:
            del stated.values[slot]
            _answer_in(currency, stated, running=running)
        elif "currency" in earlier and currency:
            stated.values["currency"] = currency


def _answer_in(currency: str | None, stated: Stated, *, running: bool) -> None:
    """Take a currency as the one to answer in, where anything is to be answered."""
    if currency and (running or stated.values):
        stated.belongs = stated.belongs or not stated.values
        stated.values["currency"] = currency


def named_currency(text: str) -> str:
    """The one currency that a text names; empty when it names none or several, or an amount of it."""
    lowered = f" {text.casefold()} "
    if _any_currency().search(lowered) is None:
        return ""
    found = ""
    for code, names in small_words()["currencies"].items():
        for name in names:
            at = lowered.find(name)
            if at < 0:
                continue
            beside = lowered[max(0, at - _BESIDE_AMOUNT) : at] + lowered[at + len(name) :][:_BESIDE_AMOUNT]
            if (found and found != code) or any(letter.isdigit() for letter in beside):
                return ""
            found = code
    return found


@cache
def _any_currency() -> re.Pattern[str]:
    """Any name of a currency: most messages hold none."""
    names = {name for listed in small_words()["currencies"].values() for name in listed}
    return re.compile("|".join(map(re.escape, sorted(names))))


def read_way(text: str, stated: Stated) -> bool:
    """The way that is left of renting and buying when the other one is ruled out, or the one that is preferred."""
    words = small_words()
    if has_any(text, words["either_way"]) or "pricing_model" in stated.excluded:
        return False
    not_rent = has_any(text, words["not_rent"]) or has_any(text, words["rather_buy"])
    not_buy = has_any(text, words["not_buy"]) or has_any(text, words["rather_rent"])
    if not_rent == not_buy:
        return False
    stated.values["deploy"] = "buy" if not_rent else "rent"
    stated.belongs = True
    return True


def asks_cheaper(text: str) -> bool:
    """Whether a line finds the last answer too dear and says nothing else."""
    lowered = text.casefold()
    words = small_words()
    return has_any(lowered, words["cheaper"]) and not has_any(lowered, words["cheaper_how"])


def price_to_beat(subject: Episode) -> dict[str, Any] | None:
    """Card and price of the answer that was too dear: of the pick, else the lowest rent or purchase of one card."""
    facts = {fact.name: fact for fact in subject.facts}
    for name, priced in (("pick", "pick_price"), ("gpu", "price_per_gpu_hour")):
        card, price = facts.get(name), facts.get(priced)
        if card is not None and price is not None:
            return _to_beat(str(card.value), price.value, price.unit)
    cards = subject.slots["gpu"].value if "gpu" in subject.slots else []
    return _lowest(subject, cards[0]) if len(cards) == 1 else None


def _lowest(subject: Episode, card: str) -> dict[str, Any] | None:
    """The lowest price of one card on the shelf that was asked for."""
    way = subject.slots["deploy"].value if "deploy" in subject.slots else ""
    for shelf in _SHELVES.get(way, ("rent", "used", "new")):
        known = [fact for fact in subject.facts if fact.name.partition(".")[0] == shelf]
        if known:
            least = min(known, key=lambda fact: float(fact.value or 0))
            return _to_beat(card, least.value, least.unit)
    return None


def _to_beat(gpu: str, amount: Any, unit: str) -> dict[str, Any]:
    currency, _, per = unit.partition("/")
    period = "hour" if per in _HOURLY else "once"
    return {"gpu": gpu, "amount": float(amount or 0), "currency": currency, "period": period}
