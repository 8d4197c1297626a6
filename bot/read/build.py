"""Puts a Question together from mentions and what the grammars read: sides, job and means, as said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from advisor.jobs.spoken import (
    Amount,
    Budget,
    Hours,
    Means,
    OwnPrice,
    Period,
    PriceUnit,
    Side,
    SideKind,
    Spoken,
)
from advisor.periods import DAYS_A_MONTH
from bot.core.question import Mention
from bot.core.understanding import SlotValue
from bot.read.candidates import Candidate, measured

SIDES: Final = ("own", "wanted", "compared")
"""Roles of what a job may run on."""
_OF_CARD: Final = frozenset(
    {"count", "compared", "per_card", "total", "purchase_price", "rent_price", "card_power", "wall_power"}
)
"""Roles of numbers that are said of a card."""
_NEAR: Final = 12
"""Characters between a card and a number that belongs to it."""
_MACHINE_WORDS: Final = frozenset({"machine"})
_DAYS: Final = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": DAYS_A_MONTH, "year": 365.0, "term": 120.0}
_HOURS: Final = {name: days * 24 for name, days in _DAYS.items()}
_GB: Final = {"GB": 1.0, "MB": 1 / 1000, "TB": 1000.0}
NEW_ONLY: Final = "new_only"
"""A condition that rules out old ones where it is demanded, and else says what a price is for."""
_EXCLUDED_KIND: Final = {"gpu": "gpu", "vendor": "vendor", "provider": "provider", "model": "model"}
_CONDITIONS: Final = {
    "second_hand": ("condition", "used"),
    NEW_ONLY: ("condition", "used"),
    "mining": ("condition", "ex-mining"),
    "buying": ("deploy", "buy"),
    "renting": ("deploy", "rent"),
    "laptop": ("deploy", "laptop"),
    "training": ("method", "train"),
    "buy": ("deploy", "buy"),
    "rent": ("deploy", "rent"),
}
"""What is ruled out with a qualifier: ruling out old ones is said by "new only" too."""


def owned_by(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """The same mentions, each number with the card that it is said of."""
    cards = [mention for mention in mentions if mention.kind == "gpu" and mention.role in SIDES]
    if not cards:
        return tuple(mentions)
    owned = ((mention, _owner(mention, cards) if mention.role in _OF_CARD else None) for mention in mentions)
    return tuple(mention if card is None else replace(mention, of=card.id) for mention, card in owned)


def sides_of(mentions: Sequence[Mention]) -> tuple[Side, ...]:
    """Cards and amounts of memory with the counts, sizes and prices that stand beside them."""
    cards = [mention for mention in mentions if mention.kind == "gpu" and mention.role in SIDES]
    near: dict[str, list[Mention]] = {card.id: [] for card in cards}
    for mention in mentions if cards else ():
        if (owner := _owner(mention, cards)) is not None:
            near[owner.id].append(mention)
    sides = [_side(card, near[card.id]) for card in cards]
    if not sides:
        sides = _by_memory(mentions)
    if len(sides) == 1:
        sides = [_with_machine(sides[0], mentions)]
    return tuple(_merged(sides))


def _side(card: Mention, near: Sequence[Mention]) -> Side:
    return Side(
        kind=_side_kind(str(card.value)),
        name=str(card.value),
        count=_first_whole(near, ("count", "compared"), "card"),
        memory_gb=_first_amount(near, ("per_card", "own"), "GB"),
        memory_total_gb=_first_amount(near, ("total",), "GB"),
        price=_price(near),
        power_limit_w=_first_amount(near, ("card_power",), "W"),
        wall_w=_first_amount(near, ("wall_power",), "W"),
        role=card.role,
        id=card.id,
    )


def _side_kind(name: str) -> SideKind:
    if name.startswith("Apple"):
        return SideKind.MAC
    return SideKind.NOTEBOOK if name.endswith("Laptop") else SideKind.CARD


def _owner(mention: Mention, cards: Sequence[Mention]) -> Mention | None:
    """The card that a number is said of: the nearest one, where it is near; None for a card and a number far off."""
    if mention.kind == "gpu":
        return None
    start, end = mention.span.start, mention.span.end
    gap, _, place = min(
        (max(start - card.span.end, card.span.start - end), card.span.start, place) for place, card in enumerate(cards)
    )
    return cards[place] if gap <= _NEAR or len(cards) == 1 else None


def _first_whole(mentions: Sequence[Mention], roles: Sequence[str], unit: str) -> int | None:
    for mention in mentions:
        value = mention.value
        if (
            mention.role in roles
            and mention.unit in {"", unit}
            and isinstance(value, (int, float))
            and value == int(value)
        ):
            return int(value)
    return None


def _first_amount(mentions: Sequence[Mention], roles: Sequence[str], unit: str) -> float | None:
    for mention in mentions:
        if mention.role in roles and mention.unit == unit and isinstance(mention.value, (int, float)):
            return float(mention.value)
    return None


def _price(mentions: Sequence[Mention]) -> OwnPrice | None:
    for mention in mentions:
        if mention.role in {"purchase_price", "rent_price"} and isinstance(mention.value, (int, float)):
            currency = mention.unit.partition("/")[0]
            unit = PriceUnit.CARD_HOUR if mention.role == "rent_price" else PriceUnit.CARD
            return OwnPrice(Amount(Decimal(str(mention.value)), currency), unit)
    return None


def _by_memory(mentions: Sequence[Mention]) -> list[Side]:
    sizes = [
        mention for mention in mentions if mention.role in {"per_card", "limit", "wanted"} and mention.unit == "GB"
    ]
    if not sizes or not isinstance(sizes[0].value, (int, float)):
        return []
    role = "wanted" if sizes[0].role == "wanted" else "own"
    count = _first_whole(mentions, ("count",), "card")
    return [Side(kind=SideKind.MEMORY, memory_gb=float(sizes[0].value), count=count, role=role, id=sizes[0].id)]


def _with_machine(side: Side, mentions: Sequence[Mention]) -> Side:
    """What is said of the machine around the only card."""
    return replace(
        side,
        count=side.count or _first_whole(mentions, ("count",), "card"),
        memory_total_gb=side.memory_total_gb or _first_amount(mentions, ("total",), "GB"),
        ram_gb=_first_amount(mentions, ("own", "wanted"), "GB RAM"),
        price=side.price or _price(mentions),
        power_limit_w=side.power_limit_w or _first_amount(mentions, ("card_power",), "W"),
        wall_w=side.wall_w or _first_amount(mentions, ("wall_power",), "W"),
    )


def _merged(sides: Sequence[Side]) -> list[Side]:
    """Each card once: what is said of it later completes what was said first."""
    found: dict[tuple[str, int | None], Side] = {}
    for side in sides:
        key = (side.name, side.count if side.role == "compared" else None)
        found.setdefault(key, side)
    return list(found.values())


def job_of(slots: Mapping[str, Any], mentions: Sequence[Mention]) -> Spoken:
    """The job as said. `slots`: the values that the grammars read, roles taken into account."""
    wide, _, high = str(slots.get("resolution", "")).partition("x")
    return Spoken(
        models=tuple(slots.get("model", ())),
        task=slots.get("task"),
        methods=_listed(slots.get("method")),
        precisions=_listed(slots.get("precision")),
        batch=slots.get("batch"),
        seq_len=slots.get("seq_len"),
        resolution=(int(wide), int(high)) if high else None,
        dataset=slots.get("dataset"),
        people=slots.get("users") or _first_whole(mentions, ("people",), "person"),
        epochs=_first_amount(mentions, ("setting",), "step"),
        software=slots.get("framework"),
    )


def _listed(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else (str(value),)


def means_of(slots: Mapping[str, Any], mentions: Sequence[Mention], bounds: Mapping[str, str]) -> Means:
    """What may be spent and used, and what is ruled out."""
    return Means(
        budget=_budget(slots.get("budget"), bounds),
        hours=_hours(mentions, slots.get("duration")),
        utilization=slots.get("utilization"),
        span_days=_time(mentions, "span", _DAYS),
        deadline_hours=_time(mentions, "deadline", _HOURS),
        electricity=_money(slots.get("electricity_price")),
        deploy=slots.get("deploy"),
        providers=_listed(slots.get("provider")),
        region=slots.get("region"),
        excluded=excluded_of(mentions),
        bounds=tuple(sorted(bounds.items())),
    )


def excluded_of(mentions: Sequence[Mention]) -> tuple[tuple[str, str], ...]:
    """Pairs of kind and value of everything that is ruled out."""
    found: dict[tuple[str, str], None] = {}
    for mention in mentions:
        if mention.role == "excluded":
            found[_ruled_out(mention.kind, str(mention.value))] = None
    return tuple(found)


def ruled_out_by(candidates: Sequence[Candidate], roles: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The same of candidates and the part that each plays."""
    found: dict[tuple[str, str], None] = {}
    for candidate, role in zip(candidates, roles, strict=True):
        if role == "excluded" or (role == "limit" and candidate.value == NEW_ONLY):
            value, _ = measured(candidate)
            found[_ruled_out(candidate.kind, str(value))] = None
    return tuple(found)


def _ruled_out(kind: str, value: str) -> tuple[str, str]:
    return _CONDITIONS.get(value) or (_EXCLUDED_KIND.get(kind, kind), value)


def _money(value: object) -> Amount | None:
    if not isinstance(value, Mapping) or value.get("amount") is None:
        return None
    return Amount(Decimal(str(value["amount"])), str(value.get("currency") or ""))


def _budget(value: Any, bounds: Mapping[str, str]) -> Budget | None:
    amount = _money(value)
    if amount is None:
        return None
    return Budget(amount, Period(value.get("period") or "once"), bounds.get("budget", "max"))


def _hours(mentions: Sequence[Mention], duration: Any) -> Hours | None:
    """Hours of use: of a mention with that role, else of the duration that the grammars read."""
    for mention in mentions:
        unit, _, per = mention.unit.partition("/")
        if mention.role == "usage" and unit in _HOURS and isinstance(mention.value, (int, float)):
            return Hours(mention.value * _HOURS[unit], Period(per or "once"))
    if isinstance(duration, Mapping) and duration.get("per") and duration.get("amount") is not None:
        return Hours(float(duration["amount"]) * _HOURS[str(duration["unit"])], Period(str(duration["per"])))
    return None


def _time(mentions: Sequence[Mention], role: str, table: Mapping[str, float]) -> float | None:
    for mention in mentions:
        if mention.role == role and mention.unit in table and isinstance(mention.value, (int, float)):
            return float(mention.value) * table[mention.unit]
    return None


def slots_of(values: Sequence[SlotValue]) -> tuple[dict[str, object], dict[str, str]]:
    """Slots by name as the taxonomy has them, without what is ruled out; and which of them are bounds."""
    slots: dict[str, Any] = {}
    bounds: dict[str, str] = {}
    for found in values:
        if found.negated:
            continue
        if found.slot in {"gpu", "model"}:
            listed = slots.setdefault(found.slot, [])
            if found.value not in listed:
                listed.append(found.value)
        elif found.slot in {"provider", "precision"} and found.slot in slots:
            before = slots[found.slot]
            slots[found.slot] = [*(before if isinstance(before, list) else [before]), found.value]
        else:
            slots.setdefault(found.slot, found.value)
        if found.bound:
            bounds.setdefault(found.slot, found.bound)
    return slots, bounds
