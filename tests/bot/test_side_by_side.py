"""Bills that no formula names: what is said once of each and once of all, added up or held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.channels.described import first_line
from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant

ADDED = [
    ("平段 0.6 每天 10 小时，谷段 0.3 每天 14 小时，整机 800W，一个月电费？", "¥248.20"),
    ("峰谷电价，夜里 8 小时 0.31，其余 16 小时 0.92。机器 1.1kW 全天不停，30 天电费多少?", "¥567.60"),
    ("白天跑训练 700W 开 9 小时，晚上推理 300W 开 6 小时，电价 0.5，30 天电费多少", "¥121.50"),
    ("白天 700W 开 8 小时，晚上 200W 开 10 小时，电价 0.55，一个月电费多少", "¥127.14"),
    ("It draws 520W while training, 10 h a day, and 95W the other 14. $0.22/kWh. Monthly electricity?", "$43.70"),
    ("600 GB of storage at $0.10/GB/month kept for 2 months, plus 85 GPU hours at $1.25. total?", "$226.25"),
    ("卡 2.3 每小时用了 130 小时，另外数据盘 800G 按 0.0066 元/GB/天 收，放了 20 天，一共多少钱", "¥404.60"),
    ("开了两张卡，每张 2.46/小时，前天跑了 7 个半小时，昨天跑了 11 小时 20 分，算下花了多少", "¥92.66"),
    ("200 GB of disk at $0.07/GB/month for 3 months and 60 hours at $0.9/h, total?", "$96"),
]
COMPARED = [
    ("甲平台 1.9 一小时要 40 小时，乙平台 3.2 一小时要 20 小时，哪家便宜", "乙平台（¥3.20", "¥64 对 ¥76"),
    (
        "同一张卡按量 2.6 一小时，包月 1100。我每天大概开 12 个小时，一个月 30 天，哪种便宜",
        "同一张卡按量（¥2.60",
        "¥936 对 ¥1,100",
    ),
    (
        "Card A is $1.2/h and needs 50 hours, card B $2.1/h and needs 24. Which is cheaper?",
        "card B ($2.10",
        "$50.40 against $60",
    ),
    (
        "40M tokens a month: API at $0.60 per million, or a GPU at $0.70/h round the clock. Which is cheaper?",
        "API ($0.60",
        "$24",
    ),
]
DAYS = [
    ("雲端一張卡每小時 NT$38，我固定二、四、六各跑 5 小時，租 10 週總共多少錢?", "NT$5,700"),
    ("周一三五每天 4 小时，一张卡 2 块一小时，6 周多少钱", "¥144"),
    ("周一到周五下午 2 点开到晚上 8 点，一张卡 1.85 一小时，8 周要花多少", "¥444"),
    ("Mondays, Wednesdays and Fridays I use one card for 4 hours at $0.5/h, 6 weeks. total cost?", "$36"),
    ("3 GPUs at $0.68 an hour each, weeknights only, 8pm to 2am, for 4 weeks. what's that come to?", "$244.80"),
]


def first(assistant: Assistant, text: str) -> str:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    return first_line(reply.text)


@pytest.mark.parametrize(("text", "total"), ADDED)
def test_what_is_said_twice_makes_two_bills_and_all_of_them_one(assistant: Assistant, text: str, total: str) -> None:
    assert total in first(assistant, text)


@pytest.mark.parametrize(("text", "cheaper", "both"), COMPARED)
def test_two_ways_to_pay_are_told_for_the_same_time(assistant: Assistant, text: str, cheaper: str, both: str) -> None:
    told = first(assistant, text)
    assert told.startswith(cheaper)
    assert both in told


@pytest.mark.parametrize(("text", "total"), DAYS)
def test_named_days_of_the_week_are_counted(assistant: Assistant, text: str, total: str) -> None:
    assert total in first(assistant, text)


def test_rents_alone_do_not_decide_between_two_cards_for_a_job(assistant: Assistant) -> None:
    told = first(
        assistant,
        "is it cheaper to rent 2x H100 for 3 days at $2.4/h each or 8x 4090 at $0.35/h each for a 13B full finetune?",
    )
    assert "2 x H100" in told


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("2.4 yuan per card-hour, 2 cards, 150 hours, 7.2 yuan to the dollar, what am I paying in USD?", "$100"),
        ("一张卡 0.44 刀一小时，开 3 张跑 50 小时，按 7.1 的汇率折人民币多少", "468.6"),
    ],
)
def test_a_stated_rate_is_used_the_way_round_that_it_is_meant(assistant: Assistant, text: str, total: str) -> None:
    assert total in first(assistant, text)


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("12 万张图过一遍模型，实测每秒 25 张，卡 2.9 一小时。整批要多少钱，摊到一千张又是多少?", ["¥3.87", "¥0.0322"]),
        ("5 个人合租一张卡，2 块一小时，每天 6 小时，30 天一共多少钱，每人多少", ["¥360", "¥72"]),
        (
            "Each epoch is 55 min on 4 GPUs, $1.60 per GPU-hour, 30 epochs. Cost per epoch and in total?",
            ["$176", "$5.87"],
        ),
        (
            "2,000 hours of calls at 40x real time, $0.54 an hour. What is the cost, and per hour of audio?",
            ["$27", "$0.0135"],
        ),
    ],
)
def test_the_part_of_each_is_told_beside_the_whole(assistant: Assistant, text: str, heads: list[str]) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert all(one in reply.text for one in heads), reply.text


def test_the_time_of_several_cards_is_not_divided_among_them(assistant: Assistant) -> None:
    assert "¥291.20" in first(
        assistant, "两张卡训，一个 epoch 42 分钟，总共 80 个 epoch，每张 2.6 元/小时，训完一次多少钱"
    )
    assert "¥80" in first(assistant, "4 张卡一轮要 50 分钟，每卡 2 块一小时，跑 12 轮多少钱")
    assert "¥20" in first(assistant, "单卡一轮 50 分钟，用 4 张卡，每卡 2 块一小时，跑 12 轮多少钱")


@pytest.mark.parametrize(
    ("asked", "then", "total"),
    [
        ("四张卡每张 3.15 块一小时，晚上 10 点到早上 8 点，连着 9 晚，账单多少", "那白天也不关呢", "¥2,722"),
        (
            "a box for $2,750, 480W at the wall, $0.17/kWh, or rent at $0.62/h, 5 hours a day. When does it pay for itself?",
            "what if it's more like 10 hours a day",
            "511 days",
        ),
    ],
)
def test_a_follow_up_changes_the_hours_of_a_sum(assistant: Assistant, asked: str, then: str, total: str) -> None:
    _, state = assistant.respond(make_message(asked, chat_type="group"), None, NOW)
    reply, _ = assistant.respond(make_message(then, chat_type="group"), state, NOW)
    assert total in first_line(reply.text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("100 块能租 4090 多久", "小时"),
        ("手里 300 块，租 3090 能用多少小时", "小时"),
        ("我们 3 个人合租一张 4090，每天 4 小时，一个月每人多少钱", "每人"),
        ("微调一次 3 小时，租 4090 跑 5 次多少钱", "（3 小时"),
        ("训练要 200 个 A100 小时，一共多少钱", "一共"),
        ("how many hours of a 4090 do I get for $50?", "hours"),
    ],
)
def test_a_named_card_lends_its_rent_to_a_sum(assistant: Assistant, text: str, told: str) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert told in first_line(reply.text)
    assert "没说租金" in reply.text or "rent" in reply.text.casefold()


def test_several_rented_cards_are_told_together(assistant: Assistant) -> None:
    assert first(assistant, "租两张 4090 一小时一共多少钱").startswith("租 2 张 RTX 4090")
    assert first(assistant, "what do four rented A100s cost per hour").startswith("4 x A100")


def test_a_count_of_cards_is_no_price_of_electricity(assistant: Assistant) -> None:
    assert "2 张 RTX 3090" in first(assistant, "电费 0.8 一度，双 3090 24 小时开一个月多少电费")


def test_a_tax_on_top_is_paid_too(assistant: Assistant) -> None:
    assert "€396.27" in first(
        assistant, "5 cards at €0.74/h each for 90 hours, plus 19% VAT on top. What will the invoice say?"
    )


def test_what_another_part_asks_is_not_compared_away(assistant: Assistant) -> None:
    text = "租卡 2.8 一小时，总吞吐 1200 tokens/s，跑满的话每百万 token 合多少钱？API 现在 2 块每百万，哪个便宜"
    assert "¥0.65/百万 token" in first(assistant, text)
