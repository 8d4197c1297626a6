"""Where the files live that are not code: beside the packages in a checkout, inside the package in a wheel."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def templates_directory() -> Path:
    """Folder of the templates."""
    packed = _HERE / "_templates"
    return packed if packed.is_dir() else _HERE.parent / "templates"


def intents_directory() -> Path:
    """Folder of the intent files."""
    return _HERE / "intents"


def languages_directory() -> Path:
    """Folder of the language files."""
    return _HERE / "languages"


def lexicon_directory() -> Path:
    """Folder of the words of measures and of asking."""
    return _HERE / "lexicon"


def topics_directory() -> Path:
    """Folder of the topics of sums."""
    return _HERE / "topics"
