"""Which side of a money question is meant: used, new, launch, monthly ... by the words and ideas of the message."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.core.request import Request

_WORDS = Path(__file__).with_name("money_words.yaml")
_CONCEPT = "concept:"

Cues = tuple[frozenset[str], re.Pattern[str] | None]


def plain_text(request: Request) -> str:
    """The words in one form: full-width letters folded, lower case."""
    return unicodedata.normalize("NFKC", request.text).casefold()


def sides_of(request: Request, group: str) -> tuple[str, ...]:
    """Sides of a group of money_words.yaml that the message speaks of, in the order of the file."""
    ideas = frozenset(request.understanding.concepts) if request.understanding is not None else frozenset()
    text = plain_text(request)
    return tuple(
        name
        for name, (cues, pattern) in _sides()[group].items()
        if cues & ideas or (pattern is not None and pattern.search(text))
    )


_TRAINS = frozenset({"train", "full", "lora", "qlora", "pretrain", "ptuning", "llm_finetune", "nlp_finetune"})


def means_bill(request: Request) -> bool:
    """Whether "how much" to train a named model means money: a word of cost, and none of memory."""
    trains = request.slot("task") in _TRAINS or request.slot("method") in _TRAINS
    return bool(trains and request.slot("model")) and sides_of(request, "run") == ("money",)


def is_judged(request: Request) -> bool:
    """Whether the message asks for a verdict on the card it names and for nothing else of it."""
    if request.understanding is None or "judged" not in sides_of(request, "worth"):
        return False
    return says_only(request, "gpu")


def says_only(request: Request, slot: str) -> bool:
    """Whether the message names values of a slot and asks for nothing in particular of them."""
    text, read = request.text, request.understanding
    for found in sorted(read.slots if read else (), key=lambda one: -one.span.start):
        if found.slot == slot:
            text = f"{text[: found.span.start]} {text[found.span.end :]}"
    library = request.services.library
    return not library.searcher.analyzer.terms(text) or library.says_nothing(text)


@cache
def _sides() -> Mapping[str, Mapping[str, Cues]]:
    """Group -> side -> its concepts and one pattern over its words, compiled once."""
    problems: list[Problem] = []
    content = load_yaml_files([_WORDS], problems).get(str(_WORDS), {})
    if problems:
        raise BadData(problems)
    return {group: {name: _cues(words) for name, words in sides.items()} for group, sides in content.items()}


def _cues(words: list[str]) -> Cues:
    """Concepts and a pattern; Latin words must not be part of longer ones."""
    plain = [word for word in words if not word.startswith(_CONCEPT)]
    parts = [
        rf"(?<![a-z0-9]){re.escape(word)}(?![a-z])" if word.isascii() else re.escape(word)
        for word in sorted(plain, key=lambda one: (-len(one), one))
    ]
    found = frozenset(word.removeprefix(_CONCEPT) for word in words if word.startswith(_CONCEPT))
    return found, re.compile("|".join(parts)) if parts else None
