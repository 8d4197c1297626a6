"""Caches stay within a bound, and nothing that is not ours is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from advisor.cache_bound import keep_within
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


def test_a_folder_that_is_gone_is_no_trouble(tmp_path: Path) -> None:
    keep_within(tmp_path / "none", most=1)
    assert not (tmp_path / "none").exists()


def test_whoever_keeps_one_more_lets_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(cache))
    old = kept(cache, f"{7:032x}.json", age=500, size=1)
    os.truncate(old, 300 * KIB * KIB)
    data = tmp_path / "data.yaml"
    data.write_text("memory: 24\n", encoding="utf-8")
    assert load_yaml_files([data], []) == {str(data): {"memory": 24}}
    assert not old.exists()
    assert len(list(cache.iterdir())) == 1
