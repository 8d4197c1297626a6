"""Surfaces are found the same whether all of them were made beforehand or each when its first character came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.catalog import Catalog
from bot.understand import load_understander
from bot.understand.finder import Finder, shelved
from bot.understand.recognise import Understander

QUESTIONS = Path(__file__).parents[2] / "evaluation"

TEXTS = (
    "",
    " ",
    "gpu",
    "2x16gb x16",
    "8gpu rtx4090s",
    "\u663e\u5361\u663e\u5361",
    "a\u663e\u5361b",
    "\u5361",
    "4090 vs 3090",
)


def book(*forms: str) -> dict[str, list[tuple[str, int, bool, str]]]:
    return shelved([(form, 0, form.endswith("*"), form) for form in forms])


@pytest.mark.parametrize("text", TEXTS)
def test_a_walk_finds_what_an_automaton_finds(text: str) -> None:
    books = (
        book("gpu", "x16", "x", "rtx", "4090", "vs"),
        book("\u663e\u5361", "\u5361", "\u5361\u663e", "gpu"),
        book(),
    )
    walking, prepared = Finder(*books), Finder(*books)
    prepared.prepare()
    assert walking.hits(text) == prepared.hits(text)


def read(understander: Understander, text: str) -> tuple[object, ...]:
    found = understander.understand(text)
    return found.slots, found.concepts, found.language, [(one.intent, one.score) for one in found.ranking]


def test_a_reader_who_begins_reads_as_one_who_is_prepared(catalog: Catalog, understander: Understander) -> None:
    begins, apart = load_understander(catalog), []
    for path in sorted(QUESTIONS.glob("questions_dev_*.jsonl")):
        texts = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
        apart += [text for text in texts[::5] if read(begins, text) != read(understander, text)]
    assert apart == []


class _Preparing(dict[str, list[tuple[str, int, bool, str]]]):
    """A book whose finder is prepared by somebody else while its surfaces are made."""

    finder: Finder[str] | None = None
    asked = 0

    def get(self, head: str, default: object = ()) -> Any:
        self.asked += 1
        if self.finder is not None and self.asked == 3:
            self.finder.prepare()
        return super().get(head, default)


def test_who_prepares_while_a_text_is_walked_takes_nothing_from_it() -> None:
    held = _Preparing(book("gpu", "rtx", "4090"))
    finder = Finder(held)
    held.finder = finder
    assert finder.hits("rtx 4090 gpu") == Finder(book("gpu", "rtx", "4090")).hits("rtx 4090 gpu")
    assert held.asked > 3
