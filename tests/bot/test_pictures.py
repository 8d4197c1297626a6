"""Charts that answers bring: a picture stands alone, so its title says what it is about, and its bands are drawn."""

from __future__ import annotations

import pytest

from bot.core.message import Chart
from bot.pipeline import Assistant
from tests.conftest import NOW, make_message


def drawn(assistant: Assistant, text: str) -> Chart:
    reply, _ = assistant.respond(make_message(text), None, NOW)
    assert reply.chart is not None, reply.text
    return reply.chart


@pytest.mark.parametrize(
    ("text", "named", "bands"),
    [
        ("rent or buy a 4090 for 20 hours a week?", ("RTX 4090", "20 h a week"), 2),
        ("4090 能 LoRA 微调 Qwen2.5-14B 吗", ("Qwen2.5-14B",), 1),
        ("预算一万，跑 14B 大模型买什么卡？", ("14B",), 0),
        ("how does training scale on 4 3090s for ResNet-50?", ("resnet50",), 1),
        ("tokens per second of llama 3.1 8b on a 4090", ("Llama-3.1-8B", "RTX 4090"), 1),
    ],
)
def test_a_picture_says_what_it_is_about(assistant: Assistant, text: str, named: tuple[str, ...], bands: int) -> None:
    chart = drawn(assistant, text)
    assert all(name in chart.title for name in named), chart.title
    assert len(chart.bands) == bands
    names = [name for name, _ in chart.series]
    assert len(set(names)) == len(names), "cards that are had in two ways are told apart"
    assert chart.kind != "scatter" or len(names) > 1
