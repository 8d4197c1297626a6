"""Keeps secrets and texts out of the logs: websockets logs frames, httpx logs addresses that are keys."""

from __future__ import annotations

import logging


def silence_libraries() -> None:
    """Let the libraries of this channel log nothing but what stops them."""
    for name in ("websockets", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
