"""Where in a YAML text each value stands, so that a fault can name its line; finds keys that are written twice."""

from __future__ import annotations

from dataclasses import dataclass, field

import yaml

from advisor.errors import Problem
from advisor.yaml_text import Loader, fault_of

Path = tuple[str | int, ...]


@dataclass(slots=True)
class LineMap:
    """Lines of values by their path in the document: ("claims", 0, "value") -> 12."""

    lines: dict[Path, int] = field(default_factory=dict)
    repeated: list[tuple[str, int]] = field(default_factory=list)
    """Keys that stand twice in one mapping, with the second line."""

    def line(self, *path: str | int) -> int:
        """Line of a value, or of the nearest thing around it that has one."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[:-1]
        return self.lines.get((), 1)


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML text: what it holds, where that stands, and what keeps it from being read."""

    content: object
    lines: LineMap
    fault: Problem | None = None
    """Of no file: whoever read the text knows its path."""


def read_document(text: str) -> Document:
    """Content and lines of a text from one look at it; dates stay text. A fault of the syntax leaves no content."""
    lines = LineMap()
    loader = Loader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return Document(None, lines)
        _walk(root, (), lines)
        return Document(loader.construct_document(root), lines)
    except yaml.YAMLError as error:
        return Document(None, lines, fault_of(error))
    finally:
        loader.dispose()


def _walk(node: yaml.Node, path: Path, found: LineMap) -> None:
    found.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            line = key.start_mark.line + 1
            if name in seen:
                found.repeated.append((name, line))
            seen.add(name)
            found.lines[(*path, name)] = line
            _walk(value, (*path, name), found)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _walk(item, (*path, index), found)
