"""Sums of money of a kind of their own: what each number is, in any order, with what was said before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant


def firsts(assistant: Assistant, *lines: str) -> list[str]:
    """The first lines of the answers to lines of one conversation."""
    state: Any = None
    told = []
    for line in lines:
        reply, state = assistant.respond(make_message(line, chat_type="group"), state, NOW)
        told.append(reply.text.splitlines()[0])
    return told


@pytest.mark.parametrize(
    ("lines", "figures"),
    [
        (("机器 6000 元，按 3 年直线折旧，残值 10%，每月折多少", "用了 10 个月，账面还剩多少"), ("150", "4,500")),
        (("$900 over 3 years, straight-line, salvage $180: depreciation a month?", "book value after 12 months?"), ("$20", "$660")),
        (("闲鱼卖 1000 元，平台抽 5%，运费 30 元，到手多少", "我想到手 1110 元，要标多少"), ("920", "1,200")),
        (("Selling a card for $1,000, ebay takes 10%, shipping $50: what do I keep?", "what should I list it at to keep $940?"), ("$850", "$1,100")),
        (("挂平台出租 1 元一小时，平台抽 20%，净到手多少", "出租率 50%，30 天呢"), ("0.80", "288")),
        (("A sweep of 10 configs x 2 seeds, 30 min each at $1/h, early stopping kills half at 20% of the time: total?", "without early stopping?"), ("$6", "$10")),
    ],
)  # fmt: skip
def test_a_later_message_changes_or_adds_one_number(
    assistant: Assistant, lines: tuple[str, ...], figures: tuple[str, ...]
) -> None:
    for first, figure in zip(firsts(assistant, *lines), figures, strict=True):
        assert figure in first


@pytest.mark.parametrize(
    ("lines", "figure"),
    [
        (("2 元一小时，跑 100 小时，一共多少钱", "要是 150 小时呢", "差多少"), "100"),
        (("$3 an hour for 100 hours, what is the bill?", "and for 120 hours?", "how much more is that?"), "$60"),
    ],
)
def test_what_two_answers_differ_by_is_asked_for(assistant: Assistant, lines: tuple[str, ...], figure: str) -> None:
    assert figure in firsts(assistant, *lines)[-1]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("first 100 h at .60, then .40, we used 150 h, what is the bill?", "$80"),
        ("账单100、200、300，分别跑了50、100、150小时，平均一小时多少", "2/小时"),
        ("3 个人合用，账单 900 元，老板出三分之一，剩下的平分，每人多少", "200"),
        ("The bill is $900, my lab pays a third, the rest is split by 3 people: how much each?", "$200"),
    ],
)
def test_numbers_in_forms_of_their_own_are_read(assistant: Assistant, line: str, first: str) -> None:
    assert first in firsts(assistant, line)[0]


@pytest.mark.parametrize(
    "line",
    [
        "卡 5000 元，延保 300 元，另外运费 40 元，坏的概率 10%，延保划不划算",
        "a $40 warranty on a $500 card with 5% chance to fail and $25 for shipping it, worth it?",
    ],
)
def test_a_number_without_a_place_keeps_such_a_sum_out(assistant: Assistant, line: str) -> None:
    first = firsts(assistant, line)[0]
    assert not any(word in first for word in ("预期损失", "expected loss"))
