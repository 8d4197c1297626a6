"""Says for every row of the fact list where it is answered: by which passages, and by which advisor code or data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from knowledge.facts import load_facts
from knowledge.models import FactRow
from knowledge.store import HOME, Library, load_library

PAGE = HOME / "COVERAGE.md"
_ROW = re.compile(r"(?<![\d-])(00[0-4]-\d{3})(?![\d-])")
_SUFFIXES = {".py", ".yaml", ".csv", ".json"}


@dataclass(frozen=True, slots=True)
class Covered:
    """One row and its answers."""

    row: FactRow
    passages: tuple[str, ...]
    advisor: tuple[str, ...]
    """Files of the advisor that apply the row, relative to the project root."""

    @property
    def answered(self) -> bool:
        """Something answers it."""
        return bool(self.passages or self.advisor)


def advisor_rows(root: Path) -> dict[str, tuple[str, ...]]:
    """Row -> advisor files that name it (steps of a trail, rules, data), found by reading them as text."""
    found: dict[str, set[str]] = {}
    for path in sorted((root / "advisor").rglob("*")):
        if path.suffix not in _SUFFIXES or not path.is_file():
            continue
        for row in _ROW.findall(path.read_text(encoding="utf-8")):
            found.setdefault(row, set()).add(path.relative_to(root).as_posix())
    return {row: tuple(sorted(files)) for row, files in found.items()}


def coverage(library: Library | None = None, advisor: Mapping[str, tuple[str, ...]] | None = None) -> list[Covered]:
    """Every row of the fact list with what answers it."""
    library = library or load_library()
    passages = library.covers()
    named = advisor_rows(HOME.parent) if advisor is None else advisor
    rows = load_facts(library.directory).values()
    return [Covered(row, passages.get(row.id, ()), tuple(named.get(row.id, ()))) for row in rows]


def unanswered(rows: list[Covered]) -> list[str]:
    """Ids of rows that can be answered and are not."""
    return [covered.row.id for covered in rows if covered.row.answerable and not covered.answered]


def render_page(rows: list[Covered]) -> str:
    """The coverage page as Markdown."""
    answerable = [covered for covered in rows if covered.row.answerable]
    missing = unanswered(rows)
    lines = [
        "# Where each fact of the five documents is answered",
        "",
        "Written by `python -m knowledge coverage --write`; a test fails when it is out of date.",
        "",
        f"{len(rows)} rows, {len(answerable)} answerable, {len(answerable) - len(missing)} answered, "
        f"{sum(bool(covered.passages) for covered in rows)} by passages, "
        f"{sum(bool(covered.advisor) for covered in rows)} applied by the advisor.",
        "",
        "| row | gist | passages | advisor |",
        "|---|---|---|---|",
    ]
    for covered in rows:
        gist = covered.row.gist.replace("|", "/")
        if not covered.row.answerable:
            gist += " (no figures in the text)"
        passages = ", ".join(covered.passages) or "-"
        advisor = ", ".join(file.removeprefix("advisor/") for file in covered.advisor) or "-"
        lines.append(f"| {covered.row.id} | {gist} | {passages} | {advisor} |")
    return "\n".join(lines) + "\n"
