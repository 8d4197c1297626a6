"""No question ends in an exception: tricks, and every value that words can name.

The labelled questions are asked in `tests/every_question`, in each form and language.
"""

from __future__ import annotations

from typing import Literal

import pytest

from bot.pipeline import Assistant
from bot.understand.load import read_files
from tests.bot.labelled import NOW, message

TRICKS = (
    "70B full fine-tune on one 8GB card", "0 GPUs for 7b", "1000 GPUs scaling", "batch 0 bert memory", "-5 GB 7b",
    "budget 10 yuan llama 70b", "预算 1000000000 元 跑 7b", "500 zloty gpu", "4090 vs 4090", "A100 40G vs 80G",
    "mixtral 8x7b vram", "DeepSeek R1 671B 几张 H20", "qwen2.5-7b 1M context vram", "llama 70b gguf q4 vram",
    "M3 Ultra 512GB deepseek r1", "H20 能训练吗", "4090 48g 魔改", "4090 laptop vs 4090", "2 x 3090 or 1 x 4090 70B int4",
    "20 concurrent users llama 8b", "train 1B from scratch on 8 A100", "5 years electricity 4090", "rent 4090 3 hours",
    "二手 2070 值得买吗", "3090 for $100000", "租 4090 100 小时每月还是买", "utilisation 0% rent or buy 4090",
    "batch 100000 resnet50 3090", "seq 10000000 llama 7b", "99999 x 4090 llama 70b", "0 hours 4090 cost", "1e30 元 预算 4090",
    "epochs 租还是买 % 1_000 训练要多久", "a 4090 costs $1600 and renting is free, $0 an hour: hours to break even?",
)  # fmt: skip


@pytest.mark.parametrize("text", TRICKS)
def test_trick_questions_are_answered(assistant: Assistant, text: str) -> None:
    for chat_type in ("private", "group"):
        reply = assistant.explain(message(text, chat_type), None, NOW).reply
        assert reply.text.strip()
        assert not {"nan", "inf", "\u221e"} & set(reply.text.split())


ABOUT = (
    "gpt-oss {} on 3090 possible", "how much vram for qwen 7b {}", "{} on 4090", "which card for {} llama 8b, budget 2000 usd",
    "tokens per second llama 70b {} on 2x3090", "{} qwen 14b 4090 够吗", "how long to train bert {} on a100",
    "llama 8b training {} cost", "why is generation with llama 70b slow {} 3090", "rent or buy 4090 {} 7b",
)  # fmt: skip


@pytest.mark.parametrize("slot", ["precision", "method", "task", "persona", "deploy", "os", "disk", "framework"])
def test_every_value_that_words_can_name_is_answered(assistant: Assistant, slot: str) -> None:
    """No handler meets a value of a word slot that it does not know ("mxfp4" once was one)."""
    words = [spelt[0] for value, spelt in read_files()["values"][slot].items() if value != "-" and spelt]
    assert words
    for text in (frame.format(word) for word in words for frame in ABOUT):
        assert assistant.explain(message(text), None, NOW).reply.text.strip(), text


@pytest.mark.parametrize("word", ["fp4", "mxfp4", "nvfp4"])
def test_four_bit_floats_are_counted_as_such(assistant: Assistant, word: str) -> None:
    reply = assistant.explain(message(f"does gpt-oss {word} fit on a 3090"), None, NOW).reply
    assert reply.intent == "check_fit"
    assert "MXFP4" in reply.text


@pytest.mark.parametrize("name", ["Apple M5", "GTX 970", "Arc Pro B70"])
@pytest.mark.parametrize("chat_type", ["private", "group"])
def test_a_card_whose_computing_power_nobody_published_is_timed_without_it(
    assistant: Assistant, name: str, chat_type: Literal["private", "group"]
) -> None:
    text = f"tokens per second llama 8b q4 on {name}"
    for language in ("en", "zh"):
        reply = assistant.explain(message(text, chat_type, language), None, NOW).reply
        assert reply.intent == "estimate_time"
        assert "token" in reply.text
        assert "None" not in reply.text


@pytest.mark.parametrize("chat_type", ["private", "group"])
def test_pictures_on_a_machine_that_shares_its_memory_are_timed(
    assistant: Assistant, chat_type: Literal["private", "group"]
) -> None:
    for language in ("en", "zh"):
        reply = assistant.explain(message("flux on m3 ultra speed", chat_type, language), None, NOW).reply
        assert reply.text.strip()
        assert "None" not in reply.text


OPENINGS = (
    "can 3 4090 run qwen2.5-14b", "4 张 a100 组个集群", "cluster of 8 h100 for llama 70b", "cost of 3 a100 for 10 hours", "psu for 3 3090",
    "how many 910b for qwen2.5-14b int4 lora",
)  # fmt: skip
PARTS = (
    "half more of them", "1.5 more of them", "half of them", "2.5", "再加半张", "少一张半", "a quarter fewer cards", "half as many",
    "add 1.5 cards", "再加 0.5 张", "300000 more of them",
)  # fmt: skip


@pytest.mark.parametrize("opening", OPENINGS)
def test_no_part_of_a_card_is_ever_counted(assistant: Assistant, opening: str) -> None:
    """Half a card more is none: a plan for 1.5 cards once ended in an exception, another spoke of 3 where 3.5 were held."""
    for part in PARTS:
        _, state = assistant.respond(message(opening), None, NOW)
        for text in (part, "and as a cluster?", "cost for a day"):
            reply, state = assistant.respond(message(text), state, NOW)
            assert reply.text.strip()
            count = state.slots["gpu_count"].value if "gpu_count" in state.slots else 1
            assert isinstance(count, int), (part, text)
            assert 1 <= count <= 20_000, (part, text)
