"""Every kind of slot in the forms people use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.understand.recognise import Understander

Read = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("3090ti和4090D", ["RTX 3090 Ti", "RTX 4090 D"]),
        ("A100 80g sxm 怎么样", "A100 80GB SXM4"),
        ("2080ti魔改22g能买吗", "RTX 2080 Ti 22GB (mod)"),
        ("昇腾910B能跑吗", "Ascend 910B"),
        ("mi300x vs h100", ["MI300X", "H100"]),
        ("3o90 够吗", "RTX 3090"),
        ("80G的A100", "A100 80GB"),
        ("8 x 32GB V100", "V100 32GB"),
        ("the 12 GiB version of RTX 3060", "RTX 3060 12GB"),
        ("笔记本4090 能跑吗", "RTX 4090 Laptop"),
        ("Do V100s work", "V100"),
        ("two 2080s", "RTX 2080"),
        ("2080S", "RTX 2080 Super"),
        ("L40s", "L40S"),
        ("RTX 3080 10GB or 12GB 3080", ["RTX 3080 10GB", "RTX 3080 12GB"]),
        ("4*A100-SXM4-80GB", "A100 80GB SXM4"),
        ("苹果M3 Max", "Apple M3 Max"),
        ("TPU v3-8", "TPU v3"),
        ("titan x pascal", "TITAN X (Pascal)"),
        ("4070tis", "RTX 4070 Ti Super"),
        ("双路4090", "RTX 4090"),
    ],
)
def test_cards_in_every_form(slots: Read, text: str, gpu: Any) -> None:
    assert slots(text)["gpu"] == gpu


@pytest.mark.parametrize(
    "text", ["3060元能买什么", "1080p 视频", "1920x1080", "k8s 集群", "a 2 gpu box", "qwen3-30b-a3b", "resnet-50"]
)
def test_numbers_that_are_no_cards(slots: Read, text: str) -> None:
    assert "gpu" not in slots(text)


def test_an_unknown_card_is_said_to_be_unknown_and_never_guessed(understander: Understander) -> None:
    (card,) = [value for value in understander.understand("rtx 6090 跑大模型").slots if value.slot == "gpu"]
    assert (card.value, card.known) == ("RTX 6090", False)
    assert card.candidates


def test_an_open_variant_names_its_candidates(understander: Understander) -> None:
    (card,) = [value for value in understander.understand("A100 多少钱").slots if value.slot == "gpu"]
    assert card.value == "A100"
    assert "A100 80GB PCIe" in card.candidates


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("qwen2.5-14b", "Qwen2.5-14B"),
        ("千问14b", "Qwen-14B"),
        ("llama3 70B", "Llama-3-70B"),
        ("7b模型", "llm-7b"),
        ("deepseek r1 70b", "DeepSeek-R1-Distill-Llama-70B"),
        ("GLM-130B用4090要几张", "glm-130b"),
        ("foobar-13b", "foobar-13b"),
        ("bert-large 微调", "bert-large-uncased"),
        ("ResNet-50 with 4 gpus", "resnet50"),
        ("SDXL lora", "stable-diffusion-xl-base-1.0"),
        ("Mixtral 8x7B", "Mixtral-8x7B-v0.1"),
        ("7B到32B", ["llm-7b", "llm-32b"]),
        ("yolov8m", "YOLOv8m"),
    ],
)
def test_models_by_alias_family_and_size(slots: Read, text: str, model: Any) -> None:
    assert slots(text)["model"] == model


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("预算1.5w", 15000, "CNY"),
        ("预算一万五", 15000, "CNY"),
        ("两千三以内买什么卡", 2300, "CNY"),
        ("预算8k~1w", 10000, "CNY"),
        ("1万5买什么显卡", 15000, "CNY"),
        ("预算一两万", 20000, "CNY"),
        ("budget is $1,066.67", 1066.67, "USD"),
        ("which gpu under 600 bucks", 600, "USD"),
        ("十万预算能配什么", 100000, "CNY"),
        ("2k刀预算", 2000, "USD"),
    ],
)
def test_budgets(slots: Read, text: str, amount: float, currency: str) -> None:
    budget = slots(text)["budget"]
    assert (budget["amount"], budget["currency"]) == (amount, currency)


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("两张3090", "gpu_count", 2),
        ("8*4090", "gpu_count", 8),
        ("双卡4090", "gpu_count", 2),
        ("单机八卡", "gpu_count", 8),
        ("2台8卡A100", "gpu_count", 16),
        ("four 24GB cards", "gpu_count", 4),
        ("3090 24g 够吗", "vram_gb", 24),
        ("内存64g够吗", "ram_gb", 64),
        ("batch size 改成 16", "batch", 16),
        ("32k上下文", "seq_len", 32768),
        ("分辨率512", "resolution", "512x512"),
        ("1200w电源够吗", "psu_w", 1200),
        ("gpu利用率20%", "utilization", 0.2),
        ("电费0.6元一度", "electricity_price", {"amount": 0.6, "currency": "CNY"}),
        ("cuda 11.3 能用吗", "cuda_version", "11.3"),
        ("pytorch 1.8", "framework", "pytorch 1.8"),
        ("租4090半年", "duration", {"amount": 0.5, "unit": "year"}),
        ("每天跑8小时", "duration", {"amount": 8, "unit": "hour", "per": "day"}),
        ("i7 9700核显", "cpu", "i7-9700"),
        ("10000 users", "users", 10000),
        ("5万张图", "dataset", "50000 images"),
        ("autodl上租卡", "provider", "autodl"),
        ("qlora微调", "method", "qlora"),
        ("学生党", "persona", "student"),
    ],
)
def test_other_slots(slots: Read, text: str, slot: str, value: Any) -> None:
    assert slots(text)[slot] == value


def test_a_price_question_is_no_duration(slots: Read) -> None:
    assert "duration" not in slots("a100一小时多少钱")


def test_resnet_50_with_is_no_half_million(slots: Read) -> None:
    assert not {"budget", "price"} & slots("resnet-50 with 4 gpus").keys()


def test_a_correction_replaces_what_stood_before(slots: Read) -> None:
    assert slots("3090, no wait, 4090")["gpu"] == "RTX 4090"
    assert slots("3090，不对，4090能跑吗")["gpu"] == "RTX 4090"


@pytest.mark.parametrize("text", ["除了V100还有什么卡", "anything but V100"])
def test_an_excluded_card_is_no_wish(understander: Understander, text: str) -> None:
    cards = [value for value in understander.understand(text).slots if value.slot == "gpu"]
    assert [card.negated for card in cards] == [True]


def test_spans_point_into_the_original_text(understander: Understander) -> None:
    text = "  用 ＲＴＸ ３０９０ 跑 ７B 模型"
    for value in understander.understand(text).slots:
        assert text[value.span.start : value.span.end] == value.text


def test_a_currency_alone_corrects_and_asks_for_no_number(slots: Read) -> None:
    assert slots("no, in yuan")["budget"] == {"currency": "CNY"}
    assert "budget" not in slots("多少元")


def test_two_of_them_is_a_count(slots: Read) -> None:
    assert slots("what about two of them?")["gpu_count"] == 2


@pytest.mark.parametrize(
    ("text", "wished", "denied"),
    [
        ("不是推理，是训练", "train", "inference"),
        ("not qlora, full fine-tuning", "full", "qlora"),
        ("训练，不做推理", "train", "inference"),
        ("lora rather than qlora", "lora", "qlora"),
    ],
)
def test_a_denied_method_is_none_of_two(understander: Understander, text: str, wished: str, denied: str) -> None:
    methods = {value.value: value.negated for value in understander.understand(text).slots if value.slot == "method"}
    assert methods == {wished: False, denied: True}


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("电费一块 双3090 满载一个月多少钱", "electricity_price", {"amount": 1, "currency": "CNY"}),
        ("1.5万 lora 微调 30b 买什么卡", "budget", {"amount": 15000, "currency": "CNY", "period": "once"}),
        ("老师给了6万 两个人跑实验 怎么配", "users", 2),
        ("预算 1 万 5 买啥卡", "budget", {"amount": 15000, "currency": "CNY", "period": "once"}),
        ("两块 4090 一个月电费", "gpu_count", 2),
    ],
)
def test_a_space_ends_what_a_number_says(slots: Read, text: str, slot: str, value: Any) -> None:
    assert slots(text)[slot] == value


def test_the_full_version_of_a_card_is_no_model(slots: Read) -> None:
    assert "model" not in slots("4090满血版和4090D训练差多少")
    assert "model" in slots("一张 h20 能跑满血版吗")
