"""The report of what could not be answered."""

from __future__ import annotations

import asyncio
import csv
import io
from pathlib import Path

import pytest

from bot.cli.gaps import report
from bot.desk import FEEDBACK, GAP_TEXTS, GAPS
from bot.stores.sqlite import SqliteStore


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "state.sqlite"
    monkeypatch.setenv("XUANKA_STORE", f"sqlite:///{path}")
    monkeypatch.chdir(tmp_path)
    return path


def fill(path: Path, shapes: dict[str, int], texts: dict[str, str], feedback: dict[str, int]) -> None:
    async def work() -> None:
        opened = SqliteStore(str(path))
        await opened.open()
        for shape, total in shapes.items():
            await opened.count(GAPS, shape, total)
        for shape, text in texts.items():
            await opened.put(f"{GAP_TEXTS}:{shape}", text)
        for field, total in feedback.items():
            await opened.count(FEEDBACK, field, total)
        await opened.close()

    asyncio.run(work())


def test_nothing_yet(store: Path) -> None:
    assert report("markdown") == "No unanswered questions so far."
    assert report("csv") == "times,shape,variants,example"


def test_alike_shapes_stand_together_the_most_frequent_first(store: Path) -> None:
    fill(store, {"en <gpu> fan noise": 2, "en <gpu> noise fan": 5, "en <gpu>": 1, "en <model> licence": 4}, {}, {})
    rows = list(csv.DictReader(io.StringIO(report("csv"))))
    assert [(row["times"], row["shape"], row["variants"]) for row in rows] == [
        ("7", "en <gpu> noise fan", "2"),
        ("4", "en <model> licence", "1"),
        ("1", "en <gpu>", "1"),
    ]


def test_words_of_users_can_neither_calculate_nor_break_the_table(store: Path) -> None:
    fill(store, {"a": 2, "completely other": 1}, {"a": "=HYPERLINK(1)", "completely other": "x | y\n<b>"}, {})
    rows = list(csv.DictReader(io.StringIO(report("csv"))))
    assert rows[0]["example"] == "'=HYPERLINK(1)"
    lines = report("markdown").splitlines()
    assert lines[3] == "| 1 | `completely other` | 1 | x \\| y &lt;b> |"


def test_marks_are_listed_by_intent_and_data_version_the_worst_first(store: Path) -> None:
    fill(store, {}, {}, {"recommend_gpu|v1|good": 3, "price_lookup|v1|bad": 2, "recommend_gpu|v2|bad": 1})
    lines = report("markdown").splitlines()
    assert lines[-3:] == [
        "| price_lookup | v1 | 0 | 2 |",
        "| recommend_gpu | v2 | 0 | 1 |",
        "| recommend_gpu | v1 | 3 | 0 |",
    ]
