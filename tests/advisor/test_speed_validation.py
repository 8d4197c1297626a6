"""The speed model against published cases: the targets, on cases in the fit and on cases left out of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.catalog import load_catalog
from advisor.errors import BadData
from advisor.scoring_throughput import Outcome, bandwidth_rule, percent, read_rows, score_file, score_rows, summary
from advisor.speed.cases import DESCRIBING
from advisor.speed.refit import refit

CASES = Path(__file__).parents[1] / "evaluation" / "throughput_cases.csv"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return read_rows(CASES)


@pytest.fixture(scope="module")
def outcomes(rows: list[dict[str, str]]) -> list[Outcome]:
    return score_rows(rows, load_catalog())


def test_the_targets_are_met_on_the_published_cases(outcomes: list[Outcome]) -> None:
    facts = summary(outcomes)
    assert facts["median_abs_error_pct"] <= 8
    assert facts["card_from_card_pct"] <= 9
    assert facts["scaling_pct"] <= 4
    assert 85 <= facts["in_band_pct"] <= 95
    assert facts["unsupported"] <= 12


def test_the_targets_are_met_on_cases_that_took_no_part_in_the_fit(
    rows: list[dict[str, str]], outcomes: list[Outcome]
) -> None:
    training = [one for one in outcomes if one.kind == "train-throughput" and one.case and one.measured]
    fitted, held = training[::2], {one.ident for one in training[1::2]}
    classes = refit([(one.case, one.measured) for one in fitted if one.case and one.measured and one.quality != "C"])
    facts = summary(score_rows([row for row in rows if row["case_id"] in held], load_catalog(), classes))
    assert facts["median_abs_error_pct"] <= 12
    assert facts["card_from_card_pct"] <= 12
    assert facts["scaling_pct"] <= 8
    assert facts["in_band_pct"] >= 84


def test_it_beats_the_bandwidth_rule_by_far(outcomes: list[Outcome]) -> None:
    assert (percent(bandwidth_rule(outcomes)) or 0) > 2 * (summary(outcomes)["card_from_card_pct"] or 100)


def test_a_prediction_does_not_depend_on_what_was_measured(rows: list[dict[str, str]]) -> None:
    catalog = load_catalog()
    changed = [{**row, "value": "1", "quality": ""} for row in rows[::7]]
    true = [one.prediction for one in score_rows(rows[::7], catalog)]
    assert [one.prediction for one in score_rows(changed, catalog)] == true
    assert "value" not in DESCRIBING


def test_remarks_about_the_result_do_not_reach_the_predictor(rows: list[dict[str, str]]) -> None:
    catalog = load_catalog()
    remarked = [row for row in rows if "efficiency" in row["notes"]]
    bare = [{**row, "notes": row["notes"].split(";")[0]} for row in remarked]
    assert remarked
    assert [one.prediction for one in score_rows(bare, catalog)] == [
        one.prediction for one in score_rows(remarked, catalog)
    ]


def test_score_prints_one_json_line_per_case_and_summaries(rows: list[dict[str, str]]) -> None:
    lines = [json.loads(line) for line in score_file(CASES)]
    cases = [line for line in lines if "case_id" in line]
    assert [line["case_id"] for line in cases] == [row["case_id"] for row in rows]
    for line in cases:
        assert "unsupported" in line or line["low"] < line["predicted"] < line["high"]
    assert lines[-1]["summary"] == "all"


def test_a_file_of_other_columns_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(BadData, match="columns missing"):
        read_rows(wrong)
    with pytest.raises(BadData, match="cannot be read"):
        read_rows(tmp_path / "absent.csv")
