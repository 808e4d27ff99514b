-- name: in the rows of a query
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
CREATE TABLE u USING delta AS SELECT 1 AS a, array() AS x;
CREATE TABLE u USING delta AS SELECT 1 AS a, map('k', NULL) AS x;
CREATE TABLE u USING delta AS SELECT 1 AS a, array(named_struct('z', NULL)) AS x;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO t SELECT 1 AS a, array() AS x;
MERGE INTO t USING (SELECT 1 AS a, array() AS x) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *;
MERGE INTO t USING (SELECT 2 AS a, map('k', NULL) AS x) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;

-- name: in DDL
CREATE TABLE t (a INT) USING delta;
-- differs: void-in-collections DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE
CREATE TABLE u (x ARRAY<VOID>) USING delta;
-- differs: void-in-collections DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE
ALTER TABLE t ADD COLUMNS (x MAP<STRING, VOID>);
-- state differs: void-in-collections
