"""The pages of `docs/`: what is generated is what the program says today, and what they tell one to type exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.channels.markup import plain_text
from bot.cli.commands import app, command_line
from bot.cli.reference import FOLDER, pages
from bot.pipeline import Assistant
from bot.settings import Settings
from tests.conftest import NOW, make_message

ROOT = Path(__file__).resolve().parents[2]
HOW_TO = [ROOT / "docs" / name for name in ("channels.md", "running.md", "how-it-decides.md")]
HOW_TO_ZH = [path.with_suffix(".zh.md") for path in HOW_TO]


@pytest.mark.parametrize("name", ["commands.md", "api.md", "openapi.json", "tools.openapi.json"])
def test_a_page_of_reference_is_current(name: str) -> None:
    made = pages(command_line())[name]
    assert (FOLDER / name).read_text(encoding="utf-8") == made, "run `make generated`"


def test_every_command_stands_in_the_reference_with_its_options() -> None:
    page = (FOLDER / "commands.md").read_text(encoding="utf-8")
    for name, command in command_line().commands.items():
        assert command.hidden or f"## `xuanka {name}" in page, name
    assert re.search(r"^\| `--method[^`]* METHOD` \| full", page, re.MULTILINE)


@pytest.mark.parametrize("path", [*HOW_TO, *HOW_TO_ZH], ids=lambda path: path.name)
def test_commands_settings_files_and_links_of_a_page_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for command in set(re.findall(r"(?:python -m bot|^xuanka|`xuanka) ([a-z]+)", text, re.MULTILINE)):
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command
    known = {f"XUANKA_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"XUANKA_[A-Z_]+", text)) - {"XUANKA_TELEGRAM_TOKN"} <= known
    for name in re.findall(r"(?<![\w/])((?:deploy|bot|templates|advisor)/[\w./-]*\w)", text):
        assert (ROOT / name).exists() or name == "deploy/.env", name
    for name in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (path.parent / name).exists(), name
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([a-z-]+)`", text)):
        assert f"\n{target}:" in makefile, target


def fenced(text: str) -> list[str]:
    """What stands in fences, as it is typed or shown."""
    return [re.sub(r"^ +", "", block, flags=re.MULTILINE).strip() for block in text.split("```")[1::2]]


@pytest.mark.parametrize("path", HOW_TO, ids=lambda path: path.name)
def test_both_languages_of_a_page_say_to_type_the_same(path: Path) -> None:
    """So whatever holds for the commands, settings and dialogues of the one holds for the other."""
    english, chinese = path.read_text(encoding="utf-8"), path.with_suffix(".zh.md").read_text(encoding="utf-8")
    assert fenced(english) == fenced(chinese) != []
    for kind in (r"^#+ ", r"^ *\d+\. ", r"XUANKA_[A-Z_]+", r"https?://[\w./:-]+", r"`(?:/|python -m bot )[\w./ -]+`"):
        found = [sorted(re.findall(kind, text, re.MULTILINE)) for text in (english, chinese)]
        assert found[0] == found[1], kind


def test_the_message_that_is_followed_is_answered_as_the_page_says(assistant: Assistant) -> None:
    text = (ROOT / "docs" / "how-it-decides.md").read_text(encoding="utf-8")
    asked, answered = (block.strip() for block in text.split("```")[1:4:2])
    question = asked.removeprefix("> ")
    made = assistant.explain(make_message(question, chat_type="group"), None, NOW)
    for line in answered.splitlines():
        assert line in plain_text(made.reply.text)
    assert made.reply.slots["gpu"] == ["RTX 4090"]
    assert made.reply.slots["model"] == ["Qwen2.5-14B"]
    assert made.decision.intent == "check_fit"
    for told in ("llm_finetune", "lora", "check_fit"):
        assert told in text
