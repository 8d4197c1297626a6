"""What becomes larger or smaller by a share or so many times, of what a sum was about: bot/topics/general.yaml."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

from advisor.calculators import QUANTITIES
from advisor.files import Contents
from bot.read.hints import evened
from bot.read.measured_units import Measure
from bot.read.spotting import Spotted, WordFinder
from bot.read.thing_words import singular

_SHARES: Final = frozenset({"share", "times", "fold"})
_WAYS: Final = ("left", "less", "more")
_PIECES: Final = frozenset({"item", "run", "request", "step", "round", "token"})
_HALF, _TWICE = 0.5, 2.0
_WORD: Final = re.compile(r"[a-z][a-z'-]*|[\u3400-\u9fff]")


class Change(NamedTuple):
    """What becomes so many times as much, and so much more."""

    quantity: str
    """"" for the speed at which everything goes."""
    times: float
    more: float = 0.0


class Factor(NamedTuple):
    """How many times as much, and the words of the message in the singular. Never stored."""

    times: float
    words: frozenset[str]


class Relative:
    """Words of changes. Holds no state."""

    def __init__(self, content: Contents, even: Callable[[str], str]) -> None:
        """`content` is the part `relative` of the lexicon; `even` normalises a word as messages are."""
        self._words = {kind: frozenset(evened(listed, even)) for kind, listed in content["words"].items()}
        self._things = [
            (frozenset(evened(entry["words"], even)), tuple(entry["quantities"])) for entry in content["things"]
        ]
        self._added = [
            (frozenset(evened(entry["words"], even)), next(iter(entry["quantity"]))) for entry in content["added"]
        ]
        listed = (*self._words.values(), *(words for words, _ in (*self._things, *self._added)))
        self._finder = WordFinder(word for words in listed for word in words)

    def read(
        self, text: str, measures: Sequence[Measure], known: Collection[str]
    ) -> tuple[list[Change], frozenset[int]]:
        """The changes that a message speaks of, and where the numbers stand that they took.

        Args:
            text: the even text.
            measures: its numbers.
            known: quantities of the sum before.
        """
        spotted = self._finder.spot(text)
        found = [Change(quantity, 1.0, 1.0) for words, quantity in self._added if spotted.any(words)]
        shares = (one for one in measures if one.kind in _SHARES and not one.per)
        factor = next(((self._times(spotted, one), one.start) for one in shares), None) or self._in_words(spotted)
        if factor is None:
            return found, frozenset()
        change = self._change(spotted, self._thing(spotted, known), factor[0])
        return ([*found, change], frozenset({factor[1]})) if change is not None else ([], frozenset())

    def factor(self, text: str, measures: Sequence[Measure]) -> Factor | None:
        """How many times as much something becomes, and the words of the message, one of which may say what.

        Args:
            text: the even text.
            measures: its numbers.
        """
        spotted = self._finder.spot(text)
        shares = (one for one in measures if one.kind in _SHARES and not one.per)
        found = next(((self._times(spotted, one), one.start) for one in shares), None) or self._in_words(spotted)
        if found is None or found[0] <= 0:
            return None
        return Factor(found[0], frozenset(map(singular, _WORD.findall(text))))

    def _change(self, spotted: Spotted, thing: str | None, times: float) -> Change | None:
        """What becomes so many times as much: the thing that is named, else the speed."""
        if thing is not None:
            return Change(thing, times)
        if spotted.any(self._words["faster"]):
            return Change("", times)
        return Change("", 1 / times) if spotted.any(self._words["slower"]) and times else None

    def _times(self, spotted: Spotted, measure: Measure) -> float:
        """How many times as much a share or a number of times makes of a thing."""
        if measure.kind == "times":
            return measure.value
        behind = spotted.text[measure.start : measure.end + 12]
        before = spotted.text[max(0, measure.start - 8) : measure.end]
        told = {kind for kind in _WAYS if any(word in behind or word in before for word in self._words[kind])}
        if "left" in told or not told:
            return measure.value
        return 1.0 - measure.value if "less" in told else 1.0 + measure.value

    def _in_words(self, spotted: Spotted) -> tuple[float, int] | None:
        """Half and twice as words, which stand at no number."""
        if spotted.any(self._words["halved"]):
            return _HALF, -1
        return (_TWICE, -1) if spotted.any(self._words["doubled"]) else None

    def _thing(self, spotted: Spotted, known: Collection[str]) -> str | None:
        """The quantity of the sum before that is named."""
        named: Iterable[tuple[str, ...]] = (quantities for words, quantities in self._things if spotted.any(words))
        told = next((one for quantities in named for one in quantities if one in known), None)
        return told or self._only_counted(spotted, known)

    def _only_counted(self, spotted: Spotted, known: Collection[str]) -> str | None:
        """The one thing that was counted, where half or twice of a noun of the user's own is meant."""
        pieces = [one for one in known if QUANTITIES[one].unit in _PIECES]
        whole = spotted.any(self._words["halved"] | self._words["doubled"])
        return pieces[0] if len(pieces) == 1 and whole and not spotted.any(self._words["other"]) else None
