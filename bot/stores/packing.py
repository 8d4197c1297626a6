"""How a conversation is written: small, whatever was said and answered in it.

What an answer leaves behind (its figures, sources, steps and full text) is packed answer by answer, with a dictionary
of the words that all of them share. When the record grows beyond its bound the oldest answers lose that first, then
themselves: a button below an old answer then finds nothing, as it does after the time limit.
"""

from __future__ import annotations

from typing import Final

from bot.core.conversation import Conversation, Episode
from bot.core.left import LEFT, WORDS, opened, packed, spoken

MOST_BYTES: Final = 8192
"""Of one record."""
_MOST_SLOT: Final = 512
"""Characters of one slot in a record that is too large without any answer."""
_LEAST_ROOM: Final = 1024
"""Bytes below which it is not worth packing an answer: it would hardly fit."""
_FRAME: Final = 32
"""Bytes around a pack."""
_APART: Final = LEFT | {"packed"}


def pack(conversation: Conversation) -> str:
    """The record of a conversation as JSON, at most `MOST_BYTES` long."""
    head = _head(conversation)
    kept = [one.model_dump_json(exclude=set(_APART), exclude_defaults=True) for one in reversed(conversation.episodes)]
    room = MOST_BYTES - len(head.encode()) - sum(len(text.encode()) + 1 for text in kept)
    # the newest first: what does not fit beside them is what was said longest ago
    for place, episode in enumerate(reversed(conversation.episodes)):
        left = _fitting(episode, room - _FRAME) if room > _LEAST_ROOM else ""
        if left:
            room -= len(left) + _FRAME
            kept[place] = f'{kept[place][:-1]},"packed":"{left}"}}'
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
    """What an answer leaves behind, without its steps, then without its figures where the whole is too long.

    One that nobody opened since it was stored is as long as it was.
    """
    if episode.packed and len(episode.packed) <= room:
        return episode.packed
    whole = opened(episode)
    packs = (packed(whole, fields) for fields in (LEFT, LEFT - {"trace"}, WORDS))
    return next((one for one in packs if len(one) <= room), "")


def unpack(text: str | bytes) -> Conversation:
    """A conversation back from its record, also from one that was never packed; of its answers the newest is at hand.

    Raises:
        ValidationError: it is no such record.
    """
    conversation = Conversation.model_validate_json(text, extra="ignore")
    if not conversation.episodes:
        return conversation
    *older, newest = conversation.episodes
    return conversation.model_copy(update={"episodes": (*older, spoken(newest))})
