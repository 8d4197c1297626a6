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
CHANNELS = [
    ("4090 加 8 通道 DDR5-4800，DeepSeek-V3 Q4 能跑多快？", "专家层放内存（DDR5-4800 8 通道 307"),
    ("3090 配双通道 DDR4-3200 内存跑 gpt-oss-120b，速度多少？", "专家层放内存（DDR4-3200 2 通道"),
    ("GLM-4.5-Air Q4，5080 加 96G DDR5-6000 双通道，每秒多少 token？", "专家层放内存（DDR5-6000 2 通道"),
    ("How fast is DeepSeek-V3.1 Q4 on an RTX 5090 plus 12-channel DDR5-6400 EPYC?", "(DDR5-6400, 12 channels"),
    ("Qwen3-235B-A22B Q4 用一张 4090 加 8 通道 DDR5 内存，专家放内存，能跑多快？", "专家层放内存（DDR5 8 通道"),
    ("Qwen3-235B-A22B Q4 on a 4090 with 8-channel DDR5, experts in RAM, how fast?", "(DDR5, 8 channels"),
]
EACH = [
    ("7B 模型全量微调 DeepSpeed ZeRO-3 8 卡，每卡要多少显存？", "8 张卡每张约"),
    ("full fine-tuning a 7B with ZeRO-3 on 8 GPUs, how much memory per GPU?", "on each of 8 cards"),
    ("Qwen3-32B QLoRA FSDP on 2 GPUs: how much per GPU?", "on each of 2 cards"),
    ("8 卡 FSDP 全量微调 Qwen3-8B 每卡多少", "8 张卡每张约"),
    ("Qwen3-32B FP16 推理，4 卡每卡要多少显存？", "4 张卡每张约"),
]
TOGETHER = [
    ("昇腾 910B 8 卡能跑 DeepSeek-R1 吗？", "8 张 Ascend 910B"),
    ("16 张昇腾 910B 跑 DeepSeek-R1 W8A8 够吗？", "16 张 Ascend 910B"),
    ("is huawei ascend 910B x8 any good, can it run deepseek-r1?", "8 x Ascend 910B"),
    ("摩尔线程 S4000 8 卡跑 DeepSeek-R1 70B？", "8 张分摊，每张约要"),
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


@pytest.mark.parametrize(("text", "told"), CHANNELS, ids=[text for text, _ in CHANNELS])
def test_channels_of_ram_beside_a_card_are_those_that_hold_the_experts(
    assistant: Assistant, text: str, told: str
) -> None:
    reply = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0]
    assert told in reply.text.split("\n")[0]
    assert [fact for fact in reply.facts if fact.name.startswith("throughput:")]


def test_a_bandwidth_of_channels_alone_stays_a_sum(assistant: Assistant) -> None:
    assert "307" in _said(assistant, "8 通道 DDR5-4800 带宽多少").split("\n")[0]


@pytest.mark.parametrize(("text", "told"), EACH, ids=[text for text, _ in EACH])
def test_what_each_of_several_cards_takes_names_a_card_that_holds_it(
    assistant: Assistant, text: str, told: str
) -> None:
    first = _said(assistant, text).split("\n")[0]
    assert told in first
    assert "RTX" in first
    assert "16 张大卡" not in first
    assert "16 large" not in first


@pytest.mark.parametrize(("text", "told"), TOGETHER, ids=[text for text, _ in TOGETHER])
def test_cards_of_another_maker_hold_a_model_together(assistant: Assistant, text: str, told: str) -> None:
    assert told in _said(assistant, text).split("\n")[0]


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


FILES = [
    (("Can a 3090 run Qwen3-32B Q5_K_M?", "and a 5090?", "how fast?"), "Q5_K_M"),
    (("t/s for a q4 70b on an M2 Ultra", "and on 2x 3090?", "with 32k context?"), "Q4_K_M"),
    (("Qwen3-32B Q4 在 4090 上能跑吗", "那 5090 呢", "32k 上下文装得下吗"), "Q4_K_M"),
]


@pytest.mark.parametrize(("talk", "file"), FILES, ids=[talk[0] for talk, _ in FILES])
def test_a_file_that_was_named_stays_until_another_format_is(
    assistant: Assistant, talk: tuple[str, ...], file: str
) -> None:
    state = None
    for turn in talk:
        reply, state = assistant.respond(make_message(turn, chat_type="group"), state, NOW)
        assert file in reply.text.split("\n")[0], turn
    reply, state = assistant.respond(make_message("fp16?", chat_type="group"), state, NOW)
    assert file not in reply.text.split("\n")[0]


def test_four_bits_of_a_server_or_of_pictures_are_no_file_of_local_programs(assistant: Assistant) -> None:
    assert "GGUF" not in _said(assistant, "vLLM 部署 Qwen3-32B Q4，4090 一张够吗")
    assert "GGUF" not in _said(assistant, "FLUX.1-dev Q4 on 8 GB?").split("\n")[0]
