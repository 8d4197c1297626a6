"""Where in a YAML text each value stands, so that a fault can name its line; finds keys that are written twice."""

from __future__ import annotations

from dataclasses import dataclass, field

import yaml

Path = tuple[str | int, ...]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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


def map_lines(text: str) -> LineMap:
    """Lines of every key and item of a document; empty for text that is not YAML."""
    found = LineMap()
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError:
        return found
    if root is not None:
        _walk(root, (), found)
    return found


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
