"""Reads YAML files and passages with their line numbers, through a JSON cache so that a cold start parses nothing.

The cache is one JSON file in the user's cache directory, keyed by path, size and modification time of every file;
a missing, broken or unwritable cache only costs time. (The advisor has its own; the two rooms are strangers.)
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

from knowledge.errors import Problem

_FORMAT = "6"


def parse_yaml(text: str, path: str, problems: list[Problem], first_line: int = 1) -> object:
    """Parse one document; a syntax fault becomes a Problem with its line, and None is returned."""
    # what is read from the cache needs no YAML
    from knowledge.yaml_text import parse

    return parse(text, path, problems, first_line)


def line_of(text: str, key: str, start: int = 1) -> int:
    """Line (from 1) on which `key:` first stands, or `start` when it does not."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip(" -{").startswith((f"{key}:", f'"{key}":', f"'{key}':")):
            return number
    return start


def cache_directory() -> Path:
    """Where caches may be kept: $XUANKA_CACHE_DIR, else the user's cache directory."""
    configured = os.environ.get("XUANKA_CACHE_DIR")
    if configured:
        return Path(configured)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "xuanka"


def private_cache(make: bool = False) -> Path | None:
    """The cache directory, or None where it is not this user's alone: what others may write there is not believed.

    Raises:
        OSError: it cannot be made.
    """
    directory = cache_directory()
    if make:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not directory.is_dir() or directory.is_symlink():
        return None
    found = directory.stat()
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return directory if mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else None


def cache_key(paths: Sequence[Path], salt: str) -> str:
    """A name that changes when any file changes."""
    digest = hashlib.sha256(f"{_FORMAT}:{salt}".encode())
    for path in paths:
        state = path.stat()
        digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return f"knowledge-{digest.hexdigest()[:32]}"


def load_cached(key: str) -> object:
    """What `save_cached` kept under this key, or None."""
    try:
        directory = private_cache()
        return json.loads((directory / f"{key}.json").read_bytes()) if directory else None
    except (OSError, ValueError):
        return None


def save_cached(key: str, content: object) -> None:
    """Keep a JSON-able value; failing to write is not an error."""
    try:
        directory = private_cache(make=True)
        if directory is None:
            return
        with tempfile.NamedTemporaryFile("w", dir=directory, delete=False, encoding="utf-8") as handle:
            json.dump(content, handle, ensure_ascii=False, separators=(",", ":"))
        Path(handle.name).replace(directory / f"{key}.json")
    except (OSError, TypeError, ValueError):
        return
