"""A small library on disk that tests may change."""

from __future__ import annotations

import shutil
from pathlib import Path

from knowledge.store import HOME

PASSAGE = """---
id: {name}
origin: seed
title: {{zh: "{name} 的标题", en: "Title of {name}"}}
questions:
  zh: ["{name} 问题一", "{name} 问题二", "{name} 问题三"]
  en: ["first question about {name}", "second question about {name}", "third question about {name}"]
seeds: [{{file: "000", section: "一"}}]
covers: ["000-001"]
as_of: {{date: "2022", stated: false}}
{more}---
## zh
### short
简短说明 {name}。
### full
{zh}
## en
### short
In short, {name}.
### full
{en}
"""
ZH = "这里是一段足够长的说明，" * 8
EN = "These are plain words that say something about the subject at hand. " * 5


def passage_text(name: str, more: str = "", zh: str = ZH, en: str = EN) -> str:
    """A sound passage; `more` adds lines to its front matter."""
    return PASSAGE.format(name=name, more=more, zh=zh, en=en)


def make_home(directory: Path, **passages: str) -> Path:
    """A knowledge base in `directory` with these passages (underscores in names become hyphens)."""
    home = directory / "knowledge"
    (home / "passages" / "own").mkdir(parents=True)
    shutil.copytree(HOME / "data", home / "data")
    shutil.copy(HOME / "sources.yaml", home / "sources.yaml")
    for name, text in passages.items():
        (home / "passages" / "own" / f"{name.replace('_', '-')}.md").write_text(text, encoding="utf-8")
    return home
