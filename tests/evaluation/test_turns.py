"""Later turns: the operation and its changes stay above the bar of thresholds.yaml, and what each rule must keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core.question import Operation
from bot.evaluate.turns import score_turns, turns_to_text
from bot.pipeline import Assistant
from bot.read.reader import Reader
from bot.talk.operations import operation_of
from bot.talk.standing import Standing
from bot.talk.turn import meaning_of, turn_of
from tests.conftest import shared_assistant

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return shared_assistant()


@pytest.fixture(scope="module")
def reader(assistant: Assistant) -> Reader:
    assert isinstance(assistant.understander, Reader)
    return assistant.understander


def test_labelled_turns(assistant: Assistant, reader: Reader) -> None:
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))["turns_dev"]
    result = score_turns(reader, assistant.services.catalog, [HERE / "turns_dev.jsonl"])
    assert result["turns"] == 60
    assert result["right"] >= bars["right"]
    assert result["operations"] >= bars["operations"]
    assert len(result["faults"]) == result["turns"] - result["right"]
    assert all(fault["id"] in turns_to_text(result) for fault in result["faults"])


BUDGET = {"budget": {"amount": 3000, "currency": "CNY", "period": "once"}}
CASES: list[tuple[str, Standing, Operation, dict[str, Any]]] = [
    ("再加500块", Standing(BUDGET), Operation.INCREMENT, {"budget": {"op": "+", "amount": 500, "result": 3500}}),
    (
        "double the cards",
        Standing({"gpu_count": 3}),
        Operation.INCREMENT,
        {"gpu_count": {"op": "*", "amount": 2, "result": 6}},
    ),
    ("the second one", Standing(listed=("RTX 4090", "RTX 3090")), Operation.POINT, {"gpu": ["RTX 3090"]}),
    (
        "最便宜的那个",
        Standing(listed=("RTX 4090", "RTX 3090"), prices=(9.0, 5.0)),
        Operation.POINT,
        {"gpu": ["RTX 3090"]},
    ),
    ("forget it", Standing(BUDGET), Operation.CANCEL, {"clear": "all"}),
    ("no amd please", Standing(BUDGET), Operation.EXCLUDE, {"exclude": ["AMD"]}),
    ("二手也可以", Standing({"exclude": ["used"]}), Operation.REMOVE, {"exclude": {"op": "-", "value": ["used"]}}),
    ("2", Standing(choices=("inference", "training")), Operation.CONFIRM, {"method": "train"}),
    ("yep", Standing(assumed=("2 GPUs",)), Operation.CONFIRM, {"gpu_count": 2}),
]


@pytest.mark.parametrize(("text", "standing", "operation", "changes"), CASES)
def test_an_operation_by_its_words_and_what_it_stands_on(
    reader: Reader, text: str, standing: Standing, operation: Operation, changes: dict[str, Any]
) -> None:
    standing = replace(standing, meaning=lambda words: meaning_of(reader.follow(words)))
    found = operation_of(turn_of(reader.follow(text, standing.intent)), standing)
    assert (found.operation, found.changes) == (operation, changes)
    assert found.why


def test_the_same_words_without_anything_shown_point_at_nothing(reader: Reader) -> None:
    turn = turn_of(reader.follow("the second one"))
    assert operation_of(turn, Standing()).operation is not Operation.POINT
