"""The operator's page names every setting with its default, and only metrics that exist."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import SecretStr

from bot.settings import Settings
from tests.ops.test_deploy import counted

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
