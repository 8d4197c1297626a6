"""Every setting that the library refuses has a sentence of its own in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
REFUSED = re.compile(r"(?:UnsupportedCombination|_refuse)\([^)]*?setting=\"(\w+)\"", re.S)


def refused_settings() -> set[str]:
    return {name for path in (ROOT / "advisor").rglob("*.py") for name in REFUSED.findall(path.read_text("utf-8"))}


def test_settings_are_refused_somewhere() -> None:
    assert {"vram", "quant", "optimizer"} <= refused_settings()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_refused_setting_has_its_sentence(language: str) -> None:
    notes = yaml.safe_load((ROOT / f"templates/_shared/notes/memory.{language}.yaml").read_text("utf-8"))
    assert not {f"memory_refused_{name}" for name in refused_settings()} - notes.keys()
