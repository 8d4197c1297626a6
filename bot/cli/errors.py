"""Expected trouble at the edge of the command line: one line that says what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from advisor.errors import BadData


def guarded(run: Callable[[], object]) -> None:
    """Run a command. Faulty data, settings or an occupied port end with lines and status 2, a closed pipe silently."""
    try:
        run()
    except BadData as error:
        sys.exit(_tell(str(error), "Run `python -m bot check` after mending the files."))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except ValueError as error:
        lines = getattr(error, "lines", None)  # SettingsError, without importing pydantic-settings for every command
        if lines is None:
            raise
        sys.exit(_tell(*lines))


def _tell(*lines: str) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return 2
