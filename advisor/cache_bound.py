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
from time import time
from typing import Final, NamedTuple

MOST_BYTES: Final = 200 * 1024 * 1024
"""Of all caches together; one version of the program and its data takes about a tenth of it."""
_DOWN_TO: Final = 0.75
"""Share of the bound that is left, so that the next files need no look."""
_YOUNG_S: Final = 3600.0
"""What was written since then may belong to a process that is starting now, and stays."""
PREFIX: Final = "unfinished-"
"""What the name of a file begins with while it is written; one that a process left behind so is no cache of anybody."""
_OURS: Final = re.compile(rf"(?:[0-9a-f]{{32}}|knowledge-[0-9a-f]{{32}}[-0-9a-z]*)\.json|templates-[\w.-]+|{PREFIX}\w+")


class _Kept(NamedTuple):
    """A cache as it lies there."""

    written: float
    size: int
    path: Path


def keep_within(directory: Path, most: int = MOST_BYTES) -> None:
    """Let the oldest caches in a folder go while all together take more bytes than `most`, young ones excepted.

    Never fails: what cannot be removed, or is removed by another process meanwhile, is left out.
    """
    with suppress(OSError):
        found = sorted(_caches(directory))
        size, now = sum(one.size for one in found), time()
        if size <= most:
            return
        for one in (one for one in found if not 0.0 <= now - one.written < _YOUNG_S):
            if size <= most * _DOWN_TO:
                return
            size -= one.size if _dropped(one.path) else 0


def _caches(directory: Path) -> Iterator[_Kept]:
    """The caches in a folder; one that another process takes away meanwhile is none."""
    for path in directory.iterdir():
        if _OURS.fullmatch(path.name) is None or path.is_symlink():
            continue
        with suppress(OSError):
            files = list(path.iterdir()) if path.is_dir() else [path]
            yield _Kept(path.stat().st_mtime, sum(file.stat().st_size for file in files), path)


def _dropped(path: Path) -> bool:
    """Whether a cache could be removed."""
    with suppress(OSError):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return not path.exists()
