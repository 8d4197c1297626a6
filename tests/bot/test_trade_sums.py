"""Sums of a trade: racks, buses, adapters, guessed tokens; what follows on them; what they leave alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.test_sums import talk

if TYPE_CHECKING:
    from bot.pipeline import Assistant


@pytest.mark.parametrize(
    ("question", "first"),
    [
        # words before their numbers or behind them, the unknown at the front, in the middle, at the end
        ("how many tokens/s can I hope for when the weights are 14 GB and the card has 700 GB/s?", "50 tokens/s"),
        ("带宽 900GB/s，MoE 激活 3B 参数，4bit，每秒最多多少 token", "600"),
        (
            "2 GB runtime on each card, 40 GB of weights split over 4 cards of 16 GB with tensor parallel: does it fit?",
            "12 GB",
        ),
        ("张量并行切到 2 张 24GB 的卡，权重 50GB，放得下吗", "25 GB"),
        ("一台 110 公斤的服务器，楼板承重 1000 公斤，机柜自重 120 公斤，最多放几台", "8 台"),
        ("How many 2U servers at 1.2 kW each go into a 42U rack with a 12 kW feed?", "10 machines"),
        ("LoRA rank 8 on q_proj, k_proj and v_proj, 24 layers, each 2048x2048, trainable parameters?", "2,359,296"),
        ("我们训练 13B 模型，FSDP，每个参数 16 字节，16 张卡，每张卡要多少显存", "13 GB"),
        ("4 台服务器每台 1500W，散热要多少 BTU", "20,472 BTU/h"),
        ("6 块 8TB 的盘组 raid5，可用多少", "40"),
        ("batch 8 at 1024 px, what batch at most when we go to 512 px?", "32"),
        # what is lost of the speed is not what is kept
        ("card limited from 300W to 200W loses 20% speed. 100 hours of work: how many kWh saved?", "5 kWh less"),
        ("功耗从 300W 限到 200W，速度掉了 20%，100 小时的活省几度电", "省 5 度"),
        # numbers in powers of ten, two formats, more than the peak
        ("lr 3e-4 at batch 256, going to batch 1024, what lr by linear scaling?", "0.0012"),
        ("fp32 的 10GB 模型转成 bf16 多大", "5 GB"),
        ("what's my MFU: 10B params, one card with 82 TFLOPS peak, 5200 tokens/s", "above the peak"),
        ("5 折交叉验证，参数组合 24 种，每次 20 分钟，4 卡并行，多久跑完", "10 小时"),
    ],
)
def test_a_sum_of_a_trade_reads_its_numbers_in_any_order(assistant: Assistant, question: str, first: str) -> None:
    (reply,) = talk(assistant, question)
    assert first in reply.text.splitlines()[0], reply.text


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (
            (
                "weights are 20 GB and the card has 1000 GB/s, max tokens/s when decoding?",
                "and with half the bandwidth?",
            ),
            "25 tokens/s",
        ),
        (("权重 20GB，带宽 1000GB/s，解码每秒最多多少 token", "实际只能跑到六成带宽"), "30"),
        (("要把 200GB 数据传上去，上传 50Mbps，得传多久", "压缩一下能小一半，那要多久"), "4.44 小时"),
        (
            ("A 300 GB data set over a 100 Mbps uplink, how long to upload?", "gzip makes the files 40% smaller"),
            "4 hours",
        ),
        (("进度条 500/2000，已经跑了 1 小时，还要多久", "从现在起快 2 倍"), "90 分钟"),
        (("step 500/2000 after 1 hour, how long is left?", "what if it runs 1.5x faster from now on?"), "2 hours"),
        (("256bit 位宽，每针 16Gbps，带宽多少", "换成 192bit 呢"), "384 GB/s"),
        (("12 通道 ddr5 6400 的服务器，带宽理论值多少", "跑 40GB 的模型一秒最多几个 token"), "15.4"),
        (
            (
                "a rack has 30 kW and 42U; each box is 5U and draws 6.5 kW; how many boxes?",
                "what if the feed is 20 kW?",
            ),
            "3 machines",
        ),
        (("rtf 0.1 and 250 hours of meetings, one gpu, how long", "and with 4 of them?"), "6.25 hours"),
        (("ZeRO-3 with 7B params at 16 bytes each on 8 GPUs: how much per GPU?", "and on 4 gpus?"), "28 GB"),
    ],
)
def test_what_follows_changes_one_value(assistant: Assistant, lines: tuple[str, ...], first: str) -> None:
    assert first in talk(assistant, *lines)[-1].text.splitlines()[0], talk(assistant, *lines)[-1].text


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        # an amount that would come out below nothing is none
        ("显存可用 2G，固定开销 7.9G，每个样本 0.46G，batch最大开到多少", "-13"),
        ("a 24 GB card with 1.5 GB overhead each and 72 GB of weights over tp=4: does it fit?", "only 1.5 GB"),
        ("两张卡每张 350W，电源要配多大的，u 125w，负载八成", "350 W 带不动"),
    ],
)
def test_no_number_is_taken_for_what_it_is_not(assistant: Assistant, question: str, wrong: str) -> None:
    (reply,) = talk(assistant, question)
    assert wrong not in reply.text.splitlines()[0], reply.text


def test_a_wide_comma_parts_two_numbers(assistant: Assistant) -> None:
    (reply,) = talk(assistant, "每卡batch 4，序列长度 4096，8 张卡，梯度累积 8，100 亿 token 要多少步")
    assert "9,537" in reply.text.splitlines()[0]


@pytest.mark.parametrize(
    ("lines", "never"),
    [
        # a new question with a number of the same unit is not an answer to the one before
        (("权重 20GB，带宽 1000GB/s，解码每秒最多多少 token", "24 GB card, 7B fp16 fits?"), "tokens/s"),
        (("256bit 位宽，每针 16Gbps，带宽多少", "那 8B 模型 4bit 放 12GB 卡够吗"), "带宽"),
        # what was named and cannot be found is not answered by something else
        (("40% MFU on 256 GPUs of 312 TFLOPS, 70B model: how many days?",), "tokens/s"),
        # what each card draws is no power supply
        (("两张 4090 每张 450W，要多大电源",), "450 W 带不动"),
        (("2 x 3090 at 350 W each, what PSU should I get?",), "350 W"),
    ],
)
def test_no_sum_answers_another_question(assistant: Assistant, lines: tuple[str, ...], never: str) -> None:
    assert never not in talk(assistant, *lines)[-1].text.splitlines()[0]
