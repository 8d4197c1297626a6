"""Whose a card is, where a clause names somebody else who has it or says that it is gone."""

from __future__ import annotations

import pytest

from tests.conftest import shared_assistant

FINE = "I have a 4070 with 12GB here and want to run Qwen2.5 14B in 4 bit on it."


def _cards(text: str) -> list[str]:
    return [str(slot.value) for slot in shared_assistant().understander.understand(text).slots if slot.slot == "gpu"]


@pytest.mark.parametrize(
    "aside",
    [
        "My labmate trains on two A6000s.",
        "A friend of mine has a 4090 and laughs.",
        "The guide's author had a 3090.",
        "My neighbour runs a single 5090.",
        "A youtuber did it with two 4090s.",
        "The authors were on 8 A100.",
        "A colleague did the same on his 3080.",
        "The 1080 Ti before that went to my nephew.",
        "Coming from a GTX 970 by the way.",
        "My last 3070 died after four months.",
    ],
)
def test_what_others_have_and_what_is_gone_is_no_card_of_mine(aside: str) -> None:
    assert _cards(f"{FINE} {aside} Will it fit?") == ["RTX 4070"]


@pytest.mark.parametrize(
    "aside",
    [
        "同学用的4090。",
        "隔壁组有两张A100。",
        "b站那个up用两张3090跑得飞起。",
        "网上别人8张H100很快。",
        "以前用过一张2080ti，",
        "更早那张1080ti送人了。",
    ],
)
def test_the_same_in_chinese(aside: str) -> None:
    assert _cards(f"{aside}我手里就一张4070，内存32G，想跑qwen2.5 14b的4bit，上下文不用太长，这样带得动吗") == [
        "RTX 4070"
    ]


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("My friend has a 3090, can it run Qwen2.5 32B in 4 bit?", "RTX 3090"),
        ("A guy near me has a 3090 at $620, fans replaced once, is that a fair deal and what do I test?", "RTX 3090"),
        ("朋友五千五出我一张4080s，成色不错，平时就训训小模型，偶尔出出图，值得收吗", "RTX 4080 Super"),
        ("想把手上的3090卖了，预算八千，平时就训训小模型，偶尔出出图，这样换值不值", "RTX 3090"),
    ],
)
def test_what_is_offered_asked_about_or_advised_stays(text: str, card: str) -> None:
    assert _cards(text) == [card]


@pytest.mark.parametrize(
    ("text", "price"),
    [
        (
            "My 4090 reads 610W at the plug, runs 8 hours a day, electricity is 24 cents here and a new card is £900, is that worth it",
            (0.24, "GBP"),
        ),
        ("A new card would be €4,600, the box is on for 11 hours a day, electricity is 29 cent here", (0.29, "EUR")),
        ("My 4090 runs 8 hours a day, power is 31 cents, a new card is $2,000", (0.31, "USD")),
        ("一张4090每天跑8小时，家里电六毛五，一个月电费多少", (0.65, "CNY")),
    ],
)
def test_what_power_costs_is_read_in_the_money_of_the_message(text: str, price: tuple[float, str]) -> None:
    found = [
        slot.value
        for slot in shared_assistant().understander.understand(text).slots
        if slot.slot == "electricity_price"
    ]
    assert [(value["amount"], value["currency"]) for value in found] == [price]


def test_a_share_of_the_time_is_use_and_a_discount_is_none() -> None:
    def use(text: str) -> list[object]:
        slots = shared_assistant().understander.understand(text).slots
        return [slot.value for slot in slots if slot.slot == "utilization"]

    head = "We keep two L4s around the clock for a document parser on gcp and pay $0.71 an hour for each of them."
    assert use(f"{head} The dashboard says 8% load on average. What does a year cost?") == [0.08]
    assert use(f"{head} The rep offers 20% off. What does a year cost?") == []


def test_memory_that_was_measured_is_not_that_of_the_card() -> None:
    text = "用的3090，llama3.1 8b做lora，bs已经1了，跑到两百多步突然oom，之前一直占21G左右，还能从哪抠显存出来"
    slots = shared_assistant().understander.understand(text).slots
    assert not [slot for slot in slots if slot.slot == "vram_gb"]
