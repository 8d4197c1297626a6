"""What was typed, kept between sessions where line editing is there; the file is the user's alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final

_MOST: Final = 1000
_OWN: Final = 0o600


def history_path() -> Path:
    """The file, where programs of this system keep such things."""
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "xuanka" / "history"


class History:
    """Line editing with a history; does nothing where the system has no line editing."""

    def __init__(self, path: Path) -> None:
        """Read what is there."""
        self.path = path
        self._clear: Callable[[], None] | None = None
        self._write: Callable[[str], None] | None = None
        with suppress(ImportError, OSError):
            self._open()

    def _open(self) -> None:
        readline = import_module("readline")
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.touch(mode=_OWN)
        self.path.chmod(_OWN)
        with suppress(OSError):
            readline.read_history_file(str(self.path))
        readline.set_history_length(_MOST)
        self._clear, self._write = readline.clear_history, readline.write_history_file

    @property
    def kept(self) -> bool:
        """Whether anything is kept."""
        return self._write is not None

    def save(self) -> None:
        """Write what was typed."""
        if self._write is not None:
            with suppress(OSError):
                self._write(str(self.path))

    def forget(self) -> None:
        """Empty it, here and in the file."""
        if self._clear is not None:
            self._clear()
            self.save()
