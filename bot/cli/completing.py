"""Names to complete at the shell: ids of cards and models, read from file names and lines, without loading anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"""^  name: ["']?([^"'\n]+)""", re.MULTILINE)
_SERIES: Final = ("rtx-", "gtx-", "rx-")
_DATA: Final = Path(__file__).resolve().parents[2] / "advisor" / "data"


def cards(start: str) -> list[str]:
    """Names of cards that begin like this, or hold it; the number alone names a card too."""
    whole = [path.stem for path in (_DATA / "gpus").glob("*.yaml")]
    return _like(start, [*whole, *(_number(name) for name in whole)])


def _number(name: str) -> str:
    return next((name.removeprefix(one) for one in _SERIES if name.startswith(one)), name)


def models(start: str) -> list[str]:
    """Names of models that begin like this, or hold it."""
    texts = (path.read_text(encoding="utf-8") for path in (_DATA / "ml_models").glob("*.yaml"))
    return _like(start, [name.casefold().replace(" ", "-") for text in texts for name in _NAME.findall(text)])


def tasks(start: str) -> list[str]:
    """Tasks that begin like this."""
    text = (_DATA / "tasks.yaml").read_text(encoding="utf-8")
    return _like(start, re.findall(r"^(\w+):", text, re.MULTILINE))


def words(*known: str) -> Callable[[str], list[str]]:
    """A completion from a short list."""
    return lambda incomplete: [word for word in known if word.startswith(incomplete.casefold())]


def _like(start: str, names: Iterable[str]) -> list[str]:
    wanted = start.casefold()
    known = sorted(set(names))
    return [one for one in known if one.startswith(wanted)] or [one for one in known if wanted in one]


def anything(start: str) -> list[str]:
    """Cards and models."""
    return [*cards(start), *models(start)]
