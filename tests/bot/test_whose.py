"""Whose a card is, what a number fills by its part, and memory in a list of the parts of a machine."""

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
        "A rival lab bragged about 64 H100s.",
        "The integrator drew up two H200s.",
        "The reseller wrote 8 H100s into the offer.",
        "Our previous run on four A40s took forever.",
        "My old rig had two 3090s on 1200 W.",
        "We did the pilot on one L40S.",
        "I own a 3080 too but it is in storage.",
    ],
)
def test_what_others_have_and_what_is_gone_is_no_card_of_mine(aside: str) -> None:
    assert _cards(f"{FINE} {aside} Will it fit?") == ["RTX 4070"]


@pytest.mark.parametrize(
    "aside",
    [
        "同学用的4090。",
        "同行用的4090，他机箱大。",
        "上个月在平台租的A800到期了。",
        "刚把3080出了。",
        "厂家方案写的是16张910B。",
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
        ("the first box has four A100s, can it train a 70b?", "A100"),
        ("some people of our team will share two 4090s, five people at once, does qwen2.5 32b q4 fit?", "RTX 4090"),
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


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("Tower has a 750W supply and 64GB of memory, which card under $900?", "ram_gb", 64),
        ("9700x, 32GB, whisper large v3 takes three hours on it, would a 4060 help?", "ram_gb", 32),
        ("i5 12400, 32G, 4060ti 16G够跑14b吗", "ram_gb", 32),
        ("有台4核4G的小服务器，没有GPU，能跑qwen3 0.6b吗", "ram_gb", 4),
        ("a card with 16GB of memory, enough for 14b?", "vram_gb", 16),
        ("限到350W，24G够跑14b吗", "vram_gb", 24),
        ("2TB of tiny jpegs on spinning disks, is a sata ssd enough for a 3090?", "dataset", "2TB"),
        ("900 hours of interviews, one A100 40GB, whisper large v3, how long?", "dataset", "900 hours of interviews"),
    ],
)
def test_amounts_are_of_what_they_stand_beside(text: str, slot: str, value: object) -> None:
    slots = {one.slot: one.value for one in shared_assistant().understander.understand(text).slots}
    assert slots.get(slot) == value
    assert not {"ram_gb", "vram_gb"} <= slots.keys()


def test_a_line_rate_between_machines_is_no_memory() -> None:
    slots = shared_assistant().understander.understand("现有3台8卡4090，节点间25G网，想凑起来训13B，要不要上IB").slots
    assert "vram_gb" not in {slot.slot for slot in slots}


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("N100小主机插4块盘做nas，jellyfin转码4k带得动吗，一年电费多少", False),
        ("nas上放数据集，训练的时候gpu等数据，换万兆有用吗", True),
        ("I have a NAS with 8TB of training images, is 10GbE enough to keep a 4090 fed", True),
    ],
)
def test_a_subject_of_its_own_is_ours_only_with_work(text: str, ours: bool) -> None:
    assert (shared_assistant().understander.understand(text).ranking[0].intent != "out_of_scope") == ours


def test_a_word_that_joins_ends_no_name() -> None:
    text = "Each order renders 24 pages with SDXL plus a face adapter, one page takes 6.5 seconds, how many 4090?"
    slots = shared_assistant().understander.understand(text).slots
    assert [slot.value for slot in slots if slot.slot == "model"] == ["stable-diffusion-xl-base-1.0"]


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("a6000都扛不住，怎么破", "RTX A6000"),
        ("4090跑不动70b，别的组都说要换，怎么办", "RTX 4090"),
        ("4张32g的v100带不动internvl 26b，不知道差在哪", "V100 32GB"),
        ("My 4070 is not enough for qwen2.5 14b in fp16, not sure why", "RTX 4070"),
    ],
)
def test_what_cannot_be_borne_is_not_ruled_out(text: str, card: str) -> None:
    """A word of denial within another word denies nothing."""
    found = shared_assistant().understander.understand(text).slots
    assert [(str(slot.value), slot.negated) for slot in found if slot.slot == "gpu"] == [(card, False)]


def test_a_clause_without_a_denial_rules_nothing_out_beside_one_that_does() -> None:
    found = shared_assistant().understander.follow("二手那个划掉吧，闲鱼翻车过")
    assert not any(slot.slot == "provider" and slot.negated for slot in found.slots)


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        (
            "Qwen2.5 72B in 4 bit with 16k of context for five people at once on two 4090s, will it fit",
            "seq_len",
            16384,
        ),
        (
            "Qwen2.5 72B in 4 bit with 16k of context for five people at once on two 4090s, will it fit",
            "gpu",
            "RTX 4090",
        ),
        ("数据8万条，每条2048长，模型qwen2.5 7b lora 两张4090要跑多久", "seq_len", 2048),
        ("how many H200 for gpt-oss-120b with 40 lawyers at once", "users", 40),
        (
            "每个月最多拿出800租24G以上的卡，哪家平台合适",
            "budget",
            {"amount": 800, "currency": "CNY", "period": "month"},
        ),
        ("4张32g的v100推理internvl 26b够不够啊，听说4张会oom 5张才行", "gpu_count", 4),
        ("three 4080s 850 W psu enough?", "gpu", "RTX 4080"),
        ("three 4080s 850 W psu enough?", "psu_w", 850),
        ("win7, two 2080 ti, the pc reboots under load", "os", "windows"),
    ],
)
def test_what_a_number_or_a_name_beside_others_is(text: str, slot: str, value: object) -> None:
    found = {one.slot: one.value for one in shared_assistant().understander.understand(text).slots}
    assert found[slot] == value
