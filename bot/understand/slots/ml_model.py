"""Reads model names: by alias, by family with version and size ("qwen2.5-14b"), or by size alone ("a 7B model")."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.core.numbers import figure
from bot.understand.gazetteer import Gazetteer
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.names import NameTree, squeeze
from bot.understand.tokens import Token, tokenise

_VERSION_LIMIT = 20.0
_BILLION = frozenset({"b", "bn", "billion"})
_LARGEST = 3000.0
_YEARS = range(1990, 2100)
"""The b of "2021b" counts releases, not parameters."""
_LEAST_NAME = 4
_PARTICIPLES = ("ed", "ing", "ly")
_SIZE = re.compile(r"\d+(?:\.\d+)?")
_ENDS_SIZED = re.compile(r"\db$")


class ModelGrammar:
    """Aliases of the catalogue, families with version and size, and sizes alone."""

    def __init__(
        self,
        names: Gazetteer,
        grammar: Mapping[str, Any],
        even: Callable[[str], str],
        is_word: Callable[[str], bool],
    ) -> None:
        """`grammar` is `languages/names/models.yaml`; `even` normalises a surface; `is_word`: no unknown name."""
        self._even, self._is_word = even, is_word
        self._plain_before = frozenset(grammar["plain_before_size"])
        self._skip = frozenset(grammar["skip"])
        self._variants = frozenset(grammar["variants"])
        self._joining = frozenset(map(even, grammar["joining"]))
        self._needs_more = frozenset(grammar["needs_more"])
        self._same_as: dict[str, str] = dict(grammar["same_as"])
        self._other_before = {word: frozenset(nouns) for word, nouns in grammar["no_model_before"].items()}
        ignored = {even(alias) for alias in grammar["not_alias"]}
        self._families = NameTree()
        for family, spellings in grammar["families"].items():
            for spelling in spellings:
                self._families.add(self._words(spelling), family)
        self._family_names = tuple(sorted(str(family) for family in grammar["families"]))
        self._names = NameTree()
        self._known = {model.name for model in names.models}
        self._by_signature: dict[str, str] = {}
        for model in names.models:
            for spelling in (model.name, *model.aliases):
                signature = self._signature_of(spelling)
                if signature:
                    self._by_signature.setdefault(signature, model.name)
        for model in names.models:
            for spelling in (model.name, *model.aliases):
                if even(spelling) not in ignored and not self._is_only_family(spelling):
                    self._names.add(self._words(spelling), model.name, keep=True)
        for name, spellings in grammar["other"].items():
            for spelling in spellings:
                self._names.add(self._words(spelling), name)
        self._default_of = {
            even(alias): model.name for model in names.models for alias in model.aliases if self._is_only_family(alias)
        }
        self._opening = self._names.first_words() | self._families.first_words()

    def _words(self, name: str) -> list[str]:
        return [token.text for token in tokenise(self._even(name)).tokens if token.kind != "s"]

    def _reading(self, name: str) -> Reading:
        text = self._even(name)
        return Reading(text, text, list(range(len(text))), tokenise(text), "en")

    def _signature_of(self, name: str) -> str:
        reading = self._reading(name.split("/")[-1])
        found = self._family_at(reading, 0)
        return found[0] if found and found[2] else ""

    def _is_only_family(self, name: str) -> bool:
        reading = self._reading(name)
        found = self._family_at(reading, 0)
        if found is None or found[2] or found[1] < len(reading.tokens):
            return False
        return not any(token.text in self._skip for token in reading.tokens)

    # --- reading ---

    def read(self, reading: Reading) -> None:
        """Add every model of the message to its values and claim their place."""
        if not self._opening.isdisjoint(reading.words):
            self._named(reading)
        if not _BILLION.isdisjoint(reading.words):
            self._sizes_alone(reading)
        if len(reading.values) > 1:
            reading.values.sort(key=lambda value: value.start)

    def _named(self, reading: Reading) -> None:
        """Models by name, or by family with what follows it."""
        done = 0
        opening = self._opening
        for index in [index for index, word in enumerate(reading.words) if word in opening]:
            if index >= done:
                token = reading.tokens[index]
                if reading.is_free(token.start, token.end):
                    done = self._read_at(reading, index)

    def _read_at(self, reading: Reading, index: int) -> int:
        tokens = reading.tokens
        if tokens[index].glued and index and tokens[index - 1].kind == "w" and tokens[index].kind == "w":
            return index + 1
        if tokens[index].glued and index and tokens[index - 1].kind == "n" and tokens[index].kind == "w":
            return index + 1
        walk = self._names.walk(reading, index)
        family = self._family_at(reading, index)
        sized = self._sized(reading, walk.end, walk.entry) if walk is not None else None
        if family is not None and (walk is None or family[1] > walk.end):
            signature, end, size = family
            name = self._resolve(signature, size)
            if name and (sized is None or end > sized[1] or name in self._known):
                rule = "model family, version and size" if size else "model family"
                return self._siblings(reading, index, self._take(reading, index, end, name, rule))
        if sized is not None:
            return self._siblings(reading, index, self._take(reading, index, sized[1], sized[0], "model name and size"))
        if walk is not None and self._fits_here(reading, walk.start, walk.end):
            return self._siblings(reading, index, self._take(reading, index, walk.end, walk.entry, "model name"))
        return index + 1

    def _sized(self, reading: Reading, end: int, name: str) -> tuple[str, int] | None:
        """The plain id of a name that the catalogue does not hold with the size behind it ("mistral small 24b")."""
        tokens = reading.tokens
        at = end + 1 if end < len(tokens) and tokens[end].text in {"-", "_", ":"} else end
        if name in self._known or at >= len(tokens) or tokens[at].kind != "n":
            return None
        if not _is_size(tokens, at) or _counts_data(tokens, at + 2) or _ENDS_SIZED.search(name):
            return None
        return f"{name}-{_plain(tokens[at].text)}b", at + 2

    def _siblings(self, reading: Reading, first: int, end: int) -> int:
        """Names that are said by halves: "whisper medium or large-v3", "qwen2.5 7b or 14b".

        Gives the token to go on with.
        """
        words, rule = reading.words, "model name, first half said before"
        while end + 1 < len(words) and words[end] in self._joining:
            if not reading.is_free(reading.tokens[end + 1].start, reading.tokens[end + 1].end):
                break
            if _is_size(reading.tokens, end + 1):
                name = self._of_size(str(reading.values[-1].value), words[end + 1])
                if not name:
                    break
                end = self._take(reading, end + 1, end + 3, name, rule)
                continue
            walk = self._names.walk(reading, end + 1, behind=words[first])
            if walk is None:
                break
            end = self._take(reading, end + 1, walk.end, walk.entry, rule)
        return end

    def _of_size(self, name: str, size: str) -> str:
        """The known model of the same series with another size, else ""."""
        series, _, known = self._signature_of(name).rpartition(" ")
        found = self._resolve(f"{series} {_plain(size)}", _plain(size)) if series and known else ""
        return found if found in self._known else ""

    def _fits_here(self, reading: Reading, start: int, end: int) -> bool:
        """Keeps "sd card" and the letter pairs of longer words from being models."""
        tokens = reading.tokens
        if end - start == 1 and end < len(tokens):
            return tokens[end].text not in self._other_before.get(tokens[start].text, ())
        return True

    def _take(self, reading: Reading, index: int, end: int, name: str, rule: str) -> int:
        tokens = reading.tokens
        value = Value("model", name, tokens[index].start, tokens[end - 1].end, rule, known=name in self._known)
        reading.values.append(value)
        reading.claim(value.start, value.end)
        return end

    def _family_at(self, reading: Reading, index: int) -> tuple[str, int, str] | None:
        """(signature "family[version] [size]", end token, size) of a family name with what follows it."""
        walk = _family_walk(self._families, reading, index)
        if walk is None:
            return None
        family, at = walk
        tokens = reading.tokens
        version, size, end = "", "", at
        while at < len(tokens):
            token = tokens[at]
            if (token.text in {"-", "_", ":", "("} or (token.text == "+" and token.glued)) and at + 1 < len(tokens):
                at += 1
                continue
            if token.text == "e" and at + 1 < len(tokens) and tokens[at + 1].glued and _is_size(tokens, at + 1):
                at += 1  # "e4b": as large in use as one of 4B
                continue
            if token.kind == "n" and not size:
                mixture = _mixture_at(tokens, at)
                if mixture:
                    size, at = mixture
                elif _is_size(tokens, at):
                    size = _plain(token.text)
                    at += 2
                elif (
                    not version
                    and end == at - (at - end)
                    and _is_version(token.text)
                    and (token.glued or _version_like(tokens, at))
                ):
                    version = _plain(token.text)
                    at += 1
                else:
                    break
                end = at
                continue
            if token.kind == "w" and not size and (variant := self._variant(token, version)):
                version, at = version + variant, at + 1
                end = at
                continue
            if token.kind == "w" and token.text in self._skip:
                at += 1
                if (token.glued or tokens[at - 2].text in "-_") and not (at < len(tokens) and token.text == "v"):
                    end = at
                continue
            break
        signature = family + version + (f" {size}" if size else "")
        return signature, end, size

    def _variant(self, token: Token, version: str) -> str:
        """What a word behind a family adds to its version: "gemma3n", "qwen2.5-vl"; else ""."""
        if token.text == "n":
            return "n" if token.glued and version[-1:].isdigit() else ""
        return f"-{token.text}" if token.text in self._variants else ""

    def _resolve(self, signature: str, size: str) -> str:
        """Canonical name, else a plain id; "" when the family alone says too little."""
        for table in (self._same_as, self._by_signature):
            if signature in table:
                return table[signature]
        family = signature.split(" ")[0]
        if not size:
            if family in self._needs_more:
                return ""
            return self._default_of.get(family, family)
        return f"{family}-{size}b"

    def _sizes_alone(self, reading: Reading) -> None:
        """Sizes without a name ("7b", "8 billion"), and unknown names before a size ("foobar-13b")."""
        tokens = reading.tokens
        for index in reading.numbers:
            token = tokens[index]
            if not _is_size(tokens, index) or not reading.is_free(token.start, token.end):
                continue
            size = figure(token.text) or 0.0
            if not 0.05 <= size <= _LARGEST or size in _YEARS:
                continue
            name, start = f"llm-{size:g}b", token.start
            before = tokens[index - 1] if index else None
            if _counts_data(tokens, index + 2) or (before is not None and before.text == "a" and token.glued):
                continue
            unknown = self._unknown_before(reading, index)
            hyphened = before is not None and before.text == "-" and before.glued and token.glued and index >= 2
            if hyphened and tokens[index - 2].kind == "w" and len(tokens[index - 2].text) > 2:
                first = index - 2
                while (
                    first >= 2
                    and tokens[first - 1].text == "-"
                    and tokens[first - 2].kind == "w"
                    and tokens[first].glued
                ):
                    first -= 2
                words = "-".join(token.text for token in tokens[first : index - 1] if token.kind == "w")
                name, start = f"{words}-{size:g}b", tokens[first].start
            elif unknown:
                name, start = f"{unknown}-{size:g}b", tokens[index - 1].start
            value = Value("model", name, start, tokens[index + 1].end, "model size", known=name.startswith("llm-"))
            if not value.known:
                value.candidates = self._near(name.rsplit("-", 1)[0])
            reading.values.append(value)
            reading.claim(value.start, value.end)

    def _unknown_before(self, reading: Reading, index: int) -> str:
        """The word right before a size, if it is nobody's word: then it is a name that no list holds."""
        before = reading.tokens[index - 1] if index else None
        if before is None or before.kind != "w" or reading.tokens[index].glued or len(before.text) < _LEAST_NAME:
            return ""
        word = before.text
        if word.endswith(_PARTICIPLES) or word in self._plain_before or self._is_word(word):
            return ""
        return word if reading.is_free(before.start, before.end) else ""

    def _near(self, word: str) -> tuple[str, ...]:
        """Names of families that begin or end as a word does, for an offer of what may have been meant."""
        return tuple(name for name in self._family_names if name[:3] == word[:3] or name[-4:] == word[-4:])[:3]


def _family_walk(families: NameTree, reading: Reading, index: int) -> tuple[str, int] | None:
    """The family whose spelling starts here; a version may follow directly, so its end needs no boundary."""
    tokens = reading.tokens
    if not families.starts(tokens[index].text):
        return None
    for width in (3, 2, 1):
        words = [word for word in reading.words[index : index + width + 1] if word != "-"][:width]
        if len(words) < width:
            continue
        family = families.entry(words)
        if family is not None:
            end, seen = index, 0
            while seen < width:
                seen += tokens[end].text != "-"
                end += 1
            return family, end
    for width in (4, 5):
        family = families.entry(reading.words[index : index + width])
        if family is not None:
            return family, index + width
    return None


def _is_size(tokens: list[Token], at: int) -> bool:
    """Whether a number is followed by b (billions of parameters), and nothing else hangs on."""
    if at + 1 >= len(tokens) or tokens[at + 1].text not in _BILLION or not _SIZE.fullmatch(tokens[at].text):
        return False
    if tokens[at + 1].text == "b" and not tokens[at + 1].glued:
        return False
    after = tokens[at + 2] if at + 2 < len(tokens) else None
    return after is None or not after.glued or after.kind in "hs" or after.text in {"x", "q", "lora", "int", "s"}


def _counts_data(tokens: list[Token], at: int) -> bool:
    """Whether "100b" counts tokens of a data set, or is the active part ("a3b") of a mixture."""
    return at < len(tokens) and tokens[at].text in {"token", "tokens", "tok", "toks"}


def _mixture_at(tokens: list[Token], at: int) -> tuple[str, int] | None:
    """A mixture of experts: "8x7b"."""
    if (
        at + 3 < len(tokens)
        and tokens[at + 1].text in {"x", "*"}
        and tokens[at + 1].glued
        and tokens[at + 3].text == "b"
    ):
        return f"{tokens[at].text}x{tokens[at + 2].text}", at + 4
    return None


def _version_like(tokens: list[Token], at: int) -> bool:
    """Whether a number that stands apart is a version: "llama 3 8b", "qwen 2.5", not "llama 4 gpus"."""
    if "." in tokens[at].text:
        return True
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if tokens[at - 1].text in "-_":
        return True
    return following is not None and (
        following.kind == "n"
        or (following.text in "-_" and not following.text.isspace())
        or (following.text == "n" and following.glued)
    )


def _is_version(number: str) -> bool:
    """Whether figures may be the version of a family: "2.5", and "3.5.1" by its head."""
    value = figure(".".join(number.split(",")[0].split(".")[:2]))
    return value is not None and value < _VERSION_LIMIT


def _plain(number: str) -> str:
    """A number as short as it can be: "7.0" -> "7"."""
    text = number.replace(",", "")
    return text.rstrip("0").rstrip(".") if "." in text and text.count(".") == 1 else text


__all__ = ["ModelGrammar", "squeeze"]
