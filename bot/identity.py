"""Who somebody is: an id counts only together with the channel and the bot that vouch for it.

The same number may be a person in Telegram and a name that a stranger types into an API call. So ids in settings are
written as `channel:bot:id`, and they match only messages whose channel has verified the sender.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

VOUCHING: Final = ("telegram", "wecom", "discord", "feishu", "api")
"""Channels that can vouch for an id: the platforms, and callers of the API who have a key (its name is the bot)."""
HOW_TO_WRITE: Final = (
    "write channel:bot:id - telegram:BOT:ID (BOT is the number before the colon of the token), wecom:BOT:ID"
    " (the bot id, or CORP.AGENT of a self-built app), discord:APPLICATION:ID, feishu:APP:OPEN_ID,"
    " api:KEY:ID (KEY is a name in XUANKA_API_KEYS);"
    " telegram:ID and wecom:ID stand for every bot of this process"
)


@dataclass(frozen=True, slots=True)
class Identity:
    """A user or a chat as one bot of one channel knows it. An empty `bot` means every bot of this process."""

    channel: str
    bot: str
    id: str

    def matches(self, channel: str, bot: str, ident: str) -> bool:
        """Whether this is `ident` of a channel and a bot; inline and guest messages carry ids of their platform."""
        return ident == self.id and self.channel == channel.partition("-")[0] and self.bot in {"", bot}


def read_identity(text: str) -> Identity:
    """The identity that a line of settings writes: `channel:bot:id`, or `channel:id` for every bot of this process.

    Raises:
        ValueError: it names no channel that can vouch for an id; the message says what is wrong, without the id.
    """
    channel, *rest = text.split(":")
    if not rest:
        raise ValueError("names no channel")
    if channel not in VOUCHING:
        raise ValueError("names no channel that can vouch for an id")
    if len(rest) > 2 or not all(rest):
        raise ValueError("is not channel:bot:id")
    bot, ident = rest if len(rest) == 2 else ("", rest[0])
    if channel == "api" and not bot:
        raise ValueError("names no key of the API")
    if channel == "telegram" and not f"{bot or 0}{ident.removeprefix('-')}".isdecimal():
        raise ValueError("holds something else than numbers, which Telegram's ids are")
    return Identity(channel, bot, ident)


def read_identities(texts: Iterable[str]) -> frozenset[Identity]:
    """All identities of a list.

    Raises:
        ValueError: some are none; one message for all, by their place in the list, which says how to write them.
    """
    found, faults = set(), []
    for place, text in enumerate(texts, start=1):
        try:
            found.add(read_identity(text))
        except ValueError as fault:
            faults.append(f"entry {place} {fault}")
    if faults:
        raise ValueError(f"{'; '.join(faults)}: {HOW_TO_WRITE}")
    return frozenset(found)
