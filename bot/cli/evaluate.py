"""`bot eval`: scores labelled question files and says where the engine errs."""

from __future__ import annotations

import json
from pathlib import Path

from bot.app import build_assistant, reader_of
from bot.evaluate import evaluate_files
from bot.evaluate.report import to_text as report_text


def report(files: list[Path], *, as_json: bool) -> str:
    """The report as text or JSON."""
    result = evaluate_files(build_assistant(), files)
    return json.dumps(result, ensure_ascii=False, indent=1) if as_json else report_text(result)


def report_messages(files: list[Path], *, as_json: bool) -> str:
    """The same for long, mixed and misleading messages."""
    from bot.evaluate.messages import score_messages, to_text

    assistant = build_assistant()
    result = score_messages(assistant, reader_of(assistant), files)
    return json.dumps(result, ensure_ascii=False, indent=1) if as_json else to_text(result)


def report_turns(files: list[Path], *, as_json: bool) -> str:
    """The same for later turns of conversations."""
    from bot.evaluate.turns import score_turns, turns_to_text

    assistant = build_assistant()
    result = score_turns(reader_of(assistant), assistant.services.catalog, files)
    return json.dumps(result, ensure_ascii=False, indent=1) if as_json else turns_to_text(result)
