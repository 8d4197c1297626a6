"""Turns the text of one passage file into a checked record: front matter, then `## zh` and `## en` with `### parts`."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from knowledge.errors import Problem
from knowledge.files import line_of, parse_yaml
from knowledge.models import LANGUAGES, Passage

PARTS = ("short", "full", "today")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")


def parse_passage(text: str, path: str, folder: str, problems: list[Problem]) -> dict[str, Any] | None:
    """The record of one passage as JSON-able data, or None with every fault added to `problems`."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        problems.append(Problem(path, 1, "starts without front matter: the first line must be ---"))
        return None
    try:
        end = next(number for number, line in enumerate(lines[1:], 1) if line.strip() == "---")
    except StopIteration:
        problems.append(Problem(path, 1, "the front matter has no closing ---"))
        return None
    head = "\n".join(lines[1:end])
    record = parse_yaml(head, path, problems, first_line=2)
    if not isinstance(record, dict):
        if record is not None:
            problems.append(Problem(path, 2, "the front matter must be a mapping"))
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
    return passage.model_dump(mode="json", exclude_defaults=True)


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
    texts: dict[str, dict[str, list[str]]] = {}
    language = part = ""
    for number, line in enumerate(lines[start:], start + 1):
        heading = _HEADING.match(line)
        if heading is None:
            if part:
                texts[language][part].append(line)
            elif line.strip():
                problems.append(Problem(path, number, "text outside of `## zh` / `## en` and their `### parts`"))
            continue
        level, name = len(heading[1]), heading[2]
        if level == 2 and name in LANGUAGES and name not in texts:
            language, part = name, ""
            texts[language] = {}
        elif level == 3 and language and name in PARTS and name not in texts[language]:
            part = name
            texts[language][part] = []
        else:
            problems.append(Problem(path, number, f"unexpected heading {line.strip()!r}"))
    for language in LANGUAGES:
        for part in ("short", "full"):
            if not "".join(texts.get(language, {}).get(part, [])).strip():
                problems.append(Problem(path, len(lines), f"`## {language}` has no `### {part}`"))
    return {
        language: {part: "\n".join(content).strip() for part, content in parts.items()}
        for language, parts in texts.items()
    }
