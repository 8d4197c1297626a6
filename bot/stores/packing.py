"""How a conversation is written: small, whatever was said and answered in it.

What an answer leaves behind (its figures, sources, steps and full text) is packed answer by answer, with a dictionary
of the words that all of them share. When the record grows beyond its bound the oldest answers lose that first, then
themselves: a button below an old answer then finds nothing, as it does after the time limit.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable
from typing import Final

from advisor.models import Frozen, Step
from bot.core.conversation import Conversation, Episode
from bot.core.message import Fact, SourceRef

MOST_BYTES: Final = 8192
"""Of one record."""
_MOST_SLOT: Final = 512
"""Characters of one slot in a record that is too large without any answer."""
_LEAST_ROOM: Final = 1024
"""Bytes below which it is not worth packing an answer: it would hardly fit."""
_FRAME: Final = 32
"""Bytes around a pack."""
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


_FIELDS: Final = frozenset(_Left.model_fields)
_WORDS: Final = frozenset({"details", "sources"})
"""Of these what is read: the full text, and where its figures come from."""


def pack(conversation: Conversation) -> str:
    """The record of a conversation as JSON, at most `MOST_BYTES` long."""
    head = _head(conversation)
    kept = [one.model_dump_json(exclude=set(_FIELDS), exclude_defaults=True) for one in reversed(conversation.episodes)]
    room = MOST_BYTES - len(head.encode()) - sum(len(text.encode()) + 1 for text in kept)
    # the newest first: what does not fit beside them is what was said longest ago
    for place, episode in enumerate(reversed(conversation.episodes)):
        packed = _fitting(episode, room - _FRAME) if room > _LEAST_ROOM else ""
        if packed:
            room -= len(packed) + _FRAME
            kept[place] = f'{kept[place][:-1]},"packed":"{packed}"}}'
    return _bounded(head, kept)


def _bounded(head: str, newest_first: list[str]) -> str:
    """Head and answers; the oldest answers go while the whole is too long."""
    kept = list(newest_first)
    while kept and len(head.encode()) + sum(len(one.encode()) + 1 for one in kept) > MOST_BYTES:
        kept.pop()
    return f'{head[:-1]},"episodes":[{",".join(reversed(kept))}]}}' if kept else head


def _head(conversation: Conversation) -> str:
    """Everything but the answers, with room for at least the newest one."""
    bare = conversation.model_copy(update={"episodes": ()})
    text = bare.model_dump_json(exclude_defaults=True)
    if len(text.encode()) <= MOST_BYTES // 2:
        return text
    short = {name: held for name, held in bare.slots.items() if len(held.model_dump_json()) <= _MOST_SLOT}
    return bare.model_copy(update={"slots": short, "excluded": {}, "pending": None}).model_dump_json(
        exclude_defaults=True
    )


def _fitting(episode: Episode, room: int) -> str:
    """What an answer leaves behind, without its steps, then without its figures where the whole is too long."""
    packs = (_packed(episode, fields) for fields in (_FIELDS, _FIELDS - {"trace"}, _WORDS))
    return next((packed for packed in packs if len(packed) <= room), "")


def _packed(episode: Episode, fields: frozenset[str]) -> str:
    text = episode.model_dump_json(include=set(fields), exclude_defaults=True)
    if text == "{}":
        return ""
    packer = zlib.compressobj(6, zdict=_SHARED)
    return base64.b64encode(packer.compress(text.encode()) + packer.flush()).decode()


def unpack(text: str | bytes) -> Conversation:
    """A conversation back from its record, also from one that was never packed.

    Raises:
        ValidationError: it is no such record.
    """
    conversation = Conversation.model_validate_json(text, extra="ignore")
    packs = [one.get("packed", "") for one in json.loads(text).get("episodes", ())]
    if not any(packs):
        return conversation
    return conversation.model_copy(update={"episodes": tuple(_opened(conversation.episodes, packs))})


def _opened(episodes: Iterable[Episode], packs: Iterable[str]) -> Iterable[Episode]:
    for episode, packed in zip(episodes, packs, strict=True):
        left = _left(packed)
        yield episode if left is None else episode.model_copy(update={name: getattr(left, name) for name in _FIELDS})


def _left(packed: str) -> _Left | None:
    """What an answer left behind; None where nothing was kept, or another version packed it."""
    if not packed:
        return None
    try:
        unpacker = zlib.decompressobj(zdict=_SHARED)
        return _Left.model_validate_json(unpacker.decompress(base64.b64decode(packed), _MOST_UNPACKED), extra="ignore")
    except (ValueError, zlib.error):
        return None
