"""A first line that rests on prices of record says of which days they are, and whose market; one's own price has none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from bot.channels.markup import plain_text
from tests.bot.labelled import NOW, message

if TYPE_CHECKING:
    from bot.pipeline import Assistant

_DAY: Final = re.compile(r"20\d\d-\d\d")


def first_line(assistant: Assistant, text: str) -> str:
    """The first line of the answer to a message of its own."""
    return plain_text(assistant.respond(message(text), None, NOW)[0].text).splitlines()[0]


@pytest.mark.parametrize(
    "text",
    [
        "租 4090 还是买 4090 划算，用一年",
        "is it cheaper to buy a 4090 or rent one, 20 hours a week for a year",
        "租 4 张 4090 一个月 和 租 1 张 H100 一个月 哪个便宜",
        "autodl的4090两块二一小时，贵不贵",
        "有人出 5000 收我的 3090，卖不卖",
        "how much is a used 4090",
        "H100 租一小时多少钱",
        "预算 8000 买什么卡跑 32B",
    ],
)
def test_a_first_line_says_when_its_prices_were_asked(assistant: Assistant, text: str) -> None:
    assert _DAY.search(first_line(assistant, text))


def test_dollars_of_a_purchase_say_whose_market_they_are_of(assistant: Assistant) -> None:
    said = first_line(assistant, "is it cheaper to buy a 4090 or rent one, 20 hours a week for a year")
    assert re.search(r"prices of 20\d\d-\d\d(-\d\d)? / 20\d\d-\d\d.*US price", said)


def test_prices_of_the_askers_own_have_no_day(assistant: Assistant) -> None:
    said = first_line(assistant, "i can get a 4090 for $1500, or rent one at $0.4 an hour, a year, 4h a day")
    assert "renting comes to $584" in said
    assert not _DAY.search(said)
