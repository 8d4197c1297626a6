"""What a first line is about follows from what is asked: the platform's rent, the moment to buy, how many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant


def _group(assistant: Assistant, text: str) -> str:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    return reply.text


@pytest.mark.parametrize(
    ("text", "says", "never"),
    [
        ("autodl 上 4090 和 5090 哪个划算，主要跑 sdxl lora 训练", "¥1.98/小时（AutoDL", "全新"),
        ("4090 vs 5090 on runpod, which is better value for lora", "an hour (RunPod", "second-hand"),
        ("现在入 5090 还是等等", "有活要跑就现在买", "换成"),
        ("buy a 5090 now or wait?", "Buy now if you have work for it", "RTX PRO 6000"),
        ("一张 4090 带 20 个人同时问 qwen3 14b 卡不卡", "20 路一起放不下，同时约", "光靠显卡跑不了"),
        ("can one 4090 serve qwen3 14b to 20 people at once", "Not 20 at once. About", "on the card alone"),
        ("内存 32g 够不够，我要用 4090 微调 7b", "够：32 GB", "QLoRA"),
        ("my 3090 sounds like a jet engine, how do i make it quieter", "Limit the power first", "risers"),
    ],
)
def test_the_answer_is_of_what_is_asked(assistant: Assistant, text: str, says: str, never: str) -> None:
    told = _group(assistant, text)
    assert says in told, told
    assert never not in told, told


def test_weights_that_a_program_reads_as_they_are_need_no_sixteen_bits_of_ram(assistant: Assistant) -> None:
    told = _group(assistant, "llama.cpp 跑 70b 一半放显存一半放内存，24g+64g 能到几 token")
    assert "130 GB" not in told, told
    assert "130 GB" not in _group(assistant, "ollama 跑 70b 要 24g 内存够吗"), told
