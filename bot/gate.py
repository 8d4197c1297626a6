"""Who may ask, and how much: allow and deny lists, and token buckets per user, chat and bot shared by all replicas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.message import IncomingMessage
from bot.core.ports import BROADCAST, Store
from bot.core.stations import Verdict
from bot.identity import Identity

_TOLD_TTL_S = 60.0
"""After one friendly line the bot is silent for so long."""


@dataclass(frozen=True, slots=True)
class Access:
    """Lists and limits. Lists match what a channel has verified; empty allow-lists let everybody in."""

    allow_chats: frozenset[Identity] = frozenset()
    deny_chats: frozenset[Identity] = frozenset()
    allow_users: frozenset[Identity] = frozenset()
    deny_users: frozenset[Identity] = frozenset()
    admins: frozenset[Identity] = frozenset()
    user_per_minute: int = 20
    chat_per_minute: int = 60
    bot_per_second: int = 200

    def lets_in(self, caller: str) -> bool:
        """With allow lists: a caller whose key stands in one of them."""
        allowed = self.allow_chats | self.allow_users
        return not allowed or (bool(caller) and any(one.channel == "api" and one.bot == caller for one in allowed))


def is_listed(identities: frozenset[Identity], message: IncomingMessage, ident: str) -> bool:
    """Whether a list holds `ident` (the user's or the chat's) of a message; never when nobody vouches for it."""
    return message.verified and any(one.matches(message.channel, message.bot_id, ident) for one in identities)


class AccessGate:
    """The gate over a store."""

    def __init__(self, access: Access, store: Store) -> None:
        """Take the lists and where buckets live."""
        self._access, self._store = access, store

    def is_admin(self, message: IncomingMessage) -> bool:
        """Whether the user is one of the operators, and the channel vouches for that."""
        return is_listed(self._access.admins, message, message.user_id)

    def knows(self, message: IncomingMessage) -> bool:
        """Deny lists first, then allow lists where there are any; operators always.

        With allow lists, whoever nobody vouches for (the chat page, the API without a key) stays outside.
        """
        access = self._access
        if self.is_admin(message) or message.addressed_how == BROADCAST:
            return True
        if is_listed(access.deny_chats, message, message.chat_id) or is_listed(
            access.deny_users, message, message.user_id
        ):
            return False
        if access.allow_chats or access.allow_users:
            return is_listed(access.allow_chats, message, message.chat_id) or is_listed(
                access.allow_users, message, message.user_id
            )
        return True

    def lets_in(self, caller: str) -> bool:
        """See `Access.lets_in`."""
        return self._access.lets_in(caller)

    async def admit(
        self, message: IncomingMessage, keys: Sequence[str] = (), now: float | None = None
    ) -> tuple[Verdict, dict[str, object]]:
        """Within the limits of user, chat and bot; over them one friendly line, then silence. `keys`: see port."""
        limits = self._limits(message)
        empty, kept = await self._store.begin(limits, keys, now=now)
        if empty is None:
            return Verdict.ADMIT, kept
        bucket = f"told:{limits[empty][0]}"
        told = await self._store.take(bucket, now=now, rate_per_s=1 / _TOLD_TTL_S, burst=1.0)
        return (Verdict.SILENT if told > 0 else Verdict.WAIT), kept

    def _limits(self, message: IncomingMessage) -> list[tuple[str, float, float]]:
        """Buckets of a message; none for operators."""
        access = self._access
        if self.is_admin(message) or message.addressed_how == BROADCAST:
            return []
        limits = [(f"bot:{message.bot_key}", float(access.bot_per_second), float(access.bot_per_second))]
        # Who passes by has no name of his own; the web app keeps the budget of his address.
        for name, key, most in (
            (message.chat_id, f"chat:{message.chat_key}", access.chat_per_minute),
            (message.user_id, f"user:{message.owner_key}", access.user_per_minute),
        ):
            if name:
                limits.insert(0, (key, most / 60, float(most)))
        return limits
