"""A slot that is asked about for inference is judged for inference, and a card that slows down gets its fix first."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return shared_assistant()


def told(assistant: Assistant, text: str) -> str:
    return assistant.explain(message(text, "group"), None, NOW).reply.text


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("can I run a 3090 on a PCIe x4 riser for inference only?", "hardly matters"),
        ("pcie riser x4, inference only, does it slow down?", "hardly matters"),
        ("is a x4 slot enough for a second card if I only do inference?", "Enough"),
        ("x1 mining riser for a second card, LLM inference only, terrible idea?", "split by layers"),
        ("PCIe x4 插槽只做推理够吗", "几乎没影响"),
        ("用 x1 转接线跑推理会慢吗", "几乎没影响"),
        ("第二张卡只有 x4，只跑推理有影响吗", "够用"),
    ],
)
def test_a_slot_for_inference_is_not_judged_by_training(assistant: Assistant, text: str, verdict: str) -> None:
    reply = told(assistant, text)
    assert verdict in reply.splitlines()[0]
    assert "ResNet-50" not in reply


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("clocks fall at 88 C, what do I do", "too hot"),
        ("显卡 88 度就降频", "太热"),
        ("my 3090 throttles at 75c", "not what slows it"),
        ("4090 80 度开始掉频率", "不到核心降频"),
    ],
)
def test_a_card_that_slows_down_is_told_why_and_what_to_do(assistant: Assistant, text: str, verdict: str) -> None:
    first = told(assistant, text).splitlines()[0]
    assert verdict in first
    assert "nvidia-smi" in first


@pytest.mark.parametrize(
    ("text", "limit"), [("is 70 C fine for a 3090 under load?", "93 C"), ("4090 满载 75 度正常吗", "89 °C")]
)
def test_a_temperature_alone_is_held_against_the_limit(assistant: Assistant, text: str, limit: str) -> None:
    assert limit in told(assistant, text).splitlines()[0]
