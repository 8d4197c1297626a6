"""Reads YAML files with their line numbers, through a JSON cache so that a cold start does not pay for YAML.

The cache is a plain JSON file in the user's cache directory, keyed by path, size and modification time of every
file; a missing, broken or unwritable cache only costs time.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from advisor.errors import Problem

_FORMAT = "1"


class _LineLoader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Safe loader that keeps dates as text: pydantic parses them, and JSON can hold them."""


_LineLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def cache_directory() -> Path:
    """Where caches may be kept: $XUANKA_CACHE_DIR, else the user's cache directory."""
    configured = os.environ.get("XUANKA_CACHE_DIR")
    if configured:
        return Path(configured)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "xuanka"


def parse_yaml(text: str, path: str, problems: list[Problem]) -> Any:
    """Parse one document; a syntax fault becomes a Problem with its line, and None is returned."""
    try:
        loader = _LineLoader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        reason = getattr(error, "problem", None) or "not valid YAML"
        problems.append(Problem(path, line, f"not valid YAML: {reason}"))
        return None


def line_of(text: str, key: str, start: int = 1) -> int:
    """Line (from 1) on which a top-level or nested `key:` first stands, or `start` when it does not."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip(" -").startswith((f"{key}:", f'"{key}":', f"'{key}':")):
            return number
    return start


def _key(paths: list[Path], salt: str) -> str:
    digest = hashlib.sha256(f"{_FORMAT}:{salt}".encode())
    for path in paths:
        stat = path.stat()
        digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def load_yaml_files(paths: Iterable[Path], problems: list[Problem], *, salt: str = "") -> dict[str, Any]:
    """Parsed content by path. Faulty files are reported in `problems` and left out; only a clean set is cached."""
    files = sorted(paths)
    cached = load_cached(files, f"yaml{salt}")
    if cached is not None:
        return dict(cached)
    before = len(problems)
    content: dict[str, Any] = {}
    for path in files:
        parsed = parse_yaml(path.read_text(encoding="utf-8"), str(path), problems)
        if parsed is not None:
            content[str(path)] = parsed
    if len(problems) == before:
        save_cached(files, f"yaml{salt}", content)
    return content


def load_cached(files: list[Path], salt: str) -> Any:
    """What `save_cached` kept for the same files in the same state, or None."""
    try:
        name = cache_directory() / f"{_key(files, salt)}.json"
        return json.loads(name.read_bytes())
    except (OSError, ValueError):
        return None


def save_cached(files: list[Path], salt: str, content: Any) -> None:
    """Keep a JSON-able value for these files; failing to write is not an error."""
    try:
        directory = cache_directory()
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=directory, delete=False, encoding="utf-8") as handle:
            json.dump(content, handle, ensure_ascii=False)
        Path(handle.name).replace(directory / f"{_key(files, salt)}.json")
    except (OSError, TypeError, ValueError):
        return
