"""What the documents promise exists: commands, settings, files, counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.channels.markup import plain_text
from bot.cli.commands import app
from bot.cli.wrapping import screens
from bot.pipeline import Assistant
from bot.settings import Settings
from tests.conftest import NOW, make_message, shared_assistant, shared_catalog

ROOT = Path(__file__).resolve().parents[2]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]


def test_every_setting_stands_in_the_table_of_operations_and_no_other() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    told = {name.casefold() for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}
    assert told == set(Settings.model_fields)


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_every_command_of_the_readme_exists(path: Path) -> None:
    known = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    known |= {group.name for group in app.registered_groups}
    said = set(re.findall(r"python -m bot ([a-z]+)", path.read_text(encoding="utf-8")))
    assert said
    assert said <= known


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_every_line_of_the_command_line_in_the_readme_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = re.findall(r"^xuanka (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) >= 13
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8" if path.name.endswith("zh.md") else "en_US.UTF-8")
    for line in lines:
        found = CliRunner().invoke(app, line.split(), catch_exceptions=False)
        # a machine without a card ends with 1 and says so
        assert found.exit_code in ((0, 1) if line == "machine" else (0,)), line
        assert found.stdout, line


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_every_target_and_file_of_the_readme_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"make ([a-z-]+)", text)):
        assert f"\n{target}:" in makefile, target
    for name in re.findall(r"\]\(([^)#]+)\)", text):
        assert name.startswith("http") or (ROOT / name).exists(), name


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_the_counts_of_the_readme_hold(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    catalog, library = shared_catalog(), shared_assistant().services.library
    wanted = {
        "cards": (r"(\d+)(?: cards| 款卡)", len(catalog.gpus)),
        "models": (r"(\d+)(?: models| 个模型)", len(catalog.ml_models)),
        "prices": (r"(\d+)(?: dated prices| 条带日期的价格)", len(catalog.offers)),
        "passages": (r"(\d+)(?: passages| 篇双语短文)", len(library.passages)),
        "conflicts": (r"(\d+)(?: recorded disagreements| 处来源分歧)", len(library.conflicts)),
    }
    for name, (pattern, count) in wanted.items():
        found = re.search(pattern, text)
        assert found, name
        assert int(found.group(1)) == count, name


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_the_dialogue_of_the_readme_is_what_the_bot_says(path: Path, assistant: Assistant) -> None:
    """Lines behind "> " are said in a group, one after the other; each line below stands in the answer."""
    dialogue = path.read_text(encoding="utf-8").split("```")[1].strip().splitlines()
    state, answer, turns = None, "", 0
    for line in dialogue:
        if line.startswith("> "):
            message = make_message(line.removeprefix("> "), event_id=str(turns), chat_type="group")
            reply, state = assistant.respond(message, state, NOW)
            answer, turns = plain_text(reply.text), turns + 1
        else:
            assert line in answer, line
    assert turns >= 3


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_the_first_screen_of_every_question_of_the_table_holds_the_answer(path: Path, assistant: Assistant) -> None:
    """On a terminal of 80 by 24, in the full form that `chat` shows."""
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and " · " in line]
    questions = [found for row in rows for found in re.findall(r"`([^`]+)`", row.split("|")[2])]
    assert len(questions) >= 20
    for question in questions:
        reply, _ = assistant.respond(make_message(question), None, NOW)
        assert reply.decision == "answer", question
        text = plain_text(reply.text)
        pages = screens(text, 80, 24)
        assert all(page.count("\n") < 22 for page in pages), question
        first = " ".join(text.split("\n\n")[0].split())
        assert " ".join(pages[0].split()).replace(" ", "").startswith(first.replace(" ", "")), question
        assert "".join(pages).replace("\n", "").replace(" ", "") == text.replace("\n", "").replace(" ", "")
