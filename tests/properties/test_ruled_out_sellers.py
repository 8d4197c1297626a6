"""Who is ruled out to rent from is recommended nowhere: sellers x wordings x languages, at the first turn and later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from bot.channels.markup import plain_text
from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant

SELLERS: Final = {"vast": "vast.ai", "runpod": "RunPod", "autodl": "AutoDL"}
"""As people call them, and as an answer names them."""
OTHERS: Final = {"vast": "runpod", "runpod": "vast", "autodl": "vast"}
WORDINGS_EN: Final = (
    "nothing from {p}", "not on {p}", "not from {p}", "anything but {p}", "without {p}", "no {p} please", "except {p}",
    "other than on {p}", "avoid {p}", "I don't want {p}", "I won't use {p}", "{p} is out", "{p} is off the table",
)  # fmt: skip
WORDINGS_ZH: Final = (
    "不要{p}的", "别推荐{p}", "不考虑{p}", "除了{p}", "不用{p}", "{p}除外", "{p}的不要", "不想用{p}", "别给我推荐{p}", "{p}就算了",
)  # fmt: skip
QUESTIONS_EN: Final = ("cheapest place to rent a 4090", "what does a 4090 cost per hour", "where can I rent a 4090")
QUESTIONS_ZH: Final = ("4090哪家租便宜", "租4090一小时多少钱", "4090去哪租")


def said(assistant: Assistant, *lines: str) -> str:
    """What the group reads last in a conversation."""
    state, reply = None, None
    for number, line in enumerate(lines):
        reply, state = assistant.respond(make_message(line, event_id=f"e{number}"), state, NOW)
    assert reply is not None
    lines = plain_text(reply.text).splitlines()
    return "\n".join(line for line in lines if not line.startswith(">"))  # a remark on a table sends nobody there


def is_named(name: str, text: str) -> bool:
    return name.casefold() in text.casefold()


def all_cases() -> list[tuple[str, str, str, str]]:
    """Seller, his shown name, question and wording; the questions take turns."""
    found: list[tuple[str, str, str, str]] = []
    for words, questions in ((WORDINGS_EN, QUESTIONS_EN), (WORDINGS_ZH, QUESTIONS_ZH)):
        for number, wording in enumerate(words):
            found += [
                (name, shown, questions[(number + place) % len(questions)], wording.format(p=name))
                for place, (name, shown) in enumerate(SELLERS.items())
            ]
    return found


@pytest.mark.parametrize(("name", "shown", "question", "wording"), all_cases())
def test_at_the_first_turn(assistant: Assistant, name: str, shown: str, question: str, wording: str) -> None:
    text = said(assistant, f"{question}, {wording}" if question.isascii() else f"{question}，{wording}")
    assert "4090" in text
    assert not is_named(shown, text)


@pytest.mark.parametrize(("name", "shown", "question", "wording"), all_cases())
def test_at_a_later_turn(assistant: Assistant, name: str, shown: str, question: str, wording: str) -> None:
    text = said(assistant, question, wording)
    assert "4090" in text
    assert not is_named(shown, text)


@pytest.mark.parametrize(
    ("question", "first", "then"),
    [
        (QUESTIONS_EN[0], "not vast", "nor runpod"),
        (QUESTIONS_EN[1], "nothing from vast", "nothing from runpod either"),
        (QUESTIONS_EN[2], "no vast", "no runpod"),
        (QUESTIONS_ZH[0], "不要vast", "也不要runpod"),
        (QUESTIONS_ZH[1], "不要vast", "runpod也不要"),
    ],
)
def test_one_more_is_ruled_out_beside_those_of_before(
    assistant: Assistant, question: str, first: str, then: str
) -> None:
    text = said(assistant, question, first, then)
    assert not is_named("vast.ai", text)
    assert not is_named("RunPod", text)


@pytest.mark.parametrize(
    "question",
    [
        "cheapest 4090 to rent, neither vast nor runpod",
        "cheapest 4090 to rent, not vast or runpod",
        "租4090，不要vast和runpod",
        "租4090哪家便宜，别推荐vast、runpod",
    ],
)
def test_a_list_is_ruled_out_as_a_whole(assistant: Assistant, question: str) -> None:
    text = said(assistant, question)
    assert "4090" in text
    assert not is_named("vast.ai", text)
    assert not is_named("RunPod", text)


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (("cheapest place to rent a 4090", "not vast", "vast is fine after all"), "vast.ai"),
        (("cheapest place to rent a 4090", "why not vast?"), "vast.ai"),
        (("why not rent a 4090 on vast?",), "vast.ai"),
        (("租4090，autodl不行吗",), "AutoDL"),
        (("4090租一小时多少，autodl的",), "AutoDL"),
    ],
)
def test_who_is_asked_about_or_allowed_again_is_named(assistant: Assistant, lines: tuple[str, ...], shown: str) -> None:
    assert is_named(shown, said(assistant, *lines))


@pytest.mark.parametrize(
    "question",
    [
        "which card for 14b under $800, no amd please",
        "which card for 14b under $800, nothing from amd",
        "which card for 14b under $800, anything but amd",
        "which card for 14b under $800, without amd",
        "六千以内跑14b买什么卡，不要a卡",
        "六千以内跑14b买什么卡，amd除外",
    ],
)
def test_a_maker_is_ruled_out(assistant: Assistant, question: str) -> None:
    assert not any(is_named(name, said(assistant, question)) for name in ("Radeon", "RX 7", "RX 9", "Instinct"))


@pytest.mark.parametrize(
    ("question", "seller"),
    [
        ("how much for 100 hours of a 4090 rental, not on vast", "vast.ai"),
        ("rent or buy a 4090 at 20 hours a week, nothing from vast", "vast.ai"),
        ("4090跑100小时要多少钱，不要autodl", "AutoDL"),
        ("4090每周用20小时租还是买，不用autodl", "AutoDL"),
    ],
)
def test_bills_take_nothing_of_who_is_ruled_out(assistant: Assistant, question: str, seller: str) -> None:
    assert not is_named(seller, said(assistant, question))
