-- name: add columns
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD COLUMN b STRING;
ALTER TABLE t ADD COLUMNS (c INT COMMENT 'the c', d ARRAY<INT>);
SELECT * FROM t;
INSERT INTO t VALUES (2, 'x', 3, array(4));
SELECT * FROM t;
-- state differs: array-type-in-history

-- name: FIRST and AFTER
CREATE TABLE t (a INT, b INT) USING delta;
INSERT INTO t VALUES (1, 2);
ALTER TABLE t ADD COLUMNS (z INT FIRST, m INT AFTER a, n INT COMMENT 'n' AFTER m);
SELECT * FROM t;

-- name: nested columns
CREATE TABLE t (a INT, s STRUCT<x: INT, y: STRUCT<z: STRING>>) USING delta;
INSERT INTO t VALUES (1, named_struct('x', 1, 'y', named_struct('z', 'q')));
ALTER TABLE t ADD COLUMNS (s.w STRING AFTER x, s.y.v INT FIRST);
SELECT * FROM t;
INSERT INTO t VALUES (2, NULL);

-- name: below arrays and maps
CREATE TABLE t (a ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<x: INT>>) USING delta;
INSERT INTO t VALUES (array(named_struct('x', 1)), map('k', named_struct('x', 1)));
ALTER TABLE t ADD COLUMN a.element.y INT;
ALTER TABLE t ADD COLUMN m.value.y INT FIRST;
SELECT * FROM t;

-- name: add columns that cannot be
CREATE TABLE t (a INT, arr ARRAY<INT>) USING delta;
ALTER TABLE t ADD COLUMN a INT;
ALTER TABLE t ADD COLUMN A INT;
ALTER TABLE t ADD COLUMNS (b INT, b STRING);
ALTER TABLE t ADD COLUMN b INT NOT NULL;
ALTER TABLE t ADD COLUMN b INT AFTER nope;
ALTER TABLE t ADD COLUMN nope.b INT;
ALTER TABLE t ADD COLUMN a.b INT;
ALTER TABLE t ADD COLUMN arr.b INT;
ALTER TABLE t ADD COLUMN b INT DEFAULT 5;
ALTER TABLE t ADD COLUMN `x y` INT;
ALTER TABLE nothing_here ADD COLUMN b INT;

-- name: columns after their table's partition column
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD COLUMN b INT AFTER a;
INSERT INTO t VALUES (2, 3, 2);
SELECT * FROM t;

-- name: set and unset properties
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('x' = '1', 'y' = '2');
ALTER TABLE t SET TBLPROPERTIES ('x' = '3', 'z' = 'new', 'delta.appendOnly' = 'true');
ALTER TABLE t UNSET TBLPROPERTIES ('y', 'delta.appendOnly');
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('nothing');
SHOW TBLPROPERTIES t ('x');

-- name: unset what is not there
-- state differs: unset-missing
CREATE TABLE t (a INT) USING delta;
-- differs: unset-missing DELTA_UNSET_NON_EXISTENT_PROPERTY
ALTER TABLE t UNSET TBLPROPERTIES ('nothing');

-- name: properties that cannot be set
CREATE TABLE t (a INT) USING delta;
ALTER TABLE t SET TBLPROPERTIES ('delta.noSuchThing' = '1');
ALTER TABLE t SET TBLPROPERTIES ('location' = '/x');
ALTER TABLE t SET TBLPROPERTIES ('provider' = 'parquet');
ALTER TABLE t SET TBLPROPERTIES ('delta.constraints.c' = 'a > 1');
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.maxColumnId' = '5');

-- name: protocol by properties
CREATE TABLE t (a INT) USING delta;
ALTER TABLE t SET TBLPROPERTIES ('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '4');
ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '2');

-- name: a new comment
CREATE TABLE t (a INT) USING delta COMMENT 'old';
COMMENT ON TABLE t IS 'new';
COMMENT ON TABLE t IS NULL;
-- state differs: comment-null

-- name: comment as a property
CREATE TABLE t (a INT) USING delta;
ALTER TABLE t SET TBLPROPERTIES ('comment' = 'by property');

-- name: isolation levels
CREATE TABLE t (a INT) USING delta;
ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable');
-- differs: isolation-level
ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'WriteSerializable');
ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'None');
-- state differs: isolation-level
