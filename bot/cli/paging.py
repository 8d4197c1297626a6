"""A text on a terminal: a screen at a time, so that its first line is never scrolled away; into a pipe as it is."""

from __future__ import annotations

import shutil
import sys

from bot.core.message import Language


def show(text: str, language: Language) -> None:
    """Print a text; where it is longer than the terminal is high, the rest waits for Enter, and Ctrl-C leaves it."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        print(text, flush=True)
        return
    from bot.cli.wrapping import screens  # only where there is a terminal

    size = shutil.get_terminal_size()
    first, *rest = screens(text, size.columns, size.lines)
    print(first, flush=True)
    while rest and _wanted(sum(part.count("\n") + 1 for part in rest), language):
        print(rest.pop(0), flush=True)


def _wanted(lines: int, language: Language) -> bool:
    """Whether the reader wants the lines that are left."""
    from bot.channels.words import channel_words

    try:
        input(channel_words("cli")("chat.more", language, lines=lines))
    except (EOFError, KeyboardInterrupt):
        print()
        return False
    return True
