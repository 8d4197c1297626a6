"""The default store: one SQLite file in WAL mode, for one machine.

Each method is one short transaction on the caller's thread (tens of microseconds on a local disk), so a kill at any
instruction leaves either the state before or the state after. WAL with synchronous=NORMAL survives the death of the
process; after a power cut the newest commits may be missing, the file stays whole.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import PASSIVE_GRACE_S, Accepted, Backlog, InboxItem, Small
from bot.core.times import clamped
from bot.stores import records
from bot.stores.sqlite_file import guarded
from bot.stores.sqlite_statements import (
    ACCEPT,
    AGAIN,
    CLAIM,
    CLOSE,
    CUT,
    HANDLED,
    IS_AHEAD,
    LOAD,
    MOVE_STATE,
    NAMED,
    NEXT,
    OPEN,
    POSTPONE,
    RENEW,
)
from bot.stores.sqlite_values import SqliteValues

_LOG: Final = logging.getLogger("xuanka.store")
_UNREADABLE_KEEP_S: Final = 86_400.0
_CUT_EVERY_S: Final = 1.0
_COUNTED_ALWAYS: Final = 1_000
"""A bound up to here is looked at with every message: counting so few takes no time."""
_WRITERS: Final = 16
"""Processes that may fill one file at once without its bound being passed between two looks of theirs."""

_Row = tuple[str, str, int, str, str | None, int, float, int, int, str | None, str | None]


class SqliteStore(SqliteValues):
    """State in one file."""

    @guarded
    async def accept(
        self, message: IncomingMessage, *, capacity: int, passive: bool = False, now: float | None = None
    ) -> Accepted:
        """See the port."""
        accepted, _ = self._take_in(message, "", capacity, 0.0, passive, self._now(now))
        return accepted

    @guarded
    async def take_in(
        self,
        message: IncomingMessage,
        owner: str,
        *,
        capacity: int,
        lease_s: float,
        passive: bool = False,
        now: float | None = None,
    ) -> tuple[Accepted, InboxItem | None]:
        """See the port."""
        return self._take_in(message, owner, capacity, lease_s, passive, self._now(now))

    def _take_in(
        self, message: IncomingMessage, owner: str, capacity: int, lease_s: float, passive: bool, now: float
    ) -> tuple[Accepted, InboxItem | None]:
        event = records.event_key(message)
        self._sweep_sometimes(now)
        rows = self._do(
            ACCEPT,
            event=event,
            key=message.conversation_key,
            chat=message.chat_key,
            passive=int(passive),
            message=records.dump_message(message),
            now=now,
            holder=owner,
            lease=lease_s,
            grace=PASSIVE_GRACE_S,
            capacity=self._bound(capacity),
        ).fetchall()
        if not rows:
            known = self._do("SELECT 1 FROM inbox WHERE event = :event", event=event).fetchone()
            return (Accepted.DUPLICATE if known else Accepted.FULL), None
        row = rows[0]
        return Accepted.STORED, (self._item(row, now, message) if row[8] else None)

    def _bound(self, capacity: int) -> int:
        """The capacity where it has to be looked at, and 0, which is none, while there is surely room.

        To count what is open takes the longer the more it is. What was free at the last look cannot be used up while
        each of `_WRITERS` stores its part of that.
        """
        if capacity <= _COUNTED_ALWAYS:
            return capacity
        bound, room = self._room
        if bound == capacity and room > 0:
            self._room = (capacity, room - 1)
            return 0
        held: int = self._do(OPEN.format(most=":capacity"), capacity=capacity).fetchone()[0]
        self._room = (capacity, (capacity - held) // _WRITERS)
        return capacity

    @guarded
    async def claim(
        self,
        owner: str,
        *,
        lease_s: float,
        conversation: str | None = None,
        only: tuple[str, ...] | None = None,
        now: float | None = None,
    ) -> InboxItem | None:
        """See the port."""
        moment = self._now(now)
        own, names = _own(only)
        which = NEXT.format(own=own) if conversation is None else NAMED
        values = {"holder": owner, "now": moment, "lease": lease_s, "key": conversation, **names}
        while only != () or conversation is not None:
            rows = self._do(CLAIM.format(which=which), **values).fetchall()
            if not rows:
                self._cut_waits(moment)
                return None
            row = rows[0]
            try:
                return self._item(row, moment)
            except records.Unreadable:
                _LOG.error("ALERT: a stored message cannot be read and was closed")
                self._close(row[2], owner, row[0], "unreadable", "", self._now(now) + _UNREADABLE_KEEP_S)
        return None

    def _item(self, row: _Row, now: float, message: IncomingMessage | None = None) -> InboxItem:
        """What was claimed; `message` where it is known already.

        Raises:
            Unreadable: the message is of no version that is known here.
        """
        lane, chat, number, text, reply, sends, accepted, passive, claims, state, answers = row
        return InboxItem(
            id=str(number),
            message=message or records.load_message(text),
            accepted_at=accepted,
            reply=records.load_reply(reply),
            sends=sends,
            passive=bool(passive),
            claims=claims,
            claimed_at=now,
            place=(lane, chat),
            state=records.load_conversation(state),
            answers=records.load_answers(answers),
        )

    def _cut_waits(self, now: float) -> None:
        """See `CUT`; once a second at most, unless the clock was set back since."""
        if 0.0 <= now - self._cut < _CUT_EVERY_S:
            return
        self._cut = now
        if self._do(IS_AHEAD, now=now).fetchone():
            self._do(CUT, now=now)

    @guarded
    async def renew(self, item: InboxItem, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """See the port."""
        return self._holding(RENEW, item, owner, until=self._now(now) + lease_s, wait=lease_s)

    def _holding(self, statement: str, item: InboxItem, holder: str, **values: object) -> bool:
        """Whether `holder` still had the item, and the statement was done."""
        return self._do(statement, id=int(item.id), holder=holder, **values).rowcount > 0

    @guarded
    async def handled(
        self,
        item: InboxItem,
        owner: str,
        reply: Reply,
        state: Conversation | None,
        *,
        ttl_s: float,
        beside: Sequence[Small] = (),
        now: float | None = None,
    ) -> bool:
        """See the port. The state lies with the item until that is closed; whoever looks for it finds it there."""
        held = self._holding(
            HANDLED,
            item,
            owner,
            message=records.dump_message(records.without_text(item.message)),
            reply=records.dump_reply(reply),
            state=records.dump_conversation(state) if state is not None else None,
            until=self._now(now) + ttl_s,
        )
        for small in beside if held else ():
            self._put(small.key, small.value, small.ttl_s, small.owner)
        self._dropped = True
        return held

    @guarded
    async def resending(self, item: InboxItem, owner: str) -> bool:
        """See the port."""
        return self._holding(AGAIN, item, owner)

    @guarded
    async def postpone(self, item: InboxItem, owner: str, *, pause_s: float, now: float | None = None) -> bool:
        """See the port."""
        pause_s = clamped(pause_s)
        return self._holding(POSTPONE, item, owner, until=self._now(now) + pause_s, wait=pause_s)

    @guarded
    async def finish(
        self,
        item: InboxItem,
        owner: str,
        *,
        outcome: str,
        message_id: str,
        keep_s: float,
        answered: IncomingMessage | None = None,
        now: float | None = None,
    ) -> bool:
        """See the port."""
        lane = item.place[0] if item.place else item.message.conversation_key
        key = answered.conversation_key if answered is not None else lane
        answers = records.dump_answers(item.answers, answered.message_id, message_id) if answered is not None else ""
        # Two steps: a kill between them leaves an open item whose state is kept already, and is kept again.
        self._holding(MOVE_STATE, item, owner, key=key, owner=records.owner_of(key), answers=answers)
        return self._close(int(item.id), owner, lane, outcome, message_id, self._now(now) + keep_s)

    def _close(self, number: int, holder: str, lane: str, outcome: str, sent_id: str, keep_until: float) -> bool:
        """Close a head that is still held, and let the next one in."""
        closed = self._do(
            CLOSE,
            id=number,
            holder=holder,
            lane=lane,
            mark=records.mark_of(records.owner_of(lane), self._salt),
            outcome=outcome,
            sent=sent_id,
            until=keep_until,
            grace=PASSIVE_GRACE_S,
        )
        return closed.rowcount > 0

    @guarded
    async def reply_of(self, message: IncomingMessage) -> Reply | None:
        """See the port."""
        row = self._do("SELECT reply FROM inbox WHERE event = :event", event=records.event_key(message)).fetchone()
        return records.load_reply(row[0]) if row else None

    @guarded
    async def load_conversation(self, key: str) -> Conversation | None:
        """See the port. What is being sent at the moment counts already."""
        row = self._do(LOAD, key=key, now=self._now()).fetchone()
        return records.load_conversation(row[0]) if row else None

    @guarded
    async def backlog(self, now: float | None = None) -> Backlog:
        """See the port."""
        waiting, oldest = self._db.execute(
            "SELECT (SELECT count(*) FROM inbox WHERE open = 1),"
            " (SELECT min(accepted) FROM inbox WHERE ready IS NOT NULL)"
        ).fetchone()
        return Backlog(waiting, max(0.0, self._now(now) - oldest) if oldest is not None else 0.0)

    @guarded
    async def forget(self, owner: str) -> int:
        """See the port."""
        mark, gone = records.mark_of(owner, self._salt), 0
        with self._transaction() as db:
            pending = db.execute("SELECT id, conversation FROM inbox WHERE open = 1 AND state IS NOT NULL").fetchall()
            for number, key in pending:
                if records.owner_of(key) == owner:
                    gone += self._do("UPDATE inbox SET state = NULL WHERE id = :id", id=number).rowcount
            gone += db.execute("DELETE FROM conversations WHERE owner = ?", (owner,)).rowcount
            gone += db.execute("DELETE FROM small WHERE owner = ?", (mark,)).rowcount
            gone += db.execute("DELETE FROM inbox WHERE open = 0 AND owner = ?", (mark,)).rowcount
        self._forgot = True
        self._fold()
        return gone


def _own(only: tuple[str, ...] | None) -> tuple[str, dict[str, str]]:
    """The condition that a chat is one of those that a process may claim, and its values."""
    names = {f"own{place}": name for place, name in enumerate(only or ())}
    own = " OR ".join(f"substr(chat, 1, length(:{place})) = :{place}" for place in names)
    return (f"AND ({own}) " if own else ""), names
