"""Reads lists of words. A word that several lists need stands in one sense of `lexicon/senses`; they name the sense.

`"@rent"` in a list stands for all words of the sense, `"@rent.zh"` and `"@rent.en"` for those of one language,
`"@rent*"` for all of them with any ending (a star behind each Latin word). A sense names no other sense.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from advisor.errors import Problem
from advisor.files import Contents, line_of, load_cached, load_yaml_files, save_cached
from bot.resources import languages_directory, lexicon_directory

Senses: TypeAlias = Mapping[str, Mapping[str, list[str]]]
"""Name of a sense -> its words by language."""

_REFERENCE: Final = re.compile(r"@([a-z]\w*)(?:\.(zh|en))?(\*)?")
_ANY_ENDING: Final = "*"


def sense_files() -> list[Path]:
    """The files of senses: whatever is derived from a lexicon depends on them."""
    return sorted((lexicon_directory() / "senses").glob("*.yaml"))


def load_lexicons(paths: Iterable[Path], problems: list[Problem], *, salt: str = "") -> Contents:
    """Content by path, each name of a sense as its words. Faults go to `problems`; only a clean set is cached."""
    files, holders = sorted(paths), sense_files()
    kept = load_cached([*files, *holders], f"words{salt}")
    if kept is not None:
        return dict(kept)
    before = len(problems)
    content = load_yaml_files(files, problems, salt=salt)
    senses = {name: words for file in load_yaml_files(holders, problems).values() for name, words in file.items()}
    problems += _unknown(content, senses)
    if len(problems) > before:
        return content
    spelt = {path: spelt_out(part, senses) for path, part in content.items()}
    save_cached([*files, *holders], f"words{salt}", spelt)
    return spelt


def spelt_out(content: object, senses: Senses) -> object:
    """What a file holds, in each list the words of a sense in the place of its name."""
    if isinstance(content, Mapping):
        return {key: spelt_out(part, senses) for key, part in content.items()}
    if isinstance(content, list):
        return [word for part in content for word in _words(part, senses)]
    return content


def _words(part: object, senses: Senses) -> Iterable[object]:
    """One part of a list, the name of a sense as its words."""
    found = _REFERENCE.fullmatch(part) if isinstance(part, str) else None
    if found is None:
        return (spelt_out(part, senses),)
    name, language, ending = found.groups()
    words = (word for code, listed in senses[name].items() if language in (None, code) for word in listed)
    return (word + _ANY_ENDING if ending and word.isascii() else word for word in words)


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for part in content.values():
            yield from _texts(part)
    elif isinstance(content, list):
        for part in content:
            yield from _texts(part)


def _references(content: object) -> Iterator[str]:
    """Names of senses in a file, or in a part of it."""
    return (found[1] for text in _texts(content) if (found := _REFERENCE.fullmatch(text)))


def _unknown(content: Mapping[str, object], senses: Senses) -> Iterator[Problem]:
    """Names of senses that there are not."""
    for path, part in content.items():
        for name in dict.fromkeys(_references(part)):
            if name not in senses:
                lines = Path(path).read_text("utf-8").splitlines()
                line = next(number for number, text in enumerate(lines, 1) if f"@{name}" in text)
                yield Problem(path, line, f"no sense is called {name}")


def check_senses() -> list[Problem]:
    """A sense in two files, one that nobody names, one that is named and does not exist, a word in two senses."""
    problems: list[Problem] = []
    holders = sense_files()
    folders = (languages_directory(), lexicon_directory())
    paths = {path for folder in folders for path in folder.rglob("*.yaml")} - set(holders)
    lists = load_yaml_files(paths, problems, salt="lists")
    return [*problems, *faults(load_yaml_files(holders, problems), lists)]


def faults(holders: Mapping[str, Senses], lists: Mapping[str, object]) -> Iterator[Problem]:
    """What is wrong with senses and with the lists that name them, each by the path of its file."""
    named = {name for part in lists.values() for name in _references(part)}
    yield from _unknown(lists, {name: words for file in holders.values() for name, words in file.items()})
    where: dict[str, str] = {}
    senses: dict[str, str] = {}
    for path, file in holders.items():
        text = Path(path).read_text("utf-8")
        for name, words in file.items():
            wrong = [f"no list names the sense {name}"] if name not in named else []
            wrong += _twice(name, path, words, where, senses)
            yield from (Problem(path, line_of(text, name), fault) for fault in wrong)


def _twice(name: str, path: str, words: object, where: dict[str, str], senses: dict[str, str]) -> Iterator[str]:
    """Where a sense, or a word of it, was met before; it is noted in `where` and `senses`."""
    if (other := where.setdefault(name, path)) != path:
        yield f"the sense {name} stands in {Path(other).name} too"
    for word in dict.fromkeys(word.casefold() for word in _texts(words)):
        if (told := senses.setdefault(word, name)) != name:
            yield f'"{word}" stands in the sense {told} too'
