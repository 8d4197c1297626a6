"""What an answer leaves behind for questions about it, packed: most of it is never asked for.

A conversation comes from its store with the figures and the text of the newest answer; the rest of it, and an older
one, is opened when it is gone back to.
"""

from __future__ import annotations

import base64
import zlib
from contextlib import suppress
from typing import Final, TypeVar

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


class _Spoken(Frozen):
    """Of that what the next message may go on with."""

    facts: tuple[Fact, ...] = ()
    details: str = ""


_Kept = TypeVar("_Kept", _Left, _Spoken)
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


def spoken(episode: Episode) -> Episode:
    """An answer with its figures and its text, the rest of what it left behind still packed: a third of the time.

    Without them where nothing was kept, or another version packed it.
    """
    left = _unpacked(episode, _Spoken)
    return episode if left is None else episode.model_copy(update={"facts": left.facts, "details": left.details})


def opened(episode: Episode) -> Episode:
    """An answer with what it left behind; without where nothing was kept, or another version packed it."""
    if not episode.packed:
        return episode
    left = _unpacked(episode, _Left) or _Left()
    return episode.model_copy(update={"packed": "", **{name: getattr(left, name) for name in LEFT}})


def _unpacked(episode: Episode, kind: type[_Kept]) -> _Kept | None:
    """What an answer left behind, as far as `kind` has it; None where there is nothing that can be read."""
    with suppress(ValueError, zlib.error):
        unpacker = zlib.decompressobj(zdict=_SHARED)
        text = unpacker.decompress(base64.b64decode(episode.packed), _MOST_UNPACKED)
        return kind.model_validate_json(text, extra="ignore")
    return None
