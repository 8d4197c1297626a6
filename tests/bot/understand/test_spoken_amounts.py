"""Amounts as they are spoken: parts of a coin, days of the week, shares in tenths, what a round takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Read = Callable[[str], dict[str, Any]]

HOURLY = [
    ("autodl上4090一块九毛八一小时，100小时多少", 1.98),
    ("4090一块九八一小时，租100小时", 1.98),
    ("4090 1块98一小时，租100小时", 1.98),
    ("A100两块四毛五一小时贵吗", 2.45),
]
POWER = [
    ("工业用电一块一毛五，8卡H20满载一个月", 1.15),
    ("一块二一度电，3090一天8小时", 1.2),
    ("电价1块05一度，3090一天8小时", 1.05),
    ("一天开14个钟头，电价八毛五，三张3090一个月电费多少", 0.85),
]
COUNTED = [("两块3090够吗", 2), ("三块24G的卡够吗", 3), ("2块90系的卡", 2), ("是16张加一块32，够吗", None)]
USED = [
    ("只在周末用，每天10小时，租还是买4090", 20, "week"),
    ("一周五天每天6小时租4090合适吗", 30, "week"),
    ("一周跑3天，每次10小时，租还是买", 30, "week"),
    ("工作日每天8小时，周末不用，租还是买4090", 40, "week"),
    ("Mon-Fri 6 hours a day, rent or buy a 4090?", 30, "week"),
    ("5 days a week, 7 hours a day, buy or rent an A6000", 35, "week"),
    ("four hours every weekday on a rented 4090, cost per month", 20, "week"),
    ("on weekends only, 9 hours a day, rent or buy 5090", 18, "week"),
    ("9 hours a day on weekdays and weekends alike, rent or buy?", 9, "day"),
    ("power costs 32p a unit here, 3080 for 5 hours each evening", 5, "day"),
    ("we'd use it maybe a hundred hours per month, rent or buy", 100, "month"),
]
LASTING = [
    ("rent an H100 for a week and a half, how much?", 1.5, "week"),
    ("rent two weeks and a half of H100", 2.5, "week"),
    ("a hundred and twenty hours on H100, cost?", 120, "hour"),
]
SHARES = [
    ("4090利用率六成五，0.6元一度，月电费", 0.65),
    ("显卡利用率八成五正常吗", 0.85),
    ("60% duty cycle, 3 A6000", 0.6),
]
OF_ONE_ROUND = [
    "一个epoch要一个半小时，正常吗",
    "我这4050一轮3个小时，凭啥这么慢",
    "one epoch takes 3 hours on my 3090, is that slow",
    "me half an hour per batch on a 3090",
]


@pytest.mark.parametrize(("text", "amount"), HOURLY)
def test_tenths_and_hundredths_of_a_coin_are_of_its_price(slots: Read, text: str, amount: float) -> None:
    assert (slots(text)["price"]["amount"], slots(text)["price"]["unit"]) == (amount, "hour")


@pytest.mark.parametrize(("text", "amount"), POWER)
def test_and_of_the_price_of_power(slots: Read, text: str, amount: float) -> None:
    assert slots(text)["electricity_price"]["amount"] == amount


@pytest.mark.parametrize(("text", "count"), COUNTED)
def test_the_word_for_coins_counts_cards_too(slots: Read, text: str, count: int | None) -> None:
    found = slots(text)
    assert "price" not in found
    assert count is None or found["gpu_count"] == count


@pytest.mark.parametrize(("text", "amount", "per"), USED)
def test_hours_of_some_days_are_those_of_a_week(slots: Read, text: str, amount: int, per: str) -> None:
    assert slots(text)["duration"] == {"amount": amount, "unit": "hour", "per": per}


@pytest.mark.parametrize(("text", "amount", "unit"), LASTING)
def test_numbers_in_words_go_on(slots: Read, text: str, amount: float, unit: str) -> None:
    assert slots(text)["duration"] == {"amount": amount, "unit": unit}


@pytest.mark.parametrize(("text", "share"), SHARES)
def test_shares_of_use(slots: Read, text: str, share: float) -> None:
    assert slots(text)["utilization"] == share


@pytest.mark.parametrize("text", OF_ONE_ROUND)
def test_what_one_round_takes_is_not_how_long_it_runs(slots: Read, text: str) -> None:
    assert "duration" not in slots(text)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("预算1万二手3090能买几张", 10000),
        ("预算 1.2万 二手也行", 12000),
        ("预算两万二手4090", 20000),
        ("预算八千二手卡", 8000),
        ("预算一万五二手 4090", 15000),
        ("预算一万二，手头紧", 12000),
        ("预算一万二手里就这些", 12000),
        ("预算八千二的卡", 8200),
    ],
)
def test_a_two_that_begins_second_hand_is_none_of_the_amount(slots: Read, text: str, amount: float) -> None:
    assert slots(text)["budget"]["amount"] == amount
