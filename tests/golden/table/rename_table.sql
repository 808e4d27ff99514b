-- expect: no jvm

CREATE TABLE a (x INT);
CREATE SCHEMA s;
-- name: within its schema, into another, over an existing one, of a missing one, of a path
ALTER TABLE a RENAME TO b;
ALTER TABLE b RENAME TO s.b;
CREATE TABLE a (x INT);
ALTER TABLE s.b RENAME TO default.a;
ALTER TABLE nope RENAME TO c;
ALTER TABLE delta.`/tmp/somewhere` RENAME TO c;
-- name: the same table under its new name
DESCRIBE s.b;
-- name: a constraint of a missing name
ALTER TABLE a DROP CONSTRAINT nope;
ALTER TABLE a DROP CONSTRAINT IF EXISTS nope;
-- name: EXTERNAL needs a place
CREATE EXTERNAL TABLE e (x INT);
