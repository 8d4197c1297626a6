"""The labelled lines that weights are learned from: `bot/corpus/*.tsv`, what intent files and passages say people ask.

One line a question, four columns: intent, other intents a careful person would accept, earlier turns of the same
conversation (oldest first, between " || "), text. They are read for learning only, never while answering.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from advisor.errors import BadData, Problem
from bot.core.intents import Intent
from bot.understand.load import fill

if TYPE_CHECKING:
    from knowledge.store import Library

_COLUMNS: Final = 4
WRITTEN: Final = "phrases"
"""Origin of the lines that the intent files hold."""
TOLD: Final = "passages"
"""Origin of the questions that passages hold."""
MESSAGES, ASKING = "messages", "asking"
"""Origins of the needs of long, mixed messages: of the whole, and of the parts of it that ask."""


class Line(NamedTuple):
    """One labelled question and the file that it comes from."""

    origin: str
    intent: str
    others: tuple[str, ...]
    context: tuple[str, ...]
    text: str
    of: str = ""
    """The message that it is a part of: both are left out together."""

    def accepts(self, intent: str) -> bool:
        """Whether an intent is right or would do."""
        return intent == self.intent or intent in self.others


def corpus_directory() -> Path:
    """Folder of the labelled lines; only a checkout has it."""
    return Path(__file__).resolve().parent.parent / "corpus"


def corpus_files() -> list[Path]:
    """All files of labelled lines, by name."""
    return sorted(corpus_directory().glob("*.tsv"))


def read_lines(files: Iterable[Path], intents: Mapping[str, Intent]) -> list[Line]:
    """Every labelled line. Raises BadData naming each faulty one with its file and number."""
    rows = [
        (path, number, row)
        for path in files
        for number, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if row.strip()
    ]
    read = [(path, number, _read_row(path, row, intents)) for path, number, row in rows]
    problems = [Problem(str(path), number, line) for path, number, line in read if isinstance(line, str)]
    if problems:
        raise BadData(problems)
    return [line for _, _, line in read if isinstance(line, Line)]


def _read_row(path: Path, row: str, intents: Mapping[str, Intent]) -> Line | str:
    """One labelled line, or what is wrong with it."""
    cells = row.split("\t")
    if len(cells) != _COLUMNS:
        return f"{len(cells)} columns; there must be {_COLUMNS}"
    intent, others, context, text = (cell.strip() for cell in cells)
    named = _pieces(others, ",")
    unknown = next((name for name in (intent, *named) if name not in intents), None)
    if unknown is not None:
        return f"{unknown!r} is no intent"
    return Line(path.stem, intent, named, _pieces(context, "||"), text) if text else "the text is empty"


def _pieces(cell: str, sign: str) -> tuple[str, ...]:
    """What stands between signs, without empty pieces."""
    return tuple(piece.strip() for piece in cell.split(sign) if piece.strip())


def written_lines(intents: Mapping[str, Intent]) -> list[Line]:
    """Phrases, examples and near misses of the intent files, with a sample in each slot."""
    found: list[Line] = []
    for intent in intents.values():
        told = (intent.phrases, intent.examples)
        texts = [text for words in told for text in (*words.zh, *words.en)]
        found += [Line(WRITTEN, intent.id, (), (), fill(text)) for text in texts]
        misses = (*intent.not_this.zh, *intent.not_this.en)
        found += [Line(WRITTEN, miss.belongs_to, (), (), fill(miss.text)) for miss in misses]
    return found


def passage_lines(library: Library, intents: Mapping[str, Intent]) -> list[Line]:
    """The questions that passages are asked with, each for the intents that its passage is meant for."""
    found: list[Line] = []
    for name in library.ids:
        passage = library.get(name)
        meant = [intent for intent in passage.intents if intent in intents]
        if meant:
            texts = (*passage.questions.zh, *passage.questions.en)
            found += [Line(TOLD, meant[0], tuple(meant[1:3]), (), text) for text in texts]
    return found


def messages_file() -> Path:
    """The labelled messages; only a checkout has them."""
    return Path(__file__).resolve().parents[2] / "tests" / "evaluation" / "messages_dev.jsonl"


def scope_files() -> list[Path]:
    """Lines near to the edge of the subject, on both sides: only the decision of scope learns from them."""
    return sorted((corpus_directory() / "scope").glob("*.tsv"))


def own_lines(intents: Mapping[str, Intent]) -> list[Line]:
    """The corpus and what intent files hold: when these change, weights are learned anew. A new passage needs no more
    than its file: weights learn from its questions whenever they are learned next."""
    return [*read_lines(corpus_files(), intents), *written_lines(intents)]


def all_lines(intents: Mapping[str, Intent], library: Library) -> list[Line]:
    """Everything that weights are learned from."""
    return [*own_lines(intents), *passage_lines(library, intents)]


def fingerprint(lines: Iterable[Line]) -> str:
    """Short digest of labelled lines in whatever order: tells whether weights were learned from these."""
    digest = hashlib.sha256()
    for line in sorted(set(lines)):
        digest.update("\t".join((line.intent, ",".join(line.others), "||".join(line.context), line.text, "")).encode())
    return digest.hexdigest()[:16]
