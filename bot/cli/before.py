"""What the bot says today to every labelled question and conversation, so that a change shows what it changed.

The file is made from a commit, kept out of version control, and compared with a later run: decision, need, first line,
verdict and facts of each turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from bot.app import build_assistant
from bot.channels.markup import plain_text
from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply, ReplyTo

if TYPE_CHECKING:
    from bot.pipeline import Assistant

DAY: Final = datetime(2026, 11, 21, 10, tzinfo=UTC)
"""The day that answers are made for, so that ages of prices do not change between two runs."""
_PAUSE: Final = timedelta(seconds=20)
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a labelled file."""

    text: str
    by: str = "u"
    chat_type: str = "private"
    press: str = ""
    """Label of a choice in an earlier reply."""
    wait: int = 0
    addressed: bool = True
    reply_to: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What one turn was answered."""

    key: str
    text: str
    decision: str
    intent: str
    headline: str
    verdict: str
    facts: dict[str, object]


# --- labelled files --------------------------------------------------------------------------------------------------


def scripts_in(folder: Path) -> Iterator[tuple[str, list[Turn]]]:
    """Every question and conversation below a folder, each with a name that stays the same between runs."""
    for path in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            turns = _turns_of(json.loads(line)) if line.strip() else []
            if turns:
                yield f"{path.stem}:{number}", turns
    for path in sorted(folder.rglob("*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and isinstance(content.get("turns"), list):
            yield path.stem, _turns_of(content)


def _turns_of(record: dict[str, object]) -> list[Turn]:
    turns, kind = record.get("turns"), str(record.get("chat_type", "private"))
    if isinstance(turns, list):
        return [_turn(one, kind) for one in turns]
    asked = record.get("text") or record.get("question")
    before = record.get("context")
    return [Turn(str(text)) for text in (*(before if isinstance(before, list) else ()), asked) if text]


def _turn(one: dict[str, object], kind: str) -> Turn:
    reply_to = one.get("reply_to_turn")
    return Turn(
        text=str(one.get("user") or one.get("text") or ""),
        by=str(one.get("by", "u")),
        chat_type=kind,
        press=str(one.get("press", "")),
        wait=int(str(one.get("wait", 0))),
        addressed=bool(one.get("addressed", True)),
        reply_to=int(str(reply_to)) if reply_to else None,
    )


# --- a run -----------------------------------------------------------------------------------------------------------


def told_to(assistant: Assistant, name: str, turns: Iterable[Turn]) -> Iterator[Told]:
    """The answers to the turns of one script, each turn with the state that those before it left."""
    states: dict[str, Conversation] = {}
    replies: list[Reply] = []
    now = DAY
    for number, turn in enumerate(turns, 1):
        now += timedelta(minutes=turn.wait) + _PAUSE
        message = _message(turn, number, replies, now)
        key = f"{name}:{number}"
        try:
            reply, state = assistant.respond(message, states.get(message.conversation_key), now)
        except Exception as error:  # what breaks is part of the record, and the rest is wanted too
            yield Told(key, turn.text, "error", "", type(error).__name__, "", {})
            return
        states[message.conversation_key] = state
        replies.append(reply)
        yield _told(key, turn, reply)


def _message(turn: Turn, number: int, replies: list[Reply], now: datetime) -> IncomingMessage:
    choices = [choice for reply in reversed(replies) for choice in reply.choices]
    action = next((one.key for one in choices if one.label == turn.press), "") if turn.press else ""
    answered = replies[turn.reply_to - 1] if turn.reply_to else None
    return IncomingMessage(
        channel="before",
        event_id=str(number),
        chat_id="chat",
        chat_type="group" if turn.chat_type == "group" else "private",
        user_id=turn.by,
        text=turn.text,
        action=action,
        addressed=turn.addressed,
        reply_to=ReplyTo(own=True, text=answered.text, case=answered.case) if answered else None,
        received_at=now,
    )


def _told(key: str, turn: Turn, reply: Reply) -> Told:
    lines = [line.strip() for line in plain_text(reply.text).splitlines() if line.strip()]
    facts = {one.name: _plain(one.value) for one in reply.facts}
    return Told(
        key=key,
        text=turn.text or turn.press,
        decision=reply.decision,
        intent=reply.intent or "",
        headline=lines[0] if lines else "",
        verdict=str(facts.get("verdict", "")),
        facts=facts,
    )


def _plain(value: object) -> object:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def write(folder: Path, out: Path) -> int:
    """Answer everything below a folder and keep it; the number of turns."""
    assistant, count = build_assistant(warm=True), 0
    with out.open("w", encoding="utf-8") as file:
        for name, turns in scripts_in(folder):
            for told in told_to(assistant, name, turns):
                record = {field: getattr(told, field) for field in Told.__slots__}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
    return count


# --- two runs --------------------------------------------------------------------------------------------------------


def differences(before: Path, after: Path) -> Iterator[str]:
    """What differs between two files, one block of lines a turn, and a summary at the end."""
    old, new = _read(before), _read(after)
    changed = 0
    for key in sorted(old.keys() & new.keys()):
        lines = list(_changes(old[key], new[key]))
        if lines:
            changed += 1
            yield f"{key}  {new[key]['text']}"
            yield from (f"    {line}" for line in lines)
    gone, added = len(old.keys() - new.keys()), len(new.keys() - old.keys())
    yield f"{changed} of {len(old.keys() & new.keys())} turns changed, {gone} gone, {added} new"


def _read(path: Path) -> dict[str, dict[str, object]]:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {record["key"]: record for record in records}


def _changes(old: dict[str, object], new: dict[str, object]) -> Iterator[str]:
    for field in ("decision", "intent", "verdict", "headline"):
        if old[field] != new[field]:
            yield f"{field}: {old[field]} -> {new[field]}"
    was, now = old["facts"], new["facts"]
    if isinstance(was, dict) and isinstance(now, dict):
        for name in sorted(was.keys() | now.keys()):
            if was.get(name) != now.get(name):
                yield f"fact {name}: {was.get(name)} -> {now.get(name)}"
