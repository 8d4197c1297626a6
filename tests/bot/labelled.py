"""Every labelled question of the project, as the messages people would send."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Literal

from bot.core.message import IncomingMessage

FOLDER = Path(__file__).parents[1] / "evaluation"
NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)


@cache
def questions() -> tuple[str, ...]:
    """Each question once, in the order of the files."""
    found: dict[str, None] = {}
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            text = record.get("text") or record.get("question") or record["turn"]
            found[text] = None
    return tuple(found)


def message(text: str, chat_type: Literal["private", "group"] = "private", language: str = "") -> IncomingMessage:
    """A first message of a new user."""
    return IncomingMessage(
        channel="test",
        event_id="1",
        chat_id="c",
        chat_type=chat_type,
        user_id="u",
        text=text,
        received_at=NOW,
        language=language,
    )
