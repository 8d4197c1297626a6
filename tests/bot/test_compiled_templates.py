"""The cache of compiled templates helps, and can never hurt."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bot.compiled import compiled_templates
from bot.render import Renderer


def _folder(base: Path) -> Path:
    return next(path for path in base.iterdir() if path.name.startswith("templates-"))


def test_what_was_compiled_is_kept_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(tmp_path))
    first = Renderer().page("cancel", "zh", had=True)
    kept = list(_folder(tmp_path).iterdir())
    assert kept
    assert Renderer().page("cancel", "zh", had=True) == first
    assert stat.S_IMODE(_folder(tmp_path).stat().st_mode) == 0o700


def test_a_broken_cache_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(tmp_path))
    first = Renderer().page("cancel", "en", had=True)
    for path in _folder(tmp_path).iterdir():
        path.write_bytes(path.read_bytes()[:-40])
    assert Renderer().page("cancel", "en", had=True) == first


def test_a_folder_that_others_may_write_to_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(tmp_path))
    assert compiled_templates() is not None
    _folder(tmp_path).chmod(0o777)
    assert compiled_templates() is None
    assert Renderer().page("cancel", "en", had=True)


def test_no_folder_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    occupied = tmp_path / "a file"
    occupied.write_text("not a folder")
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(occupied))
    assert compiled_templates() is None
    assert Renderer().page("cancel", "zh", had=True)


def test_labels_are_of_the_language_that_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Macros of both languages share one compiled form: no label may be baked into it."""
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(tmp_path))
    source = "{% macro heading() %}{{ 'do.why' | word }}{% endmacro %}{{ heading() }}"
    for language in ("zh", "en"):
        renderer = Renderer()
        voice = renderer._voices[language]
        code = voice.environment.compile(source)
        shown = voice.environment.template_class.from_code(voice.environment, code, {}).render()
        assert shown == renderer.words(language)("do.why")
        assert shown not in voice.environment.compile(source, raw=True)


def test_caches_that_others_may_write_to_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import advisor.files
    import knowledge.files

    cache = tmp_path / "cache"
    monkeypatch.setenv("XUANKA_CACHE_DIR", str(cache))
    data = tmp_path / "data.yaml"
    data.write_text("a: 1", encoding="utf-8")
    advisor.files.save_cached([data], "s", {"a": 1})
    knowledge.files.save_cached("k", {"a": 1})
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in cache.iterdir()} == {0o600}
    assert advisor.files.load_cached([data], "s") == knowledge.files.load_cached("k") == {"a": 1}
    cache.chmod(0o777)
    assert advisor.files.load_cached([data], "s") is None
    assert knowledge.files.load_cached("k") is None
    for file in cache.iterdir():
        file.unlink()
    advisor.files.save_cached([data], "s", {"a": 2})
    knowledge.files.save_cached("k", {"a": 2})
    assert compiled_templates() is None
    assert list(cache.iterdir()) == []
