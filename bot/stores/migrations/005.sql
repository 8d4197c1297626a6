-- Version 5: everything that is about a user can be found by a mark of him, and erased.

ALTER TABLE small ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX small_owner ON small (owner) WHERE owner <> '';
ALTER TABLE inbox ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX inbox_owner ON inbox (owner) WHERE owner <> '';

-- Replies that were kept under plain names for half an hour at most, and limits under plain ids.
UPDATE inbox SET conversation = '', reply = NULL WHERE open = 0;
DELETE FROM buckets;
