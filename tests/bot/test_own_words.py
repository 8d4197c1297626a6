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
        ("lora 训完怎么放进 ollama 用", "llama-quantize"),
        ("how do I turn my finetuned model into a gguf", "llama-quantize"),
        ("resumed my finetune and the loss is way higher than before", "Optimizer state"),
        ("训练到一半服务器关机，第二天接着训 loss 突然变高，是显卡问题吗", "优化器状态"),
        ("my training uses 11.8 of 12 gb, is that dangerous", "no harm"),
        ("显存用到 98% 有没有事", "没有害处"),
        ("两张一样的 3090，第二张慢一截", "pcie.link.width"),
        ("7900xtx 加 3090 一起推理行不行", "Vulkan"),
        ("colab pro or a used 3060 for a student", "50 hours a month"),
        ("自己买卡还是用 colab", "50 小时"),
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
