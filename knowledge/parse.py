"""Turns the text of one passage file into a checked record: front matter, then `## zh` and `## en` with `### parts`."""

from __future__ import annotations

import re
from typing import cast

from pydantic import ValidationError

from knowledge.errors import Problem
from knowledge.files import line_of, parse_yaml
from knowledge.models import LANGUAGES, Passage
from knowledge.records import PassageRecord

PARTS = ("short", "full", "today")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")


def parse_passage(text: str, path: str, folder: str, problems: list[Problem]) -> PassageRecord | None:
    """The record of one passage as JSON-able data, or None with every fault added to `problems`."""
    lines = text.splitlines()
    end = _front_matter_end(lines, path, problems)
    record = parse_yaml("\n".join(lines[1:end]), path, problems, first_line=2) if end else None
    if record is not None and not isinstance(record, dict):
        problems.append(Problem(path, 2, "the front matter must be a mapping"))
    if not isinstance(record, dict):
        return None
    before = len(problems)
    record.update(_parse_body(lines, end + 1, path, problems))
    record["folder"] = folder
    if len(problems) > before:
        return None
    try:
        passage = Passage.model_validate(record)
    except ValidationError as error:
        problems.extend(explain(error, path, text))
        return None
    return cast("PassageRecord", passage.model_dump(mode="json", exclude_defaults=True))


def _front_matter_end(lines: list[str], path: str, problems: list[Problem]) -> int:
    """The number of the line that closes the front matter; 0 where it is missing."""
    if not lines or lines[0].strip() != "---":
        problems.append(Problem(path, 1, "starts without front matter: the first line must be ---"))
        return 0
    end = next((number for number, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
    if not end:
        problems.append(Problem(path, 1, "the front matter has no closing ---"))
    return end


def explain(error: ValidationError, path: str, text: str) -> list[Problem]:
    """Each fault of a record with the line of the field it is in."""
    found = []
    for fault in error.errors(include_url=False):
        keys = [str(part) for part in fault["loc"]]
        line = line_of(text, keys[0]) if keys else 1
        where = ".".join(keys)
        found.append(Problem(path, line, f"{where}: {fault['msg']}" if where else fault["msg"]))
    return found


def _parse_body(lines: list[str], start: int, path: str, problems: list[Problem]) -> dict[str, dict[str, str]]:
    """Texts by language and part; unknown, doubled or missing headings are reported."""
    body = _Body()
    for number, line in enumerate(lines[start:], start + 1):
        if fault := body.take(line):
            problems.append(Problem(path, number, fault))
    texts = body.texts()
    for language in LANGUAGES:
        for part in ("short", "full"):
            if not texts.get(language, {}).get(part):
                problems.append(Problem(path, len(lines), f"`## {language}` has no `### {part}`"))
    return texts


class _Body:
    """The texts of a passage while its lines are read."""

    def __init__(self) -> None:
        """No heading is read yet."""
        self._lines: dict[str, dict[str, list[str]]] = {}
        self._language = self._part = ""

    def take(self, line: str) -> str:
        """Read one line; what is wrong with it, else ""."""
        heading = _HEADING.match(line)
        if heading is not None:
            known = self._open(len(heading[1]), heading[2])
            return "" if known else f"unexpected heading {line.strip()!r}"
        if self._part:
            self._lines[self._language][self._part].append(line)
        elif line.strip():
            return "text outside of `## zh` / `## en` and their `### parts`"
        return ""

    def _open(self, level: int, name: str) -> bool:
        """Begin a language or a part of one; False for a heading that has no place here."""
        if level == 2 and name in LANGUAGES and name not in self._lines:
            self._language, self._part = name, ""
            self._lines[name] = {}
            return True
        if level != 3 or name not in PARTS or name in self._lines.get(self._language, {name}):
            return False
        self._part = name
        self._lines[self._language][name] = []
        return True

    def texts(self) -> dict[str, dict[str, str]]:
        """What was read, by language and part."""
        return {
            language: {part: "\n".join(content).strip() for part, content in parts.items()}
            for language, parts in self._lines.items()
        }
