"""Sums of whatever people count: what the group reads first, and what no sum is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.test_sums import talk

if TYPE_CHECKING:
    from bot.pipeline import Assistant

SUMS = [
    ("shop catalogue: 1,500 products, 4 variants each, 3.4 sec an image. how many hours", "5.67 hours"),
    ("8 cameras, 6 Mbps each, keep 30 days around the clock as training footage. storage?", "15.6 TB"),
    ("flat index, 18 million vectors, 768 dims, float32. RAM?", "55.3 GB"),
    ("we push a 9.4 GB checkpoint every 500 steps, step = 1.8 s. average upload bandwidth?", "10.4 MB/s"),
    ("900 staff, 22 prompts a day each, 850 tokens per prompt, all in 8 working hours. average tok/s?", "584 tokens/s"),
    ("ssd rated 600 TBW, job writes 48 GB 20 times a day. after how many days is it used up", "625 days"),
    ("we have 3 annotators, each does 120 images an hour, 25000 images, how many hours", "69.4 hours"),
    ("tokenizer makes 1.3 tokens per word, corpus is 2 billion words, how many tokens", "2.6B tokens"),
    ("each GPU node uploads 30 GB of logs a day, 12 nodes, keep 90 days, how much storage do I need", "32.4 TB"),
    ("一个视频 40 秒，每秒 24 帧，一帧 1.2 MB，200 个视频要多大硬盘", "230 GB"),
    ("2000小时录音 16khz 16bit 单声道，硬盘得留多少", "230 GB"),
    ("lr 3档 wd 4档 层数2档，每组5折，一折14分钟，3张卡各跑各的，全跑完多久", "9.33 小时"),
    ("可用22.5G，固定开销7.9G，每多一条样本多0.46G，batch最大开到多少", "31"),
    ("语料120GB纯文本，一个token平均3.4字节，总共多少token", "353 亿 token"),
    ("一台服务器 4.5kW，机房一共 60kW，最多放几台", "13"),
    ("50 steps at 0.09 s a step, plus 1.1 s vae decode, how many images in one hour", "643 images"),
    ("we rent 4 boxes at $1.20 an hour each, 9 hours a day, 22 days a month, monthly bill?", "$950.40"),
    ("20 个学生，每人每周 6 小时，一学期 16 周，一共多少小时", "1,920 小时"),
]


@pytest.mark.parametrize(("text", "told"), SUMS)
def test_the_first_line_tells_what_comes_out(assistant: Assistant, text: str, told: str) -> None:
    (reply,) = talk(assistant, text)
    assert told in reply.text.splitlines()[0]


@pytest.mark.parametrize(
    "text",
    [
        "batch 8 占 19G，batch 12 会不会炸？卡是 24G",
        "do two 16gb cards act like one 32gb card?",
        "p2p between my four 4090s shows 52GB/s but one bridge lists 8GB/s, which of them is the real limit",
        "不用flash attention，序列8192，矩阵要 2 字节一个，占多少",
        "How many percent is the overhead on 8 A100 instead of 8 V100?",
    ],
)
def test_numbers_that_are_no_product_make_none(assistant: Assistant, text: str) -> None:
    (reply,) = talk(assistant, text)
    assert not any(fact.name.startswith("reckoned") for fact in reply.facts)
