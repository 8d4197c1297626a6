"""Builds a `Reader` from the catalogue and the data files of this room."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from advisor.errors import BadData, Problem
from bot.core.languages import load_languages
from bot.lexicons import load_lexicons
from bot.read.features import ASKS_NOT, NO_DENIAL
from bot.read.reader import Reader
from bot.resources import languages_directory, lexicon_directory
from bot.understand.evidence import BLANK
from bot.understand.lexicon import flatten
from bot.understand.load import load_understander
from bot.understand.recognise import Understander

if TYPE_CHECKING:
    from advisor.catalog import Catalog


def lexicon_file() -> Path:
    """The words beside a mention that tell its part."""
    return languages_directory() / "roles.yaml"


def weights_file() -> Path:
    """The weights that `bot learn` writes for clauses and roles."""
    return languages_directory() / "reading.json"


def load_reader(catalog: Catalog) -> Reader:
    """A reader over a new understander. Raises BadData naming every fault."""
    return reader_over(load_understander(catalog))


def reader_over(understander: Understander, *, blank: bool = False) -> Reader:
    """A reader over an understander that is there already. `blank`: with weights that know nothing, to learn with."""
    return Reader(understander, _lexicon(), dict.fromkeys(("asking", "roles", "scope"), BLANK) if blank else weights())


_GAP: Final = "gap"
"""Act of a number that tells how much dearer something is; most of its words stand in the cues of numbers."""


def _lexicon() -> dict[str, object]:
    path, cues = lexicon_file(), languages_directory() / "names" / "cues.yaml"
    problems: list[Problem] = []
    whose = lexicon_directory() / "whose.yaml"
    content = load_lexicons([path, cues, whose], problems, salt="read")
    if problems:
        raise BadData(problems)
    lexicon, beyond = content[str(path)], content[str(cues)]["difference"]
    lexicon["acts"][_GAP] = [*lexicon["acts"][_GAP], *beyond["before"], *beyond["after"]]
    signs, scope, acts = (_evened(lexicon[name]) for name in ("signs", "scope", "acts"))
    asked = (flatten(word) for words in load_languages() for word in words.no_negators)
    signs[ASKS_NOT] = tuple(dict.fromkeys(asked))
    signs[NO_DENIAL] = tuple(flatten(str(word)) for word in lexicon["clauses"][NO_DENIAL])
    return {"signs": signs, "scope": scope, "acts": acts, "clauses": lexicon["clauses"], "whose": content[str(whose)]}


def _evened(listed: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(dict.fromkeys(flatten(str(word)) for word in words)) for name, words in listed.items()}


def weights() -> dict[str, object]:
    """The learned weights. Raises BadData when they are missing or broken."""
    path = weights_file()
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise BadData([Problem(str(path), 1, f"cannot be read ({type(error).__name__}); run `make learn`")]) from None
