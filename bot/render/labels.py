"""The words of one language by their codes, read from `_shared/words` and `_shared/notes`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from advisor.errors import Problem
from advisor.files import load_yaml_files
from bot.core.line import Label
from bot.core.message import Language
from bot.render.numbers import escape, plain

_BY_SIZE: Final = "llm-"
"""Head of the names of models that were told by their size alone."""
_VOWEL: Final = ("8", "11", "18")
"""Numbers that are spoken with a vowel at their beginning."""
_STEP: Final = "step"
"""Steps of a trail have plain names where nobody has worded them."""

_HOW, _WRITTEN_IN = "how", "en"
"""How a step came about is written in one language; where nobody has worded it, figures alone are shown in others."""
_PROSE: Final = re.compile(r"[a-z]{3,}[^a-z\d]+[a-z]{3,}")


def load_texts(directory: Path, language: Language, problems: list[Problem]) -> dict[str, str]:
    """Texts of one language by their codes, of all files of a folder; faults go to `problems`."""
    texts: dict[str, str] = {}
    for path, content in load_yaml_files(sorted(directory.glob(f"*.{language}.yaml")), problems).items():
        if not isinstance(content, dict):
            problems.append(Problem(path, 1, "must be a mapping of codes to text"))
            continue
        for code, text in content.items():
            if not isinstance(code, str) or not isinstance(text, str):
                problems.append(Problem(path, 1, f"{code!r}: both code and text must be text; quote them"))
            elif code in texts:
                problems.append(Problem(path, 1, f"{code!r} is worded twice"))
            else:
                texts[code] = text
    return texts


class Words:
    """Labels of one language: `word("method.lora")`."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """Keep the labels."""
        self._labels = labels

    def __call__(self, value: object, slot: str = "") -> str:
        """The label of a code, or of a value of a slot; the value itself when nothing is worded for it."""
        text = value if type(value) is str else str(plain(value))
        if slot:
            return self._labels.get(f"{slot}.{text}") or self._sized(text, slot) or text
        return self._labels.get(text) or text.rsplit(".", 1)[-1]

    def _sized(self, text: str, slot: str) -> str:
        """A model that was told by its size alone; empty for any other value."""
        size = text.removeprefix(_BY_SIZE)
        if size == text:
            return ""
        pattern = self._labels.get(f"{slot}.sized.an" if size.startswith(_VOWEL) else f"{slot}.sized", "")
        return pattern.replace("#", size.upper())

    @property
    def codes(self) -> Mapping[str, str]:
        """All labels by code."""
        return self._labels

    def has(self, code: str) -> bool:
        """Whether a code has a label of its own."""
        return code in self._labels


def terms(words: Words, language: Language) -> Callable[[Label], str]:
    """What shows labels in the words of one language; "" for how a step came about in words of another."""

    def term(label: Label) -> str:
        # what has no word of its own is a name that somebody may have typed
        code = f"{label.slot}.{label.code}" if label.slot else label.code
        said = words(label.code, label.slot)
        if words.has(code):
            return said
        if label.slot == _HOW and language != _WRITTEN_IN and _PROSE.search(said):
            return ""
        return escape(said.replace("_", " ") if label.slot == _STEP else said)

    return term
