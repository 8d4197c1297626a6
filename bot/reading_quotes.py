"""A price told in words: which card, used, new or rented, how much. Words are in lexicon/quotes.yaml."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from advisor.models import Frozen
from bot.core.understanding import Understanding
from bot.lexicons import load_lexicons

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from advisor.models import Gpu

_LONGEST: Final = 60
_ASIDE: Final = frozenset({"model", "task", "method", "budget", "duration", "utilization"})
"""Slots that make a sentence a question about a job."""
_MARKETS: Final = ("CNY", "USD", "EUR", "GBP")
"""Currencies of the markets that prices are kept of."""
_TO: Final = re.compile(r"\d\w?\s*[-~\u2013]\s*\d")
"""Between two amounts: they are the ends of a range."""
_NUMBER: Final = r"(?<![\w.,+-])(\d+(?:[.,]\d+)?)\s*({})?\s*(?:{})?(?![a-z0-9.])"
"""An amount that stands by itself: "1e30" and "-5200" are none."""
_BOUND: Final = r"(?<![a-z0-9]){}(?![a-z])"


class Words(Frozen):
    """Everything in lexicon/quotes.yaml."""

    commands: tuple[str, ...]
    confirm: tuple[str, ...]
    kinds: dict[str, tuple[str, ...]]
    currencies: dict[str, tuple[str, ...]]
    multipliers: dict[str, int]
    asking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """A price as somebody told it."""

    gpu: str
    """Gpu.id"""
    name: str
    kind: str
    amount: Decimal
    currency: str
    currency_said: bool = True
    """Not only taken from the language."""


@cache
def words() -> Words:
    """The words, read once."""
    path = Path(__file__).parent / "lexicon" / "quotes.yaml"
    return Words.model_validate(load_lexicons([path], [])[str(path)])


def argument_of(text: str) -> str | None:
    """What stands behind the command, or None when the text is none: `/price@bot 3090 5200` gives `3090 5200`."""
    name, _, rest = text.strip().partition(" ")
    return rest.strip() if name.split("@", 1)[0].casefold() in words().commands else None


def is_confirming(argument: str) -> bool:
    """Whether the command confirms what was told before."""
    return argument.strip().casefold().strip(".!") in words().confirm


def may_tell(text: str) -> bool:
    """Whether a sentence is worth reading for a price: short, with a number in it, and without a word that asks."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if len(folded) > 2 * _LONGEST or not any(one.isnumeric() for one in folded):
        return False
    return not any(_has(folded, word) for word in words().asking)


def told_in(read: Understanding, catalog: Catalog, *, sentence: bool) -> Told | None:
    """The price in a message; None when it names no card, no amount, or (as a sentence) asks something.

    Args:
        read: the message as it was understood.
        catalog: knows cards by name.
        sentence: said without the command, so that it must plainly be a report: a kind is named and nothing is asked.
    """
    text = read.normalised
    kind = _first(text, words().kinds)
    names = read.slot_values("gpu")
    if len(names) != 1 or (sentence and (not kind or _asks(read))):
        return None
    gpu = catalog.find_gpu(str(names[0]))
    amount = _amount(read)
    if gpu is None or amount is None or not _of_one(read, gpu):
        return None
    said = read.language == "zh" or bool(_first(text, words().currencies))
    return Told(gpu.id, gpu.name, kind or "used", amount, _currency(read), said)


def _of_one(read: Understanding, gpu: Gpu) -> bool:
    """Whether a price is that of one such card: no lot, no other board."""
    several = any(isinstance(one, int) and one > 1 for one in read.slot_values("gpu_count"))
    other = any(one != gpu.vram_gib for one in read.slot_values("vram_gb"))
    return not several and not other and _is_plain(read)


def _is_plain(read: Understanding) -> bool:
    """Whether at most one amount is said, no range, in money of a market."""
    said = [one for one in read.slots if one.slot == "price" and isinstance(one.value, dict)]
    foreign = any(one.value.get("currency") not in (None, *_MARKETS) for one in said)
    return len(said) <= 1 and not foreign and not any(_TO.search(one.text) for one in said)


def _asks(read: Understanding) -> bool:
    text = read.normalised
    aside = any(found.slot in _ASIDE for found in read.slots)
    return aside or len(text) > _LONGEST or any(_has(text, word) for word in words().asking)


def _has(text: str, word: str) -> bool:
    """Whether a word stands in a text: Latin ones by themselves, others anywhere."""
    if word.isascii() and word[0].isalnum():
        return re.search(_BOUND.format(re.escape(word)), text) is not None
    return word in text


def _first(text: str, groups: dict[str, tuple[str, ...]]) -> str:
    return next((name for name, found in groups.items() if any(_has(text, word) for word in found)), "")


def _currency(read: Understanding) -> str:
    for stated in read.slot_values("price"):
        if isinstance(stated, dict) and stated.get("currency"):
            return str(stated["currency"])
    return _first(read.normalised, words().currencies) or ("CNY" if read.language == "zh" else "USD")


def _amount(read: Understanding) -> Decimal | None:
    """The amount that was understood, else the only number that no other part of the message is made of."""
    for stated in read.slot_values("price"):
        if isinstance(stated, dict) and stated.get("amount"):
            return Decimal(str(stated["amount"]))
    text = read.normalised
    for found in read.slots:
        start, end = found.span
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    signs = "|".join(map(re.escape, words().multipliers))
    named = "|".join(re.escape(word) for found in words().currencies.values() for word in found)
    numbers = list(re.finditer(_NUMBER.format(signs, named), text))
    if len(numbers) != 1:
        return None  # of two amounts nobody knows which is meant
    try:
        value = Decimal(numbers[-1][1].replace(",", ""))
    except InvalidOperation:
        return None
    return value * words().multipliers.get(numbers[-1][2] or "", 1)
