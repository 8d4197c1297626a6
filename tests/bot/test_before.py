"""The record of what is said shows a change, and nothing where nothing changed."""

from __future__ import annotations

import json
from pathlib import Path

from bot.cli.before import differences, scripts_in, told_to
from bot.pipeline import Assistant

_TALK = {"turns": [{"by": "a", "text": "does Qwen3-8B in int4 fit a 3060 12GB?"}, {"by": "a", "text": "and a 4090?"}]}


def _records(assistant: Assistant, folder: Path) -> list[dict[str, object]]:
    return [
        {field: getattr(told, field) for field in told.__slots__}
        for name, turns in scripts_in(folder)
        for told in told_to(assistant, name, turns)
    ]


def _saved(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("\n".join(json.dumps(one) for one in records), encoding="utf-8")
    return path


def test_a_changed_verdict_and_fact_are_shown(assistant: Assistant, tmp_path: Path) -> None:
    folder = tmp_path / "labelled"
    folder.mkdir()
    (folder / "talks.jsonl").write_text(json.dumps(_TALK), encoding="utf-8")
    records = _records(assistant, folder)
    assert [one["key"] for one in records] == ["talks:1:1", "talks:1:2"]
    assert records[1]["intent"] == "check_fit", "the second turn is read with the state of the first"
    old = _saved(tmp_path / "old.jsonl", records)
    assert list(differences(old, old)) == ["0 of 2 turns changed, 0 gone, 0 new"]
    facts = dict(records[0]["facts"])  # type: ignore[call-overload]
    changed = {**records[0], "verdict": "no", "facts": {**facts, "vram_needed": 99.0}}
    lines = list(differences(old, _saved(tmp_path / "new.jsonl", [changed, records[1]])))
    assert f"    verdict: {records[0]['verdict']} -> no" in lines
    assert any(line.startswith("    fact vram_needed: ") and line.endswith("-> 99.0") for line in lines)
    assert lines[-1] == "1 of 2 turns changed, 0 gone, 0 new"
