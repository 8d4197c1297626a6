"""Sums of money of a kind of their own: what each number is, in any order, with what was said before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant


def firsts(assistant: Assistant, *lines: str) -> list[str]:
    """The first lines of the answers to lines of one conversation."""
    state: Any = None
    told = []
    for line in lines:
        reply, state = assistant.respond(make_message(line, chat_type="group"), state, NOW)
        told.append(reply.text.splitlines()[0])
    return told


@pytest.mark.parametrize(
    ("lines", "figures"),
    [
        (("机器 6000 元，按 3 年直线折旧，残值 10%，每月折多少", "用了 10 个月，账面还剩多少"), ("150", "4,500")),
        (("$900 over 3 years, straight-line, salvage $180: depreciation a month?", "book value after 12 months?"), ("$20", "$660")),
        (("闲鱼卖 1000 元，平台抽 5%，运费 30 元，到手多少", "我想到手 1110 元，要标多少"), ("920", "1,200")),
        (("Selling a card for $1,000, ebay takes 10%, shipping $50: what do I keep?", "what should I list it at to keep $940?"), ("$850", "$1,100")),
        (("挂平台出租 1 元一小时，平台抽 20%，净到手多少", "出租率 50%，30 天呢"), ("0.80", "288")),
        (("A sweep of 10 configs x 2 seeds, 30 min each at $1/h, early stopping kills half at 20% of the time: total?", "without early stopping?"), ("$6", "$10")),
    ],
)  # fmt: skip
def test_a_later_message_changes_or_adds_one_number(
    assistant: Assistant, lines: tuple[str, ...], figures: tuple[str, ...]
) -> None:
    for first, figure in zip(firsts(assistant, *lines), figures, strict=True):
        assert figure in first


@pytest.mark.parametrize(
    ("lines", "figure"),
    [
        (("2 元一小时，跑 100 小时，一共多少钱", "要是 150 小时呢", "差多少"), "100"),
        (("$3 an hour for 100 hours, what is the bill?", "and for 120 hours?", "how much more is that?"), "$60"),
    ],
)
def test_what_two_answers_differ_by_is_asked_for(assistant: Assistant, lines: tuple[str, ...], figure: str) -> None:
    assert figure in firsts(assistant, *lines)[-1]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("first 100 h at .60, then .40, we used 150 h, what is the bill?", "$80"),
        ("账单100、200、300，分别跑了50、100、150小时，平均一小时多少", "2/小时"),
        ("3 个人合用，账单 900 元，老板出三分之一，剩下的平分，每人多少", "200"),
        ("The bill is $900, my lab pays a third, the rest is split by 3 people: how much each?", "$200"),
    ],
)
def test_numbers_in_forms_of_their_own_are_read(assistant: Assistant, line: str, first: str) -> None:
    assert first in firsts(assistant, line)[0]


@pytest.mark.parametrize(
    "line",
    [
        "卡 5000 元，延保 300 元，另外运费 40 元，坏的概率 10%，延保划不划算",
        "a $40 warranty on a $500 card with 5% chance to fail and $25 for shipping it, worth it?",
    ],
)
def test_a_number_without_a_place_keeps_such_a_sum_out(assistant: Assistant, line: str) -> None:
    first = firsts(assistant, line)[0]
    assert not any(word in first for word in ("预期损失", "expected loss"))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("$1.8 an hour for the first 500 hours, $1.5 an hour after, plus 20% VAT. We burned 850 hours. Bill incl. tax?", "$1,710"),
        ("70h用下来多少钱？前20h每小时2块，超过20h的部分1块1", "95"),
        ("25% off, then another 10% on what's left: how much discount is that in total?", "32.5%"),
        ("\u20ac2,340 net per card, three of them, 19% VAT on top. what do I pay?", "8,354"),
        ("含税价6000，税率13%，税前多少钱", "5,310"),
        ("spot 1元，按量2元，训练40小时，中断8次每次丢半小时，各花多少", "便宜 ¥36"),
        ("on-demand $2/h, reserved $1.20/h (paid for every hour). break-even utilization?", "60%"),
        ("A: $1/h and $0.04 per GB, B: $1.1/h and $0.027 per GB. 100 h with 300 GB. who wins?", "$112"),
        ("3000元首付两成，余款分12期免息，每期多少", "200"),
        ("包月1580跑了210小时合一小时多少", "7.52"),
        ("8 cards, limited from 450 W to 330 W, running nonstop for 30 days at $0.30/kWh. saved?", "$207"),
        ("9c from 11pm to 7am, 24c the rest, 800 W 24/7, per 30-day month", "$109"),
        ("谷电8小时0.09，峰电16小时0.24，800W一天24小时，一个月30天多少电费", "109"),
        ("4张卡，每天满载400W跑10小时，其余时间待机50W，电价0.27，30天电费多少", "152"),
        ("My share of a $412.50 bill, I used 62 of the 155 hours?", "$165"),
        ("1600入的卡1000出，手续费8%，邮费20，亏了多少钱", "700"),
        ("migration costs $1500 once, then $600 instead of $900 a month. When does it pay off?", "5 months"),
    ],
)  # fmt: skip
def test_prices_with_rules_of_their_own_are_told(assistant: Assistant, line: str, told: str) -> None:
    assert told in firsts(assistant, line)[0]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("每张净价2340，买三张，另加19%的税，一共多少", "买 5 张呢", "税改成 7% 呢"), "12,519"),
        (("migration costs $1500 once, then $600 instead of $900 a month. When does it pay off?", "and if it costs $3000?"), "10 months"),
        (("spot costs $1.2/h but takes 20% longer, on-demand is $2/h, the job is 50 hours. What do I save?", "and with 5 cards?"), "$140"),
    ],
)  # fmt: skip
def test_a_rule_of_its_own_goes_on_with_all_that_was_said(
    assistant: Assistant, lines: tuple[str, ...], told: str
) -> None:
    assert told in firsts(assistant, *lines)[-1]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("if 5% is serial, what is the upper limit of the speedup?", "20x"),
        ("需要12小时净计算时间，每跑40分钟要停10分钟，总共多长时间", "15 小时"),
        ("净训练100小时，崩了5次，每次损失2小时，一共要多久", "110"),
        ("8 GPUs crash 10 times a month, each crash loses 2 hours. how many GPU-hours are lost a month?", "160"),
        ("每12分钟存一次40GB的检查点，写入速度2GB/s，一天一共停多少分钟", "40 分钟"),
        ("8 GPUs, jobs of 10 minutes, 30 arrive each hour: utilisation?", "62.5%"),
        ("how close to the memory-bandwidth limit am I with 20 GB of weights, 36 tok/s, 1008 GB/s?", "71.4%"),
        ("16张卡，每个实验用5张、跑4小时，6个实验多久能跑完", "8 小时"),
        ("12000步了，总共30000步，每秒2.5步，剩下多长时间", "2 小时"),
        ("16 cards with accumulation 4; moving to 2 cards with the same global batch, accumulation?", "32"),
        ("24 GB, fixed 14 GB, 0.4 GB per user. and how many more with 0.2 GB per user?", "25"),
        ("6 GPUs from 8:00 to 16:00 and 2 GPUs from 20:00 to 4:00, how many GPU-hours a day?", "64"),
    ],
)  # fmt: skip
def test_work_in_time_is_told(assistant: Assistant, line: str, told: str) -> None:
    assert told in firsts(assistant, line)[0]


@pytest.mark.parametrize(
    ("line", "never"),
    [
        ("first 500 hours at $1.8, everything after at $1.5, I used 850, and 3 people share it: what does each pay?", "1,425"),
        ("spot 1.2一小时要多跑20%时间，按量2元，任务50小时，再加磁盘费30元，一共省多少", "¥28"),
    ],
)  # fmt: skip
def test_a_number_without_a_place_is_not_passed_over(assistant: Assistant, line: str, never: str) -> None:
    first = firsts(assistant, line)[0]
    assert first
    assert never not in first
