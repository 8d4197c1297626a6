"""Packs pieces of markup into messages of limited size, at paragraph borders where possible, never inside a tag."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from bot.channels.markup.blocks import Line, Run

Measure = Callable[[str], int]
WriteLine = Callable[[Line], str]


@dataclass(frozen=True, slots=True)
class Piece:
    """A block ready to be written: a wrapper around lines, each of which can stand alone."""

    lines: tuple[Line, ...]
    open: str = ""
    close: str = ""
    repeat: int = 0
    """How many first lines are said again when the block goes on in the next message (a table's header)."""
    gap: bool = True


def pack(pieces: list[Piece], write: WriteLine, measure: Measure, limit: int, max_tags: int = 100) -> list[str]:
    """Messages of at most `limit` units of `measure`, holding at most `max_tags` closing tags each."""
    parts: list[str] = []
    current = ""

    def fits(text: str) -> bool:
        return measure(text) <= limit and text.count("</") <= max_tags

    for piece in pieces:
        whole = piece.open + "\n".join(map(write, piece.lines)) + piece.close
        joined = f"{current}{_gap(piece)}{whole}" if current else whole
        if fits(joined):
            current = joined
            continue
        if current:
            parts.append(current)
        if fits(whole):
            current = whole
            continue
        *full, current = _spread(piece, write, fits, limit)
        parts.extend(full)
    return [*parts, current] if current else parts


def _gap(piece: Piece) -> str:
    return "\n\n" if piece.gap else "\n"


def _spread(piece: Piece, write: WriteLine, fits: Callable[[str], bool], limit: int) -> list[str]:
    """One block over several messages, at line borders; a line too long for one message is cut."""
    header = [write(line) for line in piece.lines[: piece.repeat]]
    parts: list[str] = []
    body: list[str] = []

    def wrap(lines: list[str]) -> str:
        return piece.open + "\n".join([*header, *lines]) + piece.close

    for line in piece.lines[piece.repeat :]:
        for written in _cut(line, write, lambda text: fits(wrap([text])), limit):
            if body and not fits(wrap([*body, written])):
                parts.append(wrap(body))
                body = []
            body.append(written)
    return [*parts, wrap(body)] if body else parts or [wrap([])]


def _cut(line: Line, write: WriteLine, fits: Callable[[str], bool], limit: int) -> Iterator[str]:
    """A line in as few pieces as fit, cut at a space or between characters (each of at least one unit)."""
    rest = line
    while rest:
        total = sum(len(run.text) for run in rest)
        if total <= limit and fits(write(rest)):
            yield write(rest)
            return
        low, high = 1, min(total, limit)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fits(write(_head(rest, middle))) else (low, middle - 1)
        at = _border("".join(run.text for run in rest), low)
        yield write(_head(rest, at))
        rest = _tail(rest, at)


def _border(text: str, at: int) -> int:
    """A good place to cut at or before `at`: after a space if one is near, never before a combining mark."""
    space = text.rfind(" ", max(1, at - 200), at)
    if space > 0:
        return space + 1
    while at > 1 and at < len(text) and (text[at] in "\u200d\ufe0f" or text[at - 1] == "\u200d"):
        at -= 1
    return at


def _head(line: Line, count: int) -> Line:
    found: list[Run] = []
    for run in line:
        if count <= 0:
            break
        found.append(replace(run, text=run.text[:count]))
        count -= len(run.text)
    return tuple(found)


def _tail(line: Line, count: int) -> Line:
    found: list[Run] = []
    for run in line:
        kept = run.text[max(count, 0) :]
        count -= len(run.text)
        if kept:
            found.append(replace(run, text=kept))
    return tuple(found)
