"""What a message says beside its values: words that do something, numbers of any kind, what is ruled out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.core.understanding import Number, Said
from bot.read.build import ruled_out_by
from bot.read.candidates import Candidate, measured

if TYPE_CHECKING:
    from bot.read.clauses import Part
    from bot.read.reader import Read

_TOUCHING: Final = 1
"""Characters between a word of denial and what it denies."""
_WALL_WORD: Final = "watts"
"""Sign words that make a bare number one of watts."""
_REACH: Final = 2
"""Characters between a number and a word that is said of it."""
_DENIAL: Final = "deny"
_MONEY: Final = "money"
_AMOUNTS: Final = frozenset({"price", "budget", "electricity_price"})
"""Slots of money, whose amounts have their currency as a sign or as a word."""
_ACCEPTS, _ALLOWS, _OLD = "accept", "allow", "second_hand"
_USED: Final = ("condition", "used")
_ASKING: Final = ("?", "\u5417", "\u4e48", "\u4e0d", "\u5427")
"""What makes a question of a word of consent: a question mark, or a particle."""
_OF_NAMES: Final = frozenset({"provider", "gpu_family"})


def heard(read: Read, roles: Sequence[str], candidates: Sequence[Candidate]) -> Said:
    """What is said beside the values of a message.

    Args:
        read: the message.
        roles: the part of each candidate; none where they were not read.
        candidates: its names, numbers and qualifiers.
    """
    played = roles or [""] * len(candidates)
    acts, ruled = frozenset(name for _, _, name in read.marks.acts), ruled_out_by(candidates, played)
    if _ACCEPTS in acts and _accepted(read):
        acts, ruled = acts | {_ALLOWS}, tuple(pair for pair in ruled if pair != _USED)
    return Said(
        acts=acts - {_ACCEPTS},
        numbers=tuple(
            _number(read, one, role, candidates) for one, role in zip(candidates, played, strict=True) if one.quantity
        ),
        ruled_out=ruled,
        denied=_denied(read),
        denied_near=_denied_near(read),
        label=_label(read),
        size=len(read.analysis.reading.tokens),
    )


def _accepted(read: Read) -> bool:
    """Whether a word of consent that does not ask stands right behind a word for old cards."""
    flat = read.analysis.reading.flat
    spans = [(place.start, place.end) for place in read.analysis.reading.places if _OLD in place.concepts]
    for start, end, name in read.marks.acts:
        follows = name == _ACCEPTS and any(first < start <= last + _TOUCHING for first, last in spans)
        if follows and not flat[end : end + _TOUCHING + 1].strip().startswith(_ASKING):
            return True
    return False


def _number(read: Read, candidate: Candidate, role: str, candidates: Sequence[Candidate]) -> Number:
    value, unit = measured(candidate)
    said = candidate.quantity.value if candidate.quantity is not None else 0.0
    thousands = candidate.quantity is not None and candidate.quantity.magnitude == "k"
    kind = _MONEY if candidate.slot in _AMOUNTS else candidate.base.removeprefix("n:")
    whole = value if isinstance(value, (int, float)) else said
    if role != "wall_power" and not kind and _at_the_wall(read, candidate):
        role = "wall_power"
    beside = frozenset(
        name for start, end, name in read.marks.acts if start - candidate.end <= _REACH >= candidate.start - end
    )
    owner = _card_beside(candidate, candidates) if kind == _MONEY else ""
    return Number(whole, unit, kind, said, thousands, role, beside, owner)


def _card_beside(number: Candidate, candidates: Sequence[Candidate]) -> str:
    """The card that an amount of money is said of, "" where none is named.

    As many prices behind all cards are named in the order of the cards.
    """
    cards = [one for one in candidates if one.kind == "gpu"]
    prices = [one for one in candidates if one.slot in _AMOUNTS]
    if not cards:
        return ""
    if number in prices and len(prices) == len(cards) and prices[0].start > cards[-1].start:
        return str(cards[prices.index(number)].value)
    return str(_next_to(number, cards, leading=bool(prices) and prices[0].start < cards[0].start).value)


def _next_to(number: Candidate, cards: Sequence[Candidate], *, leading: bool) -> Candidate:
    """The card behind a number where the first price leads, else the card before it; else the nearest there is."""
    behind = [one for one in cards if one.start > number.start]
    if leading:
        return (behind or cards[-1:])[0]
    return (cards[: len(cards) - len(behind)] or cards)[-1 if len(behind) < len(cards) else 0]


def _at_the_wall(read: Read, candidate: Candidate) -> bool:
    """Whether a word for the whole machine's power stands right behind a bare number."""
    return any(name == _WALL_WORD and 0 <= start - candidate.end <= _REACH for start, _, name in read.marks.places)


def _denied(read: Read) -> frozenset[int]:
    """Places of the slot values that a word of denial stands right before."""
    offsets, flat = read.analysis.reading.offsets, read.analysis.reading.flat
    ends = [end for start, end, name in read.marks.places if name == _DENIAL and _denies(flat, start, end, offsets)]
    found: set[int] = set()
    for place, value in enumerate(read.analysis.understanding.slots if ends else ()):
        if any(0 <= value.span.start - offsets[end - 1] - 1 <= _TOUCHING for end in ends):
            found.add(place)
    return frozenset(found)


def _denies(flat: str, start: int, end: int, offsets: Sequence[int]) -> bool:
    """Whether a word of denial is one: between the same word twice it asks, and denies nothing."""
    asks = start > 0 and start + 1 < len(flat) and flat[start - 1] == flat[start + 1]
    return end <= len(offsets) and not asks


def _denied_near(read: Read) -> frozenset[str]:
    """Ideas, places and makers in a clause with a word of denial that does not ask."""
    denials = [start for start, _, name in read.marks.acts if name == _DENIAL]
    telling = [part for part in read.parts if denials and not part.asked]
    parts = [part for part in telling if any(part.start <= at < part.end for at in denials)]
    return frozenset(_named_in(read, parts)) if parts else frozenset()


def _named_in(read: Read, parts: Sequence[Part]) -> set[str]:
    """Ideas, places and makers in some clauses."""
    reading = read.analysis.reading
    ideas = {idea for place in reading.places if _within(place.start, parts) for idea in place.concepts}
    named = [value for value in reading.values if value.slot in _OF_NAMES and _within(value.start, parts)]
    return ideas | {str(value.value) for value in named}


def _within(at: int, parts: Sequence[Part]) -> bool:
    return any(part.start <= at < part.end for part in parts)


def _label(read: Read) -> str:
    """A letter or a figure that stands alone at the head."""
    tokens = read.analysis.reading.tokens
    alone = len(tokens) == 1 or (len(tokens) > 1 and tokens[1].kind == "s")
    return tokens[0].text if alone else ""
