"""One assistant for all tests (loading data takes a moment; everything in it is immutable) and small factories."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.core.message import IncomingMessage

if TYPE_CHECKING:
    from bot.pipeline import Assistant

os.environ.setdefault("XUANKA_CACHE_DIR", str(Path(__file__).resolve().parent.parent / ".cache"))


NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def assistant() -> Assistant:
    """The assistant over the shipped data, warm as `serve` builds its own: the first answer of a test is no slower than the tenth."""
    from bot.app import build_assistant

    return build_assistant(warm=True)


@pytest.fixture
def now() -> datetime:
    """The day of the data."""
    return NOW


def make_message(text: str, **changes: object) -> IncomingMessage:
    """A private message on the console; name what differs."""
    fields: dict[str, object] = {
        "channel": "test",
        "event_id": "1",
        "chat_id": "c",
        "user_id": "u",
        "verified": True,
        "text": text,
        "received_at": NOW,
    }
    return IncomingMessage.model_validate(fields | changes)
