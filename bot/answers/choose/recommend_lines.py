"""What a recommendation says: one pick with its price and reason, what it rests on, one way out; the rest below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from advisor.models import Note
from advisor.recommend import Recommendation
from advisor.recommend.history import Advice
from bot.answers.choose.offer_lines import cards_picked, offer_of, origin_of, price_of
from bot.answers.choose.offers import Shown
from bot.core.claims import Claim, Kind
from bot.core.line import Block, Depth, Figure, Label, Line, Listing, Table, Worded, gib

_FITS: Final = frozenset({"rec_fits", "rec_tight", "rec_has_vram"})
"""Reasons that speak of memory."""
_WHY: Final = ("rec_why_", "rec_only")
"""Reasons that decide between cards."""
_SAID: Final = frozenset({"rec_used", "rec_price_launch", "rec_price_expired"})
"""Reasons that stand beside the price already."""
_NAMED: Final = 6
"""Cards without a price that are named."""


@dataclass(frozen=True, slots=True)
class Recommended:
    """A recommendation with everything that is said of it."""

    found: Recommendation
    picks: tuple[Shown, ...]
    """Winner first."""
    other: Shown | None
    """The best the other way: to rent, or to buy."""
    lead: Line | None
    """What to say of an earlier pick; its `pick` is filled here."""
    turn: Note | None
    """At which price another card wins."""
    flips: tuple[Note, ...]
    remarks: tuple[Note, ...]
    """In order of weight."""
    basis: tuple[Note, ...]
    """What was taken where nothing was said."""
    advice: tuple[Advice, ...]
    """What documents advised in their year."""
    listed: bool
    """Several cards were asked for."""
    lasts: Line | None = None
    """For how long a sum that comes again rents the pick."""


def headline_of(told: Recommended) -> Line:
    """The pick, its price with date, and the reason that decided."""
    best = told.picks[0]
    values: dict[str, Worded] = {
        "cards": cards_picked(best),
        "price": price_of(best),
        "origin": origin_of(best),
        "reason": told.lasts or next((note for note in best.reasons if note.code.startswith(_WHY)), None),
    }
    if told.lead is not None:
        pick = Line("rec.pick.rent" if best.channel == "rent" else "rec.pick.buy", values)
        return Line(told.lead.say, {**told.lead.values, "pick": pick})
    return Line("rec.rent" if best.channel == "rent" else "rec.buy", values)


def lines_of(told: Recommended) -> tuple[Line, ...]:
    """What a group sees below the headline, the weightiest first."""
    return tuple(_lines(told))


def _lines(told: Recommended) -> Iterator[Line]:
    yield from _fit(told.picks[0])
    if told.remarks:
        yield Line("rec.remark", {"note": told.remarks[0]})
    if told.listed:
        yield from map(_runner_up, told.picks[1:])
    if told.other is not None:
        yield _other(told.other)
    if told.turn is not None:
        yield Line("rec.remark", {"note": told.turn})
    if not told.listed:
        yield from map(_runner_up, told.picks[1:2])
    if told.turn is None and told.flips:
        yield Line("rec.flip", {"flip": told.flips[0]})


def _fit(best: Shown) -> Iterator[Line]:
    fit = next((note for note in best.reasons if note.code in _FITS), None)
    more = next((note for note in reversed(best.reasons) if _beside(note)), None)
    if fit is not None:
        yield Line("rec.fit", {"fit": fit, "more": more})


def _beside(note: Note) -> bool:
    """Whether a reason adds to the pick beside what its memory, its price and the headline say."""
    return note.code not in _FITS | _SAID and not note.code.startswith(_WHY)


def _other(view: Shown) -> Line:
    values = {"offer": offer_of(view)}
    if view.tight:
        return Line("rec.other.rent_tight" if view.channel == "rent" else "rec.other.buy_tight", values)
    return Line("rec.other.rent" if view.channel == "rent" else "rec.other.buy", values)


def _runner_up(view: Shown) -> Line:
    reasons = tuple(note for note in view.reasons if note.code not in _SAID)
    return Line(f"rec.also.{view.role}", {"offer": offer_of(view), "reasons": reasons or None}, _claim(view))


def _claim(view: Shown) -> Claim | None:
    """What a runner-up is told for: it costs less than the pick, or is faster."""
    if view.role == "cheapest" and view.price_ratio is not None:
        return Claim(Kind.LESS, view.price_ratio, (1.0,))
    if view.role == "fastest" and view.speed_ratio is not None:
        return Claim(Kind.MORE, view.speed_ratio, (1.0,))
    return None


def blocks_of(told: Recommended) -> tuple[Block, ...]:
    """What a private chat sees besides, and what only the complete form has."""
    return tuple(_blocks(told))


def _blocks(told: Recommended) -> Iterator[Block]:
    best = told.picks[0]
    shown = next((note for note in reversed(best.reasons) if _beside(note)), None)
    reasons = [note for note in best.reasons if _beside(note) and note is not shown]
    below = (*told.remarks[1:], *reasons, *told.basis)
    if below:
        yield Listing(below)
    yield from _parts(told.found)
    others = told.picks[2:] if not told.listed else ()
    if others:
        yield Listing(tuple(map(_runner_up, others)), Line("rec.others"))
    flips = told.flips if told.turn is not None else told.flips[1:]
    if flips:
        yield Listing(flips, Line("rec.flips"))
    yield from _left_out(told.found)
    if told.advice:
        yield Listing(tuple(map(_advised, told.advice)), Line("rec.then"), Depth.DETAILS)


def _parts(found: Recommendation) -> Iterator[Block]:
    """Components of the memory need; nothing when the user asked for an amount of memory."""
    made, estimate = found.requirement.breakdown, found.requirement.estimate
    if made is None or estimate is None:
        return
    from bot.answers.memory.breakdown import breakdown  # the memory model is not loaded for wishes without a job

    rows = tuple((Label(part.name, "step"), Figure(part.value)) for part in breakdown(made) if part.value)
    yield Table((Line("rec.part"), Line("rec.memory")), rows, Line("rec.in_all", {"need": gib(estimate)}))


def _left_out(found: Recommendation) -> Iterator[Block]:
    lines: list[Line | Note] = [group.reason for group in found.ruled_out]
    if found.unpriced:
        count = len(found.unpriced)
        more = count - _NAMED if count > _NAMED else None
        lines.append(Line("rec.unpriced", {"names": found.unpriced[:_NAMED], "more": more}))
    if lines:
        yield Listing(tuple(lines), Line("rec.ruled_out"), Depth.DETAILS)


def _advised(entry: Advice) -> Line:
    return Line(
        "rec.advised", {"year": entry.as_of.year, "who": Label(entry.who, "advice_for"), "cards": entry.advises}
    )
