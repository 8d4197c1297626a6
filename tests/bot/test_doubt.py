"""A long message that may ask one of two things is asked which, where that costs less than a wrong answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.core.understanding import RankedIntent
from bot.dialogue.doubt import only_second_meant
from bot.dialogue.policy import POLICY
from bot.pipeline import Assistant

NOW = datetime(2026, 11, 22, tzinfo=UTC)
DOUBTFUL = [
    (
        "现有3台8卡4090想凑起来训13B。要不要上IB，交换机和网卡买什么级别？预算单独有15万只管网络",
        {"interconnect", "recommend_gpu"},
    ),
    (
        "Eight Hygon DCU in the server, passed --use-gpu and it says Using CPU.... Utilisation of the cards is zero, a few "
        "cpu cores are busy. Do these accelerators work for training at all with the usual frameworks?",
        {"concept_explain", "vendor_choice"},
    ),
]


def say(assistant: Assistant, text: str, state: Conversation | None, turn: int = 1) -> tuple[Reply, Conversation]:
    at = NOW + timedelta(minutes=turn)
    message = IncomingMessage(channel="c", event_id=str(turn), chat_id="x", user_id="u", text=text, received_at=at)
    return assistant.respond(message, state, at)


@pytest.mark.parametrize(("text", "needs"), DOUBTFUL)
def test_two_needs_are_named_and_the_chosen_one_is_answered(assistant: Assistant, text: str, needs: set[str]) -> None:
    reply, state = say(assistant, text, None)
    assert reply.decision == "clarify"
    assert {choice.key.removeprefix("ask:").partition("#")[0] for choice in reply.choices} == needs
    assert all(choice.label in reply.text for choice in reply.choices)
    chosen, _ = say(assistant, "2", state, turn=2)
    assert chosen.intent == reply.choices[1].key.removeprefix("ask:").partition("#")[0]
    assert chosen.decision != "clarify"


def test_nobody_is_asked_twice_within_three_turns(assistant: Assistant) -> None:
    (first, _), (second, _) = DOUBTFUL
    asked, state = say(assistant, first, None)
    again, _ = say(assistant, second, state, turn=2)
    assert (asked.decision, again.decision) == ("clarify", "answer")
    for turn in (2, 3):
        _, state = say(assistant, "谢谢", state, turn=turn)
    assert say(assistant, second, state, turn=4)[0].decision == "clarify"


def test_a_short_line_is_answered_at_once(assistant: Assistant) -> None:
    reply, _ = say(assistant, "3090还是4080训练快", None)
    assert reply.decision == "answer"


def test_the_chance_of_the_second_need_falls_as_the_first_is_surer() -> None:
    chances = [
        only_second_meant(RankedIntent("check_fit", first), RankedIntent("recommend_gpu", 0.25), POLICY)
        for first in (0.3, 0.4, 0.5, 0.7)
    ]
    assert chances == sorted(chances, reverse=True)
    assert POLICY.wrong_answer_costs * chances[2] < 1 < POLICY.wrong_purchase_costs * chances[2]
