"""The version of the program: of the installed package, or of the checkout it runs from."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final

_PROJECT: Final = Path(__file__).resolve().parents[1] / "pyproject.toml"


def version() -> str:
    """Such as 0.1.0; "unknown" where neither says it."""
    try:
        return metadata.version("xuanka")
    except metadata.PackageNotFoundError:
        if not _PROJECT.is_file():
            return "unknown"
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
