"""`bot eval`: scores labelled question files and says where the engine errs."""

from __future__ import annotations

import json
from pathlib import Path

from bot.app import build_assistant
from bot.evaluate import evaluate_files, to_text


def report(files: list[Path], *, as_json: bool) -> str:
    """The report as text or JSON."""
    result = evaluate_files(build_assistant(), files)
    return json.dumps(result, ensure_ascii=False, indent=1) if as_json else to_text(result)
