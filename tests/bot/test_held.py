"""Whether it is enough: everything that was said to be needed against everything that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.test_sums import talk

if TYPE_CHECKING:
    from bot.pipeline import Assistant

ENOUGH = (
    (
        "每 500 步存一次 42GB 的 checkpoint，一共 20000 步，2TB 的盘存得下全部吗",
        "够：一共要 1,680 GB，有 2,000 GB，余 320 GB。",
    ),
    ("6 张卡每张 300W，机柜 PDU 是 16A 230V，只许用到 80%，够不够", "够：一共要 1,800 W，有 2,944 W，余 1,144 W。"),
    ("机器 256GB 内存，8 个进程每个把 30GB 数据集各读一份，放得下吗？", "够：一共要 240 GB，有 256 GB，余 16 GB。"),
    ("batch 从 32 加到 48，显存除了固定的 6GB 每样本 0.35GB，24G 够吗", "够：一共要 22.8 GB，有 24 GB，余 1.2 GB。"),
    (
        "两块 2TB 的盘，数据集 2.6TB，checkpoint 12 个每个 90GB，放得下吗",
        "够：一共要 3,680 GB，有 4,000 GB，余 320 GB。",
    ),
    ("电源 1200W，两张卡各 350W，CPU 125W，其它 80W，留 20% 余量够吗", "够：一共要 905 W，有 960 W，余 55 W。"),
    (
        "机房 UPS 还剩 8kVA 功率因数 0.9，三台机器每台 2.1kW，外加交换机 300W，撑得住吗",
        "够：一共要 6,600 W，有 7,200 W，余 600 W。",
    ),
    ("一次要跑 40 个实验，每个 3.5 小时，4 张卡并行，2 天内能跑完吗？", "够：一共要 35 小时，有 48 小时，余 13 小时。"),
    (
        "There are 4 days left. 30 runs of 5 h each on 2 GPUs. Will we make it?",
        "Enough: 75 hours needed in all, 96 hours there, 21 hours to spare.",
    ),
    (
        "3 jobs need 20 GB each on one 80 GB card, and the driver takes 2 GB. Do they fit?",
        "Enough: 62 GB needed in all, 80 GB there, 18 GB to spare.",
    ),
    (
        "A 20 kW cooling unit, six servers at 2.8 kW each plus 1.5 kW of switches. Is it enough?",
        "Enough: 18,300 W needed in all, 20,000 W there, 1,700 W to spare.",
    ),
    (
        "A 10 TB NAS, 25 students with 300 GB each, plus 1.5 TB of shared models. Does it fit?",
        "Enough: 9,000 GB needed in all, 10 TB there, 1,000 GB to spare.",
    ),
    (
        "10 Gbps uplink, 4 users each pulling 300 MB/s. Enough?",
        "Enough: 1.2 GB/s needed in all, 1.25 GB/s there, 50 MB/s to spare.",
    ),
)
NOT_ENOUGH = (
    (
        "Each run writes 12 GB and I do 60 runs; 500 GB disk has 80 GB used already. Will it fit?",
        "Not enough: 800 GB needed in all, 500 GB there, 300 GB short.",
    ),
    ("每天产生 35GB 日志，留 60 天，2TB 硬盘够不够", "不够：一共要 2,100 GB，只有 2,000 GB，差 100 GB。"),
    ("8 个人每人 200GB 数据，共享盘 1.5TB，够吗", "不够：一共要 1,600 GB，只有 1,500 GB，差 100 GB。"),
    (
        "I save an 18 GB checkpoint every 2 hours for a 5-day run and keep them all. Will a 1 TB disk do?",
        "Not enough: 1,080 GB needed in all, 1,000 GB there, 80 GB short.",
    ),
    (
        "13B params full fine-tune with Adam at 16 bytes per parameter, sharded over 8 cards with ZeRO-3. "
        "Would 24 GB cards do, with 6 GB activations each?",
        "Not enough: 32 GB needed in all, 24 GB there, 8 GB short.",
    ),
    (
        "I have 500 GB free. 40 checkpoints of 14 GB each. Does it fit?",
        "Not enough: 560 GB needed in all, 500 GB there, 60 GB short.",
    ),
    (
        "The NAS delivers 1.1 GB/s. Six nodes read 220 MB/s each. Can it keep up?",
        "Not enough: 1.32 GB/s needed in all, 1.1 GB/s there, 220 MB/s short.",
    ),
)
OF_RECORDS = (
    "两张12g能当24g用吗",
    "24G的网络想塞进10G的卡里，有戏吗",
    "会议室墙上插座是 220V 10A，一台四卡机器满载 2.5kW，一个插座带得动吗",
    "7B 4bit 放得进 8G 显存吗",
    "5800x配双卡会瓶颈吗",
)
"""What advice, a formula by name or the records answer."""


@pytest.mark.parametrize(("message", "told"), [*ENOUGH, *NOT_ENOUGH])
def test_a_verdict_is_of_everything_that_was_said(assistant: Assistant, message: str, told: str) -> None:
    (reply,) = talk(assistant, message)
    assert reply.text.splitlines()[0].strip("*") == told


@pytest.mark.parametrize("message", OF_RECORDS)
def test_other_verdicts_stay_what_they_are(assistant: Assistant, message: str) -> None:
    (reply,) = talk(assistant, message)
    assert not reply.text.splitlines()[0].strip("*").startswith(("够：一共要", "不够：一共要"))


def test_what_comes_on_top_is_no_more_of_what_there_is(assistant: Assistant) -> None:
    (reply,) = talk(assistant, "12 个同学每人 80GB 数据，2TB 的盘存得下吗，再来 10 个呢")
    assert "20 TB" not in reply.text


@pytest.mark.parametrize("message", ["is 8gb vram enough for anything in 2026", "2026 年 8G 显存够用吗"])
def test_a_year_by_its_date_is_no_amount(assistant: Assistant, message: str) -> None:
    (reply,) = talk(assistant, message)
    assert "7.5 GiB" in reply.text.splitlines()[0]
