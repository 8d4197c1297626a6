"""The sentences of each language: a code and its text with a place for each value. No logic stands in them.

`templates/<language>/*.yaml` hold them, `units.yaml` the labels of units. A place may say how a figure is shown:
`{need:band}` with its band, `{price:range}` from low to high, `{n:bare}` without its unit. What stands in [[ ]] is left
out where a value in it is not known. `bot check` names what one language lacks, what a sentence needs and no line
gives, and what does not parse.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from advisor.models import Note
from bot.core.line import Figure, Label, Line, Prose, Single, Worded, is_true
from bot.words.figures import Figures

_UNITS: Final = "units.yaml"
_MARKUP: Final = re.compile(r"[\\*_`\[\]|<>#~]")
_OPTIONAL: Final = re.compile(r"\[\[(.*?)\]\]")
_SHOWN: Final = frozenset({"", "band", "range", "bare"})
"""Ways to show a figure."""

_HAN: Final = "\u4e00-\u9fff"
_STOPS: Final = "\u3001\u3002\uff08\uff09\uff0c\uff1a\uff1b\uff1f\uff01"
_TOO_WIDE: Final = re.compile(f"(?<=[{_HAN}{_STOPS}]) +(?=[{_HAN}{_STOPS}])|(?<=[{_STOPS}]) +| +(?=[{_STOPS}])")
_TOO_TIGHT: Final = re.compile(f"(?<=[{_HAN}])(?=[A-Za-z0-9$\u00a5])|(?<=[A-Za-z0-9%])(?=[{_HAN}])")
_CODE: Final = re.compile(r"(`[^`]*`)")

Terms = Callable[[Label], str]
"""The word of a term."""
Notes = Callable[[Note], str]
"""The sentence of a note."""


_Place = tuple[str, str | None, str]
"""A piece of a sentence: text, then the value behind it and how it is shown; None where nothing follows."""
_Part = tuple[tuple[_Place, ...], frozenset[str]]
"""Pieces that are said together, and the values without which they are not said."""


def spaced(text: str) -> str:
    """Chinese text with one space between Han and Latin or digits, and none between Han or beside full-width stops."""
    if "`" not in text:
        return _TOO_TIGHT.sub(" ", _TOO_WIDE.sub("", text))
    parts = _CODE.split(text)  # commands, at the odd places, stay as they are typed
    last = len(parts) - 1
    return "".join(part if place % 2 else _around_code(part, place, last) for place, part in enumerate(parts))


def _around_code(part: str, place: int, last: int) -> str:
    """Text beside commands: with one space where Han meets one."""
    even = _TOO_TIGHT.sub(" ", _TOO_WIDE.sub("", part))
    before = " " if place and _is_han(even[:1]) else ""
    return before + even + (" " if place < last and _is_han(even[-1:]) else "")


def _is_han(sign: str) -> bool:
    return "\u4e00" <= sign <= "\u9fff"


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _unknown(code: object) -> str:
    raise LookupError(f"nothing words {code!r} here")


class Sentences:
    """All sentences of one language."""

    def __init__(self, directory: Path, language: str, terms: Terms = _unknown, notes: Notes = _unknown) -> None:
        """Load `directory`/`language`; `terms` and `notes` word what lines hold. Raises BadData with every fault."""
        problems: list[Problem] = []
        self.language = language
        self.texts: dict[str, str] = {}
        self._terms, self._notes = terms, notes
        self._parts: dict[str, tuple[_Part, ...]] = {}
        units: dict[str, str] = {}
        for path, content in load_yaml_files(sorted((directory / language).glob("*.yaml")), problems).items():
            if not isinstance(content, dict):
                problems.append(Problem(path, 1, "must be a mapping of codes to text"))
                continue
            table = units if Path(path).name == _UNITS else self.texts
            for code, text in content.items():
                problems += _take(table, path, str(code), text)
        if problems:
            raise BadData(problems)
        self._figures = Figures(units)

    def say(self, line: Line) -> str:
        """The sentence of a line, with the spaces of its language between Han and Latin.

        Raises:
            LookupError: no sentence is written for its code, or a value that it needs is missing.
        """
        said = self._said(line)
        return spaced(said) if self.language == "zh" else said

    def _said(self, line: Line) -> str:
        """The same before it is spaced: of phrases within phrases the whole is spaced, once."""
        code, values, told = line.say, line.values, ""
        if code not in self._parts:
            self._parts[code] = self._cut(code)
        for places, needed in self._parts[code]:
            if needed:
                told += self._optional(values, places, needed)
                continue
            for text, name, way in places:
                told += text if name is None else text + self._worded(values[name], way)
        return told.strip()

    def _optional(self, values: Mapping[str, Worded], places: tuple[_Place, ...], needed: frozenset[str]) -> str:
        """A part of a sentence that is left out where a value of it is not known or has no words."""
        for one in needed:
            if one not in values or values[one] is None:
                return ""
        told = ""
        for text, name, way in places:
            told += text
            if name is None:
                continue
            said = self._worded(values[name], way)
            if not said:
                return ""
            told += said
        return told

    def _cut(self, code: str) -> tuple[_Part, ...]:
        """A sentence in its parts: what stands in [[ ]] needs its values, the rest is always said."""
        text = self.texts.get(code)
        if text is None:
            raise LookupError(f"templates/{self.language}: no sentence for {code!r}")
        # every second part stood in brackets
        return tuple(
            (_pieces(part), _places(part) if number % 2 else frozenset())
            for number, part in enumerate(_OPTIONAL.split(text))
        )

    def word(self, value: Worded, way: str = "") -> str:
        """One value as text; `way` is how a figure is shown."""
        said = self._worded(value, way)
        return spaced(said) if self.language == "zh" and isinstance(value, (Line, Note)) else said

    def _worded(self, value: Worded, way: str) -> str:
        """The same before it is spaced."""
        match value:
            case Figure():
                return self._figures.shown(value, way)
            case str():
                return _MARKUP.sub(_escaped, value).replace("\n", " ")
            case Line():
                return self._said(value)
            case Label():
                return self._terms(value)
            case tuple():
                return self._several(value, way)
            case Prose():
                return value.text
            case Note():
                return self._notes(value)
            case _:
                return self._figures.say(value)

    def _several(self, values: tuple[Single, ...], way: str) -> str:
        """Several values, without lines whose claim is disproved."""
        told = tuple(one for one in values if is_true(one))
        return self._figures.between(told).join(self.word(one, way) for one in told)

    def needs(self, code: str) -> frozenset[str]:
        """Names of the values that a sentence has places for."""
        return _places(self.texts[code])

    def requires(self, code: str) -> frozenset[str]:
        """Names of the values without which a sentence cannot be said: those outside [[ ]]."""
        return _places(_OPTIONAL.sub("", self.texts[code]))


def _take(table: dict[str, str], path: str, code: str, text: object) -> list[Problem]:
    if not isinstance(text, str):
        return [Problem(path, 1, f"{code!r}: must be text; quote it")]
    if code in table:
        return [Problem(path, 1, f"{code!r} is worded twice")]
    table[code] = text
    return _faults(path, code, text)


def _faults(path: str, code: str, text: str) -> list[Problem]:
    try:
        ways = {way or "" for _, name, way, _ in string.Formatter().parse(text) if name}
    except ValueError as error:
        return [Problem(path, 1, f"{code!r}: {error}")]
    return [Problem(path, 1, f"{code!r}: no figure is shown as {way!r}") for way in sorted(ways - _SHOWN)]


def _places(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name)


def _pieces(part: str) -> tuple[_Place, ...]:
    return tuple((text, name, way or "") for text, name, way, _ in string.Formatter().parse(part))


def load_sentences(
    directory: Path, terms: Mapping[str, Terms] | None = None, notes: Mapping[str, Notes] | None = None
) -> Mapping[str, Sentences]:
    """The sentences of both languages. Raises BadData with every fault of the first that has any.

    `terms` and `notes`: what words the terms and notes of each language; without them no line may hold any.
    """
    terms, notes = terms or {}, notes or {}
    return {
        language: Sentences(directory, language, terms.get(language, _unknown), notes.get(language, _unknown))
        for language in ("zh", "en")
    }


def check_sentences(loaded: Mapping[str, Sentences], directory: Path) -> list[Problem]:
    """What one language says and another lacks, and sentences that take other values."""
    problems: list[Problem] = []
    zh, en = loaded["zh"], loaded["en"]
    for one, other in ((zh, en), (en, zh)):
        where = str(directory / other.language)
        problems += [Problem(where, 1, f"{code!r} is not worded") for code in one.texts if code not in other.texts]
    for code in zh.texts.keys() & en.texts.keys():
        if zh.needs(code) != en.needs(code):
            told = sorted(zh.needs(code) ^ en.needs(code))
            problems.append(
                Problem(str(directory), 1, f"{code!r}: only one language has a place for {', '.join(told)}")
            )
    return problems
