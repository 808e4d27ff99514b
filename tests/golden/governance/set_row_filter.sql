-- Row filters and column masks as records.
-- expect: no jvm
-- log: off

CREATE TABLE t (id INT, region STRING, ssn STRING);

-- name: refused
SET deltasql.governance = WARN;
-- name: ignored
CREATE TABLE u (a INT MASK m) WITH ROW FILTER f ON (a);
SHOW CREATE TABLE u;

SET deltasql.governance = RECORD;
-- name: missing function and columns
ALTER TABLE t SET ROW FILTER missing ON (region);
ALTER TABLE t ALTER COLUMN nothing SET MASK missing;
ALTER TABLE missing SET ROW FILTER missing ON (region);
ALTER TABLE t DROP ROW FILTER;
ALTER TABLE t ALTER COLUMN ssn DROP MASK;
SELECT * FROM information_schema.row_filters;
SELECT * FROM information_schema.column_masks;
