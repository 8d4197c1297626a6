"""A size that is said without its unit is that of the model, and a distilled model is not the one it was distilled from."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

NAMED = [
    ("qwen3 32 在 4090 上能跑吗", "Qwen3-32B"),
    ("how much vram for gpt oss 120?", "gpt-oss-120b"),
    ("3090 跑 gpt-oss 120 多快", "gpt-oss-120b"),
    ("llama 3.3 70 on a 4090?", "Llama-3.3-70B"),
    ("deepseek r1 蒸馏 32b 要多大显存", "DeepSeek-R1-Distill-Qwen-32B"),
    ("R1蒸馏版7b 要多大显存", "DeepSeek-R1-Distill-Qwen-7B"),
    ("r1 distill 14b vram", "DeepSeek-R1-Distill-Qwen-14B"),
    ("zimage turbo 要多大显存", "Z-Image-Turbo"),
    ("clip vit-l 要多大显存", "CLIP ViT-L/14"),
]
COUNTS = ["qwen3 32 users on a 4090", "4090 跑 qwen3 32 个人用", "qwen3 32k 上下文 4090", "qwen3 24g 显存够吗"]


def _first(assistant: Assistant, text: str) -> str:
    return assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]


@pytest.mark.parametrize(("text", "name"), NAMED, ids=[text for text, _ in NAMED])
def test_the_model_that_is_meant_is_the_one_that_is_answered_for(assistant: Assistant, text: str, name: str) -> None:
    assert name in _first(assistant, text)


@pytest.mark.parametrize("text", COUNTS)
def test_a_count_of_something_else_is_no_size(assistant: Assistant, text: str) -> None:
    assert "Qwen3-32B" not in _first(assistant, text)


def test_no_slip_is_mended_into_an_insult(assistant: Assistant) -> None:
    assert "GiB" in _first(assistant, "PPO with llama 3 8b, value model and reward model included, memory?")
