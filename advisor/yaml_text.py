"""Parses YAML. Dates stay text: pydantic parses them, and the cache of files can hold them."""

from __future__ import annotations

import yaml

from advisor.errors import Problem


class Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Safe loader that keeps dates as text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse(text: str, path: str, problems: list[Problem]) -> object:
    """One document; a syntax fault becomes a Problem with its line, and None is returned."""
    try:
        loader = Loader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        problems.append(fault_of(error, path))
        return None


def fault_of(error: yaml.YAMLError, path: str = "") -> Problem:
    """A fault of the syntax with its line."""
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark else 1
    reason = getattr(error, "problem", None) or "not valid YAML"
    return Problem(path, line, f"not valid YAML: {reason}")
