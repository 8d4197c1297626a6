"""The operator's page names every setting with its default, and only metrics that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pydantic import SecretStr

from bot.settings import Settings
from tests.ops.test_deploy import counted
from tests.ops.test_web import web

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]


def test_every_setting_has_a_row_and_no_row_is_made_up() -> None:
    told = {name for row in ROWS for name in re.findall(r"`([A-Z][A-Z_]+)`", row.split("|")[1])}
    assert told == {name.upper() for name in Settings.model_fields}


def test_defaults_are_those_of_the_program() -> None:
    for row in ROWS:
        names = re.findall(r"`([A-Z][A-Z_]+)`", row.split("|")[1])
        told = [part.strip(" `") for part in row.split("|")[2].split(",")]
        for name, shown in zip(names, told, strict=False):
            default = Settings.model_fields[name.lower()].default
            if isinstance(default, bool):
                assert shown == ("on" if default else "off"), name
            elif isinstance(default, int | float) or default in ("zh", "info", "polling"):
                assert shown == f"{default:g}" if isinstance(default, int | float) else shown == default, name
            assert not isinstance(default, SecretStr)


def test_metrics_that_are_named_are_counted() -> None:
    assert set(re.findall(r"xuanka_[a-z_]+", PAGE)) - {"xuanka_"} <= counted()


@pytest.mark.parametrize("name", ["running.md", "running.zh.md"])
async def test_the_check_of_a_page_works_as_it_is_typed(name: str, assistant: Any) -> None:
    """Each curl of the page, taken apart as a shell does it and sent to the app: the first is ready, the second answers."""
    lines = [line for line in (DOCS / name).read_text(encoding="utf-8").splitlines() if line.startswith("curl ")]
    told = []
    async with web() as (client, stage):
        stage.delivery._answering._responder = assistant
        for line in lines:
            words = shlex.split(line)
            headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
            body = next((words[at + 1] for at, word in enumerate(words) if word == "-d"), None)
            path = urlsplit(next(word for word in words if word.startswith("http"))).path
            verb = "POST" if body is not None else "GET"
            response = await client.request(verb, path, headers=headers, content=body)
            assert response.status_code == 200, line
            told.append(response.json())
    assert told[0]["ready"] is True
    assert "RTX 3090" in told[1]["text"]
    assert "RTX 4080" in told[1]["text"]
