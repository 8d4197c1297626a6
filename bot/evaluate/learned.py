"""What the weights were learned from: `bot/corpus/learned.yaml`, one entry for each part, written by `bot learn`.

Four parts are learned, and not always at one time: needs (`evidence.json`), roles of mentions, clauses that ask, and
scope (the three of `reading.json`). An entry holds digests of the weights and of what they were learned from, so
weights that were changed in any other way, or data that changed since, are noticed without learning anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final, NotRequired, TypedDict

import yaml

from bot.evaluate.corpus import corpus_directory
from bot.read.load import weights
from bot.understand.load import read_evidence

NEEDS, ROLES, ASKING, SCOPE = "needs", "roles", "asking", "scope"
PARTS: Final = (NEEDS, ROLES, ASKING, SCOPE)
_LIBRARIES: Final = ("scikit-learn", "scipy", "numpy")
_SHORT: Final = 16
_HEADING: Final = "# Written by `bot learn --write`, never by hand; what stands here is told in bot/read/README.md.\n"


class Entry(TypedDict):
    """Where one part of the weights comes from."""

    weights: str
    """Digest of the weights."""
    data: str
    """Digest of the labelled data."""
    signs: NotRequired[str]
    """Digest of the data as they were read: changes with the reader and its words, too. Not known of older weights."""
    beside: NotRequired[str]
    """Digest of the weights of needs beside which they were learned."""
    at: NotRequired[str]
    """The commit at whose state they were learned, where it is not today's."""
    tools: NotRequired[str]
    """The libraries that fitted them."""


def learned_file() -> Path:
    """The file of entries; only a checkout has it."""
    return corpus_directory() / "learned.yaml"


def entries() -> dict[str, Entry]:
    """Every entry by its part."""
    found: dict[str, Entry] = yaml.safe_load(learned_file().read_text(encoding="utf-8"))
    return found


def keep(fresh: Mapping[str, Entry]) -> None:
    """Write these entries; those of other parts stay."""
    kept = {**entries(), **fresh}
    content = yaml.safe_dump({part: dict(kept[part]) for part in PARTS}, sort_keys=False, allow_unicode=True)
    learned_file().write_text(_HEADING + content, encoding="utf-8")


def digest_of(content: object) -> str:
    """Short digest of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:_SHORT]


def digest_of_rows(rows: Iterable[object]) -> str:
    """Short digest of many rows, one after the other, each of what `repr` tells whole."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(repr(row).encode())
    return digest.hexdigest()[:_SHORT]


def weights_in_use() -> dict[str, str]:
    """The digest of each part of the weights as they are read."""
    reading = weights()
    return {NEEDS: digest_of(dict(read_evidence())), **{part: digest_of(reading[part]) for part in PARTS[1:]}}


def tools() -> str:
    """The libraries that fit, with their versions."""
    return ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)


def compared(fresh: Mapping[str, Entry]) -> list[str]:
    """For each part that was learned now whether it is what is in use, and if not, what is other than it was then."""
    kept = entries()
    found: list[str] = []
    for part, entry in fresh.items():
        if entry["weights"] == kept[part]["weights"]:
            found.append(f"{part}: the same bytes as in use")
            continue
        named = [key for key in ("data", "signs", "beside", "tools") if entry.get(key) != kept[part].get(key)]
        found.append(f"{part}: not what is in use; other than when that was learned: {', '.join(named) or 'nothing'}")
    return found
