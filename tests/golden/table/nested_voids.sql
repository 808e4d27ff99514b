-- log: off
-- expect: no jvm
-- VOID inside an array or a map is refused wherever a schema is made: no file can hold it.

-- name: not inside
CREATE TABLE t (k INT, v VOID, s STRUCT<a: VOID>);
ALTER TABLE t ADD COLUMNS (x ARRAY<VOID>);
ALTER TABLE t ADD COLUMNS (s.x MAP<VOID, INT>);
ALTER TABLE t REPLACE COLUMNS (k INT, v VOID, s STRUCT<a: VOID>, x ARRAY<STRUCT<q: VOID>>);
DESCRIBE t;
