"""Days of the week that are named one by one or from one to another: how many of a week they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from advisor.calculators import Given
from bot.understand.slots.found import Reading

_WEEK: Final = 7
_SEVERAL: Final = 2


class Weekdays:
    """Names of the days, lexicon/measures.yaml."""

    def __init__(self, content: Mapping[str, Sequence[Sequence[str]]], even: Callable[[str], str]) -> None:
        """Take the part `weekdays_named`; `even` normalises a word as messages are."""
        signs = {sign: at for week in content["days"] for at, sign in enumerate(even(str(week)))}
        spelt = {even(name): at for at, names in enumerate(content["spelt"]) for name in names}
        self._place = signs | spelt
        heads, ranges, behind, joins = (
            _any_of(content[kind], even=even) for kind in ("heads", "till", "behind", "joins")
        )
        day, words = f"[{''.join(signs)}]", _any_of(spelt, even=even)
        self._day = re.compile(rf"(?P<till>{ranges})|(?<![a-z])(?P<word>{words})(?![a-z])|(?P<sign>{day})")
        head, join = f"(?:{heads})", rf"(?:\s*(?:[,/&+]|{joins})*\s*|{ranges})"
        self._lists = (
            re.compile(rf"{head}{day}(?:{join}(?:{head})?{day})+"),
            re.compile(rf"(?<![\d.]){day}(?:[,/]{day})+(?={behind})"),
            re.compile(rf"(?<![a-z])(?:{words})(?:\s*(?:{join}|{ranges})\s*(?:{words}))+(?![a-z])"),
        )

    def named(self, reading: Reading) -> tuple[Given, ...]:
        """The days of a week that are named, at least two; their characters are claimed."""
        for pattern in self._lists:
            found = pattern.search(reading.text)
            if found is None or not reading.is_free(*found.span()):
                continue
            count = len(self._days(found.group()))
            if _SEVERAL <= count <= _WEEK:
                reading.claim(*found.span())
                return (Given("days_week", float(count)),)
        return ()

    def _days(self, text: str) -> set[int]:
        """Places in the week of the days that are named, those between two ends among them."""
        days: list[int] = []
        reaching = False
        for found in self._day.finditer(text):
            if found.group("till"):
                reaching = bool(days)
                continue
            at = self._place[found.group()]
            if reaching:
                days += [(days[-1] + step) % _WEEK for step in range(1, (at - days[-1]) % _WEEK)]
                reaching = False
            days.append(at)
        return set(days)


def _any_of(words: Iterable[Sequence[str]], even: Callable[[str], str]) -> str:
    """A pattern of any of these words, the longer first."""
    listed = {even(str(word)) for word in words}
    return "|".join(map(re.escape, sorted(listed, key=lambda word: (-len(word), word))))
