"""Headers that several rooms of the web app send."""

from __future__ import annotations

from typing import Final

PICTURE_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
}
"""Drawn SVG carries styles; opened by itself it may do nothing else."""
