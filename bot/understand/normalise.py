"""Brings a message into one form: width, case, script and spacing evened out, with a map back to the raw text.

Every step works character by character, so each normalised character knows the raw character it came from. Long
texts are cut first, so the time is bounded whatever is sent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from bot.core.text import HEAD, MOST_READ

_REMEMBERED = 8192
"""Characters whose even form is remembered."""

_DROPPED = frozenset({"Mn", "Me", "Cf", "Cc", "Cs", "Co", "Cn"})
_NOTHING: Final = frozenset({"Cc", "Cs", "Co", "Cn"})
"""Of those, the kinds of which no form of a character makes anything else."""
_SPACE_LIKE = frozenset(" \t\n\r\f\v\u2028\u2029\u00a0\u3000")
_SAME = {
    **dict.fromkeys((0x2018, 0x2019, 0x02BC), "'"),
    **dict.fromkeys((0x201C, 0x201D), '"'),
    **dict.fromkeys((0x00D7, 0x2715, 0x2716), "x"),
    **dict.fromkeys((0x2010, 0x2011, 0x2013, 0x2014, 0x2212), "-"),
    **dict.fromkeys((0x223C, 0x301C), "~"),
    0x00A5: "\uffe5",
    0x3001: ",",
    0x3002: ";",
    0x30FB: " ",
    0xFE45: ", ",
}
"""Signs that people use for one another."""
_LISTED = re.compile(r"(?<=\d)\u3001(?=\d{3}(?!\d))")
"""Between two numbers of a list, which are no thousands of one number."""
_MENTION = re.compile(r"^\s*@\S+\s+")
_QUOTED = re.compile(r"^>[^\n]*\n", re.M)
_ALIKE = re.compile(r"(?<![a-z0-9])(?=[a-z0-9]*[oil])(?=[a-z0-9]*\d)[a-z]{0,3}[0-9oil]{2,5}(?:ti|s|d)?(?![a-z0-9])")
_SPACES = re.compile(" +")
_UNSINGLE = "\0"
"""Stands for a character whose even form is none or several; no even form holds it."""
_MIXED = re.compile(r"[0-9](?:[oil]|(?<=[oil].))")
"""A figure with a look-alike letter beside it: where none stands, no token can hide a card."""
_TO_DIGITS = str.maketrans({"o": "0", "i": "1", "l": "1"})


class NormalisedText(NamedTuple):
    """`text` is the even form; `offsets[i]` is where its i-th character stands in `raw`."""

    raw: str
    text: str
    offsets: list[int]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the even form stands in the raw text, half open."""
        if start >= end or not self.offsets:
            return (0, 0)
        return self.offsets[start], self.offsets[end - 1] + 1


HAN_FIRST, HAN_LAST = "\u3400", "\u9fff"


def is_han(character: str) -> bool:
    """Whether a character is a Chinese ideograph."""
    return HAN_FIRST <= character <= HAN_LAST


def rewritten(normalised: NormalisedText, pieces: Iterable[tuple[int, int, str]]) -> NormalisedText:
    """A text with pieces of it written otherwise (start, end, how, in order); each character knows where it came from.

    The first characters of a piece keep their places, the last one has that of its end.
    """
    text, offsets = normalised.text, normalised.offsets
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for start, end, right in pieces:
        parts += [text[done:start], right]
        places += offsets[done:start]
        if right:
            places += [offsets[min(start + i, end - 1)] for i in range(len(right) - 1)] + [offsets[max(end - 1, 0)]]
        done = end
    parts.append(text[done:])
    places += offsets[done:]
    return NormalisedText(normalised.raw, "".join(parts), places)


class _Remembered(dict[int, str]):
    """The even form of single characters for `str.translate`, worked out when first met."""

    def __init__(self, one: Callable[[str], str]) -> None:
        """`one` evens a character."""
        super().__init__()
        self._one = one

    def __missing__(self, code: int) -> str:
        even = self._one(chr(code))
        if len(even) != 1:
            even = _UNSINGLE
        if len(self) < _REMEMBERED:
            self[code] = even
        return even


class Normaliser:
    """Knows the script table and the card keys that look-alike letters may hide."""

    def __init__(
        self,
        script: Mapping[int, str],
        card_keys: frozenset[str] = frozenset(),
        regional: Mapping[str, str] | None = None,
    ) -> None:
        """Take the tables.

        Args:
            script: traditional code point -> simplified character.
            card_keys: "3090", "a100" ...
            regional: word of another region, in simplified characters -> the word used here.
        """
        self._map = {**dict(script), **_SAME}
        self._card_keys = card_keys
        self._regional = dict(regional or {})
        words = sorted(self._regional, key=lambda word: (-len(word), word))
        self._any_regional = re.compile("|".join(map(re.escape, words))) if words else None
        self._one_seen = lru_cache(_REMEMBERED)(self._one)
        self._even = _Remembered(self._one)

    def __call__(self, raw: str) -> NormalisedText:
        """Normalise one message. The same text again gives the same text (idempotent)."""
        kept, positions = _cut(raw)
        if kept.isascii() and kept.isprintable() and _is_tidy(kept):
            return NormalisedText(raw, self._repair(kept.lower()), list(positions))
        kept = _LISTED.sub("\ufe45", kept)
        text = kept.translate(self._even)
        if _UNSINGLE in text:
            text, positions = self._one_by_one(kept, positions)
        text, offsets = _tidied(text, positions)
        if self._any_regional is not None:
            text, offsets = self._in_words_used_here(text, offsets, self._any_regional)
        return NormalisedText(raw, self._repair(text), offsets)

    def _in_words_used_here(self, text: str, offsets: list[int], any_word: re.Pattern[str]) -> tuple[str, list[int]]:
        """The same with words of other regions replaced; a new word stands where the old one began and ended."""
        parts: list[str] = []
        places: list[int] = []
        done = 0
        for found in any_word.finditer(text):
            start, end = found.span()
            word = self._regional[found[0]]
            parts += (text[done:start], word)
            # the first characters keep their places, the last one that of the end
            places += offsets[done:start] + [offsets[min(start + n, end - 1)] for n in range(len(word) - 1)]
            places.append(offsets[end - 1])
            done = end
        if not done:
            return text, offsets
        return "".join(parts) + text[done:], places + offsets[done:]

    def _one_by_one(self, kept: str, positions: list[int] | range) -> tuple[str, list[int]]:
        """A text in which a character becomes none or several, and where each of the new ones came from."""
        evens = list(map(self._one_seen, kept))
        places = [place for place, even in zip(positions, evens, strict=True) for _ in even]
        return "".join(evens)[:MOST_READ], places[:MOST_READ]

    def _one(self, character: str) -> str:
        if "!" <= character <= "~":
            return character.lower()
        if character in _SPACE_LIKE:
            return " "
        if is_han(character):
            return self._map.get(ord(character), character)
        if unicodedata.category(character) in _NOTHING:
            return ""
        kept = [part for part in _folded(character) if unicodedata.category(part) not in _DROPPED]
        return "".join([_spaced(self._map.get(ord(part), part)) for part in kept])

    def _repair(self, text: str) -> str:
        """Digits for look-alike letters (3o90), only where a real card comes out and the token itself is none."""
        if not self._card_keys or not _MIXED.search(text):
            return text

        def mend(match: re.Match[str]) -> str:
            token = match.group()
            if token in self._card_keys:
                return token
            head = re.match(r"[a-z]*?(?=[0-9oil]*\d)", token)
            start = head.end() if head else 0
            for cut in (start, 0, 1, 2, 3):
                tail = token[cut:]
                ending = next((end for end in ("ti", "s", "d") if tail.endswith(end)), "")
                body = tail[: len(tail) - len(ending)] if ending else tail
                mended = token[:cut] + body.translate(_TO_DIGITS) + ending
                if mended != token and mended in self._card_keys:
                    return mended
            return token

        return _ALIKE.sub(mend, text)


def _folded(character: str) -> str:
    """A character in lower case and of plain width."""
    folded = character.lower()
    if unicodedata.is_normalized("NFKC", character) and unicodedata.is_normalized("NFKC", folded):
        return folded
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).lower())


def _spaced(part: str) -> str:
    """A space for white space of any kind."""
    return " " if part in _SPACE_LIKE or part.isspace() else part


def _is_tidy(text: str) -> bool:
    """Whether all white space is one space between words."""
    return "  " not in text and text[:1] != " " and text[-1:] != " "


def _tidied(text: str, positions: list[int] | range) -> tuple[str, list[int]]:
    """Without spaces at the ends and beside Chinese characters, and with one between words."""
    if " " not in text:
        return text, list(positions)
    parts: list[str] = []
    offsets: list[int] = []
    done = 0
    for run in _SPACES.finditer(text):
        start, end = run.span()
        if start and end < len(text) and not is_han(text[start - 1]) and not is_han(text[end]):
            start += 1
        if start < end:
            parts.append(text[done:start])
            offsets += positions[done:start]
            done = end
    if not done:
        return text, list(positions)
    parts.append(text[done:])
    offsets += positions[done:]
    return "".join(parts), offsets


def _cut(raw: str) -> tuple[str, list[int] | range]:
    """The part of a message that is read, without a leading mention and quoted lines, and where it stood."""
    positions: list[int] | range
    if len(raw) > MOST_READ:
        positions = [*range(HEAD), *range(len(raw) + HEAD - MOST_READ, len(raw))]
        raw = raw[:HEAD] + raw[HEAD - MOST_READ :]
    else:
        positions = range(len(raw))
    if raw[:1] in "@ \n" or ">" in raw:
        keep = [True] * len(raw)
        mention = _MENTION.match(raw)
        if mention:
            keep[: mention.end()] = [False] * mention.end()
        for quoted in _QUOTED.finditer(raw):
            if quoted.end() < len(raw):
                keep[quoted.start() : quoted.end()] = [False] * (quoted.end() - quoted.start())
        positions = [position for position, kept in zip(positions, keep, strict=True) if kept]
        raw = "".join(character for character, kept in zip(raw, keep, strict=True) if kept)
    return raw, positions
