"""Options in words' place: cards, price with where it is from, and both together, as values of other lines."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from advisor.models import Money, Note
from bot.answers.choose.offers import Shown
from bot.answers.phrases import cards_named
from bot.core.line import Figure, Label, Line, Worded, amount, amounts

_WHOLE: Final = 100
"""Amounts from here on are told without cents."""
_SPELLED: Final = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel sound, as that of RTX."""
_VOWELS: Final = frozenset("AEIO")
_TIERS: Final = frozenset({"community", "secure", "member", "8-gpu-node"})
"""Tiers of a provider that a price cannot be found again without."""


def cards_of(view: Shown) -> Line:
    """What is had: a card by its name, or several."""
    return cards_named(view.name, view.n)


def cards_picked(view: Shown) -> Line:
    """The same with an article, where the language has one."""
    if view.n > 1:
        return cards_of(view)
    return Line("offer.an" if _vowel(view.name) else "offer.a", {"name": view.name})


def _vowel(name: str) -> bool:
    first = name.split()[0] if name else ""
    letters = _SPELLED if first.isupper() else _VOWELS
    return first[:1] in letters


def price_of(view: Shown) -> Figure:
    """Its price, both ends where it stands as a range; an hour's when it is rented."""
    low, high = (view.low, view.high) if view.ranged else (view.price, view.price)
    return price_between(low, high, renting=view.channel == "rent")


def price_between(low: Money, high: Money, *, renting: bool = False) -> Figure:
    """Money from low to high, no finer than it is told."""
    return amounts(rounded(low), rounded(high), "hour" if renting else "")


def beyond(
    dear: tuple[Money, Money], other: tuple[Money, Money], days: Iterable[str], mark: Note | None = None
) -> Line:
    """What one price is more than another, each from low to high, with their days: the difference of two spans is one.

    Args:
        dear: the higher price, at least and at most.
        other: the lower one, of the same currency.
        days: when they were asked; empty where that is not known.
        mark: whose market they are of, where that is said.
    """
    told = days_named(days, mark)
    least, most = (
        Money(amount=_in_two_figures(one.amount - less.amount), currency=one.currency)
        for one, less in zip(dear, reversed(other), strict=True)
    )
    if least.amount <= 0:
        return Line("offer.beyond.most", {"more": amount(most), "days": told})
    return Line("offer.beyond", {"more": price_between(least, most), "days": told})


def days_named(days: Iterable[str], mark: Note | None = None) -> Line | None:
    """The days of several prices, each once, and whose market they are of; None where no day is known."""
    told = " / ".join(dict.fromkeys(filter(None, days)))
    return Line("offer.days", {"days": told, "mark": mark}) if told else None


def _in_two_figures(value: Decimal) -> Decimal:
    return value.quantize(Decimal(1)) if abs(value) < _WHOLE else Decimal(f"{value:.1e}")


def rounded(money: Money) -> Money:
    """Whole units from 100 on, else cents."""
    step = Decimal(1) if abs(money.amount) >= _WHOLE else Decimal("0.01")
    return money.model_copy(update={"amount": money.amount.quantize(step)})


def origin_of(view: Shown) -> Line:
    """Where a price is from and of which day, with what has to be said beside it."""
    dated = view.dated or None
    if view.launch:
        return Line("offer.launch", {"dated": dated})
    if not view.provider:
        return Line("offer.of_terms", {"terms": Label(view.terms, "terms"), "dated": dated, "mark": view.mark})
    tier = Label(view.tier, "tier") if view.tier in _TIERS else None
    return of_provider(view.provider, tier, view.dated, view.mark)


def of_provider(provider: str, tier: Label | None, dated: str, mark: Note | None) -> Line:
    """Whose price it is and of which day; that nobody knows the day, where nobody does."""
    told = dated or Line("offer.undated")
    return Line("offer.of_provider", {"provider": provider, "tier": tier, "dated": told, "mark": mark})


def offer_of(view: Shown) -> Line:
    """An option as a phrase: cards with their memory, price, origin."""
    values: dict[str, Worded] = {
        "cards": cards_of(view),
        "vram": Figure(view.vram_gib, "GB"),
        "price": price_of(view),
        "origin": origin_of(view),
    }
    return Line("offer.whole_each" if view.n > 1 else "offer.whole", values)
