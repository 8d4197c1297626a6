"""Starts a real store server (Debian's redis-server or valkey-server) on a port of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BINARY = shutil.which("valkey-server") or shutil.which("redis-server")


def free_port() -> int:
    """A port nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, seconds: float = 10.0) -> None:
    """Return once something listens; raise when nothing does in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket() as probe:
            probe.settimeout(0.1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise TimeoutError(f"nothing listens on {port}")


@contextmanager
def store_server(directory: Path, port: int | None = None) -> Iterator[str]:
    """Address of a fresh server that keeps an append-only file in `directory`."""
    if BINARY is None:
        raise RuntimeError("no redis-server or valkey-server: apt-get install redis-server")
    port = port or free_port()
    options = {"--port": port, "--bind": "127.0.0.1", "--dir": directory, "--appendonly": "yes", "--save": ""}
    process = subprocess.Popen(
        [BINARY, *(str(part) for pair in options.items() for part in pair)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_port(port)
        yield f"valkey://127.0.0.1:{port}/0"
    finally:
        process.kill()
        process.wait(10)
