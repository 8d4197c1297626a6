"""What one question loads: what it has no use for stays on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADED = """
import sys
from datetime import UTC, datetime
from bot.app import build_assistant
from bot.cli.talk import message_of
now = datetime(2026, 11, 21, tzinfo=UTC)
reply, _ = build_assistant().respond(message_of(sys.argv[1], 1, now, ""), None, now)
print(*(name for name in ("bot.answers.sums.road", "bot.read.amounts") if name in sys.modules))
"""


@pytest.mark.parametrize(
    "text", ["which GPU for BERT fine-tuning?", "\u5fae\u8c03 BERT \u7528\u4ec0\u4e48\u5361\u597d"]
)
def test_a_question_without_numbers_loads_nothing_that_sums_need(text: str) -> None:
    assert _loaded(text) == []


def test_numbers_load_it() -> None:
    assert _loaded("300 W for 10 hours at $0.2 per kWh, what does it cost?")


def _loaded(text: str) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-c", LOADED, text], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    return told.stdout.split()
