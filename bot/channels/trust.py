"""Whom this machine trusts, read once for all connections: reading the list takes 15 to 30 ms each time."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def trusted() -> ssl.SSLContext:
    """The certificates of authorities that outgoing connections are checked by, as httpx takes them.

    Kept for the life of the process, as any client keeps its own.
    """
    return httpx.create_ssl_context()
