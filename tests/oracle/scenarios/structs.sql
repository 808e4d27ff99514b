-- name: the same names in another order go by name
CREATE TABLE t (p STRUCT<a: INT, b: INT>) USING delta;
CREATE TABLE s (p STRUCT<b: INT, a: INT>) USING delta;
INSERT INTO s SELECT named_struct('b', 20, 'a', 10);
INSERT INTO t SELECT * FROM s;
INSERT INTO t BY NAME SELECT p FROM s;
SELECT p.a, p.b FROM t;

-- name: other names go by position
CREATE TABLE t (p STRUCT<a: INT, b: INT>, l ARRAY<STRUCT<a: INT, b: INT>>) USING delta;
INSERT INTO t SELECT struct(1, 2), array(struct(3, 4));
INSERT INTO t SELECT named_struct('a', 1, 'z', 2), array(named_struct('y', 3, 'z', 4));
SELECT p.a, p.b, l[0].a, l[0].b FROM t;

-- name: the same names in another order in an expression
CREATE TABLE t (p STRUCT<a: INT, b: INT>) USING delta;
INSERT INTO t SELECT named_struct('b', 20, 'a', 10);
-- differs: structs-by-name
SELECT p.a, p.b FROM t;
-- state differs: structs-by-name

-- name: the same names in another order in arrays, maps and a list of columns
CREATE TABLE t (l ARRAY<STRUCT<a: INT, b: INT>>, m MAP<STRING, STRUCT<a: INT, b: INT>>) USING delta;
INSERT INTO t (m, l) SELECT map('k', named_struct('b', 20, 'a', 10)), array(named_struct('B', 20, 'A', 10));
-- differs: structs-by-name
SELECT l[0].a, l[0].b, m['k'].a, m['k'].b FROM t;
-- state differs: structs-by-name

-- name: names of the column in other places
CREATE TABLE t (p STRUCT<a: INT, b: INT>) USING delta;
-- differs: structs-by-name INCOMPATIBLE_DATA_FOR_TABLE.UNEXPECTED_COLUMN_NAME
INSERT INTO t SELECT named_struct('b', 1, 'c', 2);
-- state differs: structs-by-name

-- name: a field that is added gets its value
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (k INT, p STRUCT<a: INT, b: STRING>) USING delta;
INSERT INTO t SELECT 1 AS k, named_struct('a', 1, 'c', 'c') AS p;
-- differs: structs-by-name
SELECT * FROM t;
-- state differs: structs-by-name

-- name: insertInto does not evolve the table
CREATE TABLE t (a INT) USING delta;
-- differs: insert-into-evolution DELTA_OPERATION_NOT_ALLOWED
write("SELECT 1 AS a, 2 AS b").option("mergeSchema", "true").insertInto("t");
-- state differs: insert-into-evolution

-- name: structs of DataFrames
CREATE TABLE t (p STRUCT<a: INT, b: INT>) USING delta;
write("SELECT named_struct('b', 20, 'a', 10) AS p").insertInto("t");
write("SELECT named_struct('b', 20, 'a', 10) AS p").mode("append").saveAsTable("t");
write("SELECT named_struct('x', 1, 'y', 2) AS p").insertInto("t");
SELECT p.a, p.b FROM t;

-- name: overwriteSchema while the session overwrites partitions
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p);
SET spark.sql.sources.partitionOverwriteMode = dynamic;
-- differs: dynamic-with-schema DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE
write("SELECT 1 AS a, 2 AS p, 3 AS c").mode("overwrite").option("overwriteSchema", "true").saveAsTable("t");
-- state differs: dynamic-with-schema

-- name: fields of maps, arrays and numbers
CREATE TABLE t (id INT, m MAP<STRING, INT>, a ARRAY<STRUCT<x: INT>>, ms MAP<STRING, STRUCT<x: INT>>) USING delta;
INSERT INTO t SELECT 1, map('k', 2), array(named_struct('x', 3)), map('k', named_struct('x', 4));
UPDATE t SET m.k = 1;
UPDATE t SET m.key = 'x';
UPDATE t SET ms.value.x = 1;
UPDATE t SET a.x = 1;
UPDATE t SET id.x = 1;
MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET m.k = 1;
SELECT m.k, ms.k.x, a.x FROM t;
SELECT id.x FROM t;
SELECT m.k.x FROM t;
UPDATE t SET id = m.k;
ALTER TABLE t ADD COLUMN m.k INT;
ALTER TABLE t ADD COLUMN id.x INT;
ALTER TABLE t ALTER COLUMN m.k COMMENT 'x';
ALTER TABLE t ALTER COLUMN ms.x COMMENT 'x';
ALTER TABLE t ALTER COLUMN m.k FIRST;
SELECT * FROM t;

-- name: a struct column that is called like an alias
CREATE TABLE t (k INT, s STRUCT<a: INT, b: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2));
UPDATE t AS s SET s.a = 9;
UPDATE t AS s SET s.s.b = 10;
UPDATE t AS s SET s.k = 2;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
MERGE INTO t USING (SELECT 2 AS k, named_struct('a', 5, 'b', 6, 'c', 7) AS s) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s.c = s.s.c;
MERGE INTO t USING (SELECT 2 AS k, 4 AS n) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s.n = s.n;
SELECT * FROM t;
