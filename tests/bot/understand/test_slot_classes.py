"""Classes of wording that once were misread, each in a form of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.understand.recognise import Understander

Read = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("5 H100 for this", 5),
        ("3 T4 enough?", 3),
        ("does a second card help", 2),
        ("trainer with n_gpus=4", 4),
        ("4 A100 per node and 3 nodes", 12),
        ("每台8卡h20，共2台", 16),
        ("H100 or the two T4", None),
        ("500张flux图要多久", None),
        ("tensor parallel with 40 heads", None),
        ("一张4070加一张3060，让两张一起跑", 2),
    ],
)
def test_number_of_cards(slots: Read, text: str, count: int | None) -> None:
    assert slots(text).get("gpu_count") == count


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("35 euro cents per kWh", "electricity_price", {"amount": 0.35, "currency": "EUR"}),
        ("电费七毛三一度", "electricity_price", {"amount": 0.73, "currency": "CNY"}),
        ("our power is 28 cents", "electricity_price", {"amount": 0.28, "currency": "USD"}),
        ("4090三块四一小时贵吗", "price", {"amount": 3.4, "currency": "CNY", "unit": "hour"}),
        ("rent a 4090 at 0.45/h", "price", {"amount": 0.45, "currency": "USD", "unit": "hour"}),
        ("3090两千一张", "price", {"amount": 2000, "currency": "CNY", "unit": "card"}),
        ("budget 2e3 usd", "budget", {"amount": 2000, "currency": "USD", "period": "once"}),
        ("预算 NT$50,000", "budget", {"amount": 50000, "currency": "TWD", "period": "once"}),
        ("1.5 lakh budget for a gpu", "budget", {"amount": 150000, "currency": "INR", "period": "once"}),
        ("800 € and not a cent more for LLMs", "budget", {"amount": 800, "currency": "EUR", "period": "once"}),
    ],
)
def test_money(slots: Read, text: str, slot: str, value: dict[str, Any]) -> None:
    assert slots(text)[slot] == value


@pytest.mark.parametrize(
    "text",
    [
        "一个20亿参数的模型怎么估显存",
        "数据三千万行能塞下吗",
        "three million tiny jpegs on one disk",
        "about 300 CTs for nnU-Net",
        "adamw和sgd选哪个",
        "7950X和14900K带4090哪个稳",
        "5090功率才74w",
        "1024的一张要几秒",
        "I'd like to try 3D work",
    ],
)
def test_what_is_counted_is_no_money(slots: Read, text: str) -> None:
    assert not {"budget", "price", "electricity_price"} & set(slots(text))


@pytest.mark.parametrize(
    ("text", "vram", "ram"),
    [
        ("内存32g显存12g", 12, 32),
        ("16gb ram 8gb vram", 8, 16),
        ("64GB RAM, a 3090 with 24", 24, 64),
        ("笔记本8g显存，内存也才16", 8, 16),
        ("多占了两个g怎么回事", None, None),
        ("network card does 1 Gbit, go to 100G?", None, None),
    ],
)
def test_memory_labels(slots: Read, text: str, vram: float | None, ram: float | None) -> None:
    found = slots(text)
    assert (found.get("vram_gb"), found.get("ram_gb")) == (vram, ram)


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("is 12.8 a must for the 5090", "cuda_version", "12.8"),
        ("tensors on cuda:0 and cpu", "cuda_version", None),
        ("3d unet on a 3090", "duration", None),
        ("faiss index 768d vectors", "duration", None),
        ("1000 H100-hours in total", "duration", {"amount": 1000, "unit": "hour"}),
        ("每周那20小时够吗", "duration", {"amount": 20, "unit": "hour", "per": "week"}),
        (
            "每天10小时，一个月多少钱",
            "duration",
            [{"amount": 10, "unit": "hour", "per": "day"}, {"amount": 1, "unit": "month"}],
        ),
        ("mistral 7b context from 8k to 16k", "seq_len", 16384),
        ("yolov8m at 1280 on a 3060", "resolution", "1280x1280"),
        ("640分辨率训yolov8s", "resolution", "640x640"),
        ("4K原图做超分", "resolution", "3840x2160"),
    ],
)
def test_other_numbers(slots: Read, text: str, slot: str, value: object) -> None:
    assert slots(text).get(slot) == value


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("4090 laptop or 4090?", ["RTX 4090 Laptop", "RTX 4090"]),
        ("laptop 4050 6gb", "RTX 4050 Laptop"),
        ("4060ti16g够吗", "RTX 4060 Ti 16GB"),
        ("a100 80 vs h200", ["A100 80GB", "H200"]),
        ("rtx4000 ada", "RTX 4000 Ada"),
        ("rtx8000 48g", "Quadro RTX 8000"),
        ("5090d v2 值得吗", "RTX 5090 D V2"),
        ("摩尔线程s80", "MTT S80"),
        ("思元370", "MLU370-X8"),
        ("端口8080打不开", None),
    ],
)
def test_cards(slots: Read, text: str, gpu: object) -> None:
    assert slots(text).get("gpu") == gpu


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("wan2.2 14b", "Wan2.2-T2V-A14B"),
        ("sdxl turbo", "SDXL-Turbo"),
        ("EasyAnimate", "easyanimate"),
        ("finetune kimi-audio", "kimi-audio"),
        ("vicunna 7b", "vicuna-7b"),
        ("a plain 13b", "llm-13b"),
    ],
)
def test_models(slots: Read, text: str, model: str) -> None:
    assert slots(text)["model"] == model


def test_an_unknown_name_before_a_size_is_said_to_be_unknown(understander: Understander) -> None:
    (value,) = [slot for slot in understander.understand("qwenn 9b on a 3090").slots if slot.slot == "model"]
    assert value.value == "qwenn-9b"
    assert not value.known
    assert "qwen" in value.candidates


def test_renting_against_owning_states_neither(slots: Read) -> None:
    assert "deploy" not in slots("does buying 4 H200 beat the cloud")
    assert slots("cloud gpu for a week")["deploy"] == "rent"


def test_a_family_said_by_its_software_gives_way_to_a_card(slots: Read) -> None:
    assert "gpu_family" not in slots("7900xtx with rocm")
    assert slots("is rocm usable")["gpu_family"] == "AMD"


@pytest.mark.parametrize("text", ["is it cheaper than to purchase a 4090", "购买一张4090还是租"])
def test_buying_is_no_platform(understander: Understander, text: str) -> None:
    assert not [found for found in understander.understand(text).slots if found.slot == "provider"]


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("训练4个半小时", "duration", {"amount": 4.5, "unit": "hour"}),
        ("预算是台币五万", "budget", {"amount": 50_000, "currency": "TWD", "period": "once"}),
        ("闲鱼780收了张p104", "price", {"amount": 780, "currency": "CNY", "unit": "card"}),
        ("1900的二手2080ti靠谱吗", "price", {"amount": 1900, "currency": "CNY", "unit": "card"}),
        ("九千封顶，配个主机", "budget", {"amount": 9000, "currency": "CNY", "period": "once"}),
        ("六千以内的本子，偶尔打打游戏", "budget", {"amount": 6000, "currency": "CNY", "period": "once"}),
        ("tensor_parallel_size设为4还是慢", "gpu_count", 4),
        ("llama 405b, is one node of 8 H100s ok", "gpu_count", 8),
        ("tensor parallel with 40 heads", "gpu_count", None),
        ("batch is still 4", "batch", 4),
        ("分辨率从1024压到640", "resolution", "640x640"),
        ("torch是2.3.1，4090", "framework", "pytorch 2.3.1"),
        ("魔改22g那种2080ti", "gpu", "RTX 2080 Ti 22GB (mod)"),
        ("three 1080 Tis", "gpu", "GTX 1080 Ti"),
        ("fp16 on two 4070 supers", "gpu", "RTX 4070 Super"),
        ("oom while it asks for another 1.5 GiB", "vram_gb", None),
        ("a card for kaggle competitions", "provider", None),
        ("kaggle上免费的卡", "provider", "kaggle"),
    ],
)
def test_values_by_what_stands_around(slots: Read, text: str, slot: str, value: object) -> None:
    assert slots(text).get(slot) == value


@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("whisper small or large-v3", ["whisper-small", "whisper-large-v3"]),
        ("qwen2.5 7b vs 32b", ["Qwen2.5-7B", "Qwen2.5-32B"]),
        ("llama3 8b和70b", ["Llama-3-8B", "Llama-3-70B"]),
    ],
)
def test_a_name_said_by_halves(understander: Understander, text: str, models: list[str]) -> None:
    assert [found.value for found in understander.understand(text).slots if found.slot == "model"] == models


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("graphics card below 900", 900, "USD"),
        ("max 2k for qlora 14b", 2000, "USD"),
        ("1200 budget", 1200, "USD"),
        ("budget 850 flux", 850, "USD"),
        ("deep learning laptop 1700", 1700, "USD"),
        ("video model card under 3k", 3000, "USD"),
        ("2000左右的显卡", 2000, "CNY"),
        ("万元以内的卡", 10000, "CNY"),
        ("画图 4500预算", 4500, "CNY"),
        ("整机7000 学ai", 7000, "CNY"),
    ],
)
def test_a_limit_without_a_currency_is_what_may_be_spent(slots: Read, text: str, amount: float, currency: str) -> None:
    budget = slots(text)["budget"]
    assert (budget["amount"], budget["currency"]) == (amount, currency)


@pytest.mark.parametrize(
    "text",
    [
        "llama 8b max 8192",
        "gpu temp under 80",
        "power under 300 for a 4090",
        "best gpu for 32k context",
        "which card keeps batch under 256",
        "yolov8 imgsz under 1280 which gpu",
        "best gpu 2026",
        "training under 100 hours on a 3090",
        "几万元的服务器",
    ],
)
def test_a_limit_of_something_else_is_no_budget(slots: Read, text: str) -> None:
    assert "budget" not in slots(text)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("minimax m2", "MiniMax-M2"),
        ("bge-m3", "bge-m3"),
        ("command r+ 104b", "Command-R+"),
        ("gemma3n e4b", "Gemma-3n-E4B"),
        ("mistral small 24b", "Mistral-Small-24B"),
        ("hunyuanvideo 13b", "HunyuanVideo"),
        ("qwen2.5-vl 7b", "Qwen2.5-VL-7B"),
        ("qwen3 vl 8b", "Qwen3-VL-8B"),
        ("devstral mini 9b", "devstral-mini-9b"),
        ("qwen4-vl 12b", "qwen4-vl-12b"),
        ("qwen2-vl-7b", "qwen2-vl-7b"),
        ("glm 4.6", "GLM-4.6"),
    ],
)
def test_a_name_keeps_its_variant_and_size_and_names_no_chip(slots: Read, text: str, model: str) -> None:
    said = slots(text)
    assert said["model"] == model
    assert "gpu" not in said


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("qwen 32b 并发50", "users", 50),
        ("14b for 30 concurrent", "users", 30),
        ("kv cache 128k llama 8b", "seq_len", 131072),
        ("100k usd", "budget", {"amount": 100000, "currency": "USD", "period": "once"}),
        ("gpu for llms", "task", "llm_inference"),
        ("训练大模型用什么卡", "task", "llm_finetune"),
    ],
)
def test_short_lines(slots: Read, text: str, slot: str, value: Any) -> None:
    assert slots(text)[slot] == value


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("没有显卡能跑 7b 吗", True),
        ("集显能跑大模型吗", True),
        ("纯cpu能跑14b吗", True),
        ("can i run llama on my cpu", True),
        ("laptop without a graphics card, 8b?", True),
        ("preprocessing on cpu is slow", False),
        ("llama on a 3090 with layers on cpu", False),
    ],
)
def test_a_job_without_a_card(understander: Understander, text: str, without: bool) -> None:
    assert ("no_gpu" in understander.understand(text).concepts) is without
