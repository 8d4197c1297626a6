"""Reads Telegram's HTML the way its server does: few tags, strictly nested, and an error for everything else."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any

_SIMPLE = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "a": "text_link",
}
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)((?:\s+[A-Za-z-]+(?:=\"[^\"<>]*\")?)*)\s*>")
_ATTRIBUTE = re.compile(r"([A-Za-z-]+)(?:=\"([^\"<>]*)\")?")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);")


class MarkupError(ValueError):
    """What the server would say after "can't parse entities: "."""


@dataclass
class _Open:
    tag: str
    offset: int
    extra: dict[str, Any] = field(default_factory=dict)


def utf16(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def parse_html(source: str) -> tuple[str, list[dict[str, Any]]]:
    """The text and its entities.

    Raises:
        MarkupError: an unknown, unmatched, unclosed or wrongly nested tag.
    """
    text: list[str] = []
    stack: list[_Open] = []
    entities: list[dict[str, Any]] = []
    position = length = 0
    while position < len(source):
        if source[position] == "<":
            found = _TAG.match(source, position)
            if found is None:
                raise MarkupError(f'Unsupported start tag "" at byte offset {_bytes(source, position)}')
            _tag(found, source, stack, entities, length)
            position = found.end()
            continue
        entity = _ENTITY.match(source, position) if source[position] == "&" else None
        piece = html.unescape(entity[0]) if entity else source[position]
        text.append(piece)
        length += utf16(piece)
        position = entity.end() if entity else position + 1
    if stack:
        raise MarkupError(f'Can\'t find end tag corresponding to start tag "{stack[-1].tag}"')
    return _trim("".join(text), entities)


def _tag(found: re.Match[str], source: str, stack: list[_Open], entities: list[dict[str, Any]], length: int) -> None:
    closing, tag = found[1], found[2].lower()
    at = _bytes(source, found.start())
    if closing:
        if not stack or stack[-1].tag != tag:
            expected = f', expected "</{stack[-1].tag}>", found "</{tag}>"' if stack else ""
            raise MarkupError(f"Unmatched end tag at byte offset {at}{expected}")
        opened = stack.pop()
        if length > opened.offset:
            kind = _SIMPLE[tag]
            entities.append({"type": kind, "offset": opened.offset, "length": length - opened.offset, **opened.extra})
        return
    if tag not in _SIMPLE:
        raise MarkupError(f'Unsupported start tag "{tag}" at byte offset {at}')
    outer = {entry.tag for entry in stack}
    if outer & {"code", "pre"} and not (outer == {"pre"} and tag == "code"):
        raise MarkupError(f'Tag "{tag}" inside code at byte offset {at}')
    if tag == "blockquote" and "blockquote" in outer:
        raise MarkupError(f"Nested blockquote at byte offset {at}")
    attributes = {name.lower(): html.unescape(value or "") for name, value in _ATTRIBUTE.findall(found[3])}
    extra = {"url": attributes["href"]} if tag == "a" and attributes.get("href") else {}
    stack.append(_Open(tag, length, extra))


def _bytes(source: str, position: int) -> int:
    return len(source[:position].encode("utf-8", "surrogatepass"))


def _trim(text: str, entities: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """Without blanks at the ends, as Telegram shows it."""
    lead = utf16(text) - utf16(text.lstrip())
    stripped = text.strip()
    size = utf16(stripped)
    kept = []
    for entity in entities:
        start = max(entity["offset"] - lead, 0)
        end = min(entity["offset"] - lead + entity["length"], size)
        if end > start:
            kept.append(entity | {"offset": start, "length": end - start})
    return stripped, sorted(kept, key=lambda entity: (entity["offset"], -entity["length"]))
