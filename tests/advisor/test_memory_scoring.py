"""The published cases: how true the estimates are, and that nothing measured reaches the predictor."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from statistics import median

import pytest

from advisor.__main__ import main
from advisor.errors import BadData
from advisor.memory.bands import BANDS, PLAIN_BANDS, SHARED, SHARED_PLAIN
from advisor.memory.calibration import CALIBRATION, MEANING
from advisor.memory.cases import DESCRIBING, read_case, resolve_model
from advisor.memory.refit import FITTED, Measured, Side, loss, predicted_gib, refit
from advisor.memory.residuals import coverage, coverage_left_out
from advisor.scoring_memory import groups_of, predict, read_rows, score_file, score_rows, side_of, summary
from advisor.validation_memory import decisions, evidence, family_medians, left_out
from tests.advisor.memory_jobs import catalog

CASES = Path(__file__).parents[1] / "evaluation" / "memory_cases.csv"
_TARGETS = {"inference": 10, "LoRA": 12, "QLoRA": 12, "full training": 15}
_TOLD = ("measured_value", "measured_gib", "verdict", "unit", "quality", "source")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return read_rows(CASES)


def test_median_errors_stay_below_their_targets(rows: list[dict[str, str]]) -> None:
    groups = groups_of(score_rows(rows, catalog()))
    for task, target in _TARGETS.items():
        assert summary(groups[f"task:{task}"])["median_abs_error_pct"] <= target, task


def test_fit_or_out_of_memory_is_told_right(rows: list[dict[str, str]]) -> None:
    facts = summary(score_rows(rows, catalog()))
    assert facts["decisions_right"] / facts["decisions"] >= 0.95


def test_bands_hold_about_nine_in_ten(rows: list[dict[str, str]]) -> None:
    assert 85 <= summary(score_rows(rows, catalog()))["in_band_pct"] <= 97


def test_no_case_is_refused(rows: list[dict[str, str]]) -> None:
    assert summary(score_rows(rows, catalog()))["unsupported"] == 0


def test_predictions_do_not_see_what_was_measured(rows: list[dict[str, str]]) -> None:
    for row in rows[::7]:
        told = {**row, **dict.fromkeys(_TOLD, "12345")}
        assert predict(row, catalog()).line() == predict(told, catalog()).line()


def test_measured_columns_are_not_among_those_read() -> None:
    assert not set(DESCRIBING) & set(_TOLD)


def test_lines_are_json_in_the_order_of_the_file(rows: list[dict[str, str]]) -> None:
    lines = [json.loads(line) for line in score_file(CASES, catalog())]
    cases = [line for line in lines if "case_id" in line]
    assert [line["case_id"] for line in cases] == [row["case_id"] for row in rows]
    assert all(line["low"] < line["predicted"] < line["high"] and line["unit"] == "GiB" for line in cases)
    assert lines[-1]["summary"] == "all"


def test_odd_rows_become_unsupported_not_errors() -> None:
    row = dict.fromkeys(DESCRIBING, "")
    line = json.loads(predict({**row, "case_id": "X"}, catalog()).line())
    assert line["verdict"] == "unsupported"
    assert line["unsupported"]
    noisy = {**row, "case_id": "Y", "task": "lora", "model": "llm-7b", "batch": "many", "quant": "mystery-9"}
    assert json.loads(predict(noisy, catalog()).line())["verdict"] == "unsupported"


@pytest.mark.parametrize(
    ("spelling", "ident"),
    [
        ("meta-llama/Llama-2-7b-hf", "llama-2-7b-hf"),
        ("Llama 2 7B", "llama-2-7b-hf"),
        ("phi-1.5 1.3B", "phi-1-5"),
        ("stabilityai/stablelm-base-alpha-3b", "stablelm-base-alpha-3b"),
        ("openai/whisper-small", "whisper-small"),
        ("Qwen/Qwen-1_8B", "qwen-1-8b"),
        ("ResNet-50 v1.5", "resnet50"),
        ("Mask R-CNN R50-FPN", "maskrcnn-resnet50-fpn"),
        ("SSD300 (ResNet-50 backbone)", "ssd300-resnet50"),
        ("mistral-7b-v0.2", "mistral-7b-v0-1"),
        ("THUDM/glm-4-9b-chat", "glm-4-9b"),
    ],
)
def test_free_spellings_of_models_are_resolved(spelling: str, ident: str) -> None:
    assert resolve_model(catalog(), spelling, None).id == ident


def test_an_unknown_model_with_a_size_becomes_a_typical_one() -> None:
    assert resolve_model(catalog(), "acme/whatever", 9.0).parameters == 9e9


def test_every_constant_is_documented() -> None:
    names = {one.name for one in fields(CALIBRATION)}
    assert names == set(MEANING)
    assert set(FITTED) <= names
    assert all(meaning and fitted_on for meaning, fitted_on in MEANING.values())


def test_fitting_again_does_not_make_things_worse(rows: list[dict[str, str]]) -> None:
    measured = [
        Measured(read_case({name: row.get(name, "") for name in DESCRIBING}, catalog()), float(row["measured_gib"]))
        for row in rows
        if row["measured_gib"]
    ][::4]
    again = refit(measured, sweeps=1)
    assert loss(measured, again) <= loss(measured, CALIBRATION)


def test_bands_hold_for_families_that_took_no_part_in_them() -> None:
    named, plain = left_out(plain=False), left_out(plain=True)
    assert 0.85 <= coverage_left_out(named, BANDS, SHARED) <= 0.97
    assert 0.85 <= coverage(named, BANDS, SHARED) <= 0.97
    assert 0.85 <= coverage_left_out(plain, PLAIN_BANDS, SHARED_PLAIN) <= 0.97


def test_families_built_on_are_met_and_few_rows_are_refused() -> None:
    found = evidence()
    clean = [one for one in found.build if one.scored.ident not in found.faults]
    assert median(family_medians(clean).values()) <= 0.20
    assert sum(one.scored.band is None for one in found.build) <= 0.05 * len(found.build)


def test_what_fits_is_told_right_with_and_without_cards_that_are_filled_on_purpose() -> None:
    (right, of), (alone, of_alone) = decisions(filled=True), decisions(filled=False)
    assert right / of >= 0.96
    assert alone / of_alone >= 0.96
    assert of_alone > 140


def test_held_families_are_named_and_apart() -> None:
    found = evidence()
    assert {one.scored.group for one in found.build}.isdisjoint(one.scored.group for one in found.held)
    assert len(found.held) > 400


def test_no_prediction_depends_on_who_reported(rows: list[dict[str, str]]) -> None:
    for row in rows[::9]:
        moved = json.loads(predict({**row, "group": "somebody else"}, catalog()).line())
        assert moved == json.loads(predict(row, catalog()).line())


@pytest.mark.parametrize(
    ("row", "measured", "side"),
    [
        ({"metric": 'VRAM "~"', "notes": ""}, 16.0, Side.EXACT),
        ({"metric": '"under 5GB"'}, 5.0, Side.AT_MOST),
        ({"metric": '"within 11GB"'}, 11.0, Side.AT_MOST),
        ({"metric": "nvidia-smi", "device_gb": "24"}, 23.4, Side.AT_MOST),
        ({"metric": "nvidia-smi", "device_gb": "24"}, 12.0, Side.EXACT),
        ({"notes": 'lower bound ("+" in the table)'}, 144.0, Side.AT_LEAST),
    ],
)
def test_bounds_are_told_from_sizes(row: dict[str, str], measured: float, side: Side) -> None:
    assert side_of(row, measured) is side


def test_a_bound_pulls_from_its_closed_side_only(rows: list[dict[str, str]]) -> None:
    case = read_case(rows[0], catalog())
    assert Measured(case, 10.0, Side.AT_MOST).off(8.0) == 0.0
    assert Measured(case, 10.0, Side.AT_MOST).off(20.0) < 0.0
    assert Measured(case, 10.0, Side.AT_LEAST).off(20.0) == 0.0
    assert Measured(case, 10.0).off(8.0) == pytest.approx(0.2231, abs=1e-4)


def test_files_that_are_no_case_files_are_reported(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(BadData, match="columns missing"):
        list(score_file(wrong, catalog()))
    with pytest.raises(BadData):
        read_rows(tmp_path / "absent.csv")


def test_the_command_prints_lines_and_tells_faults_in_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "memory", str(CASES)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["case_id"] == "M004"
    assert main(["score", "memory", str(tmp_path / "absent.csv")]) == 2
    assert "absent.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "bits"),
    [
        ({"precision": "int8"}, 8.156),
        ({"precision": "fp16", "quant": "int8 kv cache"}, 16.0),
        ({"precision": "bf16"}, 16.0),
    ],
)
def test_inference_rows_are_read_by_what_they_contain(changes: dict[str, str], bits: float) -> None:
    row = dict.fromkeys(DESCRIBING, "") | {
        "task": "inference",
        "model": "llm-7b",
        "framework": "transformers+deepspeed",
    }
    found = read_case(row | changes, catalog()).job
    assert found.weights.linear_bits == pytest.approx(bits, abs=0.001)
    assert found.stack.name == "transformers"
    assert found.kv_bytes == (1.0625 if "kv" in changes.get("quant", "") else 2.0)


@pytest.mark.parametrize(
    ("command", "share"),
    [
        (r'-ot "blk\.(3[3-9])\.ffn_.*_exps=CPU"', 7 / 40),
        ("--n-cpu-moe 10", 10 / 40),
        ("-ngl 99", 1.0),
    ],
)
def test_commands_that_leave_experts_in_ram_say_of_how_many_layers(command: str, share: float) -> None:
    row = dict.fromkeys(DESCRIBING, "") | {
        "task": "inference",
        "model": "Qwen3.6-35B-A3B",
        "quant": "Q4_K_S",
        "framework": "llama.cpp",
        "offload": "experts",
        "notes": f"command: {command} -ub 1024",
    }
    found = read_case(row, catalog()).job
    assert found.offload_share == pytest.approx(share)
    assert found.chunk == 1024


def test_a_report_that_leaves_its_batch_open_has_a_wider_band() -> None:
    row = dict.fromkeys(DESCRIBING, "") | {"task": "train-full", "model": "YOLOv5s", "framework": "Ultralytics"}
    bands = [predict(row | {"case_id": "X", "batch": batch}, catalog()).band for batch in ("16", "")]
    assert bands[0] is not None
    assert bands[1] is not None
    assert bands[1].high == pytest.approx(bands[0].high ** 2)
    assert bands[1].low == pytest.approx(bands[0].low ** 2)


def test_weights_that_are_trained_in_eight_bits_take_a_byte_each() -> None:
    row = dict.fromkeys(DESCRIBING, "") | {"task": "train-full", "model": "llm-7b", "precision": "int8 weights"}
    plain = predicted_gib(read_case(row | {"precision": "bf16"}, catalog()))
    stepwise = row | {"notes": "layer-wise update", "optimizer": "apollo"}
    assert predicted_gib(read_case(stepwise, catalog())) < 0.5 * plain


def test_an_unknown_model_that_tells_its_size_becomes_a_typical_one() -> None:
    assert resolve_model(catalog(), "acme-34b-chat", None).parameters == 34e9


@pytest.mark.parametrize(("name", "modality"), [("acme/pixart-9", "image-gen"), ("acme-net", "vision")])
def test_an_unknown_model_fed_with_images_is_no_language_model(name: str, modality: str) -> None:
    row = dict.fromkeys(DESCRIBING, "") | {"task": "train-full", "model": name, "params_b": "0.6", "image_res": "512"}
    job = read_case(row, catalog()).job
    assert job.model.modality == modality
    assert (job.width, job.height) == (512, 512)


def test_recorded_graphs_keep_what_recomputation_would_free() -> None:
    row = dict.fromkeys(DESCRIBING, "") | {
        "task": "lora",
        "model": "FLUX.1-dev",
        "recompute": "full",
        "image_res": "512",
    }
    need = {
        mode: predicted_gib(read_case(row | {"notes": f"torch.compile {mode}"}, catalog()))
        for mode in ("off", "reduce-overhead", "max-autotune-no-cudagraphs")
    }
    assert need["reduce-overhead"] > 1.2 * need["off"]
    assert need["max-autotune-no-cudagraphs"] <= need["off"]
