"""What words of a message stand for beside its numbers: a time, a share, a kind of disk, how the sum is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from advisor.calculators import Given
from advisor.periods import DAYS_A_MONTH, HOURS_A_DAY, HOURS_A_YEAR
from bot.read.measured_units import Measure
from bot.read.spotting import Spotted

_IMPLIED: Final = (
    ("one_day", "deadline_hours", 24.0),
    ("monthly", "span_days", DAYS_A_MONTH),
    ("yearly", "span_days", HOURS_A_YEAR / HOURS_A_DAY),
    ("the_rest", "rest_of_budget", 1.0),
    ("squares", "exponent", 2.0),
    ("split", "split", 1.0),
    ("half_time", "utilization", 0.5),
    ("weekdays", "days_week", 5.0),
    ("weekends", "days_week", 2.0),
    ("best_kept", "checkpoints_more", 1.0),
)
"""Words of the lexicon, the quantity that they give, and its value."""
_RATED: Final = {"monthly": "month", "yearly": "year"}
"""Of these, the rate that the word makes of an amount of money: that is no time in itself."""
_FLAGS: Final = ("linear", "nonstop", "rivals", "totalled", "replaced")


class Hints:
    """The words of lexicon/measures.yaml that are no row and ask nothing."""

    def __init__(
        self,
        words: Mapping[str, Sequence[str]],
        formats: Mapping[str, float],
        disks: Mapping[str, float],
        even: Callable[[str], str],
    ) -> None:
        """Take the lists of the lexicon.

        Args:
            words: by what they stand for.
            formats: bytes of a number by the name of its format.
            disks: MB/s by kind of disk.
            even: normalises a word as messages are.
        """
        self._formats = {even(str(word)): float(size) for word, size in formats.items()}
        self._cache_words = frozenset(evened(words["cache_words"], even))
        self._disks = {even(word): float(rate) for word, rate in disks.items()}
        kinds = (*_FLAGS, "per_pieces", *(kind for kind, _, _ in _IMPLIED))
        self._words = {kind: frozenset(evened(words[kind], even)) for kind in kinds}

    def words(self) -> list[Iterable[str]]:
        """Every list of words of this table."""
        return [self._cache_words, tuple(self._formats), tuple(self._disks), *self._words.values()]

    def phrases(self, spotted: Spotted) -> list[tuple[int, int]]:
        """Places of the phrases that hold a number and are no measure, as those for day and night."""
        found: list[tuple[int, int]] = []
        for kind in ("one_day", "nonstop", "per_pieces"):
            for word in spotted.among(self._words[kind]):
                found += [(at, at + len(word)) for at in spotted.of(word)]
        return found

    def implied(self, spotted: Spotted, measures: Iterable[Measure], *, follows: bool = False) -> tuple[Given, ...]:
        """Values that words stand for, outside the measures that were read.

        Where a message `follows` a sum, the name of a format is that of whatever the sum was about.
        """
        listed = list(measures)
        taken = [(one.start, one.end) for one in listed]
        said = [
            Given(name, value)
            for kind, name, value in _IMPLIED
            if self._free(spotted, self._words[kind], taken) > _rated(listed, _RATED.get(kind, ""))
        ]
        found = [one for at, one in enumerate(said) if one.name != "days_week" or one not in said[:at]]
        disk = _first_held(spotted, self._disks)
        found += self._of_format(spotted, follows=follows)
        found += [Given("hours_day", HOURS_A_DAY)] if follows and spotted.any(self._words["nonstop"]) else []
        found += [Given("disk_mb_s", disk)] if disk else []
        return tuple(found)

    def _of_format(self, spotted: Spotted, *, follows: bool) -> list[Given]:
        """The bytes of the format that is named: of a cache, or of what the sum before was about."""
        size = _first_held(spotted, self._formats)
        kept = "kv_bytes" if spotted.any(self._cache_words) else "format_bytes" if follows else ""
        return [Given(kept, size)] if size and kept else []

    @staticmethod
    def _free(spotted: Spotted, words: frozenset[str], taken: list[tuple[int, int]]) -> int:
        """How often one of the words stands anywhere but in a measure."""
        places = {at for word in spotted.among(words) for at in spotted.of(word)}
        return sum(not any(start <= at < end for start, end in taken) for at in places)

    def flags(self, spotted: Spotted) -> frozenset[str]:
        """How the sum is meant."""
        return frozenset(kind for kind in _FLAGS if spotted.any(self._words[kind]))


def _rated(measures: Iterable[Measure], per: str) -> int:
    """How many amounts are said by the month or the year, the word before them."""
    ahead = (one for one in measures if one.kind in {"", "money"} and one.end - one.start <= len(one.text))
    return sum(per in one.per for one in ahead)


def _first_held(spotted: Spotted, sizes: Mapping[str, float]) -> float | None:
    """The value of the first word that stands in the text."""
    return next((size for word, size in sizes.items() if spotted.holds(word)), None)


def evened(words: Iterable[object], even: Callable[[str], str]) -> tuple[str, ...]:
    """Words in the form in which messages are read, the longer first."""
    return tuple(sorted({even(str(word)) for word in words}, key=lambda word: (-len(word), word)))
