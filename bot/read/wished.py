"""The slot values of a message as its mentions play their parts: ruled out, set aside, or as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from bot.core.understanding import SlotValue, Span
from bot.read.build import NEW_ONLY, SIDES
from bot.read.candidates import Candidate, measured
from bot.read.denied import used_up
from bot.read.parts import POWER_PRICE, filled_by_part
from bot.read.played import ASIDE, CARD_UNIT, COUNT, LIKELY, PAID, SURE, Played, own_count, told_apart
from bot.understand.slots.found import Value

if TYPE_CHECKING:
    from bot.read.reader import Read

NO_ROLE: Final = "none"
"""The role of a piece of text that is no mention."""
LONG: Final = 24
"""Tokens of a message that may tell more than it asks."""
_LONGER: Final = 36
"""Tokens of a message that tells of who asks and what is in hand besides what it asks."""
MONEY: Final = frozenset({"price", "budget"})
_WISHES: Final = frozenset({"own", "wanted", "compared"})
_CARDS: Final = frozenset({"gpu", "gpu_count"})
_OPEN_TO_ANY: Final = frozenset({"recommend_gpu", "cluster_design", "estimate_memory", "gpu_count", "platform_choice"})
"""Needs that are about no card of somebody else's, even where no other card is named."""
_COUNTING: Final = frozenset({"gpu_count", "multi_gpu_scaling", "estimate_time"})
"""Needs that somebody else's number of cards may be about."""
_PARTS: Final = frozenset(
    {"gpu", "model", "provider", "gpu_family", "vram_gb", "gpu_count", "duration", "price", "budget", "ram_gb", "psu_w"}
    | {"batch"}
)
"""Slots whose values may be somebody else's, of the past, or beside the point."""
_RULED_OUT: Final = frozenset({"gpu", "gpu_family", "provider", "model", "deploy", "method", "precision"})
"""Slots whose values may be ruled out."""
_NO_PART_OF: Final = frozenset({"model", "vram_gb", "duration"})
"""Slots that a number or a name of a long message does not fill which plays no part."""
_OTHER_PARTS: Final[Mapping[str, frozenset[str]]] = {
    "budget": frozenset({"purchase_price", "resale_value", "rent_price", "electricity_price"}),
    "price": frozenset(
        {"resale_value", "setting", "total", "per_card", "electricity_price", "people", "own", "measured", "count"}
    ),
    "psu_w": frozenset({"wall_power", "card_power"}),
    "vram_gb": frozenset({"total", "setting", "measured", "excluded"}),
    "duration": frozenset({"total", "setting", "deadline"}),
    "batch": frozenset({"per_card"}),
    "gpu": frozenset({"purchase_price", "resale_value", "rent_price", "total", "measured", "setting"}),
    "gpu_count": frozenset({"setting", "measured", "people"}),
    "users": frozenset({"setting", "count", "usage", "measured"}),
}
"""Slots, and the parts of values that the grammars took for them and that are none."""
_MEANT: Final = frozenset(
    {
        ("price", "budget"),
        ("budget", "purchase_price"),
        ("budget", "rent_price"),
        ("price", POWER_PRICE),
        ("budget", POWER_PRICE),
    }
)
"""Slots of money, and the parts by which the other one is meant."""
_FILLS: Final[Mapping[str, tuple[str, str]]] = {"per_card": ("vram_gb", "GB"), COUNT: ("gpu_count", CARD_UNIT)}
"""Parts of numbers that no grammar claimed, the slot that they fill and their unit."""
_BILLS: Final = frozenset({"estimate_cost", "carbon_footprint", "rent_or_buy", "price_lookup"})
_TOTAL: Final = "total"
_SELLING: Final = frozenset({"resale", "past"})
"""Signs of what was or will be sold."""
_AMOUNTS: Final = frozenset({"budget", "purchase_price", "rent_price", "electricity_price", "resale_value"})
"""Parts of money."""
_CHOOSING: Final = frozenset(
    {"recommend_gpu", "cluster_design", "platform_choice", "rent_or_buy", "upgrade_or_not", "used_or_cheap"}
)
_SIZE_ALONE: Final = "llm-"
"""How a language model begins that is told by its size alone."""
_OF_A_CARD: Final = frozenset({"recommend_gpu", "compare_gpus", "upgrade_or_not", "used_or_cheap", "vendor_choice"})
"""Needs that judge a card by what it is to run, however it is said."""
_PRICED: Final = frozenset({"platform_howto", "price_lookup", "estimate_cost"})
_COUNTS_FOR: Final[Mapping[str, frozenset[str]]] = {"persona": _CHOOSING, "deploy": _CHOOSING | _PRICED}
"""Slots of who asks and how a card is come by, and the needs that they change: a long message tells of them besides."""
_HELD: Final = "laptop"
"""A way to come by a card that is a kind of machine too."""
_MAKER: Final = "gpu_family"
"""A slot whose denial may tell what a machine lacks."""
_DONE: Final = frozenset({"method", "precision"})
"""Slots of what is done with a card: a word of denial beside them is mostly one about something else."""
_USED: Final = "second_hand"
_ONLY, _DENY = "only", "deny"
"""What a message does: wants nothing else, rules something out."""
_BESIDE: Final = 2
"""Characters between such a word and what it is said of."""
_DENIALS: Final = ("neg", "<deny", ">deny", "=deny", "<denied", ">denied", "=denied")


class _About(NamedTuple):
    """What the values of a message are judged by."""

    need: str
    """The likeliest one."""
    long: bool
    """It may tell more than it asks."""
    tells: bool
    """It surely tells more than it asks."""
    billed: bool
    """A bill is asked about."""
    has_side: bool
    """A card is owned, wished or compared."""
    has_card: bool
    """A card is named."""


_NO_PART: Final = Played()


def wished(read: Read, roles: Sequence[tuple[str, float]]) -> tuple[SlotValue, ...]:
    """The slot values of a message without what is none of its wishes; what is ruled out stands as such.

    Args:
        read: the message.
        roles: the likeliest role of each candidate and its probability.
    """
    about = _about(read, roles)
    found = _with_parts(read, roles)
    kept = [pair for pair in (_judged(slot, its, about) for slot, its in found) if pair is not None]
    if about.billed:
        kept += _quoted_work(found, kept)
    prices = {role for role, chance in roles if role in PAID and chance >= LIKELY}
    told = _with_count(read, told_apart(own_count(read, roles, kept), several=len(prices) > 1))
    told += filled_by_part(read, roles, frozenset(slot.slot for slot in told), SURE)
    return (*told, *_unclaimed(read, roles, {slot.slot for slot in told})) if about.long else tuple(told)


def _with_count(read: Read, told: list[SlotValue]) -> list[SlotValue]:
    """The same with how many of the cards that are left there are, where others were set aside with theirs.

    A single card that no name stands beside is what they are held against.
    """
    cards = _of_slot(told, "gpu")
    stated = [slot.value for slot in _of_slot(told, "gpu_count")]
    counts = {card.count for card in cards} - {None, 0}
    named = read.analysis.reading.values
    if len(cards) == len(_of_slot(named, "gpu")) or stated not in ([], [1]) or len(counts) != 1:
        return told
    count = replace(cards[0], slot="gpu_count", value=counts.pop(), rule="count: of the card that is meant")
    return [*(slot for slot in told if slot.slot != "gpu_count"), count]


_Slotted = TypeVar("_Slotted", SlotValue, Value)


def _of_slot(values: Sequence[_Slotted], name: str) -> list[_Slotted]:
    return [one for one in values if one.slot == name]


def _with_parts(read: Read, roles: Sequence[tuple[str, float]]) -> list[tuple[SlotValue, Played]]:
    """Each value with the part that it plays."""
    played = {id(one.filled): Played(*role) for one, role in zip(read.candidates, roles, strict=True) if one.filled}
    values = zip(read.analysis.reading.values, read.analysis.understanding.slots, strict=True)
    pairs = [(value, slot, played.get(id(value), _NO_PART)) for value, slot in values]
    if not any(slot.negated for slot in read.analysis.understanding.slots) or not used_up(read):
        return [(slot, its) for _, slot, its in pairs]
    # what denies the one who lets a card denies not the card
    return [(replace(slot, negated=False) if its.role in _WISHES else slot, its) for _, slot, its in pairs]


def _about(read: Read, roles: Sequence[tuple[str, float]]) -> _About:
    ranking = read.analysis.understanding.ranking
    size = len(read.analysis.reading.tokens)
    cards = [role for one, role in zip(read.candidates, roles, strict=True) if one.kind == "gpu"]
    return _About(
        need=ranking[0].intent if ranking else "",
        long=size >= LONG,
        tells=size >= _LONGER,
        billed=bool(ranking) and ranking[0].intent in _BILLS,
        has_side=_has_side(cards, long=size >= LONG),
        has_card=bool(cards),
    )


def _has_side(cards: Sequence[tuple[str, float]], *, long: bool) -> bool:
    """Whether a card stays when those beside the point are set aside, by their parts and how sure these are.

    A short message tells of nobody's cards but those that it asks about.
    """
    sides = [role for role, _ in cards if role in SIDES]
    unsure = long and any(chance < SURE for _, chance in cards)
    # what one card is held against is its other side, even if somebody else said so
    return (bool(sides) and sides != ["compared"]) or (unsure and len(cards) > 1)


def _quoted_work(
    found: Sequence[tuple[SlotValue, Played]], kept: Sequence[tuple[SlotValue, Played]]
) -> list[tuple[SlotValue, Played]]:
    """How long others needed, which is what a bill is for where nothing else is said."""
    if any(slot.slot == "duration" for slot, _ in kept):
        return []
    return [(slot, its) for slot, its in found if slot.slot == "duration" and its.role == "quoted"]


def amounts_of_memory(read: Read) -> set[float]:
    """Every amount of memory of a message in GB, whatever part it plays."""
    amounts = [measured(one) for one in read.candidates if one.base == "n:memory"]
    return {float(value) for value, _ in amounts if isinstance(value, (int, float))}


def size_of_each(read: Read, roles: Sequence[tuple[str, float]]) -> float | None:
    """The memory that each card surely has by what is said; None where nothing or several sizes are."""
    sizes = {
        float(one.value)
        for one, (role, chance) in zip(read.candidates, roles, strict=True)
        if one.slot == "vram_gb" and role == "per_card" and chance >= SURE
    }
    return sizes.pop() if len(sizes) == 1 else None


def without_bare_money(read: Read, roles: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The same roles; a figure without a unit is money only where that is sure: "since 2017", "3d", "with 24".

    One that the grammars took for money is money whatever stands at it; without a word for selling nothing is got back.
    """
    sells = any(name in _SELLING for _, _, name in read.marks.places)
    return [
        _as_money(one, role, sells=sells) if role[0] in _AMOUNTS and role[1] < SURE else role
        for one, role in zip(read.candidates, roles, strict=True)
    ]


def _as_money(one: Candidate, role: tuple[str, float], *, sells: bool) -> tuple[str, float]:
    """The part of an amount that is not sure."""
    if one.slot not in MONEY or one.filled is None:
        return (NO_ROLE, role[1]) if one.base == "n:" else role
    return ("purchase_price", role[1]) if role[0] == "resale_value" and not sells else role


def insisted_on(read: Read, roles: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The same roles; what nothing else will do beside is wanted, though the message denies something else."""
    spans = [(start, end) for start, end, name in read.marks.acts if name == _ONLY and not _is_denied(read, start)]
    if not spans:
        return list(roles)
    return [_insisted(one, role, spans) for one, role in zip(read.candidates, roles, strict=True)]


def _insisted(one: Candidate, role: tuple[str, float], spans: Sequence[tuple[int, int]]) -> tuple[str, float]:
    """The part of a candidate beside words of "only": nothing but new ones rules the old ones out by itself."""
    if one.value == NEW_ONLY and any(one.start <= start and end <= one.end for start, end in spans):
        return "excluded", role[1]
    return ("wanted", role[1]) if role[0] == "excluded" and _touched(one, spans) else role


def _touched(one: Candidate, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether one of these words stands right beside a candidate."""
    return any(0 <= one.start - end <= _BESIDE or 0 <= start - one.end <= _BESIDE for start, end in spans)


def _is_denied(read: Read, at: int) -> bool:
    """Whether a word of denial stands right before this place."""
    return any(name == _DENY and 0 <= at - end <= _BESIDE - 1 for _, end, name in read.marks.acts)


def settled_roles(read: Read, roles: Sequence[tuple[str, float]]) -> list[str]:
    """The part that each candidate plays."""
    parts = zip(read.candidates, roles, read.signs, strict=True)
    settled = [_settled(one, name, chance, signs) for one, (name, chance), signs in parts]
    return _beside_used(read.candidates, roles, settled)


def _beside_used(
    candidates: Sequence[Candidate], roles: Sequence[tuple[str, float]], settled: Sequence[str]
) -> list[str]:
    """The same parts; of a new card and a used one "new" says what the first is, and rules none out."""
    settled = [
        NO_ROLE if name == NO_ROLE and _is_said_of(one, after) else part
        for one, after, (name, _), part in zip(
            candidates, (*candidates[1:], None)[: len(candidates)], roles, settled, strict=True
        )
    ]
    parts = list(zip(candidates, settled, strict=True))
    if not any(one.value == _USED and part != "excluded" for one, part in parts):
        return list(settled)
    plain = [one.value == NEW_ONLY and name == NO_ROLE for one, (name, _) in zip(candidates, roles, strict=True)]
    return [NO_ROLE if its else part for (_, part), its in zip(parts, plain, strict=True)]


def _is_said_of(one: Candidate, after: Candidate | None) -> bool:
    """Whether "new" stands right before a card, and so says only what that one is."""
    return one.value == NEW_ONLY and after is not None and after.kind == "gpu" and after.start - one.end <= 1


def _settled(one: Candidate, name: str, chance: float, signs: Sequence[str]) -> str:
    """The part of a candidate: ruled out is what is so surely, or likely beside a word of denial.

    That only new ones will do is a limit unless it surely just says what a card or a price is.
    """
    if one.value == NEW_ONLY:
        return name if name == NO_ROLE and chance >= SURE else "limit"
    if name == "excluded" and chance < (LIKELY if _may_be_denied(one, signs) else SURE):
        return ""
    return name


def _judged(slot: SlotValue, its: Played, about: _About) -> tuple[SlotValue, Played] | None:
    """A value as it stands, or ruled out; None for one that is set aside."""
    sure = its.chance >= SURE
    if sure and its.role == "excluded" and slot.slot in _RULED_OUT:
        return replace(slot, negated=True), its
    if about.tells and _is_besides(slot, about.need):
        return None
    if sure and (slot.slot, its.role) in _MEANT:
        return _as_meant(slot, its.role), its
    return None if sure and _is_no_wish(slot, its.role, about) else (slot, its)


def _is_no_wish(slot: SlotValue, role: str, about: _About) -> bool:
    """Whether a value plays another part, is said beside the point, or tells what a machine lacks."""
    if slot.negated and slot.slot == _MAKER and role == NO_ROLE:
        return True
    return _plays_another(slot, role, about) or _is_aside(slot.slot, role, about)


def _as_meant(slot: SlotValue, role: str) -> SlotValue:
    """Money that was taken for a price as what may be spent, or the other way round."""
    amount = dict(slot.value)
    if role == POWER_PRICE:
        return replace(slot, slot=POWER_PRICE, value={"amount": amount["amount"], "currency": amount.get("currency")})
    span = amount.pop("unit", None) or amount.pop("period", None)
    if role == "budget":
        return replace(slot, slot="budget", value={**amount, "period": "once" if span == "card" else span})
    unit = "hour" if role == "rent_price" and span == "once" else span
    return replace(slot, slot="price", value={**amount, "unit": "card" if unit == "once" else unit})


def _is_besides(slot: SlotValue, need: str) -> bool:
    """Whether who asks, or how a card is come by, changes nothing of what is asked for."""
    return slot.value != _HELD and need not in _COUNTS_FOR.get(slot.slot, {need})


def _plays_another(slot: SlotValue, role: str, about: _About) -> bool:
    """Whether a value is no such thing, or in a long message a number that nothing is asked of.

    Of a bill that is asked about, a time without a part may be the period; of a choice, a model what it is for.
    """
    if role == NO_ROLE:
        return about.long and slot.slot in _NO_PART_OF and not _is_for(slot, about)
    if not about.long and (slot.slot in MONEY or (role == _TOTAL and not about.has_side)):
        # a short line gives one amount of money, whatever it is for, and without a card one amount of memory
        return False
    return role in _OTHER_PARTS.get(slot.slot, ())


def _is_for(slot: SlotValue, about: _About) -> bool:
    """Whether a value without a part is what a bill or a choice is for: a time, or what a card will run."""
    if slot.slot == "model":
        return about.need in _OF_A_CARD or not str(slot.value).startswith(_SIZE_ALONE)
    return slot.slot == "duration" and about.billed


def _is_besides_all(slot: str, about: _About) -> bool:
    """Whether what others have says nothing in a long message: no card or number of cards that may be the subject."""
    if slot not in _CARDS:
        return True
    return about.need in _OPEN_TO_ANY or not (about.has_card or about.need in _COUNTING)


def _is_aside(slot: str, role: str, about: _About) -> bool:
    """Whether a value is somebody else's, of the past or beside the point, and not what is asked about."""
    if role not in ASIDE or slot not in _PARTS:
        return False
    if about.long and _is_besides_all(slot, about):
        return True
    # somebody else's card is the subject where no other is named; a short message says only money back
    return role != "quoted" or about.has_side or slot in MONEY


def _unclaimed(read: Read, roles: Sequence[tuple[str, float]], said: set[str]) -> Iterator[SlotValue]:
    """Numbers that no grammar claimed and that surely play the part of a slot that nothing else fills."""
    for one, (role, chance) in zip(read.candidates, roles, strict=True):
        slot, unit = _FILLS.get(role, ("", ""))
        if not slot or slot in said or chance < SURE or one.filled is not None:
            continue
        value, its_unit = measured(one)
        if its_unit == unit:
            said.add(slot)
            yield _of_part(read, one, slot, value)


def _of_part(read: Read, one: Candidate, slot: str, value: object) -> SlotValue:
    start, end = read.analysis.normalised.raw_span(one.start, one.end)
    return SlotValue(slot, value, Span(start, end), read.analysis.normalised.raw[start:end], "the part it plays")


def _may_be_denied(one: Candidate, signs: Sequence[str]) -> bool:
    """Whether a word of denial stands in the clause of a thing; what is done with it is denied of much else."""
    return one.slot not in _DONE and any(sign.startswith(_DENIALS) for sign in signs)
