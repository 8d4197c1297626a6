"""Where the peers live, and running a script among them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
_PYTHON = ROOT / ".venv-peers" / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def peer_python() -> str:
    """The interpreter of the peers. Without it a test is skipped on a desk, and fails in CI."""
    if _PYTHON.exists():
        return str(_PYTHON)
    reason = "the peers are not installed: run tests/peers/setup.sh"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


async def run_peer(script: Path, *arguments: str, stdin: str = "", timeout_s: float = 60.0) -> Any:
    """Run a script with the peers' interpreter and give the JSON that it prints."""
    process = await asyncio.create_subprocess_exec(
        peer_python(),
        str(script),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(stdin.encode()), timeout_s)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, err.decode()[-3000:]
    return json.loads(out)
