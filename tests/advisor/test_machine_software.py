"""CUDA, drivers, PyTorch builds and number formats by card."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.machine import CardGroup, Machine, Verdict
from advisor.machine.age import age_note
from advisor.machine.builds import (
    builds_for,
    family_driver,
    find_driver,
    newest_cuda_of_driver,
    runs_code_of,
    works_with,
)
from advisor.machine.compat import check_compat, check_driver
from advisor.machine.precision import check_precision, flash_attention, formats_of, training_format
from advisor.machine.rules import rules, version
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
NVIDIA = sorted(name for name in CATALOG.gpus if CATALOG.get_gpu(name).min_cuda)


def check(name: str, **more: str) -> tuple[Verdict, str]:
    gpu = CATALOG.get_gpu(name)
    item = check_compat(Machine(cards=(CardGroup(gpu=gpu),), **more))
    return item.verdict, item.headline.code


class TestCuda:
    @pytest.mark.parametrize(
        ("gpu", "cuda", "verdict"),
        [
            ("RTX 3060 12GB", "10.2", Verdict.FAIL),
            ("RTX 3060 12GB", "11.1", Verdict.PASS),
            ("RTX 3060 12GB", "12.8", Verdict.PASS),
            ("RTX 5090", "12.4", Verdict.FAIL),
            ("RTX 5090", "12.8", Verdict.PASS),
            ("GTX 1080 Ti", "12.9", Verdict.PASS),
            ("GTX 1080 Ti", "13.0", Verdict.FAIL),
            ("Tesla K80", "12.0", Verdict.FAIL),
            ("Tesla K80", "11.4", Verdict.PASS),
            ("RTX 4090", "11.3", Verdict.WARN),
            ("RTX 4090", "10.2", Verdict.FAIL),
            ("RTX 2080 Ti", "13.0", Verdict.PASS),
        ],
    )
    def test_card_and_toolkit(self, gpu: str, cuda: str, verdict: Verdict) -> None:
        assert check(gpu, cuda=cuda)[0] is verdict

    def test_the_5090_wants_12_8(self) -> None:
        item = check_compat(Machine(cards=(CardGroup(gpu=CATALOG.get_gpu("RTX 5090")),)))
        assert item.headline.code == "machine_cuda_need"
        assert item.headline.values["min"] == "12.8"
        assert item.headline.values["driver"] == "570.26"

    def test_no_upper_limit_is_invented(self) -> None:
        assert works_with(CATALOG.get_gpu("RTX 3090"), "99.0") is True

    def test_code_of_an_earlier_card_of_the_same_major_runs(self) -> None:
        assert runs_code_of(CATALOG.get_gpu("RTX 4090"), "11.1")
        assert not runs_code_of(CATALOG.get_gpu("RTX 4090"), "10.2")
        assert not runs_code_of(CATALOG.get_gpu("H100 80GB PCIe"), "11.1")

    def test_other_makers_have_no_cuda(self) -> None:
        assert check("RX 7900 XTX")[1] == "machine_cuda_not_nvidia"

    @given(st.sampled_from(NVIDIA), st.sampled_from(sorted(rules().compat.drivers)))
    def test_an_older_toolkit_than_the_minimum_never_works(self, name: str, cuda: str) -> None:
        gpu = CATALOG.get_gpu(name)
        if gpu.min_cuda and version(cuda) < version(gpu.min_cuda):
            assert works_with(gpu, cuda) is False


class TestDrivers:
    def test_drivers_of_toolkits(self) -> None:
        assert find_driver("12.8") == ("570.26", "570.65")
        assert find_driver("11.8") == ("520.61.05", "520.06")
        assert find_driver("12") == find_driver("12.0")
        assert find_driver("99.9") is None

    def test_families_share_a_minimum(self) -> None:
        assert [family_driver(cuda) for cuda in ("11.3", "12.6", "13.0", "10.2")] == [450, 525, 580, None]

    def test_a_driver_carries_every_toolkit_before_it(self) -> None:
        assert newest_cuda_of_driver("550.90.07") == "12.4"
        assert newest_cuda_of_driver("470.82") == "11.4"

    def test_newer_toolkits_never_want_older_drivers(self) -> None:
        table = rules().compat.drivers
        ordered = sorted(table, key=version)
        linux = [version(table[cuda][0]) for cuda in ordered]
        assert linux == sorted(linux)

    def test_an_unknown_toolkit_gets_no_number(self) -> None:
        assert check_driver("99.9") is None


class TestPyTorch:
    @pytest.mark.parametrize(
        ("gpu", "framework", "verdict"),
        [
            ("RTX 5090", "pytorch 2.5", Verdict.FAIL),
            ("RTX 5090", "pytorch 2.7", Verdict.WARN),  # the CUDA 12.8 build only
            ("RTX 4090", "pytorch 1.13", Verdict.PASS),  # code of 8.6 runs on 8.9
            ("GTX 1080 Ti", "pytorch 2.8", Verdict.WARN),  # the CUDA 12.6 build only
            ("GTX 1080 Ti", "pytorch 2.14", Verdict.WARN),
            ("Tesla V100 PCIe 16GB", "pytorch 2.10", Verdict.WARN),
            ("Tesla K80", "pytorch 2.5", Verdict.FAIL),
            ("Tesla K80", "pytorch 2.0", Verdict.PASS),
            ("Tesla K40m", "pytorch 2.0", Verdict.FAIL),  # builds begin at 3.7, the K40 has 3.5
            ("RTX 3090", "pytorch 1.8", Verdict.OPEN),  # older than the table
        ],
    )
    def test_card_and_release(self, gpu: str, framework: str, verdict: Verdict) -> None:
        assert check(gpu, framework=framework)[0] is verdict

    def test_volta_left_the_cuda_12_8_builds_with_2_11(self) -> None:
        v100 = CATALOG.get_gpu("Tesla V100 PCIe 16GB")
        builds = {(build.pytorch, build.cuda) for build in builds_for(v100)}
        assert ("2.10", "12.8") in builds
        assert ("2.11", "12.8") not in builds
        assert ("2.11", "12.6") in builds

    def test_the_oldest_build_for_the_5090_is_2_7_with_12_8(self) -> None:
        oldest = builds_for(CATALOG.get_gpu("RTX 5090"))[-1]
        assert (oldest.pytorch, oldest.cuda) == ("2.7", "12.8")

    def test_the_k80_ends_with_2_0(self) -> None:
        assert builds_for(CATALOG.get_gpu("Tesla K80"))[0].pytorch == "2.0"


class TestFormats:
    @pytest.mark.parametrize(
        ("gpu", "fmt", "support"),
        [
            ("RTX 2080 Ti", "bf16", "none"),
            ("Tesla V100 PCIe 16GB", "bf16", "none"),
            ("RTX 3090", "bf16", "tensor"),
            ("RTX 3090", "fp8", "none"),
            ("RTX 4090", "fp8", "tensor"),
            ("H100 80GB PCIe", "fp8", "tensor"),
            ("H100 80GB PCIe", "fp4", "none"),
            ("RTX 5090", "fp4", "tensor"),
            ("RTX 2080 Ti", "tf32", "none"),
            ("A100 40GB PCIe", "tf32", "tensor"),
            ("GTX 1080 Ti", "fp16", "slow"),
            ("Tesla P40", "fp16", "slow"),
            ("Tesla P100 PCIe 16GB", "fp16", "plain"),
            ("Tesla P40", "int8", "plain"),
            ("Tesla T4", "int8", "tensor"),
            ("GTX 1660 Ti", "fp16", "plain"),
            ("Tesla P40", "int4", "storage"),
        ],
    )
    def test_formats_by_card(self, gpu: str, fmt: str, support: str) -> None:
        assert formats_of(CATALOG.get_gpu(gpu))[fmt].support == support

    @pytest.mark.parametrize(
        ("gpu", "fmt"), [("RTX 3090", "bf16"), ("RTX 2080 Ti", "fp16"), ("GTX 1080 Ti", "fp32"), ("Tesla K80", "fp32")]
    )
    def test_what_to_train_in(self, gpu: str, fmt: str) -> None:
        assert training_format(CATALOG.get_gpu(gpu)) == fmt

    def test_the_rule_agrees_with_the_catalogue_on_bf16(self) -> None:
        for name in CATALOG.gpus:
            gpu = CATALOG.get_gpu(name)
            if gpu.vendor == "NVIDIA" and gpu.bf16_supported is not None:
                assert (formats_of(gpu)["bf16"].support == "tensor") is gpu.bf16_supported, name

    def test_flash_attention_begins_with_ampere(self) -> None:
        found = [
            flash_attention(CATALOG.get_gpu(n)) for n in ("RTX 2080 Ti", "RTX 3090", "H100 80GB PCIe", "RX 7900 XTX")
        ]
        assert found == ["none", "v2", "v3", "unknown"]

    def test_disputes_are_named(self) -> None:
        assert "E13" in check_precision(CATALOG.get_gpu("GTX 1080 Ti"), "fp16").conflicts
        assert "E20" in check_precision(CATALOG.get_gpu("RTX 3090"), "tf32").conflicts
        assert "E41" in check_precision(CATALOG.get_gpu("RTX 2080 Ti"), "fp16").conflicts

    def test_other_makers_are_not_guessed(self) -> None:
        assert formats_of(CATALOG.get_gpu("RX 580"))["bf16"].support == "unknown"


class TestAge:
    def test_what_an_old_card_lacks_is_said(self) -> None:
        note = age_note(CATALOG.get_gpu("GTX 750 Ti"))
        assert note is not None
        assert (note.values["tensor"], note.values["last_cuda"], note.values["cuda"]) == (False, "12.9", "12.6")
        kepler = age_note(CATALOG.get_gpu("Tesla K80"))
        assert kepler is not None
        assert (kepler.values["pytorch"], kepler.values["current"]) == ("2.0.1", False)

    @pytest.mark.parametrize("name", ["RTX 2060", "RTX 4090", "RX 7900 XTX"])
    def test_a_card_that_lacks_nothing_gets_no_remark(self, name: str) -> None:
        assert age_note(CATALOG.get_gpu(name)) is None
