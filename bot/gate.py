"""Who may ask, and how much: allow and deny lists, and token buckets per user, chat and bot shared by all replicas."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.message import IncomingMessage
from bot.core.ports import BROADCAST, Store, Verdict

_TOLD_TTL_S = 60.0
"""After one friendly line the bot is silent for so long."""


@dataclass(frozen=True, slots=True)
class Access:
    """Lists and limits. Ids are written as `channel:id`, or bare to mean any channel; empty lists allow everybody."""

    allow_chats: frozenset[str] = frozenset()
    deny_chats: frozenset[str] = frozenset()
    allow_users: frozenset[str] = frozenset()
    deny_users: frozenset[str] = frozenset()
    admins: frozenset[str] = frozenset()
    user_per_minute: int = 20
    chat_per_minute: int = 60
    bot_per_second: int = 200


def _listed(names: frozenset[str], channel: str, ident: str) -> bool:
    return ident in names or f"{channel}:{ident}" in names


class AccessGate:
    """The gate over a store."""

    def __init__(self, access: Access, store: Store) -> None:
        """Take the lists and where buckets live."""
        self._access, self._store = access, store

    def is_admin(self, message: IncomingMessage) -> bool:
        """Whether the user is one of the operators."""
        return _listed(self._access.admins, message.channel, message.user_id)

    def knows(self, message: IncomingMessage) -> bool:
        """Deny lists first, then allow lists where there are any; operators always."""
        access, channel = self._access, message.channel
        if self.is_admin(message) or message.addressed_how == BROADCAST:
            return True
        if _listed(access.deny_chats, channel, message.chat_id) or _listed(access.deny_users, channel, message.user_id):
            return False
        if access.allow_chats or access.allow_users:
            return _listed(access.allow_chats, channel, message.chat_id) or _listed(
                access.allow_users, channel, message.user_id
            )
        return True

    async def admit(self, message: IncomingMessage, now: float) -> Verdict:
        """Within the limits of user, chat and bot; over them one friendly line, then silence."""
        access = self._access
        if self.is_admin(message) or message.addressed_how == BROADCAST:
            return Verdict.ADMIT
        who = f"{message.channel}:{message.user_id}"
        limits = (
            (f"user:{who}", access.user_per_minute / 60, float(access.user_per_minute)),
            (f"chat:{message.channel}:{message.chat_id}", access.chat_per_minute / 60, float(access.chat_per_minute)),
            (f"bot:{message.channel}:{message.bot_id}", float(access.bot_per_second), float(access.bot_per_second)),
        )
        empty = await self._store.take_all(limits, now=now)
        if empty is None:
            return Verdict.ADMIT
        bucket = f"told:{limits[empty][0]}"
        told = await self._store.take(bucket, now=now, rate_per_s=1 / _TOLD_TTL_S, burst=1.0)
        return Verdict.SILENT if told > 0 else Verdict.WAIT
