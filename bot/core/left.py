"""What an answer leaves behind for questions about it, packed: most of it is never asked for.

A conversation comes from its store with the newest answer open; an older one is opened when it is gone back to.
"""

from __future__ import annotations

import base64
import zlib
from contextlib import suppress
from typing import Final

from advisor.models import Frozen, Step
from bot.core.conversation import Episode
from bot.core.message import Fact, SourceRef

_MOST_UNPACKED: Final = 512 * 1024
_SHARED: Final = (
    b'","basis":","source":"price","claim","formula","assumption","given","rate","high":,"low":,"as_of":"2026-11-21"'
    b'"sources":["url":"https://www.,"section":","title":"],"inputs":[{"how":"claim","name":","value":,"unit":"GiB",'
    b'"unit":"USD","unit":"CNY","formula":","kind":"","series":[["","x_label":"","y_label":"","title":"","chart":{'
    b'**","details":"- ","trace":[{"facts":[{"name":"'
)
"""What packed answers have in common, the commonest at the end. A changed one reads no earlier record's packs."""


class _Left(Frozen):
    """What an answer leaves behind for questions about it."""

    facts: tuple[Fact, ...] = ()
    sources: tuple[SourceRef, ...] = ()
    trace: tuple[Step, ...] = ()
    details: str = ""
    chart: dict[str, object] | None = None


LEFT: Final = frozenset(_Left.model_fields)
WORDS: Final = frozenset({"details", "sources"})
"""Of these what is read: the full text, and where its figures come from."""


def packed(episode: Episode, fields: frozenset[str]) -> str:
    """These of an answer's fields, packed; empty where none of them says anything."""
    text = episode.model_dump_json(include=set(fields), exclude_defaults=True)
    if text == "{}":
        return ""
    packer = zlib.compressobj(6, zdict=_SHARED)
    return base64.b64encode(packer.compress(text.encode()) + packer.flush()).decode()


def opened(episode: Episode) -> Episode:
    """An answer with what it left behind; without where nothing was kept, or another version packed it."""
    if not episode.packed:
        return episode
    found: dict[str, object] = {"packed": ""}
    with suppress(ValueError, zlib.error):
        unpacker = zlib.decompressobj(zdict=_SHARED)
        text = unpacker.decompress(base64.b64decode(episode.packed), _MOST_UNPACKED)
        left = _Left.model_validate_json(text, extra="ignore")
        found |= {name: getattr(left, name) for name in LEFT}
    return episode.model_copy(update=found)
