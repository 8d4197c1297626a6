"""Sets misspelt English words right: one slip, words of five letters or more, only towards known words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from bot.understand.normalise import NormalisedText, rewritten

_WORD = re.compile(r"(?<![a-z0-9'])[a-z]{4,40}(?![a-z0-9'])")
"""What may be a misspelt word: no word people use is longer."""
_ENDINGS = ("s", "ed", "ing", "ly", "er", "es", "d")
_APART = ",.;!?()"
"""Signs that end a word as white space does."""
_REMEMBERED = 2048
"""Words whose look-up is remembered."""
_LONGEST_PIECE = 24
SHORTEST = 5
"""Below five letters a slip makes too many other words."""


class Speller:
    """Known words by their first and by their last two letters: one slip leaves one of the two pairs alone."""

    def __init__(
        self,
        vocabulary: Iterable[str],
        known: frozenset[str],
        prefixes: tuple[str, ...],
        *,
        right: frozenset[str] = frozenset(),
        short_forms: Mapping[str, str] | None = None,
    ) -> None:
        """`vocabulary`: words to mend towards; `known`: words that belong here; `prefixes`: known stems.

        `right`: words of other subjects that are no misspelling; `short_forms`: chat spelling -> the words meant.
        """
        self._known = known
        self._prefixes = prefixes
        self._right = right
        self._short_forms = dict(short_forms or {})
        forms = "|".join(re.escape(form) for form in sorted(self._short_forms, key=lambda form: (-len(form), form)))
        self._short = re.compile(rf"(?<![^\s,.;!?(])(?:{forms})(?![^\s,.;!?)])") if forms else None
        self._short_heads = frozenset(_apart(form)[0] for form in self._short_forms)
        self._right_pieces: set[str] = set()
        # a word is looked up once: people use the same ones
        self.knows = lru_cache(_REMEMBERED)(self._knows)
        self._repaired = lru_cache(_REMEMBERED)(self.repair)
        self._by_head: dict[tuple[str, int], list[str]] = {}
        self._by_tail: dict[tuple[str, int], list[str]] = {}
        for word in sorted(vocabulary):
            if len(word) >= SHORTEST:
                self._by_head.setdefault((word[:2], len(word)), []).append(word)
                self._by_tail.setdefault((word[-2:], len(word)), []).append(word)

    def _knows(self, word: str) -> bool:
        """Whether a word is right as it is."""
        if word in self._known or (self._prefixes and word.startswith(self._prefixes)):
            return True
        return any(
            word.endswith(end) and word[: -len(end)] in self._known for end in _ENDINGS if len(word) - len(end) > 3
        )

    def mend(self, normalised: NormalisedText) -> NormalisedText:
        """The text with misspelt words set right; every character still knows where it came from."""
        pieces = self._slips(normalised.text)
        return rewritten(normalised, pieces) if pieces else normalised

    def _slips(self, text: str) -> list[tuple[int, int, str]]:
        """Start and end of what has to be written otherwise, and how."""
        unsure = set(_apart(text)) - self._right_pieces
        if not unsure or all(map(self._is_right, unsure)):
            return []
        repaired = self._repaired
        pieces = [(m.start(), m.end(), right) for m in _WORD.finditer(text) if (right := repaired(m.group()))]
        if self._short is not None:
            pieces += [(m.start(), m.end(), self._short_forms[m.group()]) for m in self._short.finditer(text)]
            pieces.sort()
        return pieces

    def _is_right(self, piece: str) -> bool:
        """Whether nothing in a piece between signs has to be written otherwise; remembered of plain words."""
        if piece in self._short_heads or any(map(self._repaired, _WORD.findall(piece))):
            return False
        if len(piece) <= _LONGEST_PIECE and piece.isascii() and len(self._right_pieces) < _REMEMBERED:
            self._right_pieces.add(piece)
        return True

    def repair(self, word: str) -> str:
        """The known word one slip away from an unknown one; "" when there is none. Ties go to the same length first."""
        if len(word) < SHORTEST - 1 or not word.isalpha() or word in self._right or self.knows(word):
            return ""
        size = len(word)
        close = [
            known
            for long in ((size - 1, size, size + 1) if size >= SHORTEST else (size + 1,))
            for known in (*self._by_head.get((word[:2], long), ()), *self._by_tail.get((word[-2:], long), ()))
            if _one_slip(word, known)
        ]
        return min(close, key=lambda known: (known[0] != word[0], len(known) != len(word), known), default="")


def _apart(text: str) -> list[str]:
    """What stands between white space and the signs that end a word."""
    for sign in _APART:
        text = text.replace(sign, " ")
    return text.split()


def _one_slip(left: str, right: str) -> bool:
    """Whether one letter inserted, left out, replaced or two neighbours swapped turns one word into the other."""
    start = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        start += 1
    a, b = left[start:], right[start:]
    swapped = b[1:2] + b[:1] + b[2:]
    return a[1:] in (b, b[1:]) or a in (b[1:], swapped)
