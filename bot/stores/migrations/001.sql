-- Version 1. Times are seconds since the epoch.

-- One row per accepted event; a finished row stays as the dedupe mark until `keep_until`.
CREATE TABLE inbox (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  event        TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  chat         TEXT NOT NULL,
  passive      INTEGER NOT NULL DEFAULT 0,
  message      TEXT NOT NULL,
  reply        TEXT,
  sends        INTEGER NOT NULL DEFAULT 0,
  accepted     REAL NOT NULL,
  open         INTEGER NOT NULL DEFAULT 1,
  outcome      TEXT,
  sent_id      TEXT,
  keep_until   REAL
);
CREATE INDEX inbox_open ON inbox (conversation, id) WHERE open = 1;
CREATE INDEX inbox_done ON inbox (keep_until) WHERE open = 0;

-- One row per conversation with open messages: its head, its lease, and the chat's place in the round.
CREATE TABLE lanes (
  conversation TEXT PRIMARY KEY,
  chat         TEXT NOT NULL,
  head         INTEGER NOT NULL,
  passive      INTEGER NOT NULL,
  accepted     REAL NOT NULL,
  due          REAL NOT NULL DEFAULT 0,
  owner        TEXT NOT NULL DEFAULT '',
  lease_until  REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- When a chat was last served, as a running number.
CREATE TABLE rounds (
  chat   TEXT PRIMARY KEY,
  served INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE conversations (
  key     TEXT PRIMARY KEY,
  owner   TEXT NOT NULL,
  state   TEXT NOT NULL,
  expires REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX conversations_owner ON conversations (owner);

CREATE TABLE small (
  key     TEXT PRIMARY KEY,
  value   TEXT NOT NULL,
  expires REAL
) WITHOUT ROWID;

CREATE TABLE counters (
  name  TEXT NOT NULL,
  field TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (name, field)
) WITHOUT ROWID;

CREATE TABLE buckets (
  key    TEXT PRIMARY KEY,
  tokens REAL NOT NULL,
  at     REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE leases (
  name    TEXT PRIMARY KEY,
  owner   TEXT NOT NULL,
  expires REAL NOT NULL
) WITHOUT ROWID;
