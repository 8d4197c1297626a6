"""The whole bot against a reader's questions to the documents, and against every conflict asked head-on."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from bot.channels.markup import plain_text
from bot.core.answers import Answer
from bot.core.message import IncomingMessage
from bot.pipeline import Assistant, Explained
from knowledge.store import Library
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant, shared_library

EVALUATION = Path(__file__).parent.parent / "evaluation"
BARS = yaml.safe_load((EVALUATION / "passages_thresholds.yaml").read_text("utf-8"))
READERS = ("reader1", "reader2", "reader3", "reader4", "reader5", "reader6", "reader7", "reader8")


@cache
def assistant() -> Assistant:
    return shared_assistant()


@cache
def library() -> Library:
    return shared_library()


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EVALUATION / name).read_text("utf-8").splitlines()]


def explained(text: str, chat_type: Literal["private", "group"]) -> Explained:
    return assistant().explain(message(text, chat_type), None, NOW)


def squeezed(text: str) -> str:
    return plain_text(text).lower().replace(" ", "")


def tells(reply: str, record: dict[str, Any]) -> bool:
    said = squeezed(reply)
    return all(any(squeezed(word) in said for word in words) for words in record["must_contain"])


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("reader", READERS)
def test_the_passage_is_found_and_its_figures_are_told(reader: str, language: str) -> None:
    asked = records(f"passages_{reader}_{language}.jsonl")
    reached = dict.fromkeys(("first", "three", "private", "group"), 0)
    for record in asked:
        right = [not set(record["rows"]).isdisjoint(hit.passage.covers) for hit in library().search(record["question"])]
        reached["first"] += right[:1] == [True]
        reached["three"] += any(right)
        reached["private"] += tells(explained(record["question"], "private").reply.text, record)
        reached["group"] += tells(explained(record["question"], "group").reply.text, record)
    shares = {name: count / len(asked) for name, count in reached.items()}
    least = BARS[reader][language]["least"]
    assert all(shares[name] >= least[name] for name in least), shares


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_conflict_asked_about_is_told_in_one_line_and_both_sides_on_request(language: str) -> None:
    asked = [one for one in records("conflicts_head_on.jsonl") if one["id"].endswith(language)]
    lines = sides = 0
    for record in asked:
        answer = explained(record["question"], "group")
        conflict = library().conflicts[record["conflict"]]
        spoken = answer.reply.language
        lines += conflict.line.get(spoken) in answer.reply.text
        keys = [choice.key for choice in answer.reply.choices if choice.key.startswith("do:conflicts")]
        if keys:
            press = message("", "group").model_copy(update={"action": keys[0]})
            shown = assistant().explain(press, answer.conversation, NOW).reply.text
            sides += all(position.says.get(spoken)[:12] in shown for position in conflict.positions)
    least = BARS["conflicts"][language]["least"]
    assert lines / len(asked) >= least["line"], lines
    assert sides / len(asked) >= least["both_sides"], sides


def test_what_is_foreign_stays_foreign() -> None:
    foreign = (
        "原神好玩吗",
        "手机散热怎么办",
        "论文怎么投稿",
        "best phone 2020",
        "how much is a tesla model 3",
        "memory card for my camera",
    )
    for text in foreign:
        said: IncomingMessage = message(text)
        outcome = assistant().explain(said, None, NOW).outcome
        assert not (isinstance(outcome, Answer) and outcome.told.passages), text
