-- expect: no jvm

-- log: off
CREATE TABLE t (id INT, `odd-name` STRING);
-- log: off
ALTER TABLE t SET TAGS ('team' = 'sales', 'pii', 'a b');
-- log: off
ALTER TABLE t ALTER COLUMN id SET TAGS ('x' = '1', 'y');
-- log: off
ALTER SCHEMA default SET TAGS ('level' = '1');
-- name: plain; one that is not there
ALTER TABLE t UNSET TAGS ('team', 'nothing');
-- name: quoted, upper case, comments
alter table `T` alter column ID unset /* one */ tags ('x');
-- name: the other form
UNSET TAG ON TABLE t `a b`;
UNSET TAG ON COLUMN t.id y;
UNSET TAG ON SCHEMA default level;
DESCRIBE EXTENDED t;
DESCRIBE SCHEMA EXTENDED default;
-- name: the last one
ALTER TABLE t UNSET TAGS ('pii');
