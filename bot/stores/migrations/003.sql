-- Version 3: how often the head of a lane was claimed, counted before work on it begins.

ALTER TABLE lanes ADD COLUMN claims INTEGER NOT NULL DEFAULT 0;
