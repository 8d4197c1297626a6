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


class _Packer:
    """Fills messages. Costs of texts add up, so nothing is measured twice."""

    def __init__(self, write: WriteLine, measure: Measure, limit: int, max_tags: int) -> None:
        self.write, self.measure, self.limit, self.max_tags = write, measure, limit, max_tags
        self.parts: list[str] = []
        self.current = ""
        self.spent = _Cost(0, 0)

    def cost(self, text: str) -> _Cost:
        return _Cost(self.measure(text), text.count("</"))

    def excess(self, cost: _Cost) -> float:
        """How often the limits go into a cost: at most 1 fits."""
        return max(cost.units / self.limit, cost.tags / self.max_tags)

    def flush(self) -> None:
        if self.current:
            self.parts.append(self.current)
        self.current, self.spent = "", _Cost(0, 0)

    def add(self, piece: Piece) -> None:
        """Append a block, in a new message when it does not fit, over several when it fits none."""
        lines = [self.write(line) for line in piece.lines]
        whole = piece.open + "\n".join(lines) + piece.close
        gap = ("\n\n" if piece.gap else "\n") if self.current else ""
        cost = self.cost(whole)
        joined = _Cost(self.spent.units + self.measure(gap) + cost.units, self.spent.tags + cost.tags)
        if self.excess(joined) <= 1:
            self.current, self.spent = self.current + gap + whole, joined
            return
        self.flush()
        if self.excess(cost) <= 1:
            self.current, self.spent = whole, cost
        else:
            self._spread(piece, lines)

    def _spread(self, piece: Piece, lines: list[str]) -> None:
        """One block over several messages, at line borders; a line too long for one message is cut."""
        header = "".join(f"{line}\n" for line in lines[: piece.repeat])
        base = self.cost(piece.open + header + piece.close)
        body: list[str] = []
        spent = base

        def close() -> None:
            self.current = piece.open + header + "\n".join(body) + piece.close
            self.spent = spent

        for line, written in zip(piece.lines[piece.repeat :], lines[piece.repeat :], strict=True):
            for part in self._cut(line, written, base):
                cost = self.cost(part)
                grown = _Cost(spent.units + 1 + cost.units, spent.tags + cost.tags)
                if body and self.excess(grown) > 1:
                    close()
                    self.flush()
                    body, grown = [], _Cost(base.units + 1 + cost.units, base.tags + cost.tags)
                body.append(part)
                spent = grown
        close()

    def _cut(self, line: Line, written: str, base: _Cost) -> Iterator[str]:
        """A line in few pieces that fit, cut at a space or between characters (each of at least one unit)."""

        def excess(text: str) -> float:
            cost = self.cost(text)
            return self.excess(_Cost(base.units + 1 + cost.units, base.tags + cost.tags))

        rest = line
        while excess(written) > 1:
            total = sum(len(run.text) for run in rest)
            at = min(total, self.limit)
            over = excess(self.write(_head(rest, at)))
            while over > 1 and at > 1:
                at = max(1, min(at - 1, int(at / over)))
                over = excess(self.write(_head(rest, at)))
            at = _border("".join(run.text for run in _head(rest, at + 1)), at)
            if at >= total:
                break
            yield self.write(_head(rest, at))
            rest = _tail(rest, at)
            written = self.write(rest)
        yield written


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a text takes of a message."""

    units: int
    tags: int


def pack(pieces: list[Piece], write: WriteLine, measure: Measure, limit: int, max_tags: int = 100) -> list[str]:
    """Messages of at most `limit` units of `measure`, holding at most `max_tags` closing tags each.

    A header that is repeated (tables) must leave room for a character of a row.
    """
    packer = _Packer(write, measure, limit, max_tags)
    for piece in pieces:
        packer.add(piece)
    packer.flush()
    return packer.parts


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
