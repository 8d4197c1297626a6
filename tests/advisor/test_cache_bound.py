"""Caches stay within a bound, and nothing that is not ours is touched."""

from __future__ import annotations

import os
from pathlib import Path
from time import time

import pytest

from advisor.cache_bound import PREFIX, keep_within
from advisor.files import load_yaml_files

KIB = 1024


def kept(folder: Path, name: str, age: int, size: int = 10 * KIB) -> Path:
    """A cache of some age in seconds; a name without an ending is a folder of compiled templates."""
    path = folder / name
    if not path.suffix:
        path.mkdir()
        (path / "one.cache").write_bytes(b"x" * size)
    else:
        path.write_bytes(b"x" * size)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def test_the_oldest_caches_go_and_what_is_no_cache_of_ours_stays(tmp_path: Path) -> None:
    old = kept(tmp_path, f"knowledge-{'a' * 32}-index9-{'b' * 12}.json", age=500)
    templates = kept(tmp_path, "templates-cpython-311-jinja3_1_6-0a560502df", age=400)
    new = [kept(tmp_path, f"{number:032x}.json", age=number) for number in range(6)]
    foreign = kept(tmp_path, "thesis.json", age=9_000)
    aside = kept(tmp_path, "notes", age=9_000)
    keep_within(tmp_path, most=60 * KIB)
    assert not old.exists()
    assert not templates.exists()
    assert [path.exists() for path in new] == [True, True, True, True, False, False]
    assert foreign.exists()
    assert (aside / "one.cache").exists()


def test_within_the_bound_nothing_goes(tmp_path: Path) -> None:
    listed = [kept(tmp_path, f"{number:032x}.json", age=number) for number in range(6)]
    keep_within(tmp_path, most=60 * KIB)
    assert all(path.exists() for path in listed)


def test_what_was_just_written_stays_however_large(tmp_path: Path) -> None:
    new = kept(tmp_path, f"{1:032x}.json", age=0)
    old = kept(tmp_path, f"{2:032x}.json", age=500)
    os.utime(new)
    keep_within(tmp_path, most=1)
    assert new.exists()
    assert not old.exists()


def test_what_a_clock_that_ran_ahead_dated_is_old(tmp_path: Path) -> None:
    ahead = kept(tmp_path, f"{1:032x}.json", age=0)
    os.utime(ahead, (time() + 90_000,) * 2)
    keep_within(tmp_path, most=1)
    assert not ahead.exists()


def test_what_cannot_be_removed_is_left_and_the_next_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, free = (kept(tmp_path, f"{number:032x}.json", age=500 - number) for number in range(2))
    remove = Path.unlink

    def refused(path: Path, *, missing_ok: bool = False) -> None:
        if path == held:
            raise PermissionError(path)
        remove(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    keep_within(tmp_path, most=15 * KIB)
    assert held.exists()
    assert not free.exists()


def test_what_a_process_left_half_written_goes_with_the_others(tmp_path: Path) -> None:
    half = tmp_path / f"{PREFIX}x7_ab"
    half.write_bytes(b"x" * KIB)
    os.utime(half, (1_000_000, 1_000_000))
    keep_within(tmp_path, most=1)
    assert not half.exists()


def test_a_folder_that_is_gone_is_no_trouble(tmp_path: Path) -> None:
    keep_within(tmp_path / "none", most=1)
    assert not (tmp_path / "none").exists()


def test_whoever_keeps_one_more_lets_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(cache))
    old = kept(cache, f"{7:032x}.json", age=500, size=1)
    os.truncate(old, 300 * KIB * KIB)
    os.utime(old, (1_000_000, 1_000_000))
    data = tmp_path / "data.yaml"
    data.write_text("memory: 24\n", encoding="utf-8")
    assert load_yaml_files([data], []) == {str(data): {"memory": 24}}
    assert not old.exists()
    assert len(list(cache.iterdir())) == 1
