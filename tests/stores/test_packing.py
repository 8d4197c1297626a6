"""The record of a conversation is bounded, keeps the newest answers whole, and is read across versions."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from bot.core.conversation import Conversation
from bot.core.left import opened
from bot.stores import records
from bot.stores.packing import MOST_BYTES
from tests.conftest import NOW, make_message
from tests.security.hostile import ASKS, NAMES

if TYPE_CHECKING:
    from bot.pipeline import Assistant

TALK = (
    "which GPU for BERT fine-tuning?", "4090 lora qwen2.5-14b possible?", "how long to train resnet50 on imagenet with 2x3090",
    "rent or buy a 4090 8 hours a day", "compare 4090 and 3090 for llama 70b", "how much vram for llama 70b int4",
    "budget 10000 yuan for 7b", "price of a100", "does llama 8b fit on a 3090",
)  # fmt: skip


def talk(assistant: Assistant, lines: tuple[str, ...]) -> tuple[Conversation, Conversation]:
    """The state after some turns as it was last, and as the store gives it back; each turn goes through the store."""
    state: Conversation | None = None
    for number, line in enumerate(lines):
        _, after = assistant.respond(make_message(line, event_id=str(number)), state, NOW)
        record = records.dump_conversation(after)
        assert len(record.encode()) <= MOST_BYTES
        state = records.load_conversation(record)
        assert state is not None
    assert state is not None
    return after, state


def test_nine_answers_stay_within_the_bound_and_the_newest_can_still_be_asked_about(assistant: Assistant) -> None:
    before, after = talk(assistant, TALK)
    assert len(before.model_dump_json()) > MOST_BYTES
    assert after.slots == before.slots
    assert [one.case for one in after.episodes] == [one.case for one in before.episodes]
    assert opened(after.episodes[-1]) == before.episodes[-1]
    reply, _ = assistant.respond(make_message("why?", event_id="w"), after, NOW)
    assert "GiB" in reply.text
    oldest = opened(after.episodes[0])
    assert oldest.trace == ()
    pressed = make_message("", event_id="d", action=f"do:why#{oldest.case}")
    assert assistant.respond(pressed, after, NOW)[0].text.strip()


def test_whatever_is_said_the_record_stays_within_the_bound(assistant: Assistant) -> None:
    chance = random.Random(7)
    names = " vs ".join(NAMES * 12)
    lines = tuple(f"{chance.choice(ASKS)} {names[: chance.randint(40, 1100)]}" for _ in range(9))
    talk(assistant, lines)


def test_a_short_conversation_comes_back_as_it_was(assistant: Assistant) -> None:
    before, after = talk(assistant, TALK[:1])
    assert after.model_copy(update={"episodes": tuple(map(opened, after.episodes))}) == before


def test_a_record_of_the_version_before_is_read_and_a_broken_pack_costs_only_itself(assistant: Assistant) -> None:
    _, state = assistant.respond(make_message(TALK[0]), None, NOW)
    assert records.load_conversation(state.model_dump_json(exclude_defaults=True)) == state
    record = json.loads(records.dump_conversation(state))
    record["episodes"][0]["packed"] = "bm9uc2Vuc2U="
    found = records.load_conversation(json.dumps(record))
    assert found is not None
    assert found.slots == state.slots
    assert found.episodes[0].details == ""


@pytest.mark.parametrize("text", ["", "7", "[]", "{", '{"key": 1}', '{"key": "k", "episodes": [1]}'])
def test_what_is_no_record_is_begun_anew(text: str) -> None:
    assert records.load_conversation(text) is None


def test_an_answer_is_opened_when_it_is_gone_back_to_and_else_stays_as_it_was_stored(
    assistant: Assistant,
) -> None:
    before, after = talk(assistant, ("how much vram for bert", "4090 memory bandwidth"))
    assert all(one.packed for one in after.episodes)
    newest = after.episodes[-1]
    assert (newest.facts, newest.details) == (before.episodes[-1].facts, before.episodes[-1].details)
    first, told = after.episodes[0], opened(after.episodes[0])
    assert not first.details
    assert told.details
    assert told.trace
    again = records.load_conversation(records.dump_conversation(after))
    assert again == after
    for key, shown in (("details", told.details), ("why", "")):
        pressed = make_message("", event_id=key, action=f"do:{key}#{first.case}")
        reply, _ = assistant.respond(pressed, after, NOW)
        assert reply.decision == "answer"
        assert shown in reply.text
    assert before.episodes[-1] == opened(after.episodes[-1])
