"""What a sum to spend once buys: a sound card by a lighter way, a smaller batch, several cards; never a risk unasked."""

from __future__ import annotations

import pytest

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
    first, *below = told(assistant, text).splitlines()
    assert "16GB" in first
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
