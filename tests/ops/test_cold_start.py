"""What one question loads: what it has no use for stays on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED = """
import sys
from datetime import UTC, datetime
from bot.app import build_assistant
from bot.cli.talk import message_of
now = datetime(2026, 11, 21, tzinfo=UTC)
assistant = build_assistant()
for text in sys.argv[1:]:
    assistant.respond(message_of(text, 1, now, ""), None, now)
    print("".join(name[-1] for name in ("bot.answers.sums.road", "bot.read.amounts") if name in sys.modules) or "-")
"""
WITHOUT = [
    "which GPU for BERT fine-tuning?",
    "\u5fae\u8c03 BERT \u7528\u4ec0\u4e48\u5361\u597d",
    "3090 vs 4090",
    "3060\u80fd\u8dd1qwen2.5-14b\u5417",
]
"""No numbers, and none but those of names."""


def test_only_a_question_with_numbers_of_its_own_loads_what_sums_need() -> None:
    loaded = _loaded(*WITHOUT, "300 W for 10 hours at $0.2 per kWh, what does it cost?")
    assert loaded == ["-"] * len(WITHOUT) + ["ds"]


def _loaded(*texts: str) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-c", LOADED, *texts], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    return told.stdout.split()
