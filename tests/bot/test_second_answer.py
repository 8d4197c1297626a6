"""Two questions in one message: both are answered, a long answer by its first line alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant


@pytest.mark.parametrize(
    ("text", "both"),
    [
        (
            "is a 3090 enough for a 13B in int8, and how much would renting one for 20 hours cost?",
            ["20 hours at $", "13B"],
        ),
        ("how many 4090s for a 70B in 4 bit and do I need NVLink?", ["3 x RTX 4090", "no NVLink"]),
        ("4090 能跑 qwen3-32b 4bit 吗，顺便问下租一小时多少钱", ["能跑（4 位）", "RTX 4090 租用"]),
        ("两张 3090 要多大电源，需要 nvlink 吗", ["1,200 W", "NVLink 桥"]),
        ("4090 能跑 qwen3-32b 4bit 吗，内存要多大", ["能跑（4 位）", "32 GB"]),
        ("租一张 A100 80g 一天多少钱，跑 70b qlora 够不够", ["/小时", "能跑（QLoRA）"]),
        ("lora 微调 qwen3-8b，2万条数据，3轮，4090 要跑几个小时 电费多少", ["约 20 小时", "连主机 20.2 小时"]),
        ("whisper large v3 转 1000 小时录音 4060ti 要多久 租4090要花多少钱", ["RTX 4090 跑", "RTX 4060 Ti 16GB 用"]),
        ("qwen3-8b lora 一万条，3090要多久，租4090多少钱", ["RTX 4090 跑", "RTX 3090，Qwen3-8B LoRA"]),
        ("v100 32g 两张 能部署 qwen3-32b 吗 要nvlink不", ["能跑（4 位）", "NVLink，"]),
        ("3060 12g 跑14b行不 速度咋样", ["偏紧（4 位）", "每秒 28 个 token"]),
        ("3090 和 4090 哪个快，5090 多少钱", ["选 RTX 4090", "RTX 5090 租用"]),
        ("AutoDL 关机了还收费吗，数据会保留多久", ["不收显卡的钱", "15 天"]),
        ("2080ti半精度多少，还值得吗", ["107.6 TFLOPS", "能验能退才买"]),
        ("deepseek r1 671b 全放内存里跑，要多大内存，一秒能出几个字", ["机器要有 512 GB", "每秒"]),
        (
            "how much ram to run deepseek r1 671b from ram, and how many tokens a second",
            ["a machine with 512 GB", "tokens/s"],
        ),
    ],
)
def test_both_parts_are_answered(assistant: Assistant, text: str, both: list[str]) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert all(one in reply.text for one in both), reply.text


def test_a_month_of_use_is_billed_once_and_by_its_hours(assistant: Assistant) -> None:
    text = "一张a100每天跑8小时 一个月多少钱 买卡划算还是租划算"
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert "每天 8 小时" in reply.text
    assert "730 小时" not in reply.text


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("3090 二手靠谱不 现在多少钱", "二手 ¥5,700"),
        ("4090 跑 sdxl 1024 一张图几秒 一小时能出多少", "RTX 4090"),
    ],
)
def test_what_the_first_line_tells_is_not_told_again(assistant: Assistant, text: str, once: str) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert reply.text.count(once) == 1


def test_cards_that_are_compared_share_no_supply(assistant: Assistant) -> None:
    reply, _ = assistant.respond(make_message("3090 和 4090 哪个适合 sdxl，需要换电源吗", chat_type="group"), None, NOW)
    assert "1 × RTX 3090、1 × RTX 4090" not in reply.text
