"""The cache folder stays small, and nothing that may be in use goes."""

from __future__ import annotations

import os
from pathlib import Path
from time import time

from bot.tidy import OLD_AFTER_DAYS, tidy_cache

DAY = 86_400


def put(folder: Path, name: str, *, days: float, size: int = 100) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (time() - days * DAY,) * 2)
    return path


def test_old_files_go_and_the_others_stay(tmp_path: Path) -> None:
    old = put(tmp_path, "templates/a.cache", days=OLD_AFTER_DAYS + 1)
    used = put(tmp_path, "b.json", days=OLD_AFTER_DAYS - 1)
    assert tidy_cache(tmp_path) == 1
    assert not old.exists()
    assert used.exists()


def test_the_oldest_go_while_all_together_are_too_large(tmp_path: Path) -> None:
    files = [put(tmp_path, f"{days}.json", days=days) for days in (5, 4, 3, 2, 1)]
    assert tidy_cache(tmp_path, most_bytes=250) == 3
    assert [path.exists() for path in files] == [False, False, False, True, True]


def test_what_was_just_written_stays_however_large(tmp_path: Path) -> None:
    new = put(tmp_path, "new.json", days=0, size=1000)
    assert tidy_cache(tmp_path, most_bytes=10) == 0
    assert new.exists()


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    assert tidy_cache(tmp_path / "none") == 0
