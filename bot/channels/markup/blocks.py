r"""Parses neutral Markdown into blocks of styled runs.

The constructs are few: paragraphs, `**bold**`, `` `code` ``, `- ` lists (two spaces indent a sub-item), `> ` notes,
`[text](url)`, `| tables |` with a header row, `### ` headings. A backslash before ASCII punctuation makes it plain.
Anything else, and anything unclosed, is text. Parsing is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["paragraph", "heading", "list", "note", "table"]

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_SAFE_URL = re.compile(r"(?:https?://|tg://)[^\s<>\"'`]+\Z")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_RULE_ROW = re.compile(r"\|?[ :|-]*-[ :|-]*\|?\Z")
_DEEPEST: Final = 3
_SPECIAL = re.compile(r"[\\*`\[]")
_CODE = re.compile(r"`((?:[^`\\]|\\.)+)`")
_LINK = re.compile(r"\[((?:[^\]\\]|\\.){1,300})\]\(([^\s)]{1,1200})\)")
# C0 controls but newline, DEL, and the marks that reorder a line (bidi overrides and isolates).
_UNWANTED = dict.fromkeys([*range(9), *range(11, 32), 127, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one style."""

    text: str
    bold: bool = False
    code: bool = False
    url: str = ""


Line = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One construct of the text. `gap`: a blank line stands before it."""

    kind: Kind
    lines: tuple[Line, ...] = ()
    """One per line; of a list, one per item."""
    indents: tuple[int, ...] = ()
    """Of a list: the depth of each item."""
    rows: tuple[tuple[Line, ...], ...] = ()
    """Of a table: header first."""
    gap: bool = True


def clean(text: str) -> str:
    """The text without control characters, reordering marks and lone surrogates."""
    if not text.isprintable():
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ").translate(_UNWANTED)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def escape(text: str) -> str:
    """Text of a user or a file as neutral Markdown that shows exactly that text, on one line."""
    flat = " ".join(clean(text).split("\n"))
    return "".join(f"\\{char}" if char in "\\*_`[]|>#-" else char for char in flat)


def parse(text: str) -> tuple[Block, ...]:
    """Blocks of a reply, in order."""
    blocks: list[Block] = []
    group: list[str] = []
    kind: Kind = "paragraph"
    gap = False
    for raw in [*clean(text).split("\n"), ""]:
        found = _kind_of(raw)
        if group and (found != kind or found == "heading"):
            blocks.append(_block(kind, group, gap))
            group, gap = [], False
        if found is None:
            gap = True
            continue
        kind = found
        group.append(raw)
    return tuple(blocks)


def _kind_of(raw: str) -> Kind | None:
    stripped = raw.lstrip(" ")
    if not stripped.strip():
        return None
    if stripped.startswith("- "):
        return "list"
    if raw.startswith(">"):
        return "note"
    if raw.startswith("|") and raw.rstrip().endswith("|") and len(raw.rstrip()) > 1:
        return "table"
    if raw.startswith(("# ", "## ", "### ")):
        return "heading"
    return "paragraph"


def _block(kind: Kind, raws: list[str], gap: bool) -> Block:
    if kind == "table" and len(raws) > 1:
        return Block("table", rows=tuple(_row(raw) for raw in raws if not _RULE_ROW.match(raw.strip())), gap=gap)
    kind = "paragraph" if kind == "table" else kind
    indents = tuple(map(_depth, raws)) if kind == "list" else ()
    return Block(kind, tuple(parse_inline(_CONTENT[kind](raw)) for raw in raws), indents, gap=gap)


_CONTENT: Final[Mapping[Kind, Callable[[str], str]]] = {
    "list": lambda raw: raw.lstrip(" ")[2:].strip(),
    "heading": lambda raw: raw.lstrip("#").strip(),
    "note": lambda raw: raw[1:].strip(),
    "paragraph": str.strip,
}
"""A line of each kind without the signs that make it one."""


def _depth(raw: str) -> int:
    """How deep an item of a list stands."""
    return min((len(raw) - len(raw.lstrip(" "))) // 2, _DEEPEST)


def _row(raw: str) -> tuple[Line, ...]:
    return tuple(map(parse_inline, _cells(raw)))


def _cells(raw: str) -> list[str]:
    """Cells between unescaped bars."""
    cells: list[str] = []
    current: list[str] = []
    skip = False
    for char in raw.strip()[1:-1]:
        if char == "|" and not skip:
            cells.append("".join(current).strip())
            current = []
            continue
        skip = char == "\\" and not skip
        current.append(char)
    return [*cells, "".join(current).strip()]


def parse_inline(text: str) -> Line:
    """Styled runs of one line."""
    return _Inline(text).runs()


class _Inline:
    """One pass over a line. Closers are looked up once, so that unclosed openers stay linear."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.last_bold = text.rfind("**")
        self.last_code = text.rfind("`")
        self.last_link = text.rfind("](")
        self.found: list[Run] = []
        self.plain: list[str] = []
        self.bold = False
        self._marks = {"\\": self._escape, "*": self._bold, "`": self._code, "[": self._link}

    def runs(self) -> Line:
        position = 0
        while position < len(self.text):
            position = self._step(position)
        self._flush()
        return tuple(self.found)

    def _flush(self, bold: bool | None = None) -> None:
        if self.plain:
            self.found.append(Run("".join(self.plain), bold=self.bold))
            self.plain = []
        if bold is not None:
            self.bold = bold

    def _step(self, position: int) -> int:
        text = self.text
        special = _SPECIAL.search(text, position)
        if special is None:
            self.plain.append(text[position:])
            return len(text)
        if special.start() > position:
            self.plain.append(text[position : special.start()])
            position = special.start()
        return self._marks[text[position]](position)

    def _plain(self, position: int) -> int:
        """Take a character as it stands."""
        self.plain.append(self.text[position])
        return position + 1

    def _escape(self, position: int) -> int:
        """A backslash takes its meaning from the punctuation behind it."""
        escaped = self.text[position + 1 : position + 2]
        return self._plain(position + 1) if escaped in _PUNCTUATION else self._plain(position)

    def _bold(self, position: int) -> int:
        """Two stars begin what is bold where two more follow, and end it."""
        opens = self.text.startswith("**", position) and (self.bold or position + 2 <= self.last_bold)
        if not opens:
            return self._plain(position)
        self._flush(bold=not self.bold)
        return position + 2

    def _code(self, position: int) -> int:
        match = _CODE.match(self.text, position) if position < self.last_code else None
        if match is None:
            if position < self.last_code and not self.text.startswith("``", position):
                self.last_code = position
            return self._plain(position)
        self._flush()
        self.found.append(Run(_unescape(match[1]), bold=self.bold, code=True))
        return match.end()

    def _link(self, position: int) -> int:
        match = _LINK.match(self.text, position) if position < self.last_link else None
        if match is None:
            return self._plain(position)
        self._flush()
        label = _unescape(match[1].replace("**", ""))
        self.found.append(Run(label, bold=self.bold, url=match[2] if _SAFE_URL.match(match[2]) else ""))
        return match.end()


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)
