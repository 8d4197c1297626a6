"""The slots that other programs read: the forms of the taxonomy, and what is ruled out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.message import IncomingMessage
from bot.pipeline import Assistant

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def shown(assistant: Assistant, text: str) -> dict[str, object]:
    message = IncomingMessage(channel="c", event_id="1", chat_id="x", user_id="u", text=text, received_at=NOW)
    return dict(assistant.respond(message, None, NOW)[0].slots)


@pytest.mark.parametrize(
    ("text", "ruled_out"),
    [
        ("二手不要，A卡也别推，预算九千只买卡，跑14B的模型，买哪张", ["used", "AMD"]),
        ("anything but AMD and nothing used, $1400 for a 24B model at 4 bit, what do I get", ["AMD", "used"]),
        ("不接受二手，预算5000买什么卡", ["used"]),
        ("autodl的价不要，阿里云4090一小时多少", ["autodl"]),
    ],
)
def test_what_is_ruled_out_is_shown_and_fills_nothing(assistant: Assistant, text: str, ruled_out: list[str]) -> None:
    slots = shown(assistant, text)
    excluded = slots["exclude"]
    assert isinstance(excluded, list)
    assert sorted(excluded) == sorted(ruled_out)
    named = str({name: value for name, value in slots.items() if name != "exclude"})
    assert not any(name in named for name in ruled_out)


@pytest.mark.parametrize(
    "text", ["4090要不要上水冷的", "为什么不推荐3090", "with or without lora, does sdxl fit in 12 GB"]
)
def test_a_denial_that_asks_rules_nothing_out(assistant: Assistant, text: str) -> None:
    assert "exclude" not in shown(assistant, text)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("4090每周跑4次，一次3个小时，一个月多少电费", {"amount": 12, "unit": "hour", "per": "week"}),
        ("三个半小时出一段视频，4090跑wan2.1 14B正常吗", {"amount": 3.5, "unit": "hour"}),
        ("两个多小时还没跑完一个epoch，3090训resnet50", {"amount": 2, "unit": "hour"}),
        ("my run has been going for two and a half days on 4 A100s, normal?", {"amount": 2.5, "unit": "day"}),
        ("双3090二十四小时不关，一度电六毛，一个月电费多少", {"amount": 1, "unit": "month"}),
    ],
)
def test_times_are_what_is_said_of_the_work(assistant: Assistant, text: str, duration: dict[str, object]) -> None:
    assert shown(assistant, text)["duration"] == duration


BESIDES = [
    (
        "2块4090插在线程撕裂者上，系统是ubuntu，用pytorch写的代码，硬盘是机械的，为什么训练的时候利用率只有三成，一轮要五十分钟",
        {"gpu": ["RTX 4090"], "gpu_count": 2},
        {"framework", "disk", "utilization"},
    ),
    (
        "Fedora box with a Ryzen 5900X and an 850W supply, all my code is in pytorch and I get papers to run on it. "
        "The B580 is $260 here. Is intel usable for that by now or do I regret it?",
        {"gpu": ["Arc B580"]},
        {"cpu", "framework", "psu_w", "gpu_family"},
    ),
    (
        "Which notebook for cutting 6K timelines in Resolve with noise reduction, up to $2.5k, is the one with a 4070 "
        "enough or does the export want the 4080?",
        {},
        {"gpu", "gpu_count"},
    ),
]


@pytest.mark.parametrize(("text", "kept", "gone"), BESIDES)
def test_what_a_long_message_tells_besides_is_no_slot_of_it(
    assistant: Assistant, text: str, kept: dict[str, object], gone: set[str]
) -> None:
    slots = shown(assistant, text)
    assert {name: slots.get(name) for name in kept} == kept
    assert not gone & slots.keys()


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("研究生一枚，自己攒了六千块，宿舍主机电源六百五十瓦，平时主要跑小样本分割的实验，想挑一张显卡，求推荐", "buy"),
        (
            "Need a 4090 for six hours a day over the next two weeks, and all of the data has to survive a restart. Where to?",
            "rent",
        ),
    ],
)
def test_how_a_card_is_come_by_follows_from_what_is_asked(assistant: Assistant, text: str, way: str) -> None:
    assert shown(assistant, text)["deploy"] == way


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("利用率大概三成，租4090划算还是买", "utilization", 0.3),
        ("GPU util hovers around 35%, why", "utilization", 0.35),
        (
            "at 28p/kWh what does a 3090 cost me running 6h a day",
            "electricity_price",
            {"amount": 0.28, "currency": "GBP"},
        ),
        ("谷电三毛一，晚上跑8小时，3090一个月多少电费", "electricity_price", {"amount": 0.31, "currency": "CNY"}),
        ("二手3090开价4800能入吗", "price", {"amount": 4800, "currency": "CNY", "unit": "card"}),
        ("手里就六千多块，想买张能跑14B的卡", "budget", {"amount": 6000, "currency": "CNY", "period": "once"}),
        ("毕设语义分割，3060 12g够吗", "task", "segmentation"),
    ],
)
def test_numbers_by_the_words_beside_them(assistant: Assistant, text: str, slot: str, value: object) -> None:
    found = shown(assistant, text)[slot]
    assert found == value


def test_nothing_of_how_the_dialogue_works_is_shown(assistant: Assistant) -> None:
    slots = shown(assistant, "4090每天跑8小时，用两年，租还是买，按美元算")
    assert slots.keys().isdisjoint({"span", "usage", "currency"})


def test_another_subject_fills_no_wish(assistant: Assistant) -> None:
    assert shown(assistant, "128G的sd卡拍4k够吗，预算一百五") == {}
