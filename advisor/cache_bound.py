"""Keeps the folder of caches within a bound: what older versions of data and program left there goes, oldest first.

Everything in it can be made again, so a file too many that goes costs time and nothing else. Only what bears the name
of a cache of ours is touched: the folder may be one that others use too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

MOST_BYTES: Final = 200 * 1024 * 1024
"""Of all caches together; one version of the program and its data takes about a tenth of it."""
_DOWN_TO: Final = 0.75
"""Share of the bound that is left, so that the next files need no look."""
_OURS: Final = re.compile(r"(?:[0-9a-f]{32}|knowledge-[0-9a-f]{32}[-0-9a-z]*)\.json|templates-[\w.-]+")


class _Kept(NamedTuple):
    """A cache as it lies there."""

    written: float
    size: int
    path: Path


def keep_within(directory: Path, most: int = MOST_BYTES) -> None:
    """Let the oldest caches in a folder go while all together take more bytes than `most`. Never fails."""
    with suppress(OSError):
        found = sorted(_caches(directory))
        size = sum(one.size for one in found)
        if size <= most:
            return
        for one in found:
            if size <= most * _DOWN_TO:
                return
            _drop(one.path)
            size -= one.size


def _caches(directory: Path) -> Iterator[_Kept]:
    """The caches in a folder; one that another process takes away meanwhile is none."""
    for path in directory.iterdir():
        if _OURS.fullmatch(path.name) is None or path.is_symlink():
            continue
        with suppress(OSError):
            files = list(path.iterdir()) if path.is_dir() else [path]
            yield _Kept(path.stat().st_mtime, sum(file.stat().st_size for file in files), path)


def _drop(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
