"""Questions that hold every number they need: the first line holds the figure, or the verdict that it decides."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant

ROWS = [json.loads(line) for line in (Path(__file__).parent / "computed_dev.jsonl").read_text("utf-8").splitlines()]
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
SAID = {
    "yes": re.compile(r"够|能|跟得上|装得下|放得下|带得动|不需要|yes|enough|OK|fits|fast enough", re.I),
    "no": re.compile(r"不够|不能|跟不上|装不下|放不下|带不动|不需要|no\b|not enough|too slow|does not", re.I),
    "never": re.compile(r"回不了本|never", re.I),
}
LEAST_RIGHT = 70
"""Of 70; raised when more are right, never lowered."""


def first_line(text: str) -> str:
    return text.strip().splitlines()[0]


def answers(assistant: Assistant) -> dict[str, str]:
    """The reply to each question, follow-ups in the conversation of the question before."""
    told: dict[str, str] = {}
    states: dict[str, Any] = {}
    for row in ROWS:
        chat = row["follows"] or row["id"]
        message = make_message(row["question"], chat_id=chat, chat_type="group")
        reply, states[row["id"]] = assistant.respond(message, states.get(row["follows"] or ""), NOW)
        told[row["id"]] = reply.text
    return told


def is_right(row: dict[str, Any], text: str) -> bool:
    line, wanted = first_line(text), row["in_headline"]
    if wanted["name"] == "verdict":
        if wanted["value"] == "yes" and SAID["no"].search(line):
            return False
        return bool(SAID[wanted["value"]].search(line))
    shown = [float(found.replace(",", "")) for found in NUMBER.findall(line)]
    figures = [wanted["value"], *wanted.get("or", {}).values()]
    tolerance = row["tolerance"]
    return any(
        abs(one - figure) <= max(tolerance["rel"] * abs(figure), tolerance["abs"]) + 1e-9
        for one in shown
        for figure in figures
    )


@pytest.fixture(scope="module")
def told(assistant: Assistant) -> dict[str, str]:
    return answers(assistant)


def test_the_first_line_holds_the_figure(told: dict[str, str]) -> None:
    wrong = {row["id"]: first_line(told[row["id"]]) for row in ROWS if not is_right(row, told[row["id"]])}
    assert len(ROWS) - len(wrong) >= LEAST_RIGHT, wrong


def test_answers_fit_a_group(told: dict[str, str]) -> None:
    long = {key: len(text) for key, text in told.items() if len(text) > 450 + 250 * key.startswith("CD-E")}
    assert not long
