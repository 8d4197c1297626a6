"""What programs read beside an answer: its first line, its asking parts, and what became of each thing that was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.app import describer_of
from bot.channels.described import Described
from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant


def told(assistant: Assistant, text: str) -> Described:
    reply, _ = assistant.respond(make_message(text), None, NOW)
    return describer_of(assistant)(text, reply)


def fates(described: Described) -> dict[str, str]:
    return {str(one["text"]): str(one["fate"]) for one in described.heard}


@pytest.mark.parametrize(
    ("text", "form", "verdict", "opens"),
    [
        ("4090 能 lora 微调 qwen2.5-14b 吗", "whether", "no", "跑不了（LoRA）：Qwen2.5-14B"),
        ("does llama-3-8b fit on a 3090 in fp16?", "whether", "fits", "Yes"),
        ("how much VRAM does Qwen2.5-14B need with LoRA?", "how_much_memory", None, "About 34"),
        ("3090 vs 4080 for SDXL", "compare", "fits", "RTX 4080"),
        ("租 3 张卡，每张每小时 2.68 元，每天 9 小时，22 天，总共多少钱", "how_much_money", None, ""),
        ("which CUDA for a 5090", "which", None, ""),
    ],
)
def test_form_verdict_and_first_line(
    assistant: Assistant, text: str, form: str, verdict: str | None, opens: str
) -> None:
    found = told(assistant, text)
    assert found.form == form
    assert found.verdict == verdict
    assert found.headline.startswith(opens)
    assert "**" not in found.headline
    assert "\n" not in found.headline
    assert found.parts[0]["headline"] == found.headline
    assert found.parts[0]["form"] == form


def test_each_asking_part_in_its_order(assistant: Assistant) -> None:
    found = told(assistant, "两台机器每台 2.1kW，满载跑 18 天，0.14 刀一度，电费多少刀？总共多少度？")
    assert [one["headline"] for one in found.parts] == ["电费 $254.02（用电 1,814 度）。", "用电 1,814 度。"]
    found = told(assistant, "3090 跑 qwen3-32b 4bit 显存够吗？一秒多少 token？")
    assert [one["verdict"] for one in found.parts] == ["fits", "fits"]
    assert "token" in str(found.parts[0]["headline"]) + str(found.parts[1]["headline"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4090 能 lora 微调 qwen2.5-14b 吗", {"4090": "used", "qwen2.5-14b": "used"}),
        ("no used cards, $800, LoRA on a 7B", {"used cards": "used", "$800": "used", "7B": "used"}),
        ("上个月用 T4 跑过，太慢。现在 4090 跑 llama3 8b 一秒多少 token", {"T4": "background", "4090": "used"}),
        ("租 3 张卡，每张每小时 2.68 元，每天 9 小时，22 天，总共多少钱", {"2.68 元": "used", "9 小时": "used"}),
        (
            "Two 320 W cards, each limited to 240 W, a 150 W CPU and 70 W for the rest. Is an 850 W PSU enough?",
            {"320 W": "set_aside", "240 W": "used", "850 W": "used"},
        ),
        ("预算 8000，跑 7B 的 lora，二手不要", {"8000": "used", "7B": "used"}),
    ],
)
def test_what_became_of_what_was_said(assistant: Assistant, text: str, expected: dict[str, str]) -> None:
    found = fates(told(assistant, text))
    assert {name: found.get(name) for name in expected} == expected


def test_nothing_is_told_of_a_button(assistant: Assistant) -> None:
    reply, _ = assistant.respond(make_message("4090 能 lora 微调 qwen2.5-14b 吗"), None, NOW)
    found = describer_of(assistant)("", reply)
    assert found.heard == ()
    assert found.headline.startswith("跑不了")
