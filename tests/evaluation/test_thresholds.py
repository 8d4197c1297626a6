"""The labelled questions stay above the bars of thresholds.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core.intents import load_intents
from bot.evaluate import evaluate_files, to_text
from bot.evaluate.corpus import corpus_files, fingerprint, own_lines, read_lines
from bot.evaluate.records import read_records
from bot.understand.load import read_evidence
from tests.conftest import shared_assistant

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("questions_dev_*.jsonl"))


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return evaluate_files(shared_assistant(), FILES)


@pytest.fixture(scope="module")
def bars() -> dict[str, float]:
    return yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))["questions_dev"]


def test_the_sets_hold_what_they_should() -> None:
    records = read_records(FILES)
    intents = load_intents()
    assert len(records) == 303
    assert {intent for record in records for intent in (record.intent, *record.alt_intents)} <= set(intents)


def test_intents_and_declining(result: dict[str, Any], bars: dict[str, float]) -> None:
    assert result["intent"]["accuracy"] >= bars["intent"]
    assert result["out_of_scope"]["recall"] >= bars["out_of_scope_recall"]
    assert result["out_of_scope"]["wrongly_declined"] <= bars["wrongly_declined_at_most"]


def test_slots_and_frames(result: dict[str, Any], bars: dict[str, float]) -> None:
    scores = result["slots"]["scores"]
    assert scores["core"]["f1"] >= bars["core_f1"]
    assert scores["soft"]["f1"] >= bars["soft_f1"]
    assert result["slots"]["frame_accuracy"] >= bars["frames"]


@pytest.mark.parametrize(
    "name",
    [
        "questions_fresh",
        "questions_second",
        "questions_unseen",
        "questions_unseen2",
        "questions_unseen3",
        "questions_unseen4",
    ],
)
def test_questions_of_other_writers(name: str) -> None:
    bars = yaml.safe_load((HERE / "thresholds.yaml").read_text("utf-8"))[name]
    result = evaluate_files(shared_assistant(), sorted(HERE.glob(f"{name}_*.jsonl")), rewritten=False)
    scores = result["slots"]["scores"]
    assert result["intent"]["accuracy"] >= bars["intent"]
    assert result["out_of_scope"]["recall"] >= bars["out_of_scope_recall"]
    assert result["out_of_scope"]["wrongly_declined"] <= bars["wrongly_declined_at_most"]
    assert scores["core"]["f1"] >= bars["core_f1"]
    assert scores["soft"]["f1"] >= bars["soft_f1"]
    assert result["slots"]["frame_accuracy"] >= bars["frames"]


@pytest.mark.parametrize("change", ["full_width", "upper_case", "spaced"])
def test_writing_costs_nothing(result: dict[str, Any], bars: dict[str, float], change: str) -> None:
    row = result["invariance"][change]
    assert 1 - row["other_intent"] / row["lines"] >= bars["invariance"]


def test_a_slip_costs_little(result: dict[str, Any], bars: dict[str, float]) -> None:
    row = result["invariance"]["one_slip"]
    assert row["accuracy_before"] - row["accuracy_after"] <= bars["one_slip_costs_at_most"]


def test_the_report_names_every_part(result: dict[str, Any]) -> None:
    text = to_text(result)
    for heading in ("intent accuracy", "by language", "by intent", "confusions", "invariance", "surest mistakes"):
        assert heading in text


def test_the_weights_are_those_of_the_labelled_lines() -> None:
    """Who adds a line or a phrase runs `make learn`."""
    assert read_evidence()["learned_from"] == fingerprint(own_lines(load_intents()))


def test_lines_are_recognised_when_left_out(bars: dict[str, float]) -> None:
    """As measured when the weights were learned: each line read by weights that were learned without it."""
    left_out = read_evidence()["left_out"]
    assert left_out["phrases"] >= bars["phrases_cross_validated"]
    assert left_out["labelled_sets"] >= bars["labelled_cross_validated"]


def test_unseen_questions_are_nowhere_in_the_corpus() -> None:
    learned = {line.text for line in read_lines(corpus_files(), load_intents())}
    unseen = {record.text for record in read_records(sorted(HERE.glob("questions_unseen*.jsonl")))}
    unseen = {text for text in unseen if not text.startswith("/")}  # commands have one form only
    assert len(unseen) > 590
    assert unseen.isdisjoint(learned)
