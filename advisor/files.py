"""Reads YAML files with their line numbers, through a JSON cache so that a cold start does not pay for YAML.

The cache is a plain JSON file in the user's cache directory, keyed by path, size and modification time of every
file; a missing, broken or unwritable cache only costs time.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from advisor.cache_bound import PREFIX, keep_within
from advisor.errors import Problem

Contents: TypeAlias = dict[str, Any]
"""Parsed files by path; who reads one knows its form."""

_FORMAT = "1"


def cache_directory() -> Path:
    """Where caches may be kept: $XUANKA_CACHE_DIR, else the user's cache directory."""
    configured = os.environ.get("XUANKA_CACHE_DIR")
    if configured:
        return Path(configured)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "xuanka"


def is_private(folder: Path) -> bool:
    """Whether a folder is a real one of this user that no other user may write to.

    Raises:
        OSError: there is none.
    """
    found = folder.lstat()
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return stat.S_ISDIR(found.st_mode) and mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def private_cache(make: bool = False) -> Path | None:
    """The cache directory, or None where it is not this user's alone: what others may write there is not believed.

    Raises:
        OSError: it cannot be made.
    """
    directory = cache_directory()
    if make:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return directory if directory.is_dir() and is_private(directory) else None


def parse_yaml(text: str, path: str, problems: list[Problem]) -> object:
    """Parse one document; a syntax fault becomes a Problem with its line, and None is returned."""
    # what is read from the cache needs no YAML
    from advisor.yaml_text import parse

    return parse(text, path, problems)


def line_of(text: str, key: str, start: int = 1) -> int:
    """Line (from 1) on which a top-level or nested `key:` first stands, or `start` when it does not."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip(" -").startswith((f"{key}:", f'"{key}":', f"'{key}':")):
            return number
    return start


def _key(paths: list[Path], salt: str) -> str:
    digest = hashlib.sha256(f"{_FORMAT}:{salt}".encode())
    for path in paths:
        state = path.stat()
        digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def load_yaml_files(paths: Iterable[Path], problems: list[Problem], *, salt: str = "") -> Contents:
    """Parsed content by path. Faulty files are reported in `problems` and left out; only a clean set is cached."""
    files = sorted(paths)
    cached = load_cached(files, f"yaml{salt}")
    if cached is not None:
        return dict(cached)
    before = len(problems)
    content: dict[str, object] = {}
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
        directory = private_cache()
        return json.loads((directory / f"{_key(files, salt)}.json").read_bytes()) if directory else None
    except (OSError, ValueError):
        return None


def save_cached(files: list[Path], salt: str, content: object) -> None:
    """Keep a JSON-able value for these files; failing to write is not an error."""
    try:
        directory = private_cache(make=True)
        if directory is None:
            return
        with tempfile.NamedTemporaryFile("w", dir=directory, prefix=PREFIX, delete=False, encoding="utf-8") as handle:
            json.dump(content, handle, ensure_ascii=False)
        Path(handle.name).replace(directory / f"{_key(files, salt)}.json")
        keep_within(directory)
    except (OSError, TypeError, ValueError):
        return
