-- Version 2: claiming looks at one chat and one lane through indexes, however much waits; the open ones are counted.

DROP INDEX inbox_done;
CREATE INDEX inbox_done ON inbox (keep_until) WHERE open = 0;

-- One row per conversation with open messages. `due`: until then it is leased or postponed. `ready`: the same for workers
-- that do not name the conversation; a message whose caller waits for the answer itself becomes ready later.
CREATE TABLE lanes_2 (
  conversation TEXT PRIMARY KEY,
  chat         TEXT NOT NULL,
  head         INTEGER NOT NULL,
  passive      INTEGER NOT NULL,
  accepted     REAL NOT NULL,
  due          REAL NOT NULL,
  ready        REAL NOT NULL,
  owner        TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
INSERT INTO lanes_2
  SELECT conversation, chat, head, passive, accepted, max(due, lease_until),
         max(due, lease_until, CASE passive WHEN 1 THEN accepted + 15 ELSE 0 END), owner
  FROM lanes;
DROP TABLE lanes;
ALTER TABLE lanes_2 RENAME TO lanes;
CREATE INDEX lanes_turn ON lanes (chat, head, ready);

-- Chats with open messages, in the order of their turns: when last served, as a running number, then who came first.
DROP TABLE rounds;
CREATE TABLE rounds (
  chat   TEXT PRIMARY KEY,
  served INTEGER NOT NULL,
  since  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX rounds_turn ON rounds (served, since);
INSERT INTO rounds SELECT chat, 0, min(head) FROM lanes GROUP BY chat;

CREATE TABLE totals (
  name  TEXT PRIMARY KEY,
  total INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO totals SELECT 'open', count(*) FROM inbox WHERE open = 1;
