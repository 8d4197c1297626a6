"""Everything that outlives a message, in one table: under which keys, whose it is, what it holds, for how long.

`/privacy` and the table in docs/operations.md are made from it. Whatever belongs to a user is kept with his mark
(`Store.put(owner=...)`), so that `/forget` finds it. Stores in tests refuse a key that does not stand here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.core.times import LONGEST_WAIT_S

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0
_NAMES: Final = re.compile(r"(\{[^}]*\})")


class Owner(StrEnum):
    """Whose something is, and so who erases it."""

    USER = "user"
    """Erased by /forget."""
    MEMBERS = "members"
    """Several users: /forget takes one's part out."""
    CHAT = "chat"
    """A group, or nobody in particular."""
    NOBODY = "nobody"


class Content(StrEnum):
    """What it holds at most."""

    WORDS = "words"
    """What somebody wrote."""
    ANSWERS = "answers"
    """Slots and answers, with the ids of chat and user."""
    IDS = "ids"
    """Ids of chats or users, and nothing they said."""
    MARKS = "marks"
    """Names of events, and marks that name nobody."""
    SETTINGS = "settings"
    COUNTS = "counts"


class Topic(StrEnum):
    """What /privacy calls it; `OWN` is the program's own business and is not told."""

    WORDS = "words"
    CONVERSATION = "conversation"
    REPLIES = "replies"
    GAP_WORDS = "gap_words"
    BOARD = "board"
    QUOTES = "quotes"
    MEASURED = "measured"
    CHAT_SETTINGS = "chat_settings"
    KNOWN_CHATS = "known_chats"
    LIMITS = "limits"
    MARKS = "marks"
    COUNTS = "counts"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Kept:
    """One kind of record. `life_s`: seconds at most, None for good; `setting` names what sets it, where one does."""

    place: str
    """inbox, conversations, small, counters, buckets, leases."""
    keys: str
    """A pattern; parts in braces stand for names."""
    owner: Owner
    content: Content
    topic: Topic
    life_s: float | None
    setting: str = ""

    def holds(self, key: str) -> bool:
        """Whether a key is of this kind."""
        pattern = "".join(".*" if part[:1] == "{" else re.escape(part) for part in _NAMES.split(self.keys))
        return re.fullmatch(pattern, key, re.DOTALL) is not None


_TTL: Final = "CONVERSATION_TTL_S"
_HALF_HOUR: Final = 1800.0
U, M, C, N = Owner.USER, Owner.MEMBERS, Owner.CHAT, Owner.NOBODY

INVENTORY: Final[tuple[Kept, ...]] = (
    Kept("inbox", "{open message}", U, Content.WORDS, Topic.WORDS, _DAY),
    Kept("inbox", "{closed event}", N, Content.MARKS, Topic.MARKS, _DAY),
    Kept("inbox", "{reply to a caller}", U, Content.ANSWERS, Topic.REPLIES, _HALF_HOUR, _TTL),
    Kept("conversations", "{conversation}", U, Content.ANSWERS, Topic.CONVERSATION, _HALF_HOUR, _TTL),
    Kept("small", "case:{chat}:{case}", U, Content.IDS, Topic.CONVERSATION, _HALF_HOUR, _TTL),
    Kept("small", "gap_texts:{shape}", U, Content.WORDS, Topic.GAP_WORDS, 30 * _DAY, "RETENTION_DAYS"),
    # What several tell is written anew with each word: one's part goes when it is written after its time, or with all.
    Kept("small", "board:{chat}:{thread}", M, Content.ANSWERS, Topic.BOARD, 12 * _HOUR),
    Kept("small", "boards_of:{user}", U, Content.IDS, Topic.BOARD, 12 * _HOUR),
    Kept("small", "quotes:{chat}", M, Content.ANSWERS, Topic.QUOTES, 122 * _DAY),
    Kept("small", "quotes_of:{user}", U, Content.IDS, Topic.QUOTES, 122 * _DAY),
    Kept(
        "small", "quotes_all:{card}:{kind}:{currency}", N, Content.MARKS, Topic.QUOTES, 122 * _DAY, "SHARE_CHAT_PRICES"
    ),
    Kept("small", "measured:{conversation}", U, Content.ANSWERS, Topic.MEASURED, _HALF_HOUR),
    Kept("small", "measurements", M, Content.ANSWERS, Topic.MEASURED, 400 * _DAY),
    Kept("small", "telegram:{bot}:settings:{private chat}", U, Content.SETTINGS, Topic.CHAT_SETTINGS, 400 * _DAY),
    Kept("small", "telegram:{bot}:settings:-{group}", C, Content.SETTINGS, Topic.CHAT_SETTINGS, None),
    Kept("small", "telegram:{bot}:was:-{group}", C, Content.IDS, Topic.CHAT_SETTINGS, 30 * _DAY),
    Kept("small", "telegram:{bot}:inactive:{private chat}", U, Content.IDS, Topic.MARKS, 30 * _DAY),
    Kept("small", "telegram:{bot}:inactive:-{group}", C, Content.IDS, Topic.MARKS, 30 * _DAY),
    Kept("small", "telegram:{bot}:stale:{private chat}", U, Content.IDS, Topic.MARKS, _HOUR),
    Kept("small", "telegram:{bot}:welcomed:-{group}", C, Content.IDS, Topic.MARKS, _DAY),
    Kept("small", "telegram:{bot}:did:{event}", N, Content.MARKS, Topic.MARKS, _DAY),
    Kept("small", "telegram:{bot}:parts:{event}", N, Content.MARKS, Topic.MARKS, _DAY),
    Kept("small", "telegram:{bot}:pause:{chat}", C, Content.IDS, Topic.LIMITS, LONGEST_WAIT_S),
    Kept("small", "discord:{bot}:token:{event}", U, Content.MARKS, Topic.MARKS, 15 * _MINUTE),
    Kept("small", "discord:{bot}:parts:{event}", N, Content.MARKS, Topic.MARKS, 15 * _MINUTE),
    Kept("small", "feishu:{bot}:said:{chat}:{message}", U, Content.IDS, Topic.CONVERSATION, _HALF_HOUR, _TTL),
    Kept("small", "wecom:card:{task}", U, Content.ANSWERS, Topic.REPLIES, _DAY),
    Kept("small", "wecom:pressed:{mark}", N, Content.MARKS, Topic.MARKS, _MINUTE),
    Kept("small", "wecom:nonce:{door}:{mark}", N, Content.MARKS, Topic.MARKS, 10 * _MINUTE),
    Kept("small", "wecom:late:{bot}:{event}", N, Content.MARKS, Topic.MARKS, 2 * _MINUTE),
    Kept("small", "wecom:parts:{bot}:{event}", N, Content.MARKS, Topic.MARKS, _DAY),
    Kept("small", "wecom:left:{bot}:{event}", N, Content.MARKS, Topic.MARKS, _DAY),
    Kept("small", "fresh_data", N, Content.MARKS, Topic.OWN, None),
    Kept("counters", "decisions", N, Content.COUNTS, Topic.COUNTS, None),
    Kept("counters", "feedback", N, Content.COUNTS, Topic.COUNTS, None),
    Kept("counters", "gaps", N, Content.COUNTS, Topic.COUNTS, None),
    Kept("counters", "chats", C, Content.IDS, Topic.KNOWN_CHATS, None, "ALLOW_BROADCAST"),
    Kept("buckets", "{limit, as a mark}", N, Content.MARKS, Topic.LIMITS, _HOUR),
    Kept("leases", "lock:board:{chat}", C, Content.IDS, Topic.OWN, _DAY),
    Kept("leases", "lock:quotes:{chat}", C, Content.IDS, Topic.OWN, _DAY),
    Kept("leases", "lock:quotes_all:{card}:{kind}:{currency}", N, Content.MARKS, Topic.OWN, _DAY),
    Kept("leases", "lock:measurements", N, Content.MARKS, Topic.OWN, _DAY),
    Kept("leases", "wecom:{bot}", N, Content.MARKS, Topic.OWN, _DAY),
)


def kind_of(place: str, key: str) -> Kept:
    """The kind of a key: the one whose pattern says most.

    Raises:
        KeyError: it stands nowhere in the inventory.
    """
    found = [kept for kept in INVENTORY if kept.place == place and kept.holds(key)]
    if not found:
        raise KeyError(f"{place}: {key.split(':')[0]}")
    return max(found, key=lambda kept: len(_NAMES.sub("", kept.keys)))


def lives(settings: dict[str, float], *, keeps_texts: bool, knows_chats: bool) -> list[tuple[Topic, float | None]]:
    """For how long at most each topic is kept, longest-lived record first to last; None for good.

    Args:
        settings: seconds by the name of the setting that sets them.
        keeps_texts: whether wording of unanswered questions is kept.
        knows_chats: whether chats are remembered for broadcasts.
    """
    off = {Topic.OWN, *(() if keeps_texts else (Topic.GAP_WORDS,)), *(() if knows_chats else (Topic.KNOWN_CHATS,))}
    found: list[tuple[Topic, float | None]] = []
    for topic in Topic:
        spans = [settings.get(kept.setting, kept.life_s) for kept in INVENTORY if kept.topic is topic]
        if topic not in off:
            found.append((topic, None if None in spans else max(span for span in spans if span is not None)))
    return found


def in_units(seconds: float) -> tuple[int, str]:
    """Seconds as whole minutes, hours or days, rounded up."""
    for unit, name in ((_DAY, "days"), (_HOUR, "hours")):
        if seconds >= 2 * unit or seconds == unit:
            return -int(-seconds // unit), name
    return -int(-seconds // _MINUTE), "minutes"


def as_table() -> str:
    """The inventory as the Markdown table of docs/operations.md."""
    rows = ["| where | keys | whose | holds | at most |", "|---|---|---|---|---|"]
    for kept in INVENTORY:
        life = "for good" if kept.life_s is None else " ".join(map(str, in_units(kept.life_s)))
        life = f"`{kept.setting}` ({life})" if kept.setting else life
        rows.append(f"| {kept.place} | `{kept.keys}` | {kept.owner} | {kept.content} | {life} |")
    return "\n".join(rows)
