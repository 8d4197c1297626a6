"""Training as people do it: PPO with all its models, programs that tune, clips with blocks in RAM; many who ask at once."""

from __future__ import annotations

import re

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message


def _said(assistant: Assistant, text: str) -> str:
    return assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text


def _gib(text: str) -> float:
    found = re.search(r"([\d,.]+) GiB", text)
    assert found is not None
    return float(found.group(1).replace(",", ""))


PPO = [
    ("PPO 训练 7B 要多大显存", "GRPO 训练 7B 要多大显存", "价值模型", "奖励模型"),
    ("memory for PPO of llama 3 8b", "memory for GRPO of llama 3 8b", "full PPO", "PPO"),
    (
        "PPO with llama 3 8b, value model and reward model included, memory?",
        "GRPO with llama 3 8b, how much memory?",
        "full PPO",
        "PPO",
    ),
]


@pytest.mark.parametrize(("ppo", "grpo", "value", "scorer"), PPO, ids=[one[0] for one in PPO])
def test_ppo_holds_two_models_more_than_grpo(
    assistant: Assistant, ppo: str, grpo: str, value: str, scorer: str
) -> None:
    larger, smaller = _said(assistant, ppo), _said(assistant, grpo)
    assert value in larger
    assert scorer in larger
    assert value not in smaller
    assert _gib(larger) > 1.5 * _gib(smaller)


@pytest.mark.parametrize(
    "text",
    [
        "can I train qwen3 8b with axolotl on a 3090?",
        "unsloth 训练 qwen2.5 14b 24G 够吗",
        "用 llama-factory 训练 qwen2.5 7b 要多大显存",
    ],
)
def test_to_train_with_a_program_that_tunes_is_to_tune(assistant: Assistant, text: str) -> None:
    assert "QLoRA" in _said(assistant, text).split("\n")[0]


def test_a_context_with_unsloth_is_about_as_published(assistant: Assistant) -> None:
    """Its own table gives 78,475 tokens for Llama 3.1 8B on 24 GB."""
    said = _said(assistant, "With Unsloth on a 24 GB card, what context can I train Llama 3.1 8B at?")
    sure, even = (int(one.replace(",", "")) for one in re.findall(r"(\d{2},\d{3}) token", said)[:2])
    assert sure < 78_475 < even * 1.1


CLIPS = [
    ("wan2.2 14b lora 训练 24G 够吗", "部分块放内存"),
    ("hunyuanvideo lora training on a 3090?", "some blocks in RAM"),
    ("qwen-image lora 4090 够吗", "部分块放内存"),
]


@pytest.mark.parametrize(("text", "told"), CLIPS, ids=[text for text, _ in CLIPS])
def test_what_is_tuned_with_blocks_in_ram_is_no_plain_no(assistant: Assistant, text: str, told: str) -> None:
    first = _said(assistant, text).split("\n")[0]
    assert told in first
    assert "放不下（" not in first
    assert "No," not in first


MANY = [
    ("vLLM 一张 4090 跑 qwen3 8b 并发 32 总吞吐多少", "32 路合计", "放不下"),
    ("qwen3 8b awq on a 4090 with vllm, 64 users, total tokens per second?", "64 streams together", "does not fit"),
    ("3090 跑 qwen3 14b 4bit 10 个人同时用多快", "10 路合计", "放不下"),
]


@pytest.mark.parametrize(("text", "told", "never"), MANY, ids=[one[0] for one in MANY])
def test_many_at_once_are_served_as_far_as_their_caches_fit(
    assistant: Assistant, text: str, told: str, never: str
) -> None:
    said = _said(assistant, text)
    assert told in said.split("\n")[0]
    assert never not in said


FILES = [
    ("does a 20 GB gguf fit on a 24 GB card?", "20 GB"),
    ("20GB 的 gguf 文件 24G 显存放得下吗", "20 GB"),
    ("模型文件 18.8GB，两张 12G 的卡够吗", "9.4 GB"),
]


@pytest.mark.parametrize(("text", "told"), FILES, ids=[text for text, _ in FILES])
def test_what_was_said_in_gb_stays_in_gb(assistant: Assistant, text: str, told: str) -> None:
    first = _said(assistant, text).split("\n")[0]
    assert told in first
    assert not first.lstrip("*").startswith(("No", "放不下"))
