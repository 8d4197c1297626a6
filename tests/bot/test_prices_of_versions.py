"""A name that several versions bear is priced version by version; what is asked of a price is told first."""

from __future__ import annotations

import re

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message


def _said(assistant: Assistant, text: str) -> str:
    return assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text


USED = ["二手 A100 多少钱", "how much is a secondhand A100, used market", "used A100 80GB price"]


@pytest.mark.parametrize("text", USED)
def test_a_used_board_is_told_within_its_own_order_of_price_and_of_which_version(
    assistant: Assistant, text: str
) -> None:
    first = _said(assistant, text).split("\n")[0]
    low, high = (int(one.replace(",", "")) for one in re.findall(r"\$([\d,]+)", first)[:2])
    assert 5_000 < low < high < 21_000
    assert "A100 80GB PCIe" in first


@pytest.mark.parametrize("text", ["H100 rent per hour", "H100 租一小时多少钱"])
def test_each_version_has_its_own_hour(assistant: Assistant, text: str) -> None:
    said = _said(assistant, text)
    for version in ("H100 80GB PCIe", "H100 80GB SXM5", "H100 NVL 94GB"):
        assert version in said
    assert "$1.99–$3.99" not in said, "one range over boards that are not the same"


@pytest.mark.parametrize(
    ("text", "opens"), [("3090 二手多少钱", "RTX 3090 二手 ¥"), ("二手 4090 什么价", "RTX 4090 二手")]
)
def test_what_it_costs_opens_the_answer(assistant: Assistant, text: str, opens: str) -> None:
    assert _said(assistant, text).lstrip("*").startswith(opens)


@pytest.mark.parametrize("text", ["3090 二手多少钱", "used A100 80GB price"])
def test_what_is_disputed_of_another_card_is_no_remark(assistant: Assistant, text: str) -> None:
    assert "2070" not in _said(assistant, text)
