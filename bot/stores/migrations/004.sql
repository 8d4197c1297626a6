-- Version 4: two bots share a file and do not answer for each other, and all processes share one clock.

-- Open messages lie under keys with the bot in them; parts of a key hold no colon.
UPDATE inbox SET
  chat = replace(replace(json_extract(message, '$.channel'), '%', '%25'), ':', '%3A')
    || ':' || replace(replace(coalesce(json_extract(message, '$.bot_id'), ''), '%', '%25'), ':', '%3A')
    || ':' || replace(replace(json_extract(message, '$.chat_id'), '%', '%25'), ':', '%3A'),
  conversation = replace(replace(json_extract(message, '$.channel'), '%', '%25'), ':', '%3A')
    || ':' || replace(replace(coalesce(json_extract(message, '$.bot_id'), ''), '%', '%25'), ':', '%3A')
    || ':' || replace(replace(json_extract(message, '$.chat_id'), '%', '%25'), ':', '%3A')
    || ':' || replace(replace(coalesce(json_extract(message, '$.thread_id'), ''), '%', '%25'), ':', '%3A')
    || ':' || replace(replace(json_extract(message, '$.user_id'), '%', '%25'), ':', '%3A')
  WHERE open = 1 AND json_valid(message) AND json_extract(message, '$.channel') IS NOT NULL
    AND json_extract(message, '$.chat_id') IS NOT NULL AND json_extract(message, '$.user_id') IS NOT NULL;

-- `wait`: how long the lease or pause is; nothing lies further ahead than that.
CREATE TABLE lanes_4 (
  conversation TEXT PRIMARY KEY,
  chat         TEXT NOT NULL,
  head         INTEGER NOT NULL,
  passive      INTEGER NOT NULL,
  accepted     REAL NOT NULL,
  due          REAL NOT NULL,
  ready        REAL NOT NULL,
  wait         REAL NOT NULL,
  claims       INTEGER NOT NULL DEFAULT 0,
  owner        TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
INSERT INTO lanes_4
  SELECT inbox.conversation, inbox.chat, inbox.id, inbox.passive, inbox.accepted, coalesce(lanes.due, 0),
         coalesce(lanes.ready, CASE inbox.passive WHEN 1 THEN inbox.accepted + 15 ELSE 0 END), 30,
         coalesce(lanes.claims, 0), coalesce(lanes.owner, '')
  FROM inbox LEFT JOIN lanes ON lanes.head = inbox.id
  WHERE inbox.id IN (SELECT min(id) FROM inbox WHERE open = 1 GROUP BY conversation);
DROP TABLE lanes;
ALTER TABLE lanes_4 RENAME TO lanes;
CREATE INDEX lanes_turn ON lanes (chat, head, ready);
DELETE FROM rounds;
INSERT INTO rounds SELECT chat, 0, min(head) FROM lanes GROUP BY chat;

ALTER TABLE leases ADD COLUMN span REAL NOT NULL DEFAULT 0;

-- What lay under keys without the bot lives for half an hour; nobody finds it any more, so that nobody forgets it either.
DELETE FROM conversations;
DELETE FROM small WHERE key LIKE 'case:%' OR key LIKE 'answer:%' OR key LIKE 'board:%' OR key LIKE 'boards\_of:%' ESCAPE '\';

-- Closed ones that keep a reply for their caller: the bot stands in the event's name.
UPDATE inbox SET conversation = substr(event, 1, instr(event, ':') + instr(substr(event, instr(event, ':') + 1), ':'))
    || replace(substr(conversation, instr(conversation, ':') + 1), '%', '%25')
  WHERE open = 0 AND conversation <> '';

-- How far the epoch lies from the machine's steady clock, for which run of the machine, and the last time that was seen.
CREATE TABLE clock (
  name     TEXT PRIMARY KEY,
  boot     TEXT NOT NULL,
  distance REAL NOT NULL,
  seen     REAL NOT NULL
) WITHOUT ROWID;
