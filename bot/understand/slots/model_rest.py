"""What of a model's name was not read: a version, a variant word, a size that its record does not have.

"FLUX.3" is no FLUX.1 and "Devstral 123B" no Devstral of 24B: what stays unread behind a name makes it the name of
another model, which is given back as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from bot.core.numbers import figure
from bot.understand.files import Models
from bot.understand.gazetteer import ModelName
from bot.understand.slots.found import Reading
from bot.understand.slots.model_family import FamilyNames, active_at, size_at
from bot.understand.tokens import Token

_SAME_SIZE: Final = 0.15
"""Relative difference up to which a size said is the one of the record, rounded."""
_LEAST_WORD: Final = 2
_LEAST_DAY: Final = 4
"""Figures of the day of a release ("2507")."""
_MOST_CONTEXT: Final = 4.0
"""Millions of tokens that the longest contexts have."""
_BASE: Final = "base"
"""A size of encoders; of a decoder the model before it was taught to chat, which is as large."""
_WORDS: Final = re.compile(r"[A-Za-z]+")
_SIZED: Final = re.compile(r"\d[bm](?![a-z])", re.IGNORECASE)
_HIGHEST_VERSION: Final = 100.0
_BEFORE_SIZE: Final = frozenset({"(", "+"})
"""Signs behind which only a size goes on with a name."""
_PATCH: Final = "/"
_DOUBLED: Final = ("+", "+")
"""Written on to the name of a network these make it another one ("UNet++")."""
_JOINERS: Final = frozenset({"-", "_", ":", "."})


class ModelRest:
    """Looks for what is left of a name behind the part that was read."""

    def __init__(
        self,
        grammar: Models,
        families: FamilyNames,
        is_word: Callable[[str], bool],
        models: Sequence[ModelName],
    ) -> None:
        """`is_word`: a word of another kind."""
        sizes = {one.name: (one.parameters / 1e9, one.active / 1e9) for one in models}
        self._kinds = _kinds(grammar, models)
        self._families, self._is_word, self._sizes = families, is_word, sizes
        self._letters = frozenset(grammar["version_letters"]) | {"v"}
        self._sizes_lettered = frozenset(grammar["size_letters"])
        self._with_base = frozenset(_head(name) for name in sizes if _BASE in _WORDS.findall(name.casefold()))
        self._also = frozenset(grammar["unread"])

    def behind(self, reading: Reading, end: int, name: str) -> tuple[bool, int]:
        """Whether a part stands behind a name that it does not have, and the token behind all parts."""
        tokens = reading.tokens
        unread, counted, at = False, False, end
        sized = _SIZED.search(name) is not None
        while at < len(tokens):
            if _is_doubled(tokens, at):
                return True, at + len(_DOUBLED)
            sign, step = _joiner(tokens, at)
            if not reading.is_free(tokens[step].start, tokens[step].end):
                break
            size, after = self._size(tokens, step)
            if after and not counted:
                counted = sized = True
                unread, at = unread or not self._is_size_of(name, size), after
                continue
            after = 0 if sign in _BEFORE_SIZE else self._part(tokens, step, joined=bool(sign), sized=sized)
            if not after:
                break
            unread, at = unread or not self._is_neutral(tokens, step, name), after
        return unread, at

    def _size(self, tokens: list[Token], at: int) -> tuple[tuple[str, str], int]:
        """Total and active size that stand here ("35b-a3b"), and the token behind them; 0 where none does."""
        alone, end = active_at(tokens, at) if tokens[at].text == "a" else ("", at)
        if alone:
            return ("", alone), end
        total = size_at(tokens, at) if tokens[at].kind == "n" else ""
        if not total or (tokens[at + 1].text == "m" and _is_no_count(tokens[at].text)):
            return ("", ""), 0
        active, after = active_at(tokens, at + 2)
        return (total, active), after

    def _is_size_of(self, name: str, said: tuple[str, str]) -> bool:
        """Whether the sizes said are those of the record; one that states none has any."""
        known = self._sizes.get(name)
        if not known or not known[0]:
            return True
        total, active = (figure(size) if size else None for size in said)
        fits = total is None or any(size and abs(total - size) <= _SAME_SIZE * size for size in known)
        return fits and (active is None or abs(active - known[1]) <= _SAME_SIZE * known[1])

    def _part(self, tokens: list[Token], at: int, *, joined: bool, sized: bool) -> int:
        """The token behind a part of a name that stands here; 0 where none does."""
        token = tokens[at]
        if token.kind == "n":
            is_version = joined or (not sized and self._families.is_version(tokens, at))
            return self._version(tokens, at) if is_version else 0
        if token.kind != "w":
            return 0
        letters = self._letters | self._sizes_lettered if joined else self._letters
        return self._lettered(tokens, at, letters) or self._word(tokens, at, joined=joined, sized=sized)

    def _word(self, tokens: list[Token], at: int, *, joined: bool, sized: bool) -> int:
        """The token behind a word that is a part of the name; 0 where it is a word of its own."""
        word = tokens[at].text
        if word in self._also or word in self._families.variants:
            belongs = word in self._also or self._families.is_variant(tokens, at, sized=sized)
        elif word in self._families.skip:
            belongs = joined or tokens[at].glued
        else:
            belongs = joined and (
                self._is_name(tokens, at) if len(word) >= _LEAST_WORD else word in self._sizes_lettered
            )
        return at + 1 if belongs else 0

    def _is_name(self, tokens: list[Token], at: int) -> bool:
        """Whether a word behind a hyphen is a name's: another family, or nobody's word and no format ("fp8")."""
        if tokens[at].text in self._families.openers:
            return True
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        formats = following is not None and following.glued and following.kind == "n"
        return not formats and not self._is_word(tokens[at].text)

    def _lettered(self, tokens: list[Token], at: int, letters: Collection[str]) -> int:
        """The token behind a version or size with a letter ("k2.5", "v4", "b5"); 0 where none stands here."""
        if tokens[at].text not in letters or at + 1 >= len(tokens):
            return 0
        following = tokens[at + 1]
        if not following.glued or following.kind != "n" or _goes_on(tokens, at + 2):
            return 0
        return at + 2 if (figure(following.text) or _HIGHEST_VERSION) < _HIGHEST_VERSION else 0

    def _version(self, tokens: list[Token], at: int) -> int:
        """The token behind a version written on to a name ("flux.3"), or behind the day of a release."""
        return 0 if _goes_on(tokens, at + 1) else at + 1

    def _is_neutral(self, tokens: list[Token], at: int, name: str) -> bool:
        """Whether a part changes nothing: a word, version or kind of the record, "instruct", the day of a release."""
        token = tokens[at]
        if token.kind == "w" and token.text in (name.casefold() if len(token.text) >= _LEAST_WORD else _ending(name)):
            return True
        if token.text in self._kinds.get(name, self._kinds.get(_head(name), ())):
            return True
        if token.text == _BASE and _head(name) in self._with_base:
            return False
        if token.kind == "n":
            return len(token.text) >= _LEAST_DAY or ("." in token.text and name.endswith(token.text))
        return token.text in self._families.skip and not self._lettered(tokens, at, self._letters)


def _kinds(grammar: Models, models: Sequence[ModelName]) -> dict[str, frozenset[str]]:
    """Words for the kind of a record, by its name and by the first word of names that all are of one kind."""
    words = {kind: frozenset(map(str, said)) for kind, said in grammar["kinds"].items()}
    heads: dict[str, set[str]] = {}
    for one in models:
        heads.setdefault(_head(one.name), set()).add(one.modality)
    told = {head: found.pop() for head, found in heads.items() if len(found) == 1}
    told |= {one.name: one.modality for one in models}
    return {name: words[kind] for name, kind in told.items() if kind in words}


def _is_no_count(number: str) -> bool:
    """Whether so many M are no size: the tokens of a long context ("-1M"), or a day of release."""
    return len(number) >= _LEAST_DAY or (figure(number) or 0.0) <= _MOST_CONTEXT


def _head(name: str) -> str:
    """The first word of a name."""
    return next(iter(_WORDS.findall(name.casefold())), "")


def _ending(name: str) -> str:
    """The single letter that a name ends with ("swin_l", "YOLO12-s"), as a text of at most one letter."""
    return name[-1:].casefold() if _WORDS.findall(name)[-1:] == [name[-1:]] else ""


def _goes_on(tokens: list[Token], at: int) -> bool:
    """Whether a token writes letters or figures on to the one before it."""
    return at < len(tokens) and tokens[at].glued and tokens[at].kind in "nw"


def _joiner(tokens: list[Token], at: int) -> tuple[str, int]:
    """The sign between two parts of a name that stands here, "" for none, and the token of the part behind it."""
    if at + 1 >= len(tokens):
        return "", at
    sign = tokens[at].text
    if sign == "(" or (tokens[at].glued and (sign == "+" or (sign in _JOINERS and tokens[at + 1].glued))):
        return sign, at + 1
    if sign == _PATCH and _is_patch(tokens, at):
        return sign, at + 1
    return "", at


def _is_doubled(tokens: list[Token], at: int) -> bool:
    """Whether two pluses are written on to what stands before."""
    signs = tokens[at : at + len(_DOUBLED)]
    return tuple(one.text for one in signs) == _DOUBLED and all(one.glued for one in signs)


def _is_patch(tokens: list[Token], at: int) -> bool:
    """Whether the patch of a network with a lettered size is said behind a stroke ("vit-b/32")."""
    lettered = at > 0 and len(tokens[at - 1].text) == 1 and tokens[at - 1].kind == "w"
    return lettered and tokens[at].glued and tokens[at + 1].glued and tokens[at + 1].kind == "n"
