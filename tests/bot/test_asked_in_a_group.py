"""Questions as members of a group type them: the first line fills what was asked, and no neighbour's answer stands there."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

FIRST = [
    # as many cards are billed as run the model
    (
        "how many a100 80gb for serving llama 3 70b to 20 users at once and whats the monthly cost",
        ["3 x A100", "a month"],
    ),
    ("deepseek v3 on h100s, what do i pay a month", ["8 x H100", "a month"]),
    ("租 a100 80g 给20个人同时用 llama 3 70b 一个月多少钱", ["3 张 A100"]),
    # at whom, and what it comes to
    ("rent h100 for 3 days continuous, total cost and cheapest place?", ["RunPod", "72 hours", "$194"]),
    ("4090 for 200 hours, vast.ai or runpod?", ["vast.ai", "200 hours"]),
    ("租 4090 一周 哪家便宜", ["168 小时", "竞价"]),
    # how much is trained in a time
    ("how many epochs of 1.2m images resnet50 can i do on a single 3090 in 24h", ["epochs in 24 hours", "1,200,000"]),
    ("how many steps of sdxl lora can i train on a 4090 in an hour", ["steps in"]),
    ("3090 24小时能训 resnet50 imagenet 几个epoch", ["轮", "1,281,167"]),
    # one number format against another
    ("how much faster is int4 than fp16 for decoding on a 3090, and do i lose quality", ["2.24x as fast"]),
    ("is 4bit quicker than 8bit on a 4090 for llms", ["4 bit is about"]),
    # files with a part in RAM
    ("what quant of deepseek r1 can i run w/ 4x 3090 and 256gb ram", ["Q3_K_M", "256 GB of RAM"]),
    ("best quant of qwen3 235b for a 4090 + 128gb ddr5", ["Q4_K_M", "128 GB of RAM"]),
    # memory of several cards
    ("is it true that 2x 3090 with nvlink act as one 48gb card", ["No", "2 times 24 GiB"]),
    ("will 2x 5060 ti 16gb show up as 32gb", ["No", "2 times 16 GiB"]),
    ("do 2x 4090 give me twice the speed", ["2 x RTX 4090 against one"]),
    # what ran out is run in 4 bits, and not fetched layer by layer
    ("how do i stop OOM when loading mistral small 24b on 16gb", ["4 bit", "14.3 GiB"]),
    ("CUDA out of memory loading llama 70b on my 3090, how to fix", ["4 bit", "tokens/s"]),
    # a premise is refused, a purpose told, what is lent judged
    ("my friend says AMD 7900 xtx is useless for training, is he right", ["No"]),
    ("what's an L40S good for", ["Models up to"]),
    ("is colab pro enough to finetune gemma 2 9b? or just rent something on vast", ["Tesla T4"]),
    ("how to use 2 different gpus (3060 12gb + 1080ti) for one llm", ["split it by layers"]),
    # what is still worth buying, what is so, how far two are apart
    ("any point buying a titan v today", ["TITAN V: only for special uses"]),
    ("confirm: h100 has 80gb and 3.35tb/s right?", ["Right", "3,350 GB/s"]),
    ("h100 pcie has 3.35tb/s right?", ["No", "2,000 GB/s"]),
    ("how much faster is a 5090 than a 4090 for stable diffusion", ["About 1.26x"]),
    ("bf16 vs fp16 for finetuning on 3090", ["BF16:"]),
    ("should i train in fp16 or bf16 on a v100", ["FP16 with a", "does not compute BF16"]),
    # a card that waits, is shared, is held back
    ("why does my llama.cpp only use 40% of the gpu", ["lies in RAM"]),
    ("can 2 people share one a100 for training without fighting", ["Yes", "MIG"]),
    ("is a 4060 ti 16gb bottlenecked by its memory bus for llms", ["Yes", "288 GB/s"]),
    ("my kaggle t4 x2 only uses one gpu, how do i use both", ["data parallel"]),
    ("deepspeed zero 2 vs zero 3 for 13b full finetune on 8x a100 40gb", ["ZeRO-2", "ZeRO-3"]),
]


def _said(assistant: Assistant, text: str) -> str:
    return assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text


@pytest.mark.parametrize(("text", "told"), FIRST, ids=[text for text, _ in FIRST])
def test_the_first_line_fills_what_was_asked(assistant: Assistant, text: str, told: list[str]) -> None:
    first = _said(assistant, text).split("\n")[0]
    assert [part for part in told if part not in first] == []


def test_a_format_that_the_card_does_not_hold_is_not_told_as_if_it_ran_there(assistant: Assistant) -> None:
    said = _said(assistant, "int4 vs fp16 for qwen3 14b on a 4090, speed and quality?")
    assert "FP16 does not fit on one RTX 4090" in said
    assert "perplexity" in said
