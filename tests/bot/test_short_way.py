"""A plain `ask TEXT` goes past typer and must answer as the declared command does."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from bot.__main__ import plain_question
from bot.cli.commands import app


@pytest.mark.parametrize(
    ("arguments", "taken"),
    [
        (["ask", "3090?"], ("3090?", "", False)),
        (["ask", "3090?", "--json", "--lang", "en"], ("3090?", "en", True)),
        (["ask", "3090?", "--lang"], None),
        (["ask", "3090?", "--lang", "--json"], None),
        (["ask", "3090?", "--help"], None),
        (["ask", "--json", "3090?"], None),
        (["ask", "3090", "4090"], None),
        (["ask"], None),
        (["chat"], None),
        ([], None),
    ],
)
def test_only_plain_questions_take_it(arguments: list[str], taken: tuple[str, str, bool] | None) -> None:
    assert plain_question(arguments) == taken


@pytest.mark.parametrize("text", ["hello", "3090 多少显存"])
def test_both_ways_say_the_same(text: str) -> None:
    short = subprocess.run(
        [sys.executable, "-m", "bot", "ask", text], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    declared = CliRunner().invoke(app, ["ask", text])
    assert declared.exit_code == 0
    assert short.stdout == declared.stdout
    assert short.stderr == ""
