-- Version 6: a message carries its own lease, its place in the round and its state, so that a step touches one row.

-- One row per accepted event. Only the head of a conversation, its oldest open message, has a `ready`: until then no worker
-- that does not name the conversation may claim it; `due` is the same for those that do. `turn` is its place in the round,
-- `served` the place at which it was claimed. `state`: what the conversation becomes when the row is closed. A finished row
-- stays as the mark until `keep_until`.
-- What is long comes last: the rest is read without it.
CREATE TABLE inbox_6 (
  id           INTEGER PRIMARY KEY,
  event        TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  chat         TEXT NOT NULL,
  passive      INTEGER NOT NULL DEFAULT 0,
  accepted     REAL NOT NULL,
  open         INTEGER NOT NULL DEFAULT 1,
  turn         INTEGER NOT NULL DEFAULT 1,
  served       INTEGER,
  ready        REAL,
  due          REAL NOT NULL DEFAULT 0,
  wait         REAL NOT NULL DEFAULT 0,
  claims       INTEGER NOT NULL DEFAULT 0,
  holder       TEXT NOT NULL DEFAULT '',
  sends        INTEGER NOT NULL DEFAULT 0,
  outcome      TEXT,
  sent_id      TEXT,
  keep_until   REAL,
  owner        TEXT NOT NULL DEFAULT '',
  state_until  REAL NOT NULL DEFAULT 0,
  message      TEXT NOT NULL,
  reply        TEXT,
  state        TEXT
);
INSERT INTO inbox_6 (id, event, conversation, chat, passive, message, reply, sends, accepted, open, turn, ready, due, wait,
                     claims, holder, outcome, sent_id, keep_until, owner)
  SELECT inbox.id, event, inbox.conversation, inbox.chat, inbox.passive, message, reply, sends, inbox.accepted, open,
         row_number() OVER (PARTITION BY inbox.chat ORDER BY inbox.id),
         lanes.ready, coalesce(lanes.due, 0), coalesce(lanes.wait, 0), coalesce(lanes.claims, 0), coalesce(lanes.owner, ''),
         outcome, sent_id, keep_until, inbox.owner
  FROM inbox LEFT JOIN lanes ON lanes.head = inbox.id AND inbox.open = 1;
DROP TABLE inbox;
DROP TABLE lanes;
DROP TABLE rounds;
DROP TABLE totals;
ALTER TABLE inbox_6 RENAME TO inbox;
CREATE INDEX inbox_lane ON inbox (conversation, id) WHERE open = 1;
CREATE INDEX inbox_chat ON inbox (chat, turn) WHERE open = 1;
CREATE INDEX inbox_turn ON inbox (turn) WHERE ready IS NOT NULL;
CREATE INDEX inbox_served ON inbox (served) WHERE served IS NOT NULL;
CREATE INDEX inbox_done ON inbox (keep_until) WHERE open = 0;
CREATE INDEX inbox_owner ON inbox (owner) WHERE owner <> '';

-- Beside the state, by which messages the newest questions were answered, so that an edited question edits its answer.
CREATE TABLE conversations_6 (
  key     TEXT PRIMARY KEY,
  owner   TEXT NOT NULL,
  expires REAL NOT NULL,
  answers TEXT NOT NULL DEFAULT '',
  state   TEXT
);
INSERT INTO conversations_6 (key, owner, state, expires) SELECT key, owner, state, expires FROM conversations;
DROP TABLE conversations;
ALTER TABLE conversations_6 RENAME TO conversations;
CREATE INDEX conversations_owner ON conversations (owner);
CREATE INDEX conversations_end ON conversations (expires);
DELETE FROM small WHERE key LIKE 'answer:%';
CREATE INDEX small_end ON small (expires) WHERE expires IS NOT NULL;
