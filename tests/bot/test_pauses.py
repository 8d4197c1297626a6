"""A message without commas falls into the same parts as one with all of them."""

from __future__ import annotations

import pytest

from bot.app import build_assistant
from bot.pipeline import Assistant
from tests.conftest import make_message, shared_assistant


def _first(assistant: Assistant, text: str) -> str:
    return assistant.respond(make_message(text, chat_type="group"), None).reply.text.partition("\n")[0]


