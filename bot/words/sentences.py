"""The sentences of each language: a code and its text with a place for each value. No logic stands in them.

`templates/<language>/*.yaml` hold them, `units.yaml` the labels of units. `bot check` names what one language lacks,
what a sentence needs and no line gives, and what does not parse.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.core.line import Line
from bot.words.figures import Figures

_UNITS: Final = "units.yaml"
_MARKUP: Final = re.compile(r"[\\*_`\[\]|<>#~]")


class Sentences:
    """All sentences of one language."""

    def __init__(self, directory: Path, language: str) -> None:
        """Load `directory`/`language`. Raises BadData with every fault."""
        problems: list[Problem] = []
        self.language = language
        self.texts: dict[str, str] = {}
        units: dict[str, str] = {}
        for path, content in load_yaml_files(sorted((directory / language).glob("*.yaml")), problems).items():
            if not isinstance(content, dict):
                problems.append(Problem(path, 1, "must be a mapping of codes to text"))
                continue
            for code, text in content.items():
                table = units if Path(path).name == _UNITS else self.texts
                if not isinstance(text, str):
                    problems.append(Problem(path, 1, f"{code!r}: must be text; quote it"))
                elif code in table:
                    problems.append(Problem(path, 1, f"{code!r} is worded twice"))
                else:
                    table[str(code)] = text
                    problems += _faults(path, str(code), text)
        if problems:
            raise BadData(problems)
        self._figures = Figures(units)

    def say(self, line: Line) -> str:
        """The sentence of a line.

        Raises:
            LookupError: no sentence is written for its code, or a value that it needs is missing.
        """
        text = self.texts.get(line.say)
        if text is None:
            raise LookupError(f"templates/{self.language}: no sentence for {line.say!r}")
        values = {name: self._worded(value) for name, value in line.values.items()}
        return text.format_map(values)

    def _worded(self, value: object) -> str:
        if isinstance(value, str):
            return _MARKUP.sub(lambda found: f"\\{found[0]}", value).replace("\n", " ")
        return self._figures.say(value)  # type: ignore[arg-type]

    def needs(self, code: str) -> frozenset[str]:
        """Names of the values that a sentence has places for."""
        return frozenset(name for _, name, _, _ in string.Formatter().parse(self.texts[code]) if name)


def _faults(path: str, code: str, text: str) -> list[Problem]:
    try:
        list(string.Formatter().parse(text))
    except ValueError as error:
        return [Problem(path, 1, f"{code!r}: {error}")]
    return []


def load_sentences(directory: Path) -> Mapping[str, Sentences]:
    """The sentences of both languages. Raises BadData with every fault of the first that has any."""
    return {language: Sentences(directory, language) for language in ("zh", "en")}


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
