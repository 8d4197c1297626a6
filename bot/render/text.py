"""What a reply says, in its forms, and how its parts are joined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Form(Enum):
    """Which form of an answer its reader sees first."""

    GROUP = "group"
    PRIVATE = "private"
    PAGE = "page"
    """That of a private chat, on a page that lays out wide tables and lists sources itself."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Neutral Markdown: what to show first, and the complete form (empty when there is no more to say)."""

    text: str
    details: str = ""


def both(body: str, second: str) -> str:
    """An answer with those to the other questions right behind its first line: theirs, until an empty line, and later
    what else they say."""
    if not second:
        return body
    first, _, rest = body.partition("\n")
    other, _, more = second.partition("\n\n")
    return "\n".join(part for part in (first, other, rest.strip("\n"), more.strip("\n")) if part)


def tidy(text: str) -> str:
    """Strip the ends, drop trailing spaces, never more than one blank line."""
    text = text.strip()
    # what can be printed holds no other white space and no other ends of lines
    if not text.replace("\n", "").isprintable():
        text = "\n".join([line.rstrip() for line in text.splitlines()])
    while " \n" in text:
        text = text.replace(" \n", "\n")
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text
