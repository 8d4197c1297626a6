"""Sums as people write them in groups: fragments that ask, shares of everything, what is taken back, what both do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.test_sums import talk

if TYPE_CHECKING:
    from bot.pipeline import Assistant


def first_line(assistant: Assistant, text: str) -> str:
    line: str = talk(assistant, text)[-1].text.splitlines()[0].strip("*")
    return line


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "45 students share a grant of $2,700. At $0.75 per GPU-hour, how many hours does each student get?",
            "80 hours",
        ),
        ("budget 4,000 dollars, five ppl, $1.25/gpu-hr. hrs each?", "640 hours"),
        ("经费三万二,四个人,卡 3.2 元/时,一人多少小时?", "2,500 小时"),
        (
            "Each worker decodes 75 images a second; the two GPUs together eat 1,300 a second. How many workers at least?",
            "18 workers",
        ),
        ("两张卡一共跑 2600 tok/s,要处理 9360 万 token,要几小时", "10 小时"),
        ("单卡每秒 420 张，8 卡合起来每秒 2730 张，扩展效率多少", "81.2%"),
        ("Four cards at $1,899 each plus $3,250 for the rest, 8.25% sales tax on everything. Total?", "$11,741"),
        ("card is $1,999 plus 8.25% sales tax, shipping $35 (not taxed). what do I pay?", "$2,199"),
        ("A GPU is listed at £1,450 excluding VAT. With 20% VAT, what leaves my account?", "£1,740"),
        ("租了 3 天,哦不对是 4 天,不关机,单价 ¥1.8/h,两张卡,总价?", "¥345.60"),
        ("3 cards, sorry I meant 4 cards, $1.20 an hour each for 50 hours. total?", "$240"),
        ("活动:充 1000 送 150。卡 2.3 一小时,充一千能跑几小时?", "500 小时"),
        ("The first 100 hours are $2.00 each and every hour after that is 30% off. What do 260 hours cost?", "$424"),
        ("0.85 s/it, 40k its. eta?", "9.44 hours"),
        ("rig = 1.15 kW, 24/7, 31 days, 24 cents/kWh", "$205.34"),
        ("What throughput in tokens per second do I need for 18 billion tokens in 3 weeks?", "9,921 tokens/s"),
        ("240 亿参数的模型做 INT8 量化，光权重要占多少 GB", "24 GB"),
        ("How many GB do the weights of a 9B model take in bf16?", "18 GB of weights"),
        ("loading a 120 GB model over a 10 Gbit/s network where I get 75% of line rate. how long?", "2.13 minutes"),
    ],
)
def test_a_sum_is_told_as_it_was_meant(assistant: Assistant, question: str, told: str) -> None:
    assert told in first_line(assistant, question)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("俩卡各 330W + U 200W + 杂七杂八 100W。电源 850W,够不够?", "不够：一共要 960 W，只有 850 W，差 110 W。"),
        ("机柜上限 3kW,现在用了 1.2kW,再加一台 1.1kW 的够吗", "够：一共要 2,300 W，有 3,000 W，余 700 W。"),
        ("24g 的卡,权重 13.5 个g,缓存 6g,激活两个g,还剩多少?够吗", "够：一共要 21.5 GB，有 24 GB，余 2.5 GB。"),
    ],
)
def test_a_verdict_says_what_is_left(assistant: Assistant, question: str, told: str) -> None:
    assert first_line(assistant, question) == told


def test_the_memory_of_a_run_is_no_question_of_its_weights_alone(assistant: Assistant) -> None:
    assert "GiB" in first_line(assistant, "7B bf16 要多少显存")


@pytest.mark.parametrize("question", ["电费6毛 4090 每天开12小时 一年电费", "电费6毛 4090 每天12小时 一年多少电费"])
def test_the_price_of_electricity_is_no_rent(assistant: Assistant, question: str) -> None:
    assert "¥0.60/度" in first_line(assistant, question)


@pytest.mark.parametrize("said", ["at 220w limit", "with a 220w power limit", "limited to 220w each"])
def test_a_limit_of_each_card_is_no_draw_of_the_machine(assistant: Assistant, said: str) -> None:
    told = first_line(assistant, f"would a 1000w psu handle 3x 3090 {said}")
    assert "960 W" in told
    assert "tight" in told
