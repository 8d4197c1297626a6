"""Parses YAML. Dates stay text: pydantic checks them, and the cache of files can hold them."""

from __future__ import annotations

import yaml

from knowledge.errors import Problem


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Safe loader that keeps dates as text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse(text: str, path: str, problems: list[Problem], first_line: int = 1) -> object:
    """One document that begins on a line of its file; a syntax fault becomes a Problem, and None is returned."""
    loader = _Loader(text)
    try:
        return loader.get_single_data()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = first_line + (mark.line if mark else 0)
        problems.append(Problem(path, line, f"not valid YAML: {getattr(error, 'problem', None) or 'syntax'}"))
        return None
    finally:
        loader.dispose()
