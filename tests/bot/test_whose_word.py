"""Who is named as the one who advised is asked for his word, not for a card of today, however the words are spaced."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

ADVICE = [
    "Lambda 预算 4-6k",
    "Lambda 那份预算 4-6k 是人民币还是美元",
    "Lambda 说预算 4-6k 买什么卡",
    "Lambda 4-6k 预算是指一张卡吗",
    "lambda 的 4-6k 是什么钱",
]
TODAY = ["lambda 上租一张 A100 多少钱", "在 lambda 租卡预算 4000 能租多久"]


@pytest.mark.parametrize("text", ADVICE)
def test_the_ruling_on_the_currency_opens_the_answer(assistant: Assistant, text: str) -> None:
    first = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]
    assert "4000–6000 元" in first
    assert "推断" in first


@pytest.mark.parametrize("text", TODAY)
def test_a_platform_of_that_name_is_still_one(assistant: Assistant, text: str) -> None:
    first = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]
    assert "推断" not in first
    assert "/小时" in first
