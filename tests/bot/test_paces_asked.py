"""What is asked of a pace is told: with RAM beside a card, in pictures a minute, in images trained on a second."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

LENT = [
    ("4090 24G 加 128G 内存 DDR5-6000 跑 gpt-oss-120b 一秒多少字", "专家层放内存（DDR5-6000"),
    ("how fast is glm 4.5 air q4 on a 4090 with 64GB DDR5", "of its experts in system RAM (DDR5, 2 channels"),
    ("3090 64g ddr4 qwen3-next 80b 每秒多少", "放内存（DDR4 2 通道"),
    ("what fits and how fast on a 3060 12GB with 64 GB DDR4: llama 3.3 70b q4?", "on the card and"),
]
SHORT = [
    ("5090 加 192G DDR5 跑 DeepSeek R1 能有多少 token/s", "跑不了", "192 GB 内存除去系统不够"),
    ("3090 + 64G DDR4 跑 Qwen3-235B-A22B 多快", "跑不了", "64 GB 内存除去系统不够"),
    ("how fast is qwen3 235b q4 on a 4090 with 64GB ddr5?", "It won't run", "more than 64 GB holds"),
    ("64G 内存 3090 deepseek v3 每秒几个字", "跑不了", "64 GB 内存"),
]
RATES = [
    ("4090 一分钟能出多少张 sdxl 1024", "一分钟约"),
    ("5090 一天能出多少张 flux dev 的图", "一天约"),
    ("how many images a minute does a 3060 12gb make with flux schnell", "a minute"),
    ("how many ltx-video clips per hour on a 5090", "clips an hour"),
    ("yolo11m 640 batch 16 4090 训练 一秒多少张", "约每秒"),
    ("yolo11m 640 batch 16 on a 4090 24GB, images per second in training", "images/s"),
]


def _said(assistant: Assistant, text: str) -> str:
    return assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text


@pytest.mark.parametrize(("text", "told"), LENT, ids=[text for text, _ in LENT])
def test_a_pace_says_what_lies_on_the_card_and_what_in_ram(assistant: Assistant, text: str, told: str) -> None:
    said = _said(assistant, text)
    assert told in said.split("\n")[0]
    assert "显存带宽" not in said
    assert "memory bandwidth" not in said


@pytest.mark.parametrize(("text", "opens", "why"), SHORT, ids=[text for text, _, _ in SHORT])
def test_no_pace_is_told_of_what_finds_no_room_in_the_ram_that_was_said(
    assistant: Assistant, text: str, opens: str, why: str
) -> None:
    reply = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0]
    first = reply.text.split("\n")[0]
    assert opens in first
    assert why in first
    assert not [fact for fact in reply.facts if fact.name.startswith("throughput:")]


@pytest.mark.parametrize(("text", "told"), RATES, ids=[text for text, _ in RATES])
def test_a_number_in_a_time_is_told_as_one(assistant: Assistant, text: str, told: str) -> None:
    assert told in _said(assistant, text).split("\n")[0]


def test_more_pictures_are_made_in_a_longer_time(assistant: Assistant) -> None:
    minute, day = (_said(assistant, f"how many sdxl images a {one} on a 4090") for one in ("minute", "day"))
    assert "a minute" in minute
    assert "a day" in day
