"""Sums put together as they are said: what the group reads first, follow-ups, and what no sum is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.test_sums import talk

if TYPE_CHECKING:
    from bot.pipeline import Assistant

SUMS = [
    ("64 次实验每次 25 分钟，6 张卡各跑各的，几小时跑完", "4.58 小时"),
    ("The rack costs $90 a month plus $0.20/kWh, the box draws 1.5 kW, 30 days. Monthly total?", "$306"),
    ("5 students share 2 GPUs at $300 per GPU a month. What does each student pay a month?", "$120"),
    (
        "A $4,000 box, worth $1,000 after 300 days, draws 500 W 24/7 at $0.20/kWh. What does it cost per hour, all in?",
        "$0.52",
    ),
    (
        "20,000 requests a month, 1,000 tokens in and 500 out, $1 per million in and $4 per million out. Monthly cost?",
        "$60",
    ),
    (
        "一台 15000 的机器，以后还能卖 3000，总共会用 6000 小时，满载 400W，电 0.5 元一度，摊下来每小时成本一共多少？",
        "¥2.20",
    ),
    ("包月 900 元，按小时 3 元，一个月用到多少小时包月才划算？", "300 小时"),
    ("6 个人平摊，租了 3 张卡，每张包月 1200，每人每月出多少？", "¥600"),
    (
        "3B parameters, 60B tokens, compute by 6ND, 8 GPUs that each sustain 150 TFLOPS. How many hours of training?",
        "250 hours",
    ),
    (
        "Sequence length 1024, micro-batch 8, 4 GPUs, gradient accumulation 4. How many tokens per optimizer step?",
        "131,072 tokens",
    ),
    ("DataLoader 开 8 个进程每个吃 3G 内存，主进程 10G，系统 6G，内存至少要多少 G", "40 GB"),
    ("24G 的卡，权重 14G，再给框架留 2G，每路对话的 KV 要 0.5G，最多同时跑几路", "16"),
    ("Our budget is $5,000, 20% goes to storage, GPUs are $2 an hour. How many GPU-hours?", "2,000 hours"),
    ("Provider rounds every job up to a full hour at $0.90/h. 14 jobs of 80 minutes each, what am I billed?", "$25.20"),
    ("平台不足一小时按一小时算，0.9 元一小时，14 个任务每个 80 分钟，一共多少钱", "¥25.20"),
    ("8 卡服务器上周一共记了 672 卡时，按 7 天全天算利用率是多少？", "50%"),
    ("Our server does 1,800 tok/s in total with 30 people generating. What speed does each person see?", "60 tokens/s"),
    ("A prompt of 9,000 tokens at 3,000 tok/s, then 500 tokens out at 25 tok/s. Total time for the answer?", "23 s"),
    ("电池能放出 6 度电，逆变效率 90%，机器 1.8kW，停电了能撑多久", "3 小时"),
    ("每个月有 40 小时免费额度，超出的 3 元一小时，这个月跑了 100 小时，要付多少", "¥180"),
    ("把卡从 400W 限到 300W，速度变成原来的 90%，跑完同样的活能省百分之几的电？", "16.7%"),
    ("两张 300W 的卡，CPU 150W，风扇算 50W，机箱 30 升，全满载一共多少瓦？", "800 W"),
    ("8 张卡从头训个 2B 的，语料 400 亿 token，实测每张卡每秒 1.2 万 token，几天能训完", "4.82 天"),
    ("I have $5,000 for a two-week run, 24/7, at $2 per GPU-hour. How many GPUs can I afford?", "7 cards"),
    ("题库 12000 道题，一题 3 秒，开 10 路并发，全跑完多长时间", "60 分钟"),
    (
        "Reserved is $1.20/h all year, on-demand is $2.40/h. From what utilisation is reserved cheaper?",
        "12 hours a day",
    ),
    ("My PSU is 1200 W and the rest of the system needs 250 W. How many 220 W cards fit?", "4 cards"),
    ("空调能带走 6kW 的热，屋里已有 1.2kW 别的设备，每台机器 0.9kW，最多能放几台机器？", "5 台"),
    ("4TB disk, 900 GB is taken by datasets, one checkpoint is 42 GB. How many checkpoints fit?", "73"),
    ("显存能用的有 22GB，模型本身占 9.5GB，每个样本的激活 0.7GB，batch 最大能开到几？", "17"),
    ("宽带 500 兆（500Mbps，8 比特一字节），实际跑到八成。下载一个 60GB 的模型要多少分钟？", "20 分钟"),
    ("We pay $6,000 a month for cloud. Colo is 1,500 a month plus $54,000 up front. Months until it pays off?", "12"),
    ("Batching 8 streams gets 40 tok/s each, a single stream was 64. How many times more total throughput?", "5x"),
    ("语料 36 亿 token，单卡每秒能吃 10000 token，8 张卡一起上效率算 0.9，过一遍要几小时", "13.9 小时"),
    (
        "Four of us buy a $6,000 box. I put in 1500, the other three of us split what is left evenly. How much each?",
        "$1,500",
    ),
    ("原来要跑 40 小时，开混合精度快到 1.6 倍，又把剩下的时间砍掉两成，现在要多久", "20 小时"),
    ("周五晚上 8 点租的，周一早上 8 点还，一小时 3 元，一共多少钱", "¥180"),
    (
        "Picked it up Friday 6pm, brought it back Monday 9am, $2 an hour for the whole 4-card box. What's the bill?",
        "$126",
    ),
    ("现在晚上十一点半，明早九点要结果，还剩 9000 步，一步 3.6 秒，来得及吗？", "够：一共要 9 小时，有 9.5 小时"),
    (
        "3 billion tokens, each step eats 256 sequences of 2000 tokens. How many steps for one pass, rounded up?",
        "5,860",
    ),
    ("Egress is 8 cents a GB, first 100 GB free. I pull down 600 GB of outputs, what'll they charge me?", "$40"),
    ("搜参：4 个学习率 × 3 个 weight decay × 3 个种子，每组 20 分钟，6 张卡各跑各的，几小时跑完", "2 小时"),
    ("Spent $54 to generate 120 million tokens. $ per million?", "$0.45"),
    ("模型 32 层，KV 头 8 个，每头 128 维，fp16，上下文 32768，一条序列，KV cache 多少 GiB？", "4 GiB"),
    (
        "31p per kWh, the box pulls 640 W and I train half a day, every day, for two weeks. How many quid is that?",
        "£33.33",
    ),
    ("5 cards at $1,899 each + 7% tax?", "$10,160"),
    ("抢占式 1.2 元一小时，正常价 3 元。作业 40 小时，被打断 5 次，每次多跑一个半小时，走抢占式总共花多少", "¥57"),
]
FOLLOWED = [
    ("包月 900 元，按小时 3 元，一个月用到多少小时包月才划算？", "要是按小时降到 2 元呢？", "450 小时"),
    ("Sequence length 1024, micro-batch 8, 4 GPUs, gradient accumulation 4. How many tokens per optimizer step?",
     "and on 8 GPUs?", "262,144 tokens"),
    ("6 个人平摊，租了 3 张卡，每张包月 1200，每人每月出多少？", "换成 5 张卡呢", "¥1,000"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), SUMS)
def test_the_first_line_tells_what_comes_out(assistant: Assistant, text: str, told: str) -> None:
    (reply,) = talk(assistant, text)
    assert told in reply.text.splitlines()[0]


def test_a_share_that_is_taken_off_is_written_so(assistant: Assistant) -> None:
    (reply,) = talk(assistant, "原来要跑 30 小时，又把剩下的时间砍掉一成，开混合精度快到 1.5 倍，现在要多久")
    assert "(1 − 一成)" in reply.text
    assert "18 小时" in reply.text.splitlines()[0]


@pytest.mark.parametrize(("text", "then", "told"), FOLLOWED)
def test_what_follows_changes_a_value(assistant: Assistant, text: str, then: str, told: str) -> None:
    assert told in talk(assistant, text, then)[1].text.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("包周 399 元，按小时 3.6 元，我这周大概用 95 小时，包周还是按小时便宜？差多少？", "741"),
        ("The host wants a $500 deposit back at the end and $100 a month. What do 3 months cost?", "$800"),
    ],
)
def test_what_is_more_than_a_sum_is_not_told_as_one(assistant: Assistant, text: str, never: str) -> None:
    (reply,) = talk(assistant, text)
    assert never not in reply.text.splitlines()[0]
