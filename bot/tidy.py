"""Keeps the cache folder small: every change of the data leaves what was prepared from the state before."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import time

from advisor.files import cache_directory

MOST_BYTES = 200 * 1024 * 1024
_DAY = 86_400.0
OLD_AFTER_DAYS = 60
_YOUNG = 3600.0
"""Seconds: what was written since then may belong to a process that is starting now."""
_AT_ONCE = 200
"""Files removed at most, so that a start is never held up for long; the next one goes on."""


def tidy_cache(directory: Path | None = None, *, most_bytes: int = MOST_BYTES) -> int:
    """Remove cached files that are old, then the oldest ones while all together are too large; gives how many went.

    Everything there can be made again, so removing too much costs a slow start and nothing else. A file that cannot be
    removed, or that another process removed first, is left out.

    Args:
        directory: the cache folder, by default the program's own.
        most_bytes: size of all files together that is kept.
    """
    directory = cache_directory() if directory is None else directory
    found = _files(directory)
    now, total, gone = time(), sum(size for _, size, _ in found), 0
    for changed, size, path in sorted(found, key=lambda one: one[0]):
        old = now - changed >= OLD_AFTER_DAYS * _DAY
        if gone == _AT_ONCE or not (old or (total > most_bytes and now - changed >= _YOUNG)):
            break
        with suppress(OSError):
            path.unlink()
            total, gone = total - size, gone + 1
    return gone


def _files(directory: Path) -> list[tuple[float, int, Path]]:
    """When each file below a folder was changed, its size, and its path; those that are gone meanwhile left out."""
    found: list[tuple[float, int, Path]] = []
    for path in directory.rglob("*") if directory.is_dir() else ():
        with suppress(OSError):
            if path.is_file() and not path.is_symlink():
                state = path.stat()
                found.append((state.st_mtime, state.st_size, path))
    return found
