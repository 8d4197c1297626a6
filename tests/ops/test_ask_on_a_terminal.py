"""`ask` on a terminal shows a screen at a time, so that the answer's first line stays in sight; a pipe gets it whole."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONG = "budget $800, LoRA on a 7B"
ROWS, COLUMNS = 24, 80
ASK = [sys.executable, "-m", "bot", "ask", LONG]


def test_the_first_screen_holds_the_answer_and_enter_shows_the_rest() -> None:
    whole = subprocess.run(ASK, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in {"LINES", "COLUMNS"}}
    asked = subprocess.Popen(ASK, cwd=ROOT, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = until(ours, "press Enter.")
    lines = shown.splitlines()
    assert lines[0].startswith(whole[0][:40])
    assert len(lines) < ROWS
    os.write(ours, b"\n")
    rest = until(ours, whole[-1][-30:])
    assert "press Enter" not in rest
    assert asked.wait(timeout=60) == 0
    os.close(ours)


def until(terminal: int, end: str) -> str:
    """What a terminal shows up to a text, wherever its lines are broken."""
    shown = ""
    while "".join(end.split()) not in "".join(shown.split()):
        shown += os.read(terminal, 4096).decode("utf-8", "replace").replace("\r\n", "\n")
    return shown
