"""Reads what has a shape of its own: resolutions, versions, CPU names; and signs that are no slots."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from bot.understand.files import Shapes
from bot.understand.slots.found import Reading, Value, holds
from bot.understand.tokens import tokenise

_RESOLUTION = re.compile(r"(?<![\d.])(\d{3,4}) ?[x*] ?(\d{3,4})(?!\d|\.\d)")
_LINES = re.compile(r"(?<![\d.])(480|720|1080|1440|2160)p(?![a-z])")
_WIDE = {"480": "854x480", "720": "1280x720", "1080": "1920x1080", "1440": "2560x1440", "2160": "3840x2160"}
_CU = re.compile(r"(?<![a-z])cu(\d{2})(\d)(?!\d)")
_DECIMAL = re.compile(r"(?<![\d.a-z])(1[0-3]\.\d|[89]\.\d)(?![\d.])")
_CUDA_ONLY = re.compile(r"(?<![\d.a-z])(1[0-3]\.[0-9])(?![\d.%])")
_FIRST_CUDA = 5.0
"""Lower ones are the number of a device ("cuda:0")."""
_OF_VERSIONS = frozenset({"cuda", "incompatible", "driver"})
_MONEY = ("$", "\uffe5")
_Version: TypeAlias = tuple[int, str, tuple[int, int]]
"""Where it begins, the version, the place that is claimed for it."""
_UNITS_BEHIND = ("g", "s", "it", "h", "t", "w", "m", "k", "x")
_LEAST_CPU_FIGURES = 5
"""A CPU without a name before it, or an x behind it, is called by this many figures at least."""
_CORE_I = re.compile(r"^(i[3579]) (?=\d)")


class ShapeGrammar:
    """The patterns of `languages/names/shapes.yaml`, compiled once."""

    def __init__(self, content: Shapes, even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        glue = _any_of(map(even, content["version_glue"]))
        self._frameworks = content["framework"]
        names = "|".join(sorted(self._frameworks, key=len, reverse=True))
        self._framework = re.compile(rf"(?<![a-z])({names})[ \-]?(?:{glue}| )*(\d+\.\d+(?:\.\d+)?)")
        self._cuda = re.compile(rf"(?<![a-z])cuda[ \-]?(?:{glue}| )*(\d{{1,2}}(?:\.\d)?)(?!\d)")
        self._cpu = re.compile(rf"(?<![a-z0-9])({'|'.join(content['cpu'])})(?![a-z0-9])")
        self._cpu_letters = frozenset(word for word in content["cpu_words"] if len(word) == 1)
        self._cpu_words = tuple(word for word in content["cpu_words"] if len(word) > 1)
        degrees = list(map(even, content["degrees"]))
        self._degree_heads = frozenset(tokenise(word).words[0] for word in degrees)
        self._degrees = re.compile(rf"(?<![\d.])(?:[5-9]\d|1[0-2]\d) ?(?:{_any_of(degrees)})(?![a-z])")
        context = list(map(even, content["cuda_context"]))
        self._version_words = frozenset(filter(str.isascii, context))
        self._version_han = tuple(word for word in context if not word.isascii())
        self._other_versions = (*map(even, content["cuda_other"]), *_MONEY)
        self._plus = frozenset(map(even, content["plus"]))
        auxiliaries = "".join(f"(?<!{word} )" for word in content["not_used_before"])
        self._used = re.compile(rf"{auxiliaries}(?<![a-z])used (?:nvidia |geforce )?$")

    def read(self, reading: Reading) -> None:
        """Add values that are recognised by their shape, before numbers are read."""
        if reading.numbers:
            self._resolution(reading)
            self._versions(reading)
        self._signs(reading)
        if self.may_name_cpu(reading.text, reading.words, reading.numbers):
            match = self._cpu.search(reading.text)
            if match and reading.is_free(*match.span()):
                claim_value(reading, "cpu", _CORE_I.sub(r"\1-", match[1]), match.span(), "shape: CPU name")

    def may_name_cpu(self, text: str, words: list[str], numbers: list[int]) -> bool:
        """Whether the search for a CPU name is worth its time.

        Args:
            text: the normalised message.
            words: its tokens.
            numbers: which of them are figures.
        """
        if not self._cpu_letters.isdisjoint(words) or holds(text, self._cpu_words):
            return True
        for at in numbers:  # noqa: SIM110 - any() takes three times as long
            if len(words[at]) >= _LEAST_CPU_FIGURES:
                return True
        return False

    def _resolution(self, reading: Reading) -> None:
        if "gaming" in reading.concepts:
            return
        wide = _RESOLUTION.search(reading.text) if "x" in reading.words or "*" in reading.words else None
        if wide:
            claim_value(reading, "resolution", f"{wide[1]}x{wide[2]}", wide.span(), "shape: width x height")
            return
        lines = _LINES.search(reading.text) if "0p" in reading.text else None
        if lines:
            claim_value(reading, "resolution", _WIDE[lines[1]], lines.span(), "shape: lines")

    def _versions(self, reading: Reading) -> None:
        """The last CUDA version named is the one that is wanted ("from 13 back to 12.8")."""
        text = reading.text
        if "cu" in text and (named := self._cuda_versions(reading)):
            _, version, span = max(named)
            claim_value(reading, "cuda_version", version, span, "shape: CUDA version")
        if "." not in text:
            return
        if not reading.has("cuda_version"):
            self._lone_version(reading)
        framework = self._framework.search(text)
        if framework:
            name = f"{self._frameworks[framework[1]]} {framework[2]}"
            claim_value(reading, "framework", name, framework.span(), "shape: framework and version")

    def _cuda_versions(self, reading: Reading) -> list[_Version]:
        """The versions that are called so, and the plain ones beside them, each with its place."""
        text = reading.text
        called = [(found.start(1), found[1], found.span()) for found in self._cuda.finditer(text)]
        named = [version for version in called if float(version[1]) >= _FIRST_CUDA]
        named += [(found.start(), f"{found[1]}.{found[2]}", found.span()) for found in _CU.finditer(text)]
        if not named:
            return []
        free = (found for found in _DECIMAL.finditer(text) if reading.is_free(*found.span()))
        return [*named, *((found.start(), found[1], found.span()) for found in free)]

    def _lone_version(self, reading: Reading) -> None:
        """A number that only CUDA has for a version, where versions or a card's minimum are spoken of."""
        if reading.concepts.isdisjoint(_OF_VERSIONS) and not reading.has("gpu"):
            return
        if self._version_words.isdisjoint(reading.words) and not holds(reading.text, self._version_han):
            return
        for found in _CUDA_ONLY.finditer(reading.text):
            if self._may_be_version(reading, found.start(), found.end()):
                claim_value(reading, "cuda_version", found[1], found.span(), "shape: a version that CUDA alone has")
                return

    def _may_be_version(self, reading: Reading, start: int, end: int) -> bool:
        """Whether a number is neither the version of something else, money, nor an amount with a unit."""
        before = reading.text[max(0, start - 18) : start].rstrip(" =<>-v:~")
        if before.endswith(self._other_versions) or not reading.is_free(start, end):
            return False
        after = reading.text[end : end + 4].lstrip()
        return not (after[:1].isascii() and after.startswith(_UNITS_BEHIND))

    def _signs(self, reading: Reading) -> None:
        """A temperature, a version, a used card, one card plus another."""
        text = reading.text
        if reading.numbers and self._says_degrees(reading):
            reading.traits.add("trait:degrees")
        if any(map(_has_version, reading.values)):
            reading.traits.add("trait:version")
        cards = [value for value in reading.values if value.slot == "gpu"]
        if "used " in text and any(self._is_used(text, card) for card in cards):
            reading.traits.add("second_hand")
        if any(text[left.end : right.start].strip() in self._plus for left, right in itertools.pairwise(cards)):
            reading.traits.add("trait:plus")

    def _says_degrees(self, reading: Reading) -> bool:
        """Whether a temperature is spoken of."""
        heard = not self._degree_heads.isdisjoint(reading.words)
        return heard and self._degrees.search(reading.text) is not None

    def _is_used(self, text: str, card: Value) -> bool:
        """Whether the word for second hand stands before a card."""
        return self._used.search(text[max(0, card.start - 24) : card.start]) is not None


def _any_of(words: Iterable[str]) -> str:
    """A pattern of which one word matches."""
    return "|".join(map(re.escape, words))


def _has_version(value: Value) -> bool:
    """Whether a value says a version: of CUDA, or of a framework behind its name."""
    return value.slot == "cuda_version" or (value.slot == "framework" and " " in str(value.value))


def claim_value(reading: Reading, slot: str, value: object, span: tuple[int, int], rule: str) -> None:
    """Add a value and keep others from reading its place."""
    reading.values.append(Value(slot, value, span[0], span[1], rule))
    reading.claim(*span)
