"""What a technique does to memory, speed or quality: the first line says whether, how much, or the reason."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

ASKED = [
    ("开梯度检查点会掉多少速度，能省多少显存", ["慢两三成", "省，而且多"]),
    ("LoRA为什么没比全量微调快多少", ["因为前向和反向仍要穿过整个冻结的模型"]),
    ("为啥 MoE 模型显存不按激活参数算", ["因为每个字用到的专家都不同"]),
    ("4bit 量化会变笨吗", ["8 位几乎看不出"]),
    ("kv cache 量化能省多少显存", ["8 位让 KV 缓存减半"]),
    ("qlora 比 lora 慢多少", ["比 LoRA 慢"]),
    ("does flash attention reduce vram for training at 8k?", ["Yes, the more the longer the sequence"]),
    ("does gradient accumulation save memory? how's it different from checkpointing", ["small batch", "activation"]),
    ("does int4 run faster than fp16 or just smaller?", ["For one user yes"]),
    ("why does memory usage grow with context length if the weights stay the same", ["Because keys and values"]),
    ("does mixed precision halve the memory?", ["Partly: activations about halve"]),
    ("how much slower is gradient checkpointing?", ["20 to 30%"]),
    ("为什么我的 batch size 加大了训练反而没变快", ["因为卡已经喂满"]),
    ("does a bigger batch make inference faster?", ["Yes, until the card is full"]),
    ("does more vram make it faster?", ["Not by itself"]),
    ("int8 推理为什么比 fp16 还慢", ["因为省的是读权重"]),
    ("LoRA 的 rank 会影响显存吗", ["影响很小"]),
    ("does a longer prompt use more vram?", ["Yes, in proportion to the context"]),
]


@pytest.mark.parametrize(("text", "told"), ASKED, ids=[text for text, _ in ASKED])
def test_what_a_technique_does_is_said_in_the_first_line(assistant: Assistant, text: str, told: list[str]) -> None:
    reply = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0]
    assert told[0] in reply.text.split("\n")[0]
    assert all(one in reply.text for one in told)
    assert {fact.name for fact in reply.facts} == {"technique"}


@pytest.mark.parametrize(
    "text",
    [
        "4090跑qwen3 32b q4 一秒多少字",
        "24G显存 qlora 能训多大的模型",
        "qlora 微调 qwen3-8b 要多少显存",
        "how much vram for lora on llama 3.1 8b?",
        "cuda out of memory with lora, what now",
        "will flash attention help on a 2080 ti?",
    ],
)
def test_a_sum_for_a_card_or_a_model_is_no_question_about_a_technique(assistant: Assistant, text: str) -> None:
    explained = assistant.explain(make_message(text, chat_type="group"), None, NOW)
    assert not any(row.to == "technique" for row in explained.routes)


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("cuda out of memory, 3090 lora qwen3-8b，batch 4 长度4096", "batch 降到 1"),
        ("CUDA out of memory finetuning llama 3.1 8b with lora on a 4060 ti 16gb", "QLoRA will do"),
    ],
)
def test_what_makes_it_fit_is_named_in_the_first_line_and_only_its_steps_follow(
    assistant: Assistant, text: str, opens: str
) -> None:
    lines = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")
    assert opens in lines[0]
    steps = [line for line in lines if line.startswith("- ")]
    assert steps
    assert all("✓" in line for line in steps[-1:])
    assert not any("✓" in line for line in steps[:-1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("24G显存 qlora 最大能训多大", "Qwen3-14B"),
        ("biggest model I can qlora on 24GB vram?", "Qwen3-14B"),
    ],
)
def test_the_largest_model_with_qlora_is_one_that_a_question_about_it_alone_calls_fitting(
    assistant: Assistant, text: str, told: str
) -> None:
    first = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]
    assert told in first
    alone = assistant.respond(make_message("qlora qwen3-14b 24GB vram", chat_type="group"), None, NOW)[0]
    assert [fact.value for fact in alone.facts if fact.name == "verdict"] == ["fits"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("qwen3-8b 32k 的 kv cache 占多少", "约 4.5 GiB"),
        ("how much does kv cache take for llama 3.1 8b at 128k?", "128k about 16 GiB"),
    ],
)
def test_the_cache_alone_is_told_for_the_context_or_the_usual_ones(assistant: Assistant, text: str, told: str) -> None:
    """Llama 3.1 8B: 32 layers x 8 heads x 128 x 2 x 2 bytes = 128 KiB a token; Qwen3-8B: 36 layers, 144 KiB."""
    assert told in assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]


def test_training_is_not_told_in_a_group_where_running_was_asked_and_is_in_private(assistant: Assistant) -> None:
    text = "gpt-oss-120b 两张 5090 放得下不"
    group, private = (
        assistant.respond(make_message(text, chat_type=kind), None, NOW)[0] for kind in ("group", "private")
    )
    assert "训练" not in group.text
    assert "训练" in private.text


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("24G 最大能跑多大模型，8 bit", "8 位最大跑到"),
        ("24G 最大能跑多大模型", "4 位最大跑到"),
        ("largest llm in fp16 on a 4090?", "in FP16"),
    ],
)
def test_the_format_that_was_said_leads(assistant: Assistant, text: str, opens: str) -> None:
    assert opens in assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]
