"""The pages of reference in `docs/`, written from the commands and the models themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "reference"
_EXAMPLE: Final = "https://xuanka.example.org"
"""The server of the file that is kept; a running one puts its own address in."""
_TRIVIAL: Final = frozenset({"help"})


def pages(program: TyperGroup) -> dict[str, str]:
    """Name of each page with what belongs in it.

    Args:
        program: the whole command line.
    """
    from bot.channels.web.api.page import docs_text
    from bot.channels.web.api.routes import openapi
    from bot.channels.web.api.tools_file import tools_document

    document = openapi()
    return {
        "commands.md": "\n".join(_commands(program)),
        "api.md": docs_text(document),
        "tools.openapi.json": json.dumps(tools_document(document, _EXAMPLE), ensure_ascii=False, indent=1) + "\n",
        "openapi.json": json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
    }


def write(program: TyperGroup) -> list[Path]:
    """Write all pages; gives their paths."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = []
    for name, text in pages(program).items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        made.append(FOLDER / name)
    return made


def _commands(program: TyperGroup) -> Iterator[str]:
    yield "# The command line"
    yield ""
    yield "`xuanka` where the package is installed, `python -m bot` in a checkout; `xuanka COMMAND --help` says it too."
    yield ""
    for path, command in _walk("xuanka", program):
        yield f"## `{path}`"
        yield ""
        yield " ".join((command.help or "").split())
        yield ""
        rows = [row for one in command.params if (row := _row(one))]
        if rows:
            yield from ("| takes | what it is |", "|---|---|", *rows, "")


def _walk(before: str, group: TyperGroup) -> Iterator[tuple[str, TyperCommand]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _walk(f"{before} {name}", command)
        elif isinstance(command, TyperCommand) and not command.hidden:
            yield f"{before} {name}", command


def _row(one: object) -> str:
    if isinstance(one, TyperOption) and one.name not in _TRIVIAL:
        value = "" if one.is_flag else f" {(one.metavar or one.name or '').upper()}"
        return f"| `{', '.join(one.opts)}{value}` | {_cell(one.help)} |"
    if isinstance(one, TyperArgument):
        return f"| `{(one.metavar or one.name or '').upper()}` | {_cell(one.help)} |"
    return ""


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
