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
    """A port nobody listens on at the moment, below those that leave room for a cluster's second port."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port < 55_000:
            return port


def wait_for_port(port: int, seconds: float = 60.0) -> None:
    """Return once something listens; raise when nothing does in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket() as probe:
            probe.settimeout(0.1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise TimeoutError(f"nothing listens on {port}")


class StoreServer:
    """A server that keeps an append-only file in `directory`, and can die and come back on the same port."""

    def __init__(
        self, directory: Path, *, cluster: bool = False, fsync: str = "always", patience_s: float = 60.0
    ) -> None:
        self._directory, self._cluster, self._fsync, self._patience_s = directory, cluster, fsync, patience_s
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"valkey://127.0.0.1:{self.port}/0" + ("?cluster=true" if self._cluster else "")

    def start(self) -> None:
        if BINARY is None:
            raise RuntimeError("no redis-server or valkey-server: apt-get install redis-server")
        options = {"--port": self.port, "--bind": "127.0.0.1", "--dir": self._directory, "--save": ""}
        options |= {"--appendonly": "yes", "--appendfsync": self._fsync}
        # The log is written anew as it grows, so that a server that was killed has little to read.
        options |= {"--auto-aof-rewrite-min-size": "8mb", "--auto-aof-rewrite-percentage": 100}
        if self._cluster:
            options |= {"--cluster-enabled": "yes", "--cluster-config-file": "nodes.conf"}
        self._process = subprocess.Popen(
            [BINARY, *(str(part) for pair in options.items() for part in pair)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for_port(self.port, self._patience_s)
        self._wait_until_loaded(self._patience_s)
        if self._cluster:
            self._take_all_slots()

    def _wait_until_loaded(self, seconds: float) -> None:
        """A server listens before it has read its log; until then it refuses every command."""
        until = time.monotonic() + seconds
        while self.say("PING").startswith(b"-LOADING"):
            if time.monotonic() >= until:
                raise TimeoutError("the store server did not finish loading")

    def kill(self) -> None:
        """As hard as it gets."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None

    def say(self, *words: str) -> bytes:
        """One command over a bare connection; gives the raw answer."""
        with socket.create_connection(("127.0.0.1", self.port), 2) as connection:
            parts = "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
            connection.sendall(f"*{len(words)}\r\n{parts}".encode())
            return connection.recv(65536)

    def _take_all_slots(self) -> None:
        """A cluster of one node: small, but it refuses keys of different slots in one step as a large one does."""
        self.say("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        until = time.monotonic() + 10
        while b"cluster_state:ok" not in self.say("CLUSTER", "INFO"):
            if time.monotonic() > until:
                raise TimeoutError("the cluster does not come up")
            time.sleep(0.02)


@contextmanager
def running_server(
    directory: Path, *, cluster: bool = False, fsync: str = "always", patience_s: float = 60.0
) -> Iterator[StoreServer]:
    """A server for the length of a test."""
    server = StoreServer(directory, cluster=cluster, fsync=fsync, patience_s=patience_s)
    server.start()
    try:
        yield server
    finally:
        server.kill()
