"""Operations of later messages take effect: on what is in force, on what was shown, and never on another kind of value."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from bot.core.conversation import Conversation
from bot.core.decision import Decision
from bot.core.message import IncomingMessage
from bot.pipeline import Assistant
from tests.conftest import shared_assistant

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@cache
def assistant() -> Assistant:
    return shared_assistant()


def last(*lines: str) -> Decision:
    """What is decided about the last line of a talk."""
    state: Conversation | None = None
    for number, text in enumerate(lines):
        message = IncomingMessage(
            channel="test", event_id=str(number), chat_id="chat", user_id="user", text=text, received_at=NOW
        )
        explained = assistant().explain(message, state, NOW)
        state = explained.conversation
    assert explained.decision is not None
    return explained.decision


def slots(decision: Decision) -> dict[str, Any]:
    return {slot: held.value for slot, held in decision.slots.items()}


SUPPLY = "is 2000W enough for 4 3090s"
COUNTED: list[tuple[str, dict[str, Any]]] = [
    ("double the cards", {"gpu_count": 8, "psu_w": 2000}),
    ("two fewer cards", {"gpu_count": 2, "psu_w": 2000}),
    ("and 600 watts more supply", {"gpu_count": 4, "psu_w": 2600}),
    ("那我多插两张呢，电源不动", {"gpu_count": 6, "psu_w": 2000}),
]


@pytest.mark.parametrize(("text", "wanted"), COUNTED)
def test_cards_and_watts_are_counted_on_apart(text: str, wanted: dict[str, Any]) -> None:
    found = last(SUPPLY, text)
    assert found.intent == "power_supply"
    assert {slot: slots(found)[slot] for slot in wanted} == wanted


WISH = "预算6000，跑stable diffusion，推荐什么卡"


@pytest.mark.parametrize(
    "text", ["二手那个划掉吧", "二手的别推", "不要二手的", "used ones are out of the question", "nothing used please"]
)
def test_what_is_ruled_out_narrows_the_choice_before(text: str) -> None:
    found = last(WISH, text)
    assert (found.intent, found.excluded.get("pricing_model")) == ("recommend_gpu", ("purchase_used",))
    assert slots(found)["budget"]["amount"] == 6000


def test_it_stays_ruled_out_until_it_is_allowed_again() -> None:
    assert "pricing_model" in last(WISH, "不要二手的", "预算加一千").excluded
    assert "pricing_model" not in last(WISH, "不要二手的", "算了二手也可以，放开吧").excluded


def test_a_budget_counted_on_twice_is_the_last_one() -> None:
    found = last(WISH, "能再加一千五", "再加500")
    assert slots(found)["budget"] == {"amount": 8000, "currency": "CNY", "period": "once"}
    assert slots(last(WISH, "能再加一千五", "预算改成五千"))["budget"]["amount"] == 5000


def test_the_cheaper_one_is_that_of_the_lowest_price_shown() -> None:
    found = last("RTX 4090 vs 5090 for training", "the cheaper one, what power supply does it need")
    assert (found.intent, slots(found)["gpu"]) == ("power_supply", ["RTX 4090"])


@pytest.mark.parametrize("text", ["5090 is sold out, without it?", "leave out the 5090", "5090抢不到，去掉它"])
def test_a_card_leaves_and_another_joins(text: str) -> None:
    listed = ("RTX 4090 vs 5090 for training", "add the L40S")
    assert slots(last(*listed))["gpu"] == ["RTX 4090", "RTX 5090", "L40S"]
    assert slots(last(*listed, text))["gpu"] == ["RTX 4090", "L40S"]


@pytest.mark.parametrize("text", ["and at 35%?", "3 hours a day", "250W power limit", "what about 2 cards"])
def test_money_stays_money(text: str) -> None:
    found = slots(last("I have 2000 dollars for a card for llama 3 8b", text))
    assert found.get("budget", {"amount": 2000})["amount"] == 2000
