"""The first line fills what was asked: a figure for the limit that is named, a saving, a reason, the cheaper side."""

from __future__ import annotations

from functools import cache

import pytest

from bot.pipeline import Assistant
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant


@cache
def assistant() -> Assistant:
    return shared_assistant()


def told(text: str) -> list[str]:
    """Lines that a group reads."""
    return assistant().explain(message(text, "group"), None, NOW).reply.text.splitlines()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("5090功耗限到400W性能掉多少", "RTX 5090 限到 400 W：训练约慢"),
        ("I need a faster gpu", "What is it for"),
        ("no used cards please: something for 24B models at home, $1,500", "Buy an RTX 5070 Ti: $880"),
        ("GPU 一直 99% 但是训练就是慢", "GPU 已经跑满"),
        ("A100 能切成几份给不同同学用，怎么切", "最多 7 份，每份 5 GB"),
        ("我是 3060 12G，朋友劝我换 4060 8G，跑本地模型该不该换", "不值得换：RTX 3060 12GB 换成 RTX 4060，显存反而少"),
        ("does a 4090 laptop have 24 GB", "No. RTX 4090 Laptop, memory: 16 GB"),
        ("What GPU do I need to fully finetune a 3B, renting is fine", "Rent 2 x RTX A6000"),
        ("5090 vs RTX 6000 Ada, I mostly serve models that take 40 GB", "RTX 6000 Ada: its 48 GB hold the 40 GB"),
        ("5070 ti 还是 3090，主要跑要 20G 显存的模型", "选 RTX 3090：24 GB 显存装得下要 20 GB 的活"),
        ("4060 Ti 16GB or 3080 10GB for training SDXL loras?", "RTX 4060 Ti 16GB for SDXL: the usual way takes"),
        ("4070 12G还是4060ti 16G 跑flux", "FLUX.1-dev 这个活选 RTX 4060 Ti 16GB：常用设置"),
        ("4070 12G和4060ti 16G 跑flux哪个快", "FLUX.1-dev 这个活选 RTX 4070：约为"),
        ("闲鱼上P40 24G和3060 12G差不多价，拿来训yolo哪个好", "YOLOv8m 这个活选 RTX 3060 12GB"),
        ("3060 12GB runs out of memory on 8B lora. would a 4070 12GB fix it?", "Not enough either"),
        ("3060 12G 跑8B lora 爆显存，换成4070 12G 能解决吗", "换了也不够"),
        ("3090 二手的不要，那买什么", "用来干什么"),
        ("card for SDXL, $500 tops, has to be new, my PSU is a 550W", "Buy an RTX 4060 Ti 16GB: $260–690 (new"),
        ("can I use FlashAttention 3 on a 4090?", "No: FlashAttention-3 has kernels for Hopper alone"),
        ("2080ti 可以装 flash-attention 2 吗，编译老是报错", "不能：FlashAttention-2 要安培"),
        ("矿板 PCIe 3.0 x1 转接线插一张 3090 纯推理，速度影响大吗", "单卡推理几乎没影响"),
        ("3090 pcie 4.0 x4 够吗", "单卡推理几乎没影响"),
        ("ollama throws the model out of vram after some minutes, how do I stop that", "Models unload after 5 idle"),
        ("CUDA out of memory 要申请 2G，nvidia-smi 看明明空着 5 个多 G", "因为 nvidia-smi 看到的是报错前后"),
        ("两百小时的录音转文字，whisper large-v3，台式机加张卡，三千以内", "买 RTX 3080 10GB"),
        ("does the RTX 4090 support P2P", "Not with the stock driver: P2P"),
        ("undervolting a 3090 to 250w, how much slower", "RTX 3090 at 250 W: about 13% slower in training"),
        ("power limit my 4090 to 200w, what do I lose", "200 W is too low for the RTX 4090"),
        ("把4090限到300W一年能省多少电费，一天跑10小时，电价0.6", "约省 ¥296"),
        ("limit a 4090 to 300 W, 10 hours a day for a year at $0.20, what do I save on electricity", "It saves about"),
        ("3090 降到280瓦会慢吗", "RTX 3090 限到 280 W：训练约慢 6%"),
        ("if I set my 3090 to 250W how much speed do I lose", "RTX 3090 at 250 W: about 13% slower"),
        ("两张3090各限280W要多大电源", "建议 1,000 W 电源"),
        ("how much electricity does a 4090 use a month at 8 hours a day, I pay 0.30 eur", "123 kWh in 243 hours"),
        ("电费一度1块，5090一天跑20小时一个月多少", "608 小时"),
        ("电价0.68，两张3090每天跑8小时一个月电费多少", "243 小时"),
        ("租一年4090和买一张哪个划算，每天用8小时", "租划算：1 年里（每天 8 小时）租"),
        ("is a 4090 cheaper to rent or to buy over a year, 3 hours a day?", "Rent: over 1 year"),
        ("5090性能是4090的两倍对吧", "不是，"),
        ("is the 5090 twice as fast as the 4090?", "No. RTX 5090: about 1.47x"),
        ("isn't the H100 twice as fast as an A100?", "Right. H100"),
        ("is it true that two 4060 ti 16gb are as good as one 4090?", "No. 2 x RTX 4060 Ti 16GB"),
        ("租4090和租A100微调7B哪个省钱", "A100 40GB PCIe 更省：RTX 4090 干一小时"),
        ("which is cheaper to rent for training, a 3090 or a 4090?", "RTX 4090 is cheaper"),
        ("为什么二手3090比4070还贵", "RTX 3090 贵在：单卡显存更大"),
        ("why is the h100 so expensive compared to the 4090", "What the H100 80GB SXM5 is paid for: more memory"),
        ("预算1万，训练yolo，是一张4090还是两张3090", "¥10,000 两边都不够"),
        ("budget $3000: 4090 or 5090 for llms at home", "$3,000 buys only the RTX 4090"),
        ("3090 二手 5200 贵吗", "¥5,200 不贵：RTX 3090 二手"),
        ("used 3090 for $2500, good deal?", "$2,500 is too much: RTX 3090"),
        ("矿卡能买吗，怎么看出来", "能买，前提是能当面测"),
        ("are mining cards safe to buy", "Yes, if you can test it"),
        ("pcie3.0的主板插4080影响大吗", "几乎没影响"),
        ("will a 4090 work in a pcie 3.0 x16 slot", "Hardly: one card alone"),
        ("egpu over thunderbolt with a 4090, how much do I lose", "Thunderbolt 3/4 is about PCIe 3.0 x4"),
        ("机箱闷，两张3090中间没缝，温度90度要紧吗", "还在范围内：满载 90 °C"),
        ("two 3090s with no gap run at 95 C, is that bad?", "Too hot: 95 C"),
        ("实验室8个人，预算20万，配什么服务器，做CV为主", "配 8 张 RTX 4090"),
        ("预算2万 本地跑deepseek", "¥20,000 不够"),
        ("$2000 budget to run deepseek r1 locally", "$2,000 is not enough"),
        ("3000块左右做LoRA微调买什么显卡好", "买 RTX 4060 Ti 16GB"),
    ],
)
def test_the_first_line_fills_the_form(text: str, first: str) -> None:
    assert first in told(text)[0]


def test_who_rents_one_card_or_buys_another_reads_both() -> None:
    lines = "\n".join(told("is renting an a100 for a month cheaper than buying a 4090?"))
    assert "Buying: RTX 4090" in lines
    assert "Renting: A100" in lines
    assert "do not take the same hours" in lines


@pytest.mark.parametrize(
    ("text", "said"),
    [("4张4090配什么cpu和内存", ("逻辑核", "128 GB")), ("what cpu and how much ram for 4x 3090", ("128 GB", "cores"))],
)
def test_processor_and_memory_are_both_told(text: str, said: tuple[str, ...]) -> None:
    lines = told(text)
    assert all(any(word in line for line in lines[:3]) for word in said)


def test_electricity_with_a_price_named_behind_it_counts_with_that_price() -> None:
    lines = "\n".join(told("rent or buy: 4090, 3 hours a day for a year, $0.12 power in ohio"))
    assert "0.18" not in lines


@pytest.mark.parametrize(
    "text",
    [
        "3090 二手 5200 贵吗",
        "两张4090要不要NVLink，预算3万",
        "is renting an a100 for a month cheaper than buying a 4090?",
    ],
)
def test_old_advice_that_nobody_asked_for_stays_behind_its_button(text: str) -> None:
    lines = told(text)
    assert not [line for line in lines if line.startswith(("> 文档", "> The documents", "> 所有价格", "> NVLink"))]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("does pcie 4.0 x8 hurt with two 4090s", "Enough: x8 is fine, 2 cards"),
        ("will limiting 4x 3090 to 250w keep me under 1600w?", "Enough: 1,600 W for about 1,300 W"),
        ("四张3090每张限到250W，1600W电源够吗", "1,600 W"),
        ("how much faster is 2x 4090 than one for training resnet", "About 1.9x"),
        ("electricity cost to train for 3 days on 8 a100s, germany", "at $0.45/kWh"),
    ],
)
def test_each_number_is_that_of_its_own_part(text: str, first: str) -> None:
    assert first in told(text)[0]


def test_a_claim_that_counts_do_not_settle_is_not_refused() -> None:
    assert not told("4090 48g魔改版靠谱吗，比两张3090强吗")[0].startswith("**不是")


def test_who_names_a_gap_is_not_told_that_there_is_none() -> None:
    assert "差价算不出来" not in "\n".join(told("5060ti 8g和16g差价800，值得上16g吗"))
