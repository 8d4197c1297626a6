"""Boards of groups over a store: wishes are noted as they are said, and shown together when somebody asks."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache

from bot.core.board import BOARD_SLOTS, Board, Constraint
from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, key_part
from bot.core.ports import Store
from bot.lexicons import load_lexicons
from bot.resources import languages_directory

_CHOOSING = frozenset(
    {"recommend_gpu", "check_fit", "estimate_memory", "gpu_count", "cluster_design", "platform_choice"}
)
"""Intents whose turns put wishes on the board."""

_MOST_BOARDS = 50
_LOCK_S = 2.0
_LOCK_TRIES = 100


@cache
def asking_words() -> tuple[str, ...]:
    """Words by which a member asks for the shared decision, from languages/together.yaml."""
    content = load_lexicons([languages_directory() / "together.yaml"], [])
    return tuple(word.casefold() for words in content.values() for word in words["asks"])


class GroupBoards:
    """Port `Boards`."""

    def __init__(self, store: Store, ttl_s: float) -> None:
        """A wish counts for `ttl_s`, and a board is forgotten after as long without a new one."""
        self._store, self._ttl_s, self._life = store, ttl_s, timedelta(seconds=ttl_s)

    def is_asked(self, message: IncomingMessage) -> bool:
        """/decide, or one of the asking words, in a group."""
        if message.chat_type != "group" or message.action:
            return False
        text = message.text.strip().casefold()
        return text.split("@", 1)[0] == "/decide" or any(word in text for word in asking_words())

    @staticmethod
    def _key(message: IncomingMessage) -> str:
        return f"board:{message.chat_key}:{key_part(message.thread_id)}"

    async def load(self, message: IncomingMessage) -> Board:
        """The board, empty when nobody wished anything lately."""
        kept = await self._store.get(self._key(message))
        return Board.model_validate(kept) if kept else Board()

    async def note(self, message: IncomingMessage, state: Conversation) -> None:
        """Wishes are the slots said in this very turn of a choosing question."""
        if message.chat_type != "group" or state.intent not in _CHOOSING or state.updated_at is None:
            return
        fresh = tuple(
            Constraint(
                slot=slot,
                value=held.value,
                by=message.user_id,
                name=message.user_name,
                at=state.updated_at,
                language=state.language,
            )
            for slot, held in state.slots.items()
            if slot in BOARD_SLOTS and held.turn == state.turn and held.said_by == message.user_id
        )
        if fresh:
            async with self._alone_with(self._key(message)):
                board = (await self.load(message)).since(state.updated_at - self._life).with_wishes(fresh)
                await self._store.put(self._key(message), board.model_dump(mode="json"), self._ttl_s)
            await self._remember(message)

    @asynccontextmanager
    async def _alone_with(self, key: str) -> AsyncIterator[None]:
        """Two members who speak at once, on two replicas, must not overwrite each other."""
        owner, lock = secrets.token_hex(6), f"lock:{key}"
        for _ in range(_LOCK_TRIES):
            if await self._store.lead(lock, owner, lease_s=_LOCK_S):
                break
            await asyncio.sleep(_LOCK_S / _LOCK_TRIES)
        try:
            yield
        finally:
            await self._store.resign(lock, owner)

    async def _remember(self, message: IncomingMessage) -> None:
        """Keep on which boards a user stands, so that they can be cleared of him."""
        where = self._whose(message)
        keys = [key for key in await self._store.get(where) or [] if key != self._key(message)]
        kept = [*keys[-_MOST_BOARDS:], self._key(message)]
        # others keep the board alive as long again: until then his wishes on it have to be found
        await self._store.put(where, kept, 2 * self._ttl_s, owner=message.owner_key)

    @staticmethod
    def _whose(message: IncomingMessage) -> str:
        return f"boards_of:{message.owner_key}"

    async def forget(self, message: IncomingMessage) -> int:
        """See the port."""
        cleared = 0
        for key in await self._store.get(self._whose(message)) or []:
            async with self._alone_with(key):
                cleared += await self._clear(key, message)
        await self._store.delete(self._whose(message))
        return cleared

    async def _clear(self, key: str, message: IncomingMessage) -> bool:
        kept = await self._store.get(key)
        board = Board.model_validate(kept) if kept else Board()
        others = Board(constraints=tuple(wish for wish in board.constraints if wish.by != message.user_id))
        left = others.since(message.received_at - self._life)
        if left.constraints:
            await self._store.put(key, left.model_dump(mode="json"), self._ttl_s)
        else:
            await self._store.delete(key)
        return others != board
