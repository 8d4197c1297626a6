"""Messages that somebody made up and labelled in their text: `bot/corpus/messages`, named by their language first.

`[role=words]` is a name or a number with the part it plays, the words between `_OPENS` and `_CLOSES` ask, and a
line break is written as such.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from advisor.errors import BadData, Problem
from bot.evaluate.corpus import ASKING, MESSAGES, Line, corpus_directory, messages_file
from bot.evaluate.messages import LabelledMention, Message, read_rows

_COLUMNS: Final = 4
_OPENS: Final = "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}"
_CLOSES: Final = "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"
_MARKS: Final = re.compile(rf"\[([a-z_]+)=([^\[\]]+)\]|({_OPENS})|({_CLOSES})")


def written_files() -> list[Path]:
    """The files of made-up messages: `zh.tsv`, `zh_more.tsv`, `en.tsv` ..."""
    return sorted((corpus_directory() / "messages").glob("*.tsv"))


def read_written(path: Path) -> list[Message]:
    """The messages of a file. Raises BadData naming each faulty line."""
    found: list[Message] = []
    problems: list[Problem] = []
    language = path.stem.partition("_")[0]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            found.append(_message(line.split("\t"), f"{path.stem}-{number:03}", language))
        except (ValidationError, ValueError) as error:
            problems.append(Problem(str(path), number, str(error)))
    if problems:
        raise BadData(problems)
    return found


def labelled_messages() -> list[Message]:
    """All messages that may be learned from: those of threads in other words, and those that somebody made up."""
    return [*read_rows(messages_file(), Message), *(row for path in written_files() for row in read_written(path))]


def needs_of_messages() -> list[Line]:
    """The need of each message, of the whole and of what asks in it."""
    found: list[Line] = []
    for row in labelled_messages():
        whole = Line(MESSAGES, row.intent, row.alt_intents, row.context, row.text)
        asked = " ".join(row.asking)
        found.append(whole)
        if asked:
            found.append(whole._replace(origin=ASKING, text=asked, of=row.text))
    return found


def _message(columns: list[str], name: str, language: str) -> Message:
    if len(columns) != _COLUMNS:
        raise ValueError(f"{len(columns)} columns, not {_COLUMNS}")
    needs, slots, context, marked = columns
    text, mentions, asking = _unmarked(marked.replace("\\n", "\n"))
    intent, *others = needs.split(",")
    return Message(
        id=name, lang=language, text=text, context=tuple(filter(None, context.split(" || "))), intent=intent,
        alt_intents=tuple(others), asking=asking, mentions=mentions, slots=json.loads(slots),
        in_scope=intent != "out_of_scope", source="made-up",
    )  # fmt: skip


def _unmarked(marked: str) -> tuple[str, tuple[LabelledMention, ...], tuple[str, ...]]:
    """The text without marks, its mentions, and its asking parts."""
    text = ""
    mentions: list[LabelledMention] = []
    asking: list[str] = []
    done = begun = 0
    for mark in _MARKS.finditer(marked):
        text += marked[done : mark.start()]
        role, words, opens, closes = mark.groups()
        if role:
            mentions.append(LabelledMention(text=words, role=role, start=len(text)))
            text += words
        elif opens:
            begun = len(text)
        elif closes:
            asking.append(text[begun:])
        done = mark.end()
    return text + marked[done:], tuple(mentions), tuple(asking)
