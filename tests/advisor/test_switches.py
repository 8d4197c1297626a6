"""Settings of programs by name: what each changes in a complete job, and in which work it counts."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import bot
from advisor.jobs.plan import plan_for
from advisor.jobs.spoken import Spoken
from advisor.jobs.switches import SWITCHES, counted_in
from advisor.memory.figure import figure_of
from advisor.models import Offload, Precision, Workload
from tests.advisor.memory_jobs import model

SIGNS = Path(bot.__file__).parent / "lexicon" / "signs" / "switches.yaml"


def _work(name: str, *settings: str, method: str = "lora", software: str | None = None) -> Workload:
    job = Spoken(methods=(method,), seq_len=8192, settings=settings, software=software)
    return plan_for(job, model(name)).way.workload


def _gib(name: str, *settings: str, method: str = "lora") -> float:
    return figure_of(_work(name, *settings, method=method)).value


def test_every_setting_that_is_heard_is_known_and_the_other_way_round() -> None:
    assert set(yaml.safe_load(SIGNS.read_text("utf-8"))["setting"]) == set(SWITCHES)


@pytest.mark.parametrize(
    ("setting", "method"),
    [
        ("chunked_loss", "lora"),
        ("activations_in_ram", "lora"),
        ("in_backward", "full"),
        ("optimizer_in_ram", "full"),
        ("unpacked", "lora"),
    ],
)
def test_a_setting_that_saves_memory_does_so(setting: str, method: str) -> None:
    assert _gib("Llama-3-8B", setting, method=method) < 0.95 * _gib("Llama-3-8B", method=method)


def test_keeping_more_than_borders_takes_more() -> None:
    assert _gib("Llama-3-8B", "selective") > 1.2 * _gib("Llama-3-8B")
    assert _gib("Llama-3-8B", "eager") > _gib("Llama-3-8B")


def test_a_setting_counts_only_in_its_work() -> None:
    assert _work("Llama-3-8B", "experts_in_ram", method="inference").offloads == ()
    assert _work("gpt-oss-120b", "experts_in_ram", method="inference").offloads == (Offload.EXPERTS,)
    assert not _work("Llama-3-8B", "in_backward").fused_backward
    assert counted_in(_work("Llama-3-8B", "chunked_loss", "tiled")) == ("chunked_loss",)


def test_experts_in_ram_leave_what_is_stored_wider_on_the_card() -> None:
    work = _work("gpt-oss-120b", "experts_in_ram", method="inference")
    whole = model("gpt-oss-120b")
    left = dict(figure_of(work).parts.items)["weights"]
    share = left * 2**30 / (whole.weights_gb or 0.0) / 1e9
    assert 0.04 < share < 0.1  # attention, router and tables in 16 bits beside experts in 4.25


def test_recipes_of_a_program_decide_the_arithmetic_that_nobody_names() -> None:
    assert _work("Llama-3-8B", method="full", software="torchtune").precision is Precision.BF16
    assert _work("Llama-3-8B", method="full").precision is Precision.BF16_MIXED


def test_blocks_that_are_swapped_leave_the_card_by_their_number() -> None:
    needs = [_gib("Wan2.1-T2V-14B", *said, method="inference") for said in ((), ("swapped:10",), ("swapped:30",))]
    assert needs[0] > needs[1] > needs[2]
    assert _gib("Llama-3-8B", "swapped:10", method="inference") == _gib("Llama-3-8B", method="inference")


def test_ways_that_a_setting_makes_the_same_are_told_once() -> None:
    ways = plan_for(Spoken(settings=("swapped:48",), methods=("lora",)), model("FLUX.1-dev")).ways.all
    works = [one.workload for one in ways]
    assert all(one not in works[:at] for at, one in enumerate(works))
