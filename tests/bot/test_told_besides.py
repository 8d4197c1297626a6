"""What a long message tells of others, of the past and of time fills nothing of what it asks."""

from __future__ import annotations

import pytest

from bot.core.understanding import SlotValue
from bot.pipeline import Assistant
from tests.conftest import NOW, make_message, shared_assistant

FINE = "I have a 4070 with 12GB here and want to run Qwen2.5 14B in 4 bit on it."
GUT = "我这边一张4070 12g，想跑qwen2.5 14b的4bit，内存32G，电源750W。"


def _slots(text: str, name: str) -> list[SlotValue]:
    return [
        one for one in shared_assistant().understander.understand(text).slots if one.slot == name and not one.negated
    ]


def _values(text: str, name: str) -> list[object]:
    return [one.value for one in _slots(text, name)]


@pytest.mark.parametrize(
    "aside",
    [
        "Another faculty bought 16 H100s.",
        "The studio next door runs a 5090.",
        "The other team is on 8 A100.",
        "I saw the dual 4090 build in the comments.",
        "Everyone has a 3090 or an A100.",
        "Last time I rented an A5000 for a weekend.",
        "We once had a 2080 Ti.",
    ],
)
def test_whoever_else_is_named_has_his_own_cards(aside: str) -> None:
    assert _values(f"{FINE} {aside} Will it fit?", "gpu") == ["RTX 4070"]


@pytest.mark.parametrize(
    "aside",
    [
        "兄弟单位买了八张H20。",
        "别的科室用两张A6000。",
        "隔壁工作室用5090。",
        "大家都是3090、A100。",
        "前面折腾过两张P40。",
        "上次租过A5000。",
        "更早有张1080ti，后来卖了。",
    ],
)
def test_the_same_in_chinese(aside: str) -> None:
    assert _values(f"{GUT}{aside}能跑吗？", "gpu") == ["RTX 4070"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("手上三张A6000跑ddp，比单卡只快一倍出头。同事八张H100几乎线性，我们没有桥也没有交换机。这样正常吗", 3),
        ("我们五张3090跑张量并行，速度跟单卡差不多。师兄说他四张A100从来不这样，主板上都是x8的槽。问题在哪", 5),
    ],
)
def test_a_single_card_is_no_number_of_mine_beside_others(text: str, count: int) -> None:
    assert _values(text, "gpu_count") == [count]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("我们利用率说实话也就35%上下，4090租还是买", 0.35),
        ("机房开机率大概维持在六成，4090租还是买", 0.6),
        ("平均负载估计一般在55%，六张3090一年电费多少", 0.55),
        ("our utilization would probably hover near 30%, rent or buy a 4090", 0.3),
        ("the machine is only 40% utilised, rent or buy a 4090", 0.4),
    ],
)
def test_a_share_is_of_use_by_its_clause(text: str, share: float) -> None:
    assert _values(text, "utilization") == [share]


@pytest.mark.parametrize("text", ["显存占用率一直维持在差不多85%", "gpu memory utilization we keep at around 85%"])
def test_a_share_of_memory_is_none_of_use(text: str) -> None:
    assert _values(text, "utilization") == []


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("主板是X99，128G内存，4张2080ti", "ram_gb", 128),
        ("board is X570,256GB of RAM, two 3090", "ram_gb", 256),
        ("两张4090，一张3090，1200W电源，还能加吗", "psu_w", 1200),
        ("内存条太贵，现在只有64G，5090主机，够吗", "ram_gb", 64),
    ],
)
def test_numbers_side_by_side_stay_apart(text: str, slot: str, value: int) -> None:
    assert _values(text, slot) == [value]


def test_a_word_before_a_number_is_no_model() -> None:
    assert _values("comfy dies at step 3 with Wan 2.1 14b t2v on a 4070, how to save memory", "model") == [
        "Wan2.1-T2V-14B"
    ]
    assert _values("can step3 run on 8 H100?", "model") == ["step3-321b-a38b"]


def test_degrees_are_no_price_of_power() -> None:
    text = (
        "My room is 33C by noon. RunPod has the 4090 at $0.41/hr and I'd keep it on 8 hours a day for 20 days. Total?"
    )
    assert _values(text, "electricity_price") == []


def test_what_a_seller_says_is_no_supply_of_mine() -> None:
    text = "卡是4090，电源还是三年前那个850W的，14900K。店家说最少要上1600W，我看他就想多卖一个。够不够，平时只跑推理不超频"
    assert 1600 not in _values(text, "psu_w")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "各位好，潜水五年头一回发帖。机器是前年配的，4070 12g，内存32G，电源750W。就想在家跑qwen2.5 14b的4bit，"
            "上下文不用太长，给孩子问问功课。这张卡带得动吗，谢谢",
            {"amount": 5, "unit": "year"},
        ),
        (
            "I bought this 3090 two years ago, used, for a small lab that does nothing but segmentation of old maps, "
            "and the fans are loud. A colleague has a 4090. Would a 5090 be worth it for us?",
            {"amount": 2, "unit": "year"},
        ),
    ],
)
def test_an_age_is_no_time_of_use(assistant: Assistant, text: str, kept: dict[str, object]) -> None:
    reply = assistant.respond(make_message(text, chat_type="private"), None, NOW)[0]
    assert reply.slots.get("duration") != kept
