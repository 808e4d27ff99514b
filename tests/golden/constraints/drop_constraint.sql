-- expect: no jvm

-- log: off
CREATE TABLE t (id INT, s STRUCT<x: INT>);
-- log: off
ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0);
-- log: off
ALTER TABLE t ADD CONSTRAINT `in order` CHECK (s.x > 0);
-- log: off
ALTER TABLE t ADD CONSTRAINT last CHECK (id < 10);
-- name: plain
ALTER TABLE t DROP CONSTRAINT positive;
-- name: quoted, in other case, comments
alter /* a table */ TABLE T drop CONSTRAINT `In Order` -- done
;
-- name: IF EXISTS of one that is there
ALTER TABLE t DROP CONSTRAINT IF EXISTS last;
-- name: IF EXISTS of one that is gone
ALTER TABLE t DROP CONSTRAINT IF EXISTS last;
SHOW TBLPROPERTIES t;
-- name: the name is free again
ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 5);
ALTER TABLE t DROP CONSTRAINT positive;

-- name: IF EXISTS by a setting
SET spark.databricks.delta.constraints.assumesDropIfExists.enabled = true;
CREATE TABLE lenient (id INT);
ALTER TABLE lenient DROP CONSTRAINT missing;
