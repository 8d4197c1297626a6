"""Buttons below an earlier answer: what they show and change is that answer, or it is said that it is no longer kept."""

from __future__ import annotations

import pytest

from bot.core.conversation import Conversation
from bot.core.message import Reply
from bot.core.ports import GONE
from bot.pipeline import Assistant
from bot.stores.packing import pack, unpack
from tests.conftest import NOW, make_message

FIRST = {"en": "can a 4090 LoRA fine-tune qwen2.5-14b?", "zh": "4090 能 LoRA 微调 Qwen2.5-14B 吗"}
LATER = {"en": "which GPU for llama-3.1-8b?", "zh": "跑 llama-3.1-8b 用什么卡"}
BETWEEN = ["A100 per hour", "3090 vs 4090", "how much VRAM does a 4080 have?", "which GPU for sdxl", "H100 per hour"]


class Talk:
    """A talk in which every state goes through the store, as it does between two messages."""

    def __init__(self, assistant: Assistant, language: str) -> None:
        self.assistant, self.language = assistant, language
        self.state: Conversation | None = None
        self.turns = 0

    def say(self, text: str = "", action: str = "") -> Reply:
        self.turns += 1
        message = make_message(text, event_id=str(self.turns), action=action, lang_hint=self.language)
        reply, state = self.assistant.respond(message, self.state, NOW)
        self.state = unpack(pack(state))
        return reply


def key_of(reply: Reply, start: str) -> str:
    return next(choice.key for choice in reply.choices if choice.key.startswith(start))


@pytest.mark.parametrize(
    ("language", "first", "other", "told"),
    [
        ("en", "can a 4090 LoRA fine-tune qwen2.5-14b?", "A100 per hour", ("Yes, with QLoRA", "Qwen2.5-14B")),
        ("en", "will 3090 do LoRA on Qwen2.5-14B?", "3090 vs 4080 for llama-3.1-8b", ("QLoRA", "Qwen2.5-14B")),
        ("zh", "4090 能 LoRA 微调 Qwen2.5-14B 吗", "A100 一小时多少钱", ("QLoRA", "Qwen2.5-14B", "4090")),
    ],
)
def test_a_value_that_is_pressed_below_an_older_answer_changes_that_answer(
    assistant: Assistant, language: str, first: str, other: str, told: tuple[str, ...]
) -> None:
    talk = Talk(assistant, language)
    asked = talk.say(first)
    talk.say(other)
    line = talk.say(action=key_of(asked, "set:method=qlora")).text.split("\n")[0]
    assert all(one in line for one in told), line


def test_the_newest_answer_and_the_one_before_it_are_unfolded_each_for_itself(assistant: Assistant) -> None:
    talk = Talk(assistant, "en")
    first, second = talk.say("price of a 3090?"), talk.say("how much VRAM does a 4080 have?")
    assert "RTX 4080" in talk.say(action=key_of(second, "do:details")).text
    assert "RTX 3090" in talk.say(action=key_of(first, "do:details")).text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("start", ["do:why", "do:details", "do:sources", "do:chart", "set:method"])
def test_below_an_answer_that_is_no_longer_kept_nobody_reads_of_another_one(
    assistant: Assistant, language: str, start: str
) -> None:
    talk = Talk(assistant, language)
    asked = talk.say(FIRST[language])
    for text in [*BETWEEN, LATER[language]]:
        talk.say(text)
    reply = talk.say(action=key_of(asked, start))
    assert reply.intent == GONE
    assert ("no longer at hand" if language == "en" else "不在手边") in reply.text
    assert not reply.facts
    assert reply.chart is None


def test_of_an_answer_whose_steps_are_no_longer_kept_it_is_said_so(assistant: Assistant) -> None:
    """It still lends its card and job, but what was worked out has made room for newer answers."""
    talk = Talk(assistant, "en")
    asked = talk.say("can a 4090 LoRA fine-tune qwen2.5-14b?")
    for text in BETWEEN[:3]:
        talk.say(text)
    assert talk.say(action=key_of(asked, "do:chart")).intent == GONE
    assert "Qwen2.5-14B" in talk.say(action=key_of(asked, "set:gpu_count=2")).text


def test_a_button_of_the_open_question_is_no_answer_and_still_works(assistant: Assistant) -> None:
    talk = Talk(assistant, "en")
    talk.say("A100 per hour")
    asked = talk.say("min vram for this?")
    assert asked.decision == "ask"
    assert "GiB" in talk.say(action=asked.choices[0].key).text


def test_an_answer_says_whether_it_needs_what_was_said_before(assistant: Assistant) -> None:
    """A link to an answer holds the questions that lead to it, and no others."""
    talk = Talk(assistant, "en")
    lines = ["can a 4090 LoRA fine-tune qwen2.5-14b?", "and with two?", "price of a 3090?", "and a 4080?", "why?"]
    assert [talk.say(text).alone for text in lines] == [True, False, True, False, False]
    assert talk.say("3090 vs 4090").alone
    assert not talk.say("in euros").alone
    assert not talk.say("which GPU for sdxl?").alone, "the currency was said before"
