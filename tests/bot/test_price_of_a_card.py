"""Who asks what a card costs, and says what it is for, is not told what it holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from advisor.prices import price_of
from bot.channels.markup import plain_text
from tests.bot.labelled import NOW, message

if TYPE_CHECKING:
    from bot.pipeline import Assistant

_CARDS = ("3090", "4090", "2080 Ti", "RTX 3060 12GB", "A100 80GB", "5070 Ti", "V100")
_ENGLISH = (
    "how much is a {} for deep learning",
    "{} price for training",
    "what does a {} cost these days for deep learning",
    "used {} for deep learning, what do they go for",
    "going rate of a second hand {} for training",
    "{} for stable diffusion, price?",
)
_CHINESE = (
    "{} 多少钱 跑深度学习",
    "{} 现在什么价 想训练用",
    "二手 {} 炼丹 多少钱能收",
    "{} 跑大模型 价格多少",
    "收一张 {} 做深度学习要多少钱",
)


@pytest.mark.parametrize("words", _ENGLISH + _CHINESE)
def test_a_price_with_a_purpose_is_a_question_of_price(assistant: Assistant, words: str) -> None:
    told = {card: assistant.respond(message(words.format(card)), None, NOW)[0] for card in _CARDS}
    assert [card for card, reply in told.items() if reply.intent == "check_fit"] == []


@pytest.mark.parametrize("words", ["去年十月份买过四张4090 48g，现在一张多少钱", "3月份买了两张 4090，现在一张多少钱"])
def test_a_month_by_its_name_is_no_length_of_time(assistant: Assistant, words: str) -> None:
    reply, _ = assistant.respond(message(words), None, NOW)
    assert reply.intent in {"price_lookup", "used_or_cheap"}
    assert "小时 =" not in reply.text


def test_a_price_of_today_goes_before_a_record_of_another_kind(assistant: Assistant) -> None:
    """Of every card with a purchase price that still counts: the first line tells one, however old a new one is."""
    tried, catalog = 0, assistant.services.catalog
    for gpu in catalog.gpus.values():
        held = price_of(catalog, (gpu,), on=NOW.date(), currency="USD")
        if not (held.new or held.used) or "(" in gpu.name:
            continue
        tried += 1
        first = assistant.respond(message(f"how much to buy a {gpu.name}"), None, NOW)[0].text.split("\n")[0]
        newest = max(one.offer.as_of.year for one in (*held.new, *held.used))
        assert str(newest) in first, first
    assert tried > 20


_ASKED = (
    "{} 全新多少钱",
    "{} 二手多少钱",
    "租 {} 一小时多少钱",
    "{} 价格",
    "how much is a new {}",
    "how much is a used {}",
    "how much to rent a {} per hour",
)
_PRICED = ("4090", "3090", "5090D", "5080", "4090 48G", "H100", "B200", "P40", "RTX 6000 Ada", "9070 XT", "AI Max+ 395")
_MARKETS = ("国内", "美国", "欧洲", "US", "China", "EU", "Chinese")
_MONEY = re.compile(r"[$¥€]\s?\d")
_DAY = re.compile(r"\b20[12]\d(?:-\d\d)?(?:-\d\d)?\b|undated|日期不明")


def _lines(assistant: Assistant, text: str) -> list[str]:
    """What a group reads."""
    return plain_text(assistant.respond(message(text), None, NOW)[0].text).split("\n")


@pytest.mark.parametrize("words", _ASKED)
def test_a_price_in_the_first_line_has_a_day_a_market_or_seller_and_an_address(
    assistant: Assistant, words: str
) -> None:
    sellers = [
        one for held in assistant.services.catalog.providers.values() for one in (held.name, held.name_zh) if one
    ]
    for card in _PRICED:
        reply = assistant.respond(message(words.format(card)), None, NOW)[0]
        first = plain_text(reply.text).split("\n")[0]
        if _MONEY.search(first):
            assert _DAY.search(first), first
            assert any(name in first for name in (*_MARKETS, *sellers)), first
            assert any(source.url for source in reply.sources), first


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("租 5090D 一小时多少钱", "RTX 5090 D 没有租用报价记录；新卡"),
        ("how much to rent a 9070 XT per hour", "No rental price of the RX 9070 XT on record; used"),
        ("AI Max+ 395 全新多少钱", "Ryzen AI Max+ 395 整机"),
        ("how much is a new AI Max+ 395", "Ryzen AI Max+ 395, complete computer"),
        ("B200 二手多少钱", "B200 SXM：服务器用的"),
    ],
)
def test_what_is_not_what_was_asked_is_not_told_as_it(assistant: Assistant, text: str, opens: str) -> None:
    assert _lines(assistant, text)[0].startswith(opens)


@pytest.mark.parametrize(
    ("text", "first", "then"),
    [("4090 价格", "国内", ""), ("4090 中国 价格", "国内", ""), ("9070 XT price", "US", "converted")],
)
def test_the_price_of_the_own_market_goes_before_a_converted_one(
    assistant: Assistant, text: str, first: str, then: str
) -> None:
    lines = _lines(assistant, text)
    assert first in lines[0]
    assert "converted" not in lines[0]
    assert "折算" not in lines[0]
    assert then in "\n".join(lines[1:])


@pytest.mark.parametrize("text", ["5090 美国价格", "4090 美国价格", "5080 美国版多少钱"])
def test_a_country_behind_a_bare_number_is_no_currency(assistant: Assistant, text: str) -> None:
    first = _lines(assistant, text)[0]
    assert first.startswith(f"RTX {text[:4]}")
    assert "$" in first


@pytest.mark.parametrize(
    ("words", "bought"),
    [
        ("5090 多少钱一张", True),
        ("4090 一张多少钱", True),
        ("how much is one 5090", True),
        ("租 4090 一张多少钱", False),
        ("4090 一张一个月多少钱", False),
        ("H20 多少钱一张", False),  # nobody sells it on record
    ],
)
def test_what_one_card_costs_is_what_it_is_bought_for(assistant: Assistant, words: str, bought: bool) -> None:
    headline = plain_text(assistant.respond(message(words), None, NOW)[0].text).splitlines()[0]
    assert ("租" in headline or "包月" in headline or "rented" in headline) is not bought
    assert re.search(r"20\d\d-\d\d", headline)
