"""Runs the golden conversations through the whole road."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.channels.markup import plain_text
from bot.core.answers import Answer, Decline, Elicit
from bot.core.conversation import Conversation
from bot.core.line import Line
from bot.core.message import IncomingMessage, Reply, ReplyTo
from bot.pipeline import Assistant, Explained
from tests.bot.conversations import Expect, GoldenConversation, Turn, load_conversations

CONVERSATIONS = load_conversations()
OPENINGS: dict[str, dict[int, str]] = yaml.safe_load(Path(__file__).with_name("first_lines.yaml").read_text("utf-8"))


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(_same(found.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, (int, float)) and isinstance(found, (int, float)):
        return abs(found - wanted) < 1e-6 * max(1.0, abs(wanted))
    return bool(found == wanted)


def _faults(expect: Expect, reply: Reply, held: dict[str, Any]) -> list[str]:
    """Everything in which a reply, and the slots in force after it, are not what was expected."""
    faults: list[str] = []
    text = plain_text(reply.text)
    for name in ("decision", "intent"):
        wanted = getattr(expect, name)
        options = wanted if isinstance(wanted, list) else [wanted]
        if wanted is not None and getattr(reply, name) not in options:
            faults.append(f"{name} is {getattr(reply, name)}, not {wanted}")
    for slot, value in expect.slots.items():
        if not _same(held.get(slot), value):
            faults.append(f"slot {slot} is {held.get(slot)!r}, not {value!r}")
    faults += [f"slot {slot} is in force: {held[slot]!r}" for slot in expect.without if slot in held]
    if expect.asks is not None and list(reply.asks) != expect.asks:
        faults.append(f"asks {list(reply.asks)}, not {expect.asks}")
    for fragment in expect.says:
        options = fragment if isinstance(fragment, list) else [fragment]
        if not any(option.casefold() in text.casefold() for option in options):
            faults.append(f"does not say {fragment!r}")
    faults += [f"says {word!r}" for word in expect.never_says if word.casefold() in text.casefold()]
    if len(reply.sources) < expect.sources:
        faults.append(f"{len(reply.sources)} sources, not {expect.sources}")
    named = {fact.name for fact in reply.facts}
    faults += [f"fact {name} is missing" for name in expect.facts if name not in named]
    if expect.language and reply.language != expect.language:
        faults.append(f"language is {reply.language}")
    if len(reply.choices) < expect.choices:
        faults.append(f"{len(reply.choices)} choices, not {expect.choices}")
    return faults


def _opening(explained: Explained) -> str:
    """What opens a reply: the codes of its headline, the slot asked for, the reason of a refusal, a passage, a page."""
    outcome = explained.outcome
    if isinstance(outcome, Elicit):
        return f"ask:{outcome.slot}"
    if isinstance(outcome, Decline):
        return f"decline:{outcome.reason.code}"
    if isinstance(outcome, Answer) and outcome.headline:
        return " + ".join(line.say if isinstance(line, Line) else line.code for line in outcome.headline)
    if isinstance(outcome, Answer) and outcome.told.lead is not None:
        return f"passage:{outcome.told.lead.id}"
    return plain_text(explained.reply.text).split("\n")[0]


def _opened_otherwise(name: str, number: int, explained: Explained) -> list[str]:
    """What is wrong with how a reply opens, in a turn that holds it."""
    wanted, found = OPENINGS.get(name, {}).get(number), _opening(explained)
    return [] if wanted is None or found.startswith(wanted) else [f"opens with {found!r}, not {wanted!r}"]


def _message(golden: GoldenConversation, turn: Turn, number: int, replies: list[Reply]) -> IncomingMessage:
    action = ""
    if turn.press:
        said = next(reply for reply in reversed(replies) if reply.choices)
        action = next(choice.key for choice in said.choices if choice.label == turn.press)
    reply_to = None
    if turn.reply_to_turn:
        answered = replies[turn.reply_to_turn - 1]
        reply_to = ReplyTo(own=True, text=answered.text, case=answered.case)
    return IncomingMessage(
        channel=golden.channel,
        event_id=str(number),
        chat_id="chat",
        chat_type=golden.chat_type,
        user_id=turn.by,
        text=turn.user,
        action=action,
        addressed=turn.addressed,
        reply_to=reply_to,
        received_at=golden.times()[number - 1],
    )


@pytest.mark.parametrize("name", sorted(CONVERSATIONS))
def test_conversation(name: str, assistant: Assistant) -> None:
    golden = CONVERSATIONS[name]
    states: dict[str, Conversation] = {}
    replies: list[Reply] = []
    report: list[str] = []
    for number, (turn, now) in enumerate(zip(golden.turns, golden.times(), strict=True), 1):
        message = _message(golden, turn, number, replies)
        case = message.reply_to.case if message.reply_to else ""
        borrowed = next(
            (episode for state in states.values() for episode in state.episodes if case and episode.case == case), None
        )
        explained = assistant.explain(message, states.get(message.conversation_key), now, borrowed)
        states[message.conversation_key] = explained.conversation
        replies.append(explained.reply)
        held = {slot: one.value for slot, one in explained.decision.slots.items()}
        faults = [*_faults(turn.expect, explained.reply, held), *_opened_otherwise(name, number, explained)]
        report += [f"turn {number} ({turn.user or turn.press}): {fault}" for fault in faults]
    assert report == [], golden.about


def test_nearly_every_turn_holds_what_is_read() -> None:
    bare = [
        f"{name} {number}"
        for name, golden in CONVERSATIONS.items()
        for number, turn in enumerate(golden.turns, 1)
        if not (turn.expect.says or turn.expect.never_says or turn.expect.facts)
        and number not in OPENINGS.get(name, {})
    ]
    assert len(bare) <= 20, bare


def test_there_are_enough_conversations_to_be_a_manual() -> None:
    assert len(CONVERSATIONS) >= 60
    assert {golden.channel for golden in CONVERSATIONS.values()} >= {"telegram", "wecom"}
    assert {golden.chat_type for golden in CONVERSATIONS.values()} == {"private", "group"}
