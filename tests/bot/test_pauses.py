"""A message without commas is read part by part, like one with all of them; its units decide where no formula is made of it."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

ALIKE = [
    ("4090 限到 300W 一天 10 小时 一年多少电费 0.6", "¥657"),
    ("4090 限到 300W，一天 10 小时，电价 0.6，一年多少电费", "¥657"),
    ("300W\n10 hours a day\n$0.2 per kWh\nhow much a year", "$219"),
    ("2 cards at $0.4/h 10 hours a day whats that a month", "$243"),
    ("deepseek 输入2元输出8元每百万 一天输入300万输出80万 一个月多少钱", "¥377"),
    ("$0.27 in $1.1 out per million and we use 2M in 0.5M out a day what's the API bill a month", "$33.15"),
    ("我每天最多肯花15块钱 卡1.29一小时 一天能开几个小时", "11.6 小时"),
    ("Two servers, each 3.2 kW at the plug, PUE 1.4, $0.19/kWh, 30 days nonstop: what's the power bill?", "$1,226"),
    (
        "5000 euros for 4 months, 2 cards 22 days each month 10h per day, whats the highest hourly price per card",
        "€2.84",
    ),
    ("白天1.02一度，夜里0.34一度，墙上820瓦，白天跑6个小时夜里跑8个小时，30天电费多少", "¥217"),
    ("两张4090每张2块一小时，三张3090每张1块2一小时，都跑100小时，一共多少钱", "¥760"),
    ("Free tier gives 30 GPU hours a week, above that I pay 0.49/h, I need 55 h a week for 9 weeks. total?", "$110.25"),
    ("egress 8.2tb out first 1tb free then 0.085/gb cost?", "$612"),
    ("机房PUE1.35 IT负载18千瓦 一度电6毛2 一年电费多少", "¥131,978"),
    ("机器报价每卡每小时19.5港币 汇率按0.92 用160小时两张卡 人民币多少", "¥5,741"),
    ("数据盘300G，每G每天0.0066元，挂90天；卡只开了40小时每小时2.18，多少钱", "¥265"),
    ("租 2 张卡 300 小时 2块一小时 多少钱", "¥1,200"),
    ("4090 15800 主板2200 电源1100 内存1600 硬盘700 一共多少", "¥21,400"),
    ("4x A100 80G 18 hours at 1.39 each per hour plus 500GB storage at 0.1/GB-month for one month, total?", "$150.08"),
    ("一个月电费超过150就不划算 我机器500W 电价0.6 每天最多开几小时", "16.4 小时"),
    ("卡租1块6毛5一个小时 平均一张7秒 一千张图合多少钱", "¥3.21"),
]


@pytest.mark.parametrize(("text", "figure"), ALIKE)
def test_what_is_asked_stands_in_the_first_line(assistant: Assistant, text: str, figure: str) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert figure in reply.text.partition("\n")[0], reply.text


PARTS = [
    ("一条5秒的片子要跑4分钟 卡一小时2.9 会员费每月30块 一百条要多少钱", "没算进"),
    (
        "host wants $500 deposit back at the end, $1,120 a month for the box, 3 months. What do I spend?",
        "Without 500: $3,360",
    ),
]


@pytest.mark.parametrize(("text", "named"), PARTS)
def test_a_sum_of_a_part_says_so_in_its_first_line(assistant: Assistant, text: str, named: str) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert named in reply.text.partition("\n")[0], reply.text
