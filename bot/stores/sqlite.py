"""The default store: one SQLite file in WAL mode, for one machine.

Each method is one short transaction on the caller's thread (tens of microseconds on a local disk), so a kill at any
instruction leaves either the state before or the state after. WAL with synchronous=NORMAL survives the death of the
process; after a power cut the newest commits may be missing, the file stays whole.
"""

from __future__ import annotations

import logging
import sqlite3

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import PASSIVE_GRACE_S, Accepted, Backlog, InboxItem
from bot.core.times import clamped
from bot.stores import records
from bot.stores.sqlite_file import AHEAD, CUT, guarded
from bot.stores.sqlite_values import SqliteValues

_LOG = logging.getLogger("xuanka.store")
_UNREADABLE_KEEP_S = 86_400.0
_CUT_EVERY_S = 1.0

# The chat whose turn it is, then its oldest lane: both walk an index and stop at the first hit.
_NEXT_CHAT = (
    "SELECT chat FROM rounds WHERE {own}EXISTS (SELECT 1 FROM lanes WHERE lanes.chat = rounds.chat AND ready <= ?)"
    " ORDER BY served, since LIMIT 1"
)
_OF = "substr(chat, 1, ?) = ?"
_HEAD = (
    "SELECT lanes.chat, lanes.conversation, id, message, reply, sends, inbox.accepted, inbox.passive, claims + 1"
    " FROM lanes JOIN inbox ON id = head WHERE {which} ORDER BY head LIMIT 1"
)
_NEXT_LANE = _HEAD.format(which="lanes.chat = ? AND ready <= ?")
_NEXT_HEAD = _HEAD.format(which=f"lanes.chat = ({_NEXT_CHAT}) AND ready <= ?")
_NAMED_LANE = _HEAD.format(which="lanes.conversation = ? AND due <= ?")

# Only who still has the lane in which an item is the head may write to it.
_HANDLED = (
    "UPDATE inbox SET message = ?, reply = ?, sends = sends + 1"
    " WHERE id = ? AND id IN (SELECT head FROM lanes WHERE conversation = ? AND owner = ?)"
)
_AGAIN = (
    "UPDATE inbox SET sends = sends + 1"
    " WHERE id = ? AND id IN (SELECT head FROM lanes WHERE conversation = ? AND owner = ?)"
)
_Row = tuple[str, str, int, str, str | None, int, float, int, int]


class SqliteStore(SqliteValues):
    """State in one file."""

    @guarded
    async def accept(
        self, message: IncomingMessage, *, capacity: int, passive: bool = False, now: float | None = None
    ) -> Accepted:
        """See the port."""
        event, key, chat = records.event_key(message), message.conversation_key, message.chat_key
        text, moment = records.dump_message(message), self._now(now)
        with self._transaction() as db:
            self._sweep_sometimes(db, moment)
            known, waiting = db.execute(
                "SELECT (SELECT 1 FROM inbox WHERE event = ?), total FROM totals WHERE name = 'open'", (event,)
            ).fetchone()
            if known:
                return Accepted.DUPLICATE
            if 0 < capacity <= waiting:
                return Accepted.FULL
            number = db.execute(
                "INSERT INTO inbox (event, conversation, chat, passive, message, accepted) VALUES (?, ?, ?, ?, ?, ?)",
                (event, key, chat, int(passive), text, moment),
            ).lastrowid
            db.execute("UPDATE totals SET total = total + 1 WHERE name = 'open'")
            ready = moment + PASSIVE_GRACE_S if passive else 0.0
            db.execute(
                "INSERT INTO lanes (conversation, chat, head, passive, accepted, due, ready, wait)"
                " VALUES (?, ?, ?, ?, ?, 0, ?, ?) ON CONFLICT DO NOTHING",
                (key, chat, number, int(passive), moment, ready, PASSIVE_GRACE_S),
            )
            # A chat enters the round behind those that wait already, never before them.
            db.execute(
                "INSERT INTO rounds (chat, served, since) VALUES (?, (SELECT coalesce(max(served), 0) FROM rounds), ?)"
                " ON CONFLICT DO NOTHING",
                (chat, number),
            )
        return Accepted.STORED

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
        while True:
            # A look costs a tenth of a write; whether it still holds is seen under the lock.
            if conversation is None and self._next_chat(moment, only) is None:
                self._cut_waits(moment)
                return None
            found = self._lease(owner, moment, lease_s, conversation, only)
            if found is None:
                self._cut_waits(moment)
                return None
            chat, lane, head, message, reply, sends, accepted, passive, claims = found
            try:
                return InboxItem(
                    id=str(head),
                    message=records.load_message(message),
                    accepted_at=accepted,
                    reply=records.load_reply(reply),
                    sends=sends,
                    passive=bool(passive),
                    claims=claims,
                    claimed_at=moment,
                    place=(lane, chat),
                )
            except records.Unreadable:
                _LOG.error("ALERT: a stored message cannot be read and was closed")
                with self._transaction() as db:
                    self._close(db, (lane, chat), head, "unreadable", "", moment + _UNREADABLE_KEEP_S)

    def _next_chat(self, now: float, only: tuple[str, ...] | None) -> tuple[str] | None:
        if only == ():
            return None
        own, names = _own(only)
        found: tuple[str] | None = self._db.execute(_NEXT_CHAT.format(own=own), (*names, now)).fetchone()
        return found

    def _cut_waits(self, now: float) -> None:
        """See `CUT`; once a second at most, unless the clock was set back since."""
        if 0.0 <= now - self._cut < _CUT_EVERY_S:
            return
        self._cut = now
        if self._db.execute(f"SELECT 1 FROM lanes WHERE {AHEAD} LIMIT 1", (now,)).fetchone():  # noqa: S608
            with self._transaction() as db:
                db.execute(CUT, (now, now, now))

    def _lease(
        self, owner: str, now: float, lease_s: float, conversation: str | None, only: tuple[str, ...] | None
    ) -> _Row | None:
        with self._transaction() as db:
            row: _Row | None
            if conversation is not None:
                row = db.execute(_NAMED_LANE, (conversation, now)).fetchone()
            else:
                own, names = _own(only)
                row = db.execute(_NEXT_HEAD.format(own=own), (*names, now, now)).fetchone()
            if row is None:
                return None
            db.execute(
                "UPDATE lanes SET owner = ?, due = ?, ready = ?, wait = ?, claims = claims + 1 WHERE conversation = ?",
                (owner, now + lease_s, now + lease_s, lease_s, row[1]),
            )
            db.execute("UPDATE rounds SET served = (SELECT max(served) + 1 FROM rounds) WHERE chat = ?", (row[0],))
            return row

    def _holds(self, db: sqlite3.Connection, item: InboxItem, owner: str) -> bool:
        """Whether `owner` still has the lane in which `item` is the head."""
        found = db.execute(
            "SELECT 1 FROM lanes WHERE conversation = ? AND owner = ? AND head = ?",
            (_lane(item), owner, int(item.id)),
        ).fetchone()
        return found is not None

    @guarded
    async def renew(self, item: InboxItem, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """See the port."""
        with self._transaction() as db:
            if not self._holds(db, item, owner):
                return False
            self._wait(db, item, self._now(now), lease_s)
        return True

    def _wait(self, db: sqlite3.Connection, item: InboxItem, now: float, seconds: float) -> None:
        """Let nobody claim the item's lane for so long."""
        db.execute(
            "UPDATE lanes SET due = ?, ready = ?, wait = ? WHERE conversation = ?",
            (now + seconds, now + seconds, seconds, _lane(item)),
        )

    @guarded
    async def handled(
        self,
        item: InboxItem,
        owner: str,
        reply: Reply,
        state: Conversation | None,
        *,
        ttl_s: float,
        now: float | None = None,
    ) -> bool:
        """See the port."""
        kept = records.dump_message(records.without_text(item.message))
        with self._transaction() as db:
            written = db.execute(_HANDLED, (kept, records.dump_reply(reply), int(item.id), _lane(item), owner))
            if not written.rowcount:
                return False
            if state is not None:
                self._keep(db, state, self._now(now) + ttl_s)
        self._dropped = True
        return True

    @guarded
    async def resending(self, item: InboxItem, owner: str) -> bool:
        """See the port."""
        with self._transaction() as db:
            written = db.execute(_AGAIN, (int(item.id), _lane(item), owner))
        return bool(written.rowcount)

    @guarded
    async def postpone(self, item: InboxItem, owner: str, *, pause_s: float, now: float | None = None) -> bool:
        """See the port."""
        with self._transaction() as db:
            if not self._holds(db, item, owner):
                return False
            self._wait(db, item, self._now(now), clamped(pause_s))
            db.execute("UPDATE lanes SET owner = '' WHERE conversation = ?", (_lane(item),))
        return True

    @guarded
    async def finish(
        self,
        item: InboxItem,
        owner: str,
        *,
        outcome: str,
        message_id: str,
        keep_s: float,
        now: float | None = None,
    ) -> bool:
        """See the port."""
        with self._transaction() as db:
            held = db.execute(
                "SELECT conversation, chat FROM lanes WHERE conversation = ? AND owner = ? AND head = ?",
                (_lane(item), owner, int(item.id)),
            ).fetchone()
            if held is None:
                return False
            self._close(db, held, int(item.id), outcome, message_id, self._now(now) + keep_s)
        return True

    def _close(
        self,
        db: sqlite3.Connection,
        place: tuple[str, str],
        number: int,
        outcome: str,
        sent_id: str,
        keep_until: float,
    ) -> None:
        """Close a head and let the next one in. What stays is the mark; a reply only where its caller may ask again."""
        key, chat = place
        db.execute(
            "UPDATE inbox SET open = 0, outcome = ?, sent_id = ?, keep_until = ?, message = '', chat = '',"
            " conversation = '', owner = CASE passive WHEN 1 THEN ? ELSE '' END,"
            " reply = CASE passive WHEN 1 THEN reply END WHERE id = ?",
            (outcome, sent_id, keep_until, records.mark_of(records.owner_of(key), self._salt), number),
        )
        db.execute("UPDATE totals SET total = total - 1 WHERE name = 'open'")
        following = db.execute(
            "SELECT id, passive, accepted, CASE passive WHEN 1 THEN accepted + ? ELSE 0 END FROM inbox"
            " WHERE conversation = ? AND open = 1 ORDER BY id LIMIT 1",
            (PASSIVE_GRACE_S, key),
        ).fetchone()
        if following is not None:
            db.execute(
                "UPDATE lanes SET head = ?, passive = ?, accepted = ?, ready = ?, wait = ?, owner = '', due = 0,"
                " claims = 0"
                " WHERE conversation = ?",
                (*following, PASSIVE_GRACE_S, key),
            )
            return
        db.execute("DELETE FROM lanes WHERE conversation = ?", (key,))
        db.execute(
            "DELETE FROM rounds WHERE chat = ? AND NOT EXISTS (SELECT 1 FROM lanes WHERE chat = ?)", (chat, chat)
        )

    @guarded
    async def reply_of(self, message: IncomingMessage) -> Reply | None:
        """See the port."""
        row = self._db.execute("SELECT reply FROM inbox WHERE event = ?", (records.event_key(message),)).fetchone()
        return records.load_reply(row[0]) if row else None

    @guarded
    async def backlog(self, now: float | None = None) -> Backlog:
        """See the port."""
        (waiting,) = self._db.execute("SELECT total FROM totals WHERE name = 'open'").fetchone()
        (oldest,) = self._db.execute("SELECT min(accepted) FROM lanes").fetchone()
        return Backlog(waiting, max(0.0, self._now(now) - oldest) if oldest is not None else 0.0)

    @guarded
    async def forget(self, owner: str) -> int:
        """See the port."""
        mark, gone = records.mark_of(owner, self._salt), 0
        with self._transaction() as db:
            gone += db.execute("DELETE FROM conversations WHERE owner = ?", (owner,)).rowcount
            gone += db.execute("DELETE FROM small WHERE owner = ?", (mark,)).rowcount
            gone += db.execute("DELETE FROM inbox WHERE open = 0 AND owner = ?", (mark,)).rowcount
        self._forgot = True
        self._fold()
        return gone


def _own(only: tuple[str, ...] | None) -> tuple[str, tuple[object, ...]]:
    """The condition that a chat is one of those that a process may claim, and its values."""
    own = f"({' OR '.join([_OF] * len(only))}) AND " if only else ""
    return own, tuple(part for name in only or () for part in (len(name), name))


def _lane(item: InboxItem) -> str:
    return item.place[0] if item.place else item.message.conversation_key
