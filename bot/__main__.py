"""`python -m bot ...`, also installed as `xuanka`.

A plain `ask TEXT` takes a shorter way in: it needs neither the other commands nor the library that describes them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def plain_question(arguments: Sequence[str]) -> tuple[str, str, bool] | None:
    """Text, language and whether JSON is wanted of `ask TEXT [--lang LANGUAGE] [--json]`; None for anything else."""
    if len(arguments) < 2 or arguments[0] != "ask" or arguments[1].startswith("-"):
        return None
    language, as_json = "", False
    rest = iter(arguments[2:])
    for argument in rest:
        if argument == "--json":
            as_json = True
        elif argument == "--lang":
            language = next(rest, "-")
        else:
            return None
    return None if language.startswith("-") else (arguments[1], language, as_json)


def _answer(text: str, language: str, *, as_json: bool) -> None:
    from bot.cli.talk import ask_once

    ask_once(text, language, as_json=as_json)


def main() -> None:
    """Run a command; expected trouble is one line and exit status 2, never a traceback."""
    import gc

    from bot.cli.errors import guarded

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    # pydantic would read the description of every installed package to see whether one is a plugin of it
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    question = plain_question(sys.argv[1:])
    if question is None:
        from bot.cli.commands import app

        guarded(app)
        return
    text, language, as_json = question
    # one question makes no garbage worth looking for
    gc.disable()
    guarded(lambda: _answer(text, language, as_json=as_json))
    sys.stderr.flush()
    # nothing is open that wants closing, and taking the catalogue apart piece by piece would cost a tenth of the time
    os._exit(0)


if __name__ == "__main__":
    main()
