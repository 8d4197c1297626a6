"""A question in the words of a passage that nothing computed can stand in for is answered by that passage."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant, Explained
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return shared_assistant()


def explained(assistant: Assistant, text: str) -> Explained:
    return assistant.explain(message(text, "group"), None, NOW)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mac 上用 mlx 还是 gguf 格式好", "先用 GGUF"),
        ("ollama 模型能换到 d 盘吗", "OLLAMA_MODELS"),
        ("autodl 系统盘和数据盘有啥区别", "autodl-tmp"),
        ("ollama 想让同事也能连", "OLLAMA_HOST"),
        ("can others on the lan connect to my ollama", "OLLAMA_HOST"),
        ("sdxl 出来的图是纯黑的", "no-half-vae"),
        ("all my comfyui outputs are black squares", "no-half-vae"),
        ("on-demand against interruptible", "On-demand: fixed price"),
        ("llama.cpp 里把多少层放到显卡的参数是哪个", "-ngl"),
        ("which llama.cpp flag puts layers on the gpu?", "-ngl"),
        ("mlx or gguf on a macbook", "GGUF first"),
        ("can I run a 70b by adding RAM instead of VRAM", "every token reads all weights"),
        ("used 3090, what should I check before paying", "memtest_vulkan"),
    ],
)
def test_it_is_told_whatever_need_was_read(assistant: Assistant, text: str, told: str) -> None:
    assert told in explained(assistant, text).reply.text


@pytest.mark.parametrize(
    "text",
    [
        "5090 跑 70b 行吗",
        "h20 和 h100 训练差多少",
        "is a used P40 still worth it?",
        "which gpu for yolo",
        "how much is a used 3090",
    ],
)
def test_what_is_computed_stays_computed(assistant: Assistant, text: str) -> None:
    assert not any(row.to == "own_words" for row in explained(assistant, text).routes)
