"""A model named by its parts: family, version, variant words, size, active part ("qwen3-vl-30b-a3b").

The parts make a signature in which order, hyphens and words that change nothing ("instruct", "awq") do not count; two
spellings of one record have the same one, and a name with another part has another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from bot.core.numbers import figure
from bot.understand.files import Models
from bot.understand.slots.found import Reading
from bot.understand.slots.names import NameTree
from bot.understand.tokens import Token

_VERSION_LIMIT: Final = 20.0
BILLION: Final = frozenset({"b", "bn", "billion"})
_MILLIONS: Final = frozenset({"m"})
SIZED: Final = BILLION | _MILLIONS
"""Units that the parameters of a model are counted in."""
_MILLION: Final = 0.001
_UNITS: Final = {"b": 1.0, "bn": 1.0, "billion": 1.0, "t": 1e3, "m": 1e-3}
_SIZE: Final = re.compile(r"\d+(?:\.\d+)?")
_DATE: Final = re.compile(r"2[3-9][01]\d(?:[0-3]\d)?|0[1-9][0-3]\d")
"""A release told by its day ("2507", "0528"): the same model again."""
_FORMAT: Final = "fp"
"""Ends the names of number formats: what is written on to it is their width ("mxfp4")."""
_AFTER_SIZE: Final = frozenset({"x", "q", "lora", "int", "s"})


class FamilyName(NamedTuple):
    """What a family name with its parts says, and the token behind it."""

    family: str
    version: str
    variants: tuple[str, ...]
    size: str
    active: str
    end: int

    @property
    def series(self) -> str:
        """Everything but the size."""
        version = f"-{self.version}" if self.version[:1].isalpha() else self.version
        return self.family + version + "".join(f"-{one}" for one in sorted(self.variants))

    @property
    def signature(self) -> str:
        """All parts, the active one left out."""
        return f"{self.series} {self.size}" if self.size else self.series

    @property
    def whole(self) -> str:
        """All parts."""
        return f"{self.signature}-a{self.active}" if self.active else self.signature


_AND: Final = "plus"
"""Ends names of models, and joins."""
_OPENING: Final = frozenset({"a", "an", "another", "my", "our", "some", "the", "two"})


@dataclass(slots=True)
class _Parts:
    version: str = ""
    variants: list[str] = field(default_factory=list)
    size: str = ""
    active: str = ""


class FamilyNames:
    """Families and the words that may follow them."""

    def __init__(self, grammar: Models, words: Callable[[str], list[str]]) -> None:
        """`grammar` is `languages/names/models.yaml`; `words` cuts a name into its tokens."""
        self._tree: NameTree[str] = NameTree()
        for family, spellings in grammar["families"].items():
            for spelling in spellings:
                self._tree.add(words(spelling), family)
        self.openers = self._tree.first_words()
        self.names = tuple(sorted(str(family) for family in grammar["families"]))
        self.skip = frozenset(grammar["skip"])
        self.variants: dict[str, str] = {str(word): str(shown) for word, shown in grammar["variants"].items()}
        self.apart = frozenset(grammar["apart"])
        self._letters = frozenset(grammar["version_letters"])
        self._no_variant_before = frozenset(grammar["no_variant_before"])
        self._counted = frozenset(map(str, grammar["counted"]))
        self._makers = frozenset(tuple(words(one)) for one in grammar["makers"])

    def first_words(self) -> frozenset[str]:
        """The tokens that families begin with."""
        return self._tree.first_words()

    def maker(self, reading: Reading, index: int, opening: Collection[str]) -> int:
        """The token behind a series that stands for its maker, right before another model's name; else 0."""
        said = self.read(reading, index)
        if said is None or said.signature != said.family or said.end >= len(reading.words):
            return 0
        at = said.end
        if reading.tokens[at].kind == "h" and at + 1 < len(reading.words) and reading.words[at] not in opening:
            at += 1  # the particle between a maker and its model
        is_maker = tuple(reading.words[index : said.end]) in self._makers
        return at if is_maker and reading.words[at] in opening else 0

    def read(self, reading: Reading, index: int) -> FamilyName | None:
        """The family that begins at a token, with every part that follows it."""
        walk = self._family_walk(reading, index)
        if walk is None:
            return None
        family, at = walk
        tokens, parts, end = reading.tokens, _Parts(), at
        while at < len(tokens):
            joined = at + 1 < len(tokens) and _joins(tokens, at)
            step = at + 1 if joined else at
            if not reading.is_free(tokens[step].start, tokens[step].end):
                break
            after = self._part(tokens, step, parts) or self._neutral(tokens, step)
            if not after:
                break
            at = after
            # a word that changes nothing belongs to the name only where it is written on to it
            if tokens[step].glued or tokens[step].text not in self.skip:
                end = at
        return FamilyName(family, parts.version, tuple(parts.variants), parts.size, parts.active, end)

    def _part(self, tokens: list[Token], at: int, parts: _Parts) -> int:
        """The token behind a part that stands here, which goes into `parts`; 0 where none does."""
        if tokens[at].kind == "n":
            return self._number(tokens, at, parts)
        if tokens[at].kind != "w":
            return 0
        return self._active(tokens, at, parts) or self._lettered(tokens, at, parts) or self._variant(tokens, at, parts)

    def _number(self, tokens: list[Token], at: int, parts: _Parts) -> int:
        """A mixture ("8x7b"), a size or a version."""
        token = tokens[at]
        mixture = _mixture_at(tokens, at)
        if mixture and not parts.size:
            parts.size, after = mixture
            return after
        if size := size_at(tokens, at):
            if parts.size:
                return 0
            parts.size = size
            return at + 2
        written_on = tokens[at - 1].text if token.glued else ""
        told_last = written_on == "v"  # "7b-instruct-v0.3"
        if parts.version or (parts.size and not told_last) or not self.is_version(tokens, at):
            return 0
        parts.version = plain(token.text)
        return at + 1

    def _active(self, tokens: list[Token], at: int, parts: _Parts) -> int:
        """The active part of a mixture ("a3b"), and the e of "e4b": as large in use as one of 4B."""
        letter = tokens[at].text
        if letter not in {"a", "e"} or at + 1 >= len(tokens) or not tokens[at + 1].glued:
            return 0
        size = size_at(tokens, at + 1)
        if not size:
            return 0
        if letter == "e" or not parts.size:
            parts.size = size if letter == "e" else f"a{size}"
        else:
            parts.active = size
        return at + 3

    def _lettered(self, tokens: list[Token], at: int, parts: _Parts) -> int:
        """A version with a letter ("k2.5", "m3")."""
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if parts.version or parts.size or tokens[at].text not in self._letters or following is None:
            return 0
        if not following.glued or following.kind != "n" or not _below_limit(following.text):
            return 0
        parts.version = tokens[at].text + plain(following.text)
        return at + 2

    def _variant(self, tokens: list[Token], at: int, parts: _Parts) -> int:
        """A word that makes it another model than the plain one of its family."""
        token = tokens[at]
        shown = self.variants.get(token.text)
        if shown is None or not self.is_variant(tokens, at, sized=bool(parts.size)):
            return 0
        if len(token.text) == 1 and not (token.glued and (token.text == "o" or parts.version[-1:].isdigit())):
            return 0
        if shown not in parts.variants:
            parts.variants.append(shown)
        return at + 1

    def is_variant(self, tokens: list[Token], at: int, *, sized: bool) -> bool:
        """Whether a variant word belongs to the name before it: written on to it, or of the kind that stands apart."""
        token = tokens[at]
        if token.glued:
            return True
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and (following.text in self._no_variant_before or _is_conjunction(token, following)):
            return False
        return token.text in self.apart or not sized

    def is_version(self, tokens: list[Token], at: int) -> bool:
        """Whether a number behind a name is its version ("llama 3 8b", "gemma 4 e4b"), not a count ("llama 4 gpus")."""
        token = tokens[at]
        if not _below_limit(token.text) or (token.glued and tokens[at - 1].text.endswith(_FORMAT)):
            return False
        if token.glued or "." in token.text or tokens[at - 1].text in "-_":
            return True
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        return following is None or following.text not in self._counted

    def _neutral(self, tokens: list[Token], at: int) -> int:
        """The token behind a word or day that changes nothing; 0 where none stands here."""
        token = tokens[at]
        if token.kind == "w" and token.text in self.skip:
            return at + 1
        day = token.kind == "n" and token.glued and _DATE.fullmatch(token.text)
        return (
            at + 1 if day and not (at + 1 < len(tokens) and tokens[at + 1].glued and tokens[at + 1].kind == "w") else 0
        )

    def _family_walk(self, reading: Reading, index: int) -> tuple[str, int] | None:
        """The family whose spelling starts here; a version may follow directly, so its end needs no boundary."""
        tokens = reading.tokens
        if not self._tree.starts(tokens[index].text):
            return None
        for width in (5, 4):
            family = self._tree.entry(reading.words[index : index + width])
            if family is not None and len(tokens) >= index + width:
                return family, index + width
        for width in (3, 2, 1):
            words = [word for word in reading.words[index : index + width + 1] if word != "-"][:width]
            family = self._tree.entry(words) if len(words) == width else None
            if family is not None:
                return family, _behind(tokens, index, width)
        return None


def _behind(tokens: list[Token], index: int, width: int) -> int:
    """The token behind so many words, hyphens not counted."""
    end, seen = index, 0
    while seen < width:
        seen += tokens[end].text != "-"
        end += 1
    return end


def _joins(tokens: list[Token], at: int) -> bool:
    """Whether a sign between two parts of a name stands here."""
    token = tokens[at]
    if token.text in {"-", "_", ":", "("}:
        return True
    return token.text in {"+", "."} and token.glued and tokens[at + 1].glued


def size_at(tokens: list[Token], at: int) -> str:
    """The size in billions that a number with its unit says ("35b", "2.4t", "270m"), "" where it says none."""
    if not is_size(tokens, at, frozenset(_UNITS)):
        return ""
    unit, number = tokens[at + 1].text, plain(tokens[at].text)
    return number if unit in BILLION else f"{(figure(number) or 0.0) * _UNITS[unit]:g}"


def active_at(tokens: list[Token], at: int) -> tuple[str, int]:
    """The active part written on to a size ("-a3b"), and the token behind all of it; ("", at) where none is."""
    step = at + 1 if at < len(tokens) and tokens[at].text in {"-", "_"} else at
    if step + 1 < len(tokens) and tokens[step].text == "a" and (size := size_at(tokens, step + 1)):
        return size, step + 3
    return "", at


def is_size(tokens: list[Token], at: int, units: frozenset[str] = BILLION) -> bool:
    """Whether a number is followed by b (billions of parameters), and nothing else hangs on."""
    if at + 1 >= len(tokens) or tokens[at + 1].text not in units or not _SIZE.fullmatch(tokens[at].text):
        return False
    if len(tokens[at + 1].text) == 1 and not tokens[at + 1].glued:
        return False
    after = tokens[at + 2] if at + 2 < len(tokens) else None
    return after is None or not after.glued or after.kind in "hs" or after.text in _AFTER_SIZE


def billions_at(tokens: list[Token], at: int, text: str, behind: re.Pattern[str]) -> float:
    """The size in billions that a number says, else 0; "m" says many things and needs a word for models behind it."""
    if is_size(tokens, at):
        return figure(tokens[at].text) or 0.0
    if not is_size(tokens, at, _MILLIONS) or not behind.match(text, tokens[at + 1].end):
        return 0.0
    return (figure(tokens[at].text) or 0.0) * _MILLION


def _mixture_at(tokens: list[Token], at: int) -> tuple[str, int] | None:
    """A mixture of experts: "8x7b"."""
    if at + 3 >= len(tokens) or tokens[at + 3].text != "b":
        return None
    if tokens[at + 1].text not in {"x", "*"} or not tokens[at + 1].glued:
        return None
    return f"{tokens[at].text}x{tokens[at + 2].text}", at + 4


def _below_limit(number: str) -> bool:
    """Whether figures may be the version of a family: "2.5", and "3.5.1" by its head."""
    value = figure(".".join(number.split(",")[0].split(".")[:2]))
    return value is not None and value < _VERSION_LIMIT


def plain(number: str) -> str:
    """A number as short as it can be: "7.0" -> "7"."""
    text = number.replace(",", "")
    return text.rstrip("0").rstrip(".") if "." in text and text.count(".") == 1 else text


def ties(tokens: list[Token], at: int) -> bool:
    """Whether a hyphen or a word is written on to what stands before it."""
    return at < len(tokens) and tokens[at].glued and (tokens[at].text == "-" or tokens[at].kind == "w")


def hyphened(tokens: list[Token], at: int) -> bool:
    """Whether a hyphen ties a token to a word before it."""
    return tied(tokens, at) and tokens[at - 2].kind == "w"


def tied(tokens: list[Token], at: int) -> bool:
    """Whether a hyphen ties a token to anything before it."""
    return at > 1 and tokens[at].glued and tokens[at - 1].text == "-" and tokens[at - 1].glued


def is_told_apart(series: str) -> bool:
    """Whether a series says more than its family: a variant or a version."""
    return "-" in series or series[-1:].isdigit()


def inside_word(tokens: list[Token], index: int) -> bool:
    """Whether a word is written on to another word or a number, so that no name begins with it."""
    glued = index > 0 and tokens[index].glued and tokens[index].kind == "w"
    return glued and tokens[index - 1].kind in "wn"


def counts_data(tokens: list[Token], at: int) -> bool:
    """Whether "100b" counts tokens of a data set, or is the active part ("a3b") of a mixture."""
    return at < len(tokens) and tokens[at].text in {"token", "tokens", "tok", "toks"}


def _is_conjunction(token: Token, following: Token) -> bool:
    """Whether a word that ends names stands between two things: one that opens a thing of its own follows."""
    return token.text == _AND and following.text in _OPENING
