"""The speed model against published cases: on families that took part in the fit, and on families left out of it."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import pytest

from advisor.errors import BadData
from advisor.models import Method, Workload
from advisor.scoring_throughput import bandwidth_rule, percent, read_rows, score_file, score_rows, summary
from advisor.speed.bands import BANDS, UNVALIDATED, band_of
from advisor.speed.cases import DESCRIBING
from advisor.speed.estimate import speed_estimate
from advisor.speed.fitted import CONSTANTS, FITTED, trial
from advisor.speed.rate import rate_of
from advisor.speed.refit import bands_of
from advisor.validation_throughput import DOMINATING, NEW, OLD, coverage, evidence, left_out, median_of_medians
from tests.conftest import shared_catalog


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return [*read_rows(OLD), *read_rows(NEW)]


def test_first_cases_are_met_with_and_without_the_source_that_dominates_them() -> None:
    known = evidence()
    facts = summary(known.old)
    assert facts["median_abs_error_pct"] <= 11
    assert facts["card_from_card_pct"] <= 11
    assert facts["scaling_pct"] <= 4
    assert facts["unsupported"] <= 12
    assert summary([one for one in known.old if known.family(one) != DOMINATING])["median_abs_error_pct"] <= 12


def test_nearly_all_cases_of_today_are_answered_and_refusals_say_why() -> None:
    new = evidence().new
    refused = [one for one in new if one.prediction is None]
    assert len(refused) <= 0.10 * len(new)
    assert summary(new)["median_abs_error_pct"] <= 20
    assert all(len(one.reason.split()) > 3 for one in refused)


def test_families_left_out_of_the_fit_are_met() -> None:
    assert median_of_medians(left_out()) <= 0.20
    assert median_of_medians(left_out(), "decode") <= 0.16
    assert median_of_medians(left_out(), "prompt") <= 0.19
    assert median_of_medians(left_out(), "offload") <= 0.24
    assert median_of_medians(left_out(), "serving") <= 0.23
    assert median_of_medians(left_out(), "image") <= 0.24
    assert median_of_medians(left_out(), "speech") <= 0.25
    assert median_of_medians(left_out(), "decoder") <= 0.30
    assert median_of_medians(left_out(), "host-prompt") <= 0.30


def test_bands_hold_what_they_promise_for_families_left_out() -> None:
    assert 0.85 <= coverage(left_out()) <= 0.97


def test_the_committed_bands_are_those_of_the_left_out_errors() -> None:
    made = bands_of(left_out())
    assert set(made) == set(BANDS)
    for name, band in made.items():
        # New cards and models of the catalogue move a few cases; `refit.bands_of` gives the lines to copy.
        assert abs(BANDS[name].sources - band.sources) <= 1, name
        assert BANDS[name].half_width == pytest.approx(band.half_width, abs=0.08), name


def test_a_kind_with_few_families_gets_the_wide_band() -> None:
    assert not BANDS["cluster"].validated
    assert band_of("cluster") == UNVALIDATED
    assert band_of("never heard of").half_width == UNVALIDATED.half_width
    assert band_of("decode").half_width < UNVALIDATED.half_width


def test_no_constant_belongs_to_a_source_and_there_are_few() -> None:
    groups = {word for row in evidence().sources.values() for word in row.family.replace("_", "-").split("-")}
    assert not {name for name in CONSTANTS if name.split(".")[0] in groups - {"image", "video"}}
    assert len(CONSTANTS) <= 84


def test_constants_stay_near_what_is_known_without_any_case() -> None:
    for name, one in CONSTANTS.items():
        assert abs(log(one.value / one.start)) < log(4), name


def test_a_trial_of_other_constants_leaves_no_trace(rows: list[dict[str, str]]) -> None:
    catalog, some = shared_catalog(), rows[::97]
    before = [one.prediction for one in score_rows(some, catalog)]
    with trial({name: value * 1.3 for name, value in FITTED.items()}):
        changed = [one.prediction for one in score_rows(some, catalog)]
    assert changed != before
    assert [one.prediction for one in score_rows(some, catalog)] == before


def test_it_beats_the_bandwidth_rule_by_far() -> None:
    old = evidence().old
    assert (percent(bandwidth_rule(old)) or 0) > 1.8 * (summary(old)["card_from_card_pct"] or 100)


def test_a_prediction_depends_neither_on_what_was_measured_nor_on_who_published_it(rows: list[dict[str, str]]) -> None:
    catalog = shared_catalog()
    some = rows[::7]
    changed = [{**row, "value": "1", "quality": "", "group": "somebody"} for row in some]
    true = [one.prediction for one in score_rows(some, catalog)]
    for mine, other in zip([one.prediction for one in score_rows(changed, catalog)], true, strict=True):
        assert (mine and mine.predicted) == (other and other.predicted)
    assert "value" not in DESCRIBING


def test_remarks_about_the_result_do_not_reach_the_predictor(rows: list[dict[str, str]]) -> None:
    catalog = shared_catalog()
    remarked = [row for row in rows if "efficiency" in row["notes"]]
    bare = [{**row, "notes": row["notes"].split(";")[0]} for row in remarked]
    assert remarked
    assert [one.prediction for one in score_rows(bare, catalog)] == [
        one.prediction for one in score_rows(remarked, catalog)
    ]


def test_score_prints_one_json_line_per_case_and_summaries() -> None:
    for file in (OLD, NEW):
        lines = [json.loads(line) for line in score_file(file)]
        cases = [line for line in lines if "case_id" in line]
        assert [line["case_id"] for line in cases] == [row["case_id"] for row in read_rows(file)]
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


def test_frozen_experts_over_several_cards_are_said_to_be_little_measured() -> None:
    catalog = shared_catalog()
    job = Workload(ml_model=catalog.get_ml_model("gpt-oss-20b"), method=Method.QLORA, quant="nf4")
    one, two = (speed_estimate(rate_of(job, catalog.get_gpu("RTX 3090"), cards)) for cards in (1, 2))
    assert two.rate.high / two.rate.value > 2.5 > one.rate.high / one.rate.value
    assert [note.code for note in two.notes if note.code == "speed_thin_support"]


def test_a_clip_in_windows_takes_as_long_as_its_windows() -> None:
    row = next(row for row in read_rows(NEW) if row["case_id"] == "P1783")
    whole, short = dict(row, task="text-to-video"), dict(row, frames="81", task="text-to-video")
    windows, at_once, window = (score_rows([one], shared_catalog())[0].prediction for one in (row, whole, short))
    assert windows is not None
    assert at_once is not None
    assert window is not None
    assert 12 < windows.predicted / window.predicted < 18
    assert at_once.predicted > 3 * windows.predicted
