"""What is told besides: warranties, emission factors, notebooks that are files, what cannot be afforded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.read.reader import Reader
from tests.conftest import shared_assistant

Read = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize(
    "text",
    [
        "grid factor 0.38 kg/kWh, 16 A100 for a week, how much CO2",
        "emission factor 0.4, 8 H100 for a month, carbon?",
        "电网因子0.57，8卡H800跑一年排多少碳",
        "0.55 kg per kWh here, carbon of two 4090 a month",
    ],
)
def test_what_a_kilowatt_hour_emits_is_no_price(slots: Read, text: str) -> None:
    assert "electricity_price" not in slots(text)


@pytest.mark.parametrize(
    "text",
    [
        "4090二手还有半年保，值吗",
        "卖家说保三个月，2080ti能买吗",
        "保修才一年的魔改4090敢买吗",
        "a 3080 that died after 4 months",
    ],
)
def test_a_warranty_and_a_life_are_no_use(slots: Read, text: str) -> None:
    assert "duration" not in slots(text)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("The notebook says it was tested on a T4, at home I have a 4080", "RTX 4080"),
        ("works in the notebook, fails on my 4090", "RTX 4090"),
        ("no laptops please, 4070 for sdxl?", "RTX 4070"),
        ("a gaming laptop with a 4070, sdxl?", "RTX 4070 Laptop"),
        ("笔记本就算了，4070跑sdxl行吗", "RTX 4070"),
        ("笔记本4070跑sdxl行吗", "RTX 4070 Laptop"),
    ],
)
def test_a_file_is_no_laptop(slots: Read, text: str, card: str) -> None:
    found = slots(text)["gpu"]
    assert card in (found if isinstance(found, list) else [found])


def _reader() -> Reader:
    found = shared_assistant().understander
    assert isinstance(found, Reader)
    return found


@pytest.mark.parametrize("text", ["5090别提了，买不起，4090二手呢", "5090我买不起，4090和3090选哪个训lora"])
def test_who_cannot_afford_a_card_may_still_buy(text: str) -> None:
    ruled_out = [slot.slot for slot in _reader().understand(text).slots if slot.negated]
    assert "deploy" not in ruled_out


@pytest.mark.parametrize(
    "text",
    [
        "预算一万二，只买显卡，想微调14b做lora。同事推荐4090但现在贵得离谱，二手也不考虑。买哪张合适",
        "I've got $2000 set aside for a card, nothing else needed. Lora on 14B models. A coworker swears by his 4090. "
        "What would you buy?",
        "论文里作者用的是8张A100，我们实验室预算就五万，主要微调7B，也跑点检测，买什么卡合适",
    ],
)
def test_a_card_of_somebody_else_is_not_what_is_chosen(text: str) -> None:
    assert not [slot.value for slot in _reader().understand(text).slots if slot.slot == "gpu" and not slot.negated]


@pytest.mark.parametrize(
    ("text", "ruled_out"),
    [
        ("全新4070ti和二手3090，训yolo选哪个", False),
        ("全新5080要8800，个人出的4090要13500，跑flux选哪个", False),
        ("brand new 5070 ti at 800 vs used 3090 at 650, llm stuff", False),
        ("要全新的，别推二手，3000预算", True),
        ("全新卡有保修的，不要二手矿卡，4070还是4070s", True),
        ("new only please, 4070 or 5070 for sdxl", True),
    ],
)
def test_a_new_card_beside_a_used_one_rules_none_out(text: str, ruled_out: bool) -> None:
    said = _reader().understand(text).said
    assert said is not None
    assert ("condition", "used") in said.ruled_out or not ruled_out
    assert ("condition", "used") not in said.ruled_out or ruled_out
