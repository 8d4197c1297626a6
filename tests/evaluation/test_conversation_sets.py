"""Whole conversations by writers who had not seen the program stay above the bars of conversations_thresholds.yaml.

A turn is right when its intent is the expected one (or one that a careful person accepts), every expected slot is in
force with its value and none is that must be gone; a conversation is whole when all its turns are right.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage
from bot.pipeline import Assistant
from tests.bot.labelled import NOW
from tests.conftest import shared_assistant

HERE = Path(__file__).parent
BARS: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "conversations_thresholds.yaml").read_text("utf-8"))


@cache
def assistant() -> Assistant:
    return shared_assistant()


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, dict) and isinstance(wanted, dict):
        return all(same(found.get(key), value) for key, value in wanted.items())
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return abs(found - wanted) <= 1e-6 * max(1.0, abs(wanted))
    return bool(found == wanted)


def score(conversation: dict[str, Any]) -> list[tuple[bool, bool]]:
    """Of each turn: whether its intent is right, and whether its slots are."""
    states: dict[str, Conversation] = {}
    turns = []
    for number, turn in enumerate(conversation["turns"]):
        user, expected = turn["by"], turn["expect"]
        message = IncomingMessage(
            channel="test",
            event_id=str(number),
            chat_id="chat",
            chat_type=conversation["chat_type"],
            user_id=user,
            text=turn["text"],
            received_at=NOW,
        )
        reply, states[user] = assistant().respond(message, states.get(user), NOW)
        accepted = {expected["intent"], *expected.get("alt_intents", ())}
        gone = not set(reply.slots) & set(expected.get("not_slots", ()))
        held = all(same(reply.slots.get(slot), value) for slot, value in expected["slots"].items())
        turns.append((reply.intent in accepted, held and gone))
    return turns


@pytest.mark.parametrize("name", sorted(BARS))
def test_conversations_hold_together(name: str) -> None:
    lines = (HERE / "conversations" / f"{name}.jsonl").read_text("utf-8").splitlines()
    found: Counter[str] = Counter()
    for line in lines:
        turns = score(json.loads(line))
        found["turns"] += len(turns)
        found["intents"] += sum(intent for intent, _ in turns)
        found["slots"] += sum(slots for _, slots in turns)
        found["whole"] += all(intent and slots for intent, slots in turns)
    shares = {
        "whole": found["whole"] / len(lines),
        "intents": found["intents"] / found["turns"],
        "slots": found["slots"] / found["turns"],
    }
    least = BARS[name]["least"]
    assert all(shares[kind] >= least[kind] for kind in least), (shares, found)
