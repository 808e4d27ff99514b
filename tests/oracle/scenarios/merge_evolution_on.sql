-- name: row 1
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;

-- name: row 2
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;

-- name: row 3
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 4
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = s.extra;

-- name: row 5
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = s.value;

-- name: row 6
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = -1;

-- name: row 7
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra, 'un' AS unused FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = s.unused;

-- name: row 8
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra, 'un' AS unused FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, extra) VALUES (s.key, s.unused);

-- name: row 9
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra, 5 AS other FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET extra = s.extra WHEN NOT MATCHED THEN INSERT (key, other) VALUES (s.key, s.other);

-- name: row 10
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key) VALUES (s.key);

-- name: row 11
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.extra;

-- name: row 12
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (value) VALUES (s.extra);

-- name: row 13
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET value = s.value;

-- name: row 14
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED AND s.key = 99 THEN UPDATE SET value = 'c' WHEN MATCHED THEN UPDATE SET *;

-- name: row 15
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET key = s.key, value = s.value WHEN NOT MATCHED THEN INSERT *;

-- name: row 16
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT (key, value) VALUES (s.key, s.value);

-- name: row 17, update
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET nonexistent = s.extra;

-- name: row 17b, insert
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (nonexistent) VALUES (s.extra);

-- name: row 18
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING, extra STRING) USING delta;
INSERT INTO t VALUES (1, 't1', 'x1'), (2, 't2', 'x2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;

-- name: row 19
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING, extra STRING) USING delta;
INSERT INTO t VALUES (1, 't1', 'x1'), (2, 't2', 'x2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;

-- name: row 20
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, targetVal STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS srcVal FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 21
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = concat(value, '+');

-- name: row 22
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = 'gone';

-- name: row 23
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED AND s.extra = 'e2' THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET value = 'gone';

-- name: row 24
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, concat('e', id) AS extra FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED BY SOURCE THEN UPDATE SET extra = 'x';

-- name: row 25
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT) USING delta;
INSERT INTO t VALUES (1), (2);
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 26
-- state differs: column-in-two-spellings
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
-- differs: column-in-two-spellings DELTA_DUPLICATE_COLUMNS_ON_INSERT
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, value, VALUE) VALUES (s.key, s.value, s.VALUE);

-- name: row 30
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 't1'), (2, 't2');
MERGE INTO t USING (SELECT id AS key, concat('s', id) AS value, NULL AS extra FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 32
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, X'01' AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 33
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value BOOLEAN) USING delta;
INSERT INTO t VALUES (1, true), (2, true);
MERGE INTO t USING (SELECT id AS key, 'false' AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 34
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, '7' AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 34b
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 'bad' AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 34c
SET spark.sql.storeAssignmentPolicy = STRICT;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, '7' AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 34d
SET spark.sql.storeAssignmentPolicy = LEGACY;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 'bad' AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 35
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 7L AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 35b
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 3000000000L AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 36
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value BIGINT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 7 AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 37
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 7S AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 38
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value TINYINT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 7 AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 39
SET spark.sql.storeAssignmentPolicy = STRICT;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value STRING) USING delta;
INSERT INTO t VALUES (1, 'a'), (2, 'a');
MERGE INTO t USING (SELECT id AS key, 7L AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 40
SET spark.sql.storeAssignmentPolicy = LEGACY;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value INT) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 7.9D AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 40b
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value DECIMAL(6,2)) USING delta;
INSERT INTO t VALUES (1, 1), (2, 1);
MERGE INTO t USING (SELECT id AS key, 7.125 AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 40c
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, value DATE) USING delta;
INSERT INTO t VALUES (1, DATE'2020-01-01'), (2, DATE'2020-01-01');
MERGE INTO t USING (SELECT id AS key, TIMESTAMP'2024-01-01 10:00:00' AS value FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 45
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, b: INT, c: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 1, 'b', 2, 'c', 3));
MERGE INTO t USING (SELECT id AS key, named_struct('c', 30, 'b', 20, 'a', 10) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 46
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, c: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'c', 3)), (2, named_struct('a', 1, 'c', 3));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20, 'c', 30) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 47
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, b: INT, c: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 1, 'b', 2, 'c', 3));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'c', 30) AS x FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT *;

-- name: row 48
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, b: INT, c: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 1, 'b', 2, 'c', 3));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'c', 30) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;

-- name: row 49
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, b: INT, c: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 1, 'b', 2, 'c', 3));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20, 'd', 40) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 50
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1)), (2, named_struct('a', 1));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x = s.x;

-- name: row 51
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, b: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2)), (2, named_struct('a', 1, 'b', 2));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x = s.x;

-- name: row 52
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1)), (2, named_struct('a', 1));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.a = s.x.a;

-- name: row 53
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1)), (2, named_struct('a', 1));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20, 'c', 30) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.b = s.x.b;

-- name: row 54
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1)), (2, named_struct('a', 1));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20) AS x FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (x) VALUES (s.x);

-- name: row 55
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1)), (2, named_struct('a', 1));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20) AS x FROM range(2, 4)) s ON t.key = s.key WHEN NOT MATCHED THEN INSERT (key, x.b) VALUES (s.key, s.x.b);

-- name: row 56
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, b: INT, c: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2, 'c', 3)), (2, named_struct('a', 1, 'b', 2, 'c', 3));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'c', 30) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x.a = s.x.a WHEN NOT MATCHED THEN INSERT *;

-- name: row 57
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1)), (2, named_struct('a', 1));
MERGE INTO t USING (SELECT id AS key, named_struct('a', 10, 'b', 20) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET key = 0 WHEN NOT MATCHED THEN INSERT *;

-- name: row 58
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x ARRAY<STRUCT<a: INT, b: INT>>) USING delta;
INSERT INTO t VALUES (1, array(named_struct('a', 1, 'b', 2))), (2, array(named_struct('a', 1, 'b', 2)));
MERGE INTO t USING (SELECT id AS key, array(named_struct('b', '20', 'a', '10')) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 59
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x ARRAY<STRUCT<a: STRING, b: STRING>>) USING delta;
INSERT INTO t VALUES (1, array(named_struct('a', '1', 'b', '2'))), (2, array(named_struct('a', '1', 'b', '2')));
MERGE INTO t USING (SELECT id AS key, array(named_struct('a', 10, 'c', 'c', 'd', 'd')) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 60
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x ARRAY<STRUCT<a: STRING, b: STRUCT<c: STRING>>>) USING delta;
INSERT INTO t VALUES (1, array(named_struct('a', '1', 'b', named_struct('c', '2')))), (2, array(named_struct('a', '1', 'b', named_struct('c', '2'))));
MERGE INTO t USING (SELECT id AS key, array(named_struct('a', '10', 'b', named_struct('c', '20', 'd', '30'))) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 61
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x ARRAY<STRUCT<a: INT, b: INT, c: INT>>) USING delta;
INSERT INTO t VALUES (1, array(named_struct('a', 1, 'b', 2, 'c', 3), named_struct('a', 1, 'b', 2, 'c', 3))), (2, array(named_struct('a', 1, 'b', 2, 'c', 3), named_struct('a', 1, 'b', 2, 'c', 3)));
MERGE INTO t USING (SELECT id AS key, array(named_struct('b', 20, 'a', 10)) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 61b
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x ARRAY<STRUCT<a: INT, b: INT, c: INT>>) USING delta;
INSERT INTO t VALUES (1, array(named_struct('a', 1, 'b', 2, 'c', 3), named_struct('a', 1, 'b', 2, 'c', 3))), (2, array(named_struct('a', 1, 'b', 2, 'c', 3), named_struct('a', 1, 'b', 2, 'c', 3)));
MERGE INTO t USING (SELECT id AS key, array(named_struct('b', 20, 'a', 10)) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET x = s.x;

-- name: row 62
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x ARRAY<STRUCT<a: INT, b: INT>>) USING delta;
INSERT INTO t VALUES (1, array(named_struct('a', 1, 'b', 2))), (2, array(named_struct('a', 1, 'b', 2)));
MERGE INTO t USING (SELECT id AS key, array(named_struct('c', 20, 'd', 10)) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 63
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x ARRAY<ARRAY<STRUCT<a: INT>>>) USING delta;
INSERT INTO t VALUES (1, array(array(named_struct('a', 1)))), (2, array(array(named_struct('a', 1))));
-- differs: arrays-in-arrays
MERGE INTO t USING (SELECT id AS key, array(array(named_struct('b', 2, 'a', 1))) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- state differs: arrays-in-arrays

-- name: row 64
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x MAP<STRING, STRUCT<a: INT>>) USING delta;
INSERT INTO t VALUES (1, map('k', named_struct('a', 1))), (2, map('k', named_struct('a', 1)));
MERGE INTO t USING (SELECT id AS key, map('k', named_struct('a', 10, 'b', 20)) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 65
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x MAP<STRING, ARRAY<INT>>) USING delta;
INSERT INTO t VALUES (1, map('k', array(1))), (2, map('k', array(1)));
MERGE INTO t USING (SELECT id AS key, map('k', named_struct('a', 10)) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 66
SET spark.databricks.delta.resolveMergeUpdateStructsByName.enabled = false;
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, x STRUCT<a: INT, b: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2)), (2, named_struct('a', 1, 'b', 2));
MERGE INTO t USING (SELECT id AS key, named_struct('c', 10, 'd', 20) AS x FROM range(2, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row null star full, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: INT, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', 1, 'z', 2)), (2, NULL), (3, named_struct('y', CAST(NULL AS INT), 'z', CAST(NULL AS INT)));
MERGE INTO t USING (SELECT id AS key, named_struct('x', 10, 'y', 20) AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row null star null, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: INT, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', 1, 'z', 2)), (2, NULL), (3, named_struct('y', CAST(NULL AS INT), 'z', CAST(NULL AS INT)));
MERGE INTO t USING (SELECT id AS key, CASE WHEN id < 0 THEN named_struct('x', 10, 'y', 20) END AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row null column full, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: INT, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', 1, 'z', 2)), (2, NULL), (3, named_struct('y', CAST(NULL AS INT), 'z', CAST(NULL AS INT)));
MERGE INTO t USING (SELECT id AS key, named_struct('x', 10, 'y', 20) AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET col = s.col WHEN NOT MATCHED THEN INSERT (key, col) VALUES (s.key, s.col);

-- name: row null column null, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: INT, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', 1, 'z', 2)), (2, NULL), (3, named_struct('y', CAST(NULL AS INT), 'z', CAST(NULL AS INT)));
MERGE INTO t USING (SELECT id AS key, CASE WHEN id < 0 THEN named_struct('x', 10, 'y', 20) END AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET col = s.col WHEN NOT MATCHED THEN INSERT (key, col) VALUES (s.key, s.col);

-- name: row null field full, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: INT, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', 1, 'z', 2)), (2, NULL), (3, named_struct('y', CAST(NULL AS INT), 'z', CAST(NULL AS INT)));
MERGE INTO t USING (SELECT id AS key, named_struct('x', 10, 'y', 20) AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET col.y = s.col.y;

-- name: row null field null, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: INT, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', 1, 'z', 2)), (2, NULL), (3, named_struct('y', CAST(NULL AS INT), 'z', CAST(NULL AS INT)));
MERGE INTO t USING (SELECT id AS key, CASE WHEN id < 0 THEN named_struct('x', 10, 'y', 20) END AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET col.y = s.col.y;

-- name: row null star same fields, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', 1)), (2, NULL);
MERGE INTO t USING (SELECT id AS key, CASE WHEN id < 0 THEN named_struct('y', 1, 'x', 2) END AS col FROM range(1, 4)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row null nested, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: STRUCT<a: INT, b: INT>, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', named_struct('a', 1, 'b', 2), 'z', 3)), (2, named_struct('y', NULL, 'z', 3)), (3, NULL);
MERGE INTO t USING (SELECT id AS key, named_struct('y', CASE WHEN id < 3 THEN named_struct('a', 10, 'c', 30) END, 'x', 5) AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row null nested null, NULL structs
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key BIGINT, col STRUCT<y: STRUCT<a: INT, b: INT>, z: INT>) USING delta;
INSERT INTO t VALUES (1, named_struct('y', named_struct('a', 1, 'b', 2), 'z', 3)), (2, named_struct('y', NULL, 'z', 3)), (3, NULL);
MERGE INTO t USING (SELECT id AS key, named_struct('y', CASE WHEN id < 0 THEN named_struct('a', 10, 'c', 30) END, 'x', 5) AS col FROM range(1, 5)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- name: row 29
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t USING delta;
MERGE INTO t USING (SELECT 1 AS key, 'x' AS value) s ON false WHEN NOT MATCHED THEN INSERT *;

-- name: row 31
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE t (key INT, value VOID) USING delta;
INSERT INTO t VALUES (1, NULL);
MERGE INTO t USING (SELECT id AS key, 5 AS value FROM range(1, 3)) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
