"""What a sum to spend once buys: a sound card by a lighter way, a smaller batch, several cards; never a risk unasked."""

from __future__ import annotations

from itertools import pairwise

import pytest

from advisor.recommend.home import pace_of
from bot.pipeline import Assistant
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return shared_assistant()


def told(assistant: Assistant, text: str) -> str:
    return assistant.explain(message(text, "group"), None, NOW).reply.text


@pytest.mark.parametrize(
    "text",
    [
        "budget $800, LoRA on a 7B",
        "I have $800, want to LoRA fine-tune a 7B, which card?",
        "800刀预算，想LoRA微调7B，买哪张卡",
        "预算5500元，lora 微调 7B 买什么卡",
        "what card for LoRA on Llama 3 8B under 900 dollars",
    ],
)
def test_a_modified_card_is_told_beside_and_not_picked(assistant: Assistant, text: str) -> None:
    first, *below = told(assistant, text).splitlines()
    assert "(mod)" not in first
    assert any("(mod)" in line for line in below)
    assert "NF4" in "".join(below)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("$2500 to run llama 70b at home, what should I buy?", "3 x RTX"),
        ("400 dollars, which card to run 32b models", "2 x RTX"),
        ("I have 1000 dollars, want to run 32b models locally", "2 x RTX"),
        ("预算六千，想跑 32b 本地，顺便玩游戏", "2 张 RTX"),
        ("¥20,000 for running a 70B, what card", "2 x RTX 3090"),
        ("1500美元本地跑70B怎么买", "3 张 RTX"),
        ("两万块钱本地部署 72B 怎么配", "2 张 RTX 3090"),
    ],
)
def test_several_cards_hold_what_one_does_not_for_the_money(assistant: Assistant, text: str, cards: str) -> None:
    first = told(assistant, text).splitlines()[0]
    assert cards in first
    assert "(mod)" not in first


@pytest.mark.parametrize(
    "text",
    [
        "3000块训练 U-Net 分割买什么卡",
        "U-Net for medical segmentation, budget 3000 yuan, which card",
        "五千块训unet买啥卡",
    ],
)
def test_a_batch_that_nobody_named_is_made_smaller_before_the_money_is_refused(assistant: Assistant, text: str) -> None:
    below = told(assistant, text).splitlines()[1:]
    assert "16 GiB" in "".join(below)
    assert any("batch 8" in line for line in below)


@pytest.mark.parametrize(
    "text", ["our group has 12k for a lab server, what would you build?", "we put 9k on a new server, what goes in"]
)
def test_what_to_build_is_answered_with_what_to_build(assistant: Assistant, text: str) -> None:
    assert told(assistant, text).startswith(("**Take ", "Take "))


@pytest.mark.parametrize(
    "text",
    [
        "cheapest way to fine tune a 7b once, don't own a gpu",
        "就微调一次 7B，最便宜怎么弄",
        "i only want to train once, which gpu",
    ],
)
def test_for_a_job_that_comes_once_nobody_buys(assistant: Assistant, text: str) -> None:
    assert told(assistant, text).replace("*", "").startswith(("Rent ", "租"))


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("公司想内部部署一个问答机器人，大概五十人用，买什么卡", "50 人"),
        ("which gpu should we buy to run an internal chatbot for 60 employees?", "60 people"),
    ],
)
def test_many_people_are_counted(assistant: Assistant, text: str, people: str) -> None:
    assert people in told(assistant, text).splitlines()[0]


@pytest.mark.parametrize(
    ("text", "watts"),
    [
        ("宿舍限电 800W，想放一台跑模型的机器，哪张卡合适", "800 W"),
        ("dorm room circuit limited to 800 W, which card for running models", "800 W"),
    ],
)
def test_a_circuit_bounds_the_card(assistant: Assistant, text: str, watts: str) -> None:
    assert watts in told(assistant, text)


@pytest.mark.parametrize(
    ("text", "small", "usual"),
    [
        ("what card to train a YOLOv8m, 300 dollars", "batch 8", "batch 16 is tight"),
        ("which GPU should I buy for training YOLOv8m with $250?", "batch 8", "batch 16 is tight"),
        ("学生党真没钱，两千以内有没有能跑yolov8的卡，二手也行", "batch 8", "batch 16 在这张卡上偏紧"),
        ("在家训练 YOLOv8m，2500 元以内买什么卡", "batch 8", "batch 16 在这张卡上偏紧"),
    ],
)
def test_a_card_that_is_tight_for_the_usual_batch_is_told_with_one_that_it_surely_holds(
    assistant: Assistant, text: str, small: str, usual: str
) -> None:
    whole = told(assistant, text)
    assert small in whole
    assert usual in whole
    assert "may have to shrink" not in whole
    assert "可能要调小" not in whole


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("which card should I buy to LoRA fine-tune a 7B at home for at most $3000?", "surely fits on it"),
        ("预算一万，跑7b lora，买什么卡", "这张卡稳稳装得下"),
    ],
)
def test_a_card_that_is_tight_for_the_way_named_is_told_with_the_way_that_it_surely_holds(
    assistant: Assistant, text: str, remedy: str
) -> None:
    assert remedy in told(assistant, text)


def test_what_nobody_asked_for_is_not_missed(assistant: Assistant) -> None:
    whole = told(assistant, "my budget is 2k usd, llm finetuning, which card, no used cards")
    assert whole.replace("*", "").startswith("Buy an RTX 5080")
    assert "16-bit" not in whole


@pytest.mark.parametrize(
    "questions",
    [
        [
            f"which card should I buy to train a U-Net at home for at most ${money}?"
            for money in (700, 1000, 1500, 2500)
        ],
        [f"在家训练 U-Net，{money} 元以内买什么卡" for money in (3000, 5000, 8000, 20000)],
    ],
)
def test_a_job_of_unknown_speed_gets_more_arithmetic_or_a_larger_batch_for_more_money(
    assistant: Assistant, questions: list[str]
) -> None:
    found = []
    for text in questions:
        facts = {one.name: one.value for one in assistant.respond(message(text), None, NOW)[0].facts}
        gpu = assistant.services.catalog.find_gpu(str(facts["pick"]))
        assert gpu is not None
        found.append((float(str(facts["vram_needed"])), pace_of(gpu, 1) or 0.0))
    for (held, before), (holds, after) in pairwise(found):
        assert holds >= held
        assert after > before or holds > held


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("is it worth upgrading from a 1080 Ti for training U-Net?", "which the GTX 1080 Ti holds"),
        ("1080ti 训 unet 要不要换卡", "GTX 1080 Ti 装得下"),
    ],
)
def test_a_card_in_use_is_not_said_to_lack_memory_for_a_batch_that_nobody_named(
    assistant: Assistant, text: str, held: str
) -> None:
    whole = told(assistant, text)
    assert held in whole
    assert "batch 4" in whole
    assert "RTX 6000 Ada" not in whole


def test_a_batch_that_was_named_stays(assistant: Assistant) -> None:
    whole = told(assistant, "should I upgrade my 1080 Ti for U-Net with batch 32?")
    assert "the memory is too small" in whole


def test_servers_are_held_against_a_smaller_batch_where_nobody_named_one(assistant: Assistant) -> None:
    text = told(assistant, "导师给了5万 3个人用 主要训yolo和unet 怎么配")
    assert text.strip("*").startswith("能：")
    assert "¥50,000" in text
    assert "batch 16" in text
    assert told(assistant, "预算5万，3个人用，训unet batch 32，怎么配").strip("*").startswith("勉强能")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("预算1.5万 想本地跑 qwen3-coder 30b 还想偶尔炼 lora 买啥", "改 QLoRA 就买 RTX 3090"),
        ("1.2万 qwen3-32b 本地跑 买啥", "买 RTX 3090"),
    ],
)
def test_what_the_money_buys_is_told_first(assistant: Assistant, text: str, first: str) -> None:
    assert told(assistant, text).strip("*").startswith(first)
