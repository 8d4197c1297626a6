"""Everyday questions of choosing: what is ruled out, how many ask at once, what is put up to be confirmed, when to buy."""

from __future__ import annotations

from functools import cache

import pytest

from bot.core.conversation import Conversation
from bot.pipeline import Assistant
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant


@cache
def assistant() -> Assistant:
    return shared_assistant()


def told(text: str, before: Conversation | None = None) -> tuple[list[str], Conversation]:
    """Lines that a group reads, and what is kept of the conversation."""
    reply, kept = assistant().respond(message(text, "group"), before, NOW)
    return reply.text.replace("**", "").splitlines(), kept


def first(text: str) -> str:
    return told(text)[0][0]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("我想学大模型微调 不想买卡 一个月一百块够吗", "租 RTX"),
        ("不打算买显卡 每月预算200 想微调7b", "租 RTX"),
        ("i don't want to buy a gpu, 30 dollars a month for finetuning 7b, enough?", "Rent a"),
        ("不想租 想自己买一张 跑32b 一万", "买 RTX"),
        ("想给女儿买台能学ai的笔记本 八千左右", "笔记本挑 GPU"),
        ("想买个笔记本跑大模型 一万以内", "笔记本挑 GPU"),
        ("want to buy a laptop for ml, 1500 dollars", "Take a laptop"),
    ],
)
def test_how_a_card_is_had_is_as_said(text: str, opens: str) -> None:
    assert first(text).startswith(opens)


@pytest.mark.parametrize(
    "text",
    [
        "手里是1060 做yolo毕设 要换吗",
        "做yolo毕设 买什么卡",
        "I have a 1060, doing yolo for my thesis, should I upgrade?",
    ],
)
def test_who_studies_is_told_the_least_card_that_does_the_job(text: str) -> None:
    assert "RTX 4060 Ti 16GB" in first(text) or "RTX 3060 12GB" in first(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("i have a 3060 and run 8b llms, worth upgrading?", "RTX 3080 10GB"),
        ("3070 8g 跑flux 换什么卡", "RTX 4090"),
    ],
)
def test_an_upgrade_is_neither_smaller_nor_far_more_than_the_job_asks(text: str, says: str) -> None:
    assert says not in first(text)


def test_a_change_that_does_not_pay_names_one_that_would() -> None:
    lines, kept = told("2080ti 11g 换 4070 12g 跑深度学习值得吗")
    assert lines[0].startswith("不值得换")
    assert any("才算升级" in line for line in lines)
    assert "RTX 4070，" not in told("那换啥才算真升级", kept)[0][0]
    lines, kept = told("upgrade from a 3080 10gb to a 4070 for llms, worth it?")
    assert lines[0].startswith("Not worth it")
    assert "to the RTX 4070 it" not in told("what would be a real upgrade then", kept)[0][0]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("要不要等下一代显卡再买啊 现在手里是1060 做yolo毕设", "不用等"),
        ("i have a gtx 1080, train bert. wait for the next generation or upgrade now?", "No need to wait"),
        ("buy now or wait, ram and gpu prices seem to keep climbing", "Buy now if you have work"),
        ("内存价格这么高 现在买还是等等再买", "有活要跑就现在买"),
    ],
)
def test_when_to_buy_is_said_first(text: str, opens: str) -> None:
    assert first(text).startswith(opens)


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("so a 3090 and a 4090 have the same memory, right?", "Right."),
        ("4090 and 5090 have the same vram right?", "No."),
        ("3090跟4090显存一样大吧", "没错"),
        ("4090笔记本和4090台式是一个东西吗", "不是"),
        ("is the A10G the same chip as the A10", "No."),
        ("is 8 t/s on a 70b normal for two 3090s?", "Not normal"),
        ("4090 qwen3-32b 30 tokens/s 正常不", "正常"),
        ("H20到底能不能训练 老板图便宜", "能训练"),
        ("can the H20 be used for training or only inference", "Yes, but slowly"),
        ("a 5060 ti for training ok?", "Yes, it trains"),
    ],
)
def test_what_is_put_up_is_confirmed_or_refused(text: str, opens: str) -> None:
    assert first(text).startswith(opens)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("公司五十个人用 同时在线也就五六个 跑32b", 6),
        ("~50 coworkers, internal chatbot with a 30B, maybe 5 at once", 5),
        ("about 40 people, 4 or 5 at the same time, 14b", 5),
        ("100个人的公司 高峰大概10个人同时问", 10),
        ("推理服务主要跑32b 并发二三十个", 30),
        ("4090跑14b 同时七八个人用 行不行", 8),
    ],
)
def test_of_the_people_those_count_who_ask_at_once(text: str, people: int) -> None:
    found = assistant().understander.understand(text).slots
    assert [one.value for one in found if one.slot == "users"] == [people]


def test_of_numbers_of_cards_that_are_put_up_one_is_answered() -> None:
    assert first("公司五十个人用 同时在线也就五六个 跑32b 一张还是两张 买什么").startswith("2 张")
    assert first("5 people at once on a 30B model. one card or two, and which").startswith("2 x")


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("bge-m3做知识库 一共才两万段文字 非得显卡吗 服务器上没有gpu", "不用显卡"),
        ("is a gpu required for bert-base inference", "No card needed"),
        ("qwen2.5 7b 没有显卡行不行", "纯 CPU 能跑，就是慢"),
        ("卧室放一台双卡3090 夏天会不会热死 大概相当于几个取暖器", "显卡满载共约 700 W"),
        ("will a single 4090 heat up my small office like a space heater?", "Under load the cards take about 450 W"),
        ("i hear the 4090 is banned in china, how different is the 4090 D", "The 4090 D of late December 2023 is"),
    ],
)
def test_the_first_line_answers_what_was_asked(text: str, opens: str) -> None:
    assert first(text).startswith(opens)
