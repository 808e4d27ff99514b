-- expect: no jvm

CREATE TABLE a (x INT);
CREATE SCHEMA s;
-- name: within its schema, into another, over an existing one, of a missing one, of a path
ALTER TABLE a RENAME TO b;
ALTER TABLE b RENAME TO s.b;
CREATE TABLE a (x INT);
-- name: the same table under its new name
DESCRIBE s.b;
-- name: a constraint of a missing name
ALTER TABLE a DROP CONSTRAINT IF EXISTS nope;
