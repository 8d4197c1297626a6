"""What the SQLite store says to its database: one statement for each step of a message.

A statement is a transaction of its own, so a kill at any instruction leaves either the state before or the state after.
"""
# ruff: noqa: S608 - built from the constants of this module alone; values are bound

from __future__ import annotations

from typing import Final

from bot.stores.clock import SLACK_S

# The virtual time of fair queueing: the place in the round of what was claimed last, or is furthest on.
SERVED: Final = "coalesce((SELECT max(served) FROM inbox WHERE served IS NOT NULL), 0)"
OPEN_OF_CHAT: Final = "coalesce((SELECT max(turn) FROM inbox WHERE chat = {chat} AND open = 1), 0)"
# The cast: a column of the row that a statement gives back is looked up in no index as it is, and all would be read.
KEPT: Final = "(SELECT {what} FROM conversations WHERE key = CAST(inbox.conversation AS TEXT) AND expires > :now)"
ROW: Final = (
    "conversation, chat, id, message, reply, sends, accepted, passive, claims,"
    f" CASE WHEN reply IS NULL THEN {KEPT.format(what='state')} END, {KEPT.format(what='answers')}"
)

# How many wait, at most so many as are asked for.
OPEN: Final = "SELECT count(*) FROM (SELECT 1 FROM inbox WHERE open = 1 LIMIT {most})"

# A chat enters the round behind those that wait already, never before them; its own messages stand one round apart. Who
# names a holder has the message in hand at once, if it is the head of its conversation.
ACCEPT: Final = (
    "INSERT INTO inbox"
    " (event, conversation, chat, passive, message, accepted, turn, ready, due, wait, claims, holder, served)"
    " SELECT :event, :key, :chat, :passive, :message, :now, place,"
    " CASE WHEN taken THEN :now + :lease WHEN head AND :passive THEN :now + :grace WHEN head THEN 0 END,"
    " CASE WHEN taken THEN :now + :lease ELSE 0 END, CASE WHEN taken THEN :lease ELSE :grace END,"
    " taken, CASE WHEN taken THEN :holder ELSE '' END, CASE WHEN taken THEN place END"
    " FROM (SELECT head, head AND :holder <> '' AS taken,"
    f" 1 + max({OPEN_OF_CHAT.format(chat=':chat')}, {SERVED}) AS place"
    " FROM (SELECT NOT EXISTS (SELECT 1 FROM inbox WHERE conversation = :key AND open = 1) AS head))"
    f" WHERE :capacity <= 0 OR ({OPEN.format(most=':capacity')}) < :capacity"
    f" ON CONFLICT (event) DO NOTHING RETURNING {ROW}"
)

# Heads in the order of the round: walks an index and stops at the first that is ready.
CLAIM: Final = (
    "UPDATE inbox SET holder = :holder, due = :now + :lease, ready = :now + :lease, wait = :lease, claims = claims + 1,"
    " served = turn"
    f" WHERE id = ({{which}}) RETURNING {ROW}"
)
NEXT: Final = "SELECT id FROM inbox INDEXED BY inbox_turn WHERE ready <= :now {own}ORDER BY turn, id LIMIT 1"
NAMED: Final = (
    "SELECT id FROM inbox WHERE conversation = :key AND open = 1 AND ready IS NOT NULL AND due <= :now LIMIT 1"
)

# Only who still holds an item may write to it.
HELD: Final = " WHERE id = :id AND holder = :holder AND open = 1"
HANDLED: Final = (
    "UPDATE inbox SET message = :message, reply = :reply, state = :state, state_until = :until,"
    f" sends = sends + 1{HELD}"
)
AGAIN: Final = f"UPDATE inbox SET sends = sends + 1{HELD}"
RENEW: Final = f"UPDATE inbox SET due = :until, ready = :until, wait = :wait{HELD}"
# Whoever waited for his own pause stands behind the others of the round again.
POSTPONE: Final = (
    "UPDATE inbox SET due = :until, ready = :until, wait = :wait, holder = '',"
    f" turn = 1 + max({OPEN_OF_CHAT.format(chat='inbox.chat')}, {SERVED}){HELD}"
)
MOVE_STATE: Final = (
    "INSERT INTO conversations (key, owner, expires, answers, state)"
    " SELECT :key, :owner, state_until, :answers, CASE WHEN conversation = :key THEN state END FROM inbox"
    f"{HELD} AND (:answers <> '' OR state IS NOT NULL)"
    " ON CONFLICT (key) DO UPDATE SET expires = max(expires, excluded.expires),"
    " answers = CASE WHEN excluded.answers <> '' THEN excluded.answers ELSE answers END,"
    " state = coalesce(excluded.state, state)"
)
# Closes a head and lets the next one of its conversation in. What stays is the mark; a reply only where its caller may
# ask again. Both rows in one statement, because a conversation without a head would be stuck for ever.
CLOSE: Final = (
    "UPDATE inbox SET open = id <> :id, due = 0, wait = :grace, holder = '', state = NULL,"
    " ready = CASE WHEN id = :id THEN NULL WHEN passive THEN accepted + :grace ELSE 0 END,"
    " claims = CASE id WHEN :id THEN claims ELSE 0 END,"
    f" turn = CASE id WHEN :id THEN turn ELSE max(turn, 1 + {SERVED}) END,"
    " outcome = CASE id WHEN :id THEN :outcome END, sent_id = CASE id WHEN :id THEN :sent END,"
    " keep_until = CASE id WHEN :id THEN :until END,"
    " owner = CASE WHEN id = :id AND passive THEN :mark ELSE '' END,"
    " reply = CASE WHEN id <> :id OR passive THEN reply END,"
    " message = CASE id WHEN :id THEN '' ELSE message END,"
    " chat = CASE id WHEN :id THEN '' ELSE chat END, conversation = CASE id WHEN :id THEN '' ELSE conversation END"
    " WHERE id IN (:id, (SELECT min(id) FROM inbox WHERE conversation = :lane AND open = 1 AND id > :id))"
    f" AND EXISTS (SELECT 1 FROM inbox{HELD})"
)
LOAD: Final = (
    "SELECT coalesce((SELECT state FROM inbox WHERE conversation = :key AND open = 1 AND ready IS NOT NULL),"
    " (SELECT state FROM conversations WHERE key = :key AND expires > :now))"
)
AHEAD: Final = f"ready > :now + wait + {SLACK_S}"
CUT: Final = f"UPDATE inbox SET ready = min(ready, :now + wait), due = min(due, :now + wait) WHERE {AHEAD}"
IS_AHEAD: Final = f"SELECT 1 FROM inbox WHERE {AHEAD} LIMIT 1"
"""What lies further ahead than its own length was written before the clock was set back: it waits its length."""
SAVE: Final = (
    "INSERT INTO conversations (key, owner, expires, state) VALUES (:key, :owner, :expires, :state)"
    " ON CONFLICT (key) DO UPDATE SET expires = excluded.expires, state = excluded.state"
)

# All buckets of a message in one statement: a token from each, or from none. `level` is what is in a bucket now; one
# that was last seen in the future (the clock was set back) fills from now on. Small values asked for come along.
LEVELS: Final = (
    "SELECT place, wanted.key,"
    " min(burst, coalesce(tokens, burst) + max(0.0, :now - coalesce(at, :now)) * rate) AS level"
    " FROM (SELECT key AS place, json_extract(value, '$[0]') AS key, json_extract(value, '$[1]') AS rate,"
    " json_extract(value, '$[2]') AS burst FROM json_each(:buckets)) AS wanted"
    " LEFT JOIN buckets ON buckets.key = wanted.key"
)
SMALL: Final = (
    "SELECT json_group_array(json_array(small.key, small.value)) FROM small"
    " WHERE small.key IN (SELECT value FROM json_each(:keys)) AND (expires IS NULL OR expires > :now)"
)
TAKE: Final = (
    f"WITH levels AS MATERIALIZED ({LEVELS})"
    " INSERT INTO buckets (key, tokens, at) SELECT key, level - 1.0, :now FROM levels"
    " WHERE (SELECT min(level) FROM levels) >= 1.0"
    " ON CONFLICT (key) DO UPDATE SET tokens = excluded.tokens, at = excluded.at"
    f" RETURNING CASE WHEN key = :first THEN ({SMALL}) END"
)
EMPTY: Final = f"SELECT min(place) FROM ({LEVELS}) WHERE level < 1.0"
ANEW: Final = (
    "UPDATE buckets SET at = :now"
    " WHERE at > :now AND key IN (SELECT json_extract(value, '$[0]') FROM json_each(:buckets))"
)
COUNT: Final = (
    "INSERT INTO counters VALUES (:name, :field, :by) ON CONFLICT DO UPDATE SET total = total + excluded.total"
)
