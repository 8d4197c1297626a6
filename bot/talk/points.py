"""What a pointing word picks from what was shown: by place, by price, by size, by letter or number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.talk.turn import Turn, sizes_of

_PLACES: Final = {"first": 0, "second": 1, "third": 2, "last": -1}
_BY_ORDER: Final = {"smaller": 0, "larger": -1}
"""Of variants in the order of their size."""
_ORDINARY: Final = frozenset({"super", "max", "pro"})
"""Letters of names that are ordinary words, too: an edition only behind an article or before a word that points."""
_LETTERS: Final = "abcdef"


def pointed(turn: Turn, listed: Sequence[str], prices: Sequence[float], sizes: Sequence[float] = ()) -> str:
    """The name that is pointed at, "" where none is; the smaller and the larger one by `sizes` where they are known."""
    if not listed:
        return ""
    words = {**_PLACES, **(_sized_places(sizes) or ({} if turn.asks_itself else _BY_ORDER))}
    for word, place in words.items():
        if turn.has(word) and place < len(listed):
            return listed[place]
    if turn.has("middle"):
        return listed[len(listed) // 2]
    found = _by_price(turn, listed, prices) or _by_label(turn, listed) or _by_size(turn, listed)
    return found or _by_edition(turn, listed)


def _sized_places(sizes: Sequence[float]) -> dict[str, int]:
    """Where the smallest and the largest stand; nothing where all are alike, or not known."""
    return {} if len(set(sizes)) <= 1 else {"smaller": sizes.index(min(sizes)), "larger": sizes.index(max(sizes))}


def placed(turn: Turn, spoken: Sequence[str]) -> str:
    """Of what was spoken of one after the other, that of a place that is named, "" for none."""
    if not spoken:
        return ""
    return next((spoken[at] for word, at in _PLACES.items() if turn.has(word) and at < len(spoken)), "")


def _by_price(turn: Turn, listed: Sequence[str], prices: Sequence[float]) -> str:
    """The cheapest or the dearest of what was shown with a price."""
    if not prices or len(prices) != len(listed):
        return ""
    for word, choose in (("cheaper", min), ("dearer", max)):
        if turn.has(word):
            return listed[prices.index(choose(prices))]
    return ""


def _by_size(turn: Turn, listed: Sequence[str]) -> str:
    """The only name that holds a number of the message as its memory; a question of its own points at none."""
    if turn.asks_itself:
        return ""
    sizes = sizes_of(turn.understanding)
    fitting = [name for name in listed if not sizes.isdisjoint(name.split())]
    return fitting[0] if len(fitting) == 1 else ""


def _by_edition(turn: Turn, listed: Sequence[str]) -> str:
    """By the letters that tell a name apart from the others, or by a word for the one that has none."""
    if "gpu" in turn.slots or "model" in turn.excluded:
        return ""
    apart = _told_apart(listed)
    if turn.has("plain"):
        plain = [name for name, letters in apart.items() if not letters]
        return plain[0] if len(plain) == 1 else ""
    tokens = set(turn.understanding.tokens) - (set() if turn.has("the_edition") else _ORDINARY)
    said = [name for name, letters in apart.items() if not letters.isdisjoint(tokens)]
    return said[0] if len(said) == 1 else ""


def _told_apart(listed: Sequence[str]) -> dict[str, set[str]]:
    """Name -> words of letters that it has beside those of all names of its number."""
    words = {name: {one for one in name.casefold().split() if one.isalpha()} for name in listed}
    return {
        name: own.difference(*(other for other_name, other in words.items() if other_name != name))
        for name, own in words.items()
    }


def _by_label(turn: Turn, listed: Sequence[str]) -> str:
    """By a letter or a figure that stands alone at the head."""
    label = turn.understanding.said.label
    place = _LETTERS.find(label) if len(label) == 1 and label.isalpha() else int(label) - 1 if label.isdecimal() else -1
    return listed[place] if 0 <= place < len(listed) else ""


def named_by(turn: Turn, choices: Sequence[str]) -> str:
    """The offered choice that is named by place, number or its own words."""
    found = pointed(turn, choices, ())
    if found:
        return found
    said = turn.understanding.normalised.strip(" .!?;,")
    return next(
        (choice for choice in choices if said and (said == choice.casefold() or said in choice.casefold().split())), ""
    )
