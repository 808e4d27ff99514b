-- name: create, insert, read
CREATE TABLE t (k INT, v VARIANT, s STRUCT<w: VARIANT>, a ARRAY<VARIANT>, m MAP<STRING, VARIANT>) USING delta;
INSERT INTO t VALUES (1, parse_json('{"a": 1, "b": [1, "x", null], "c": {"d": 1.5}}'), named_struct('w', parse_json('"text"')), array(parse_json('1'), NULL), map('k', parse_json('[]'))), (2, NULL, NULL, NULL, NULL), (3, parse_json('null'), named_struct('w', NULL), array(), map());
SELECT k, to_json(v), to_json(s.w), to_json(a[0]), to_json(m['k']) FROM t;
SELECT k, v:a::int, v:b[1]::string, v:c.d::double FROM t WHERE v:a::int = 1;
SELECT k FROM t WHERE v IS NULL;
SELECT k FROM t WHERE v IS NOT NULL;
SELECT k, schema_of_variant(v) FROM t WHERE k <> 2;
DESCRIBE t;

-- name: rows change
CREATE TABLE t (k INT, v VARIANT) USING delta;
INSERT INTO t VALUES (1, parse_json('{"a": 1}')), (2, parse_json('{"a": 2}')), (3, parse_json('3')), (4, NULL);
UPDATE t SET v = parse_json('{"a": 10, "b": true}') WHERE v:a::int = 1;
DELETE FROM t WHERE try_variant_get(v, '$', 'int') = 3;
MERGE INTO t USING (SELECT 2 AS k, parse_json('"two"') AS v UNION ALL SELECT 5, parse_json('5')) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT k, to_json(v) FROM t;
INSERT OVERWRITE t SELECT k + 1, v FROM t;
SELECT k, to_json(v) FROM t;

-- name: with deletion vectors
CREATE TABLE t (k INT, v VARIANT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT id, parse_json(concat('{"a": ', id, '}')) FROM range(0, 20, 1, 1);
DELETE FROM t WHERE v:a::int % 7 = 3;
UPDATE t SET v = parse_json('[]') WHERE k = 4;
SELECT k, to_json(v) FROM t;

-- name: values that are no variants
CREATE TABLE t (k INT, v VARIANT) USING delta;
INSERT INTO t VALUES (1, '{"a": 1}');
INSERT INTO t VALUES (2, 7);
INSERT INTO t VALUES (3, CAST(7 AS VARIANT));
INSERT INTO t VALUES (4, to_variant_object(named_struct('x', 1)));
UPDATE t SET v = 'text' WHERE k = 3;
SELECT k, to_json(v) FROM t;

-- name: a variant in another column
CREATE TABLE t (k INT, s STRING) USING delta;
INSERT INTO t SELECT 1, parse_json('"x"');
INSERT INTO t SELECT parse_json('2'), 'y';
SELECT * FROM t;

-- name: no partitions
CREATE TABLE t (k INT, v VARIANT) USING delta PARTITIONED BY (v);

-- name: ADD COLUMN, schema evolution and CTAS
CREATE TABLE t (k INT) USING delta;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD COLUMN v VARIANT;
INSERT INTO t VALUES (2, parse_json('{"a": 2}'));
SET spark.databricks.delta.schema.autoMerge.enabled = true;
INSERT INTO t SELECT 3 AS k, parse_json('3') AS v, parse_json('[3]') AS w;
SELECT k, to_json(v), to_json(w) FROM t;
CREATE TABLE u USING delta AS SELECT k, v FROM t WHERE v IS NOT NULL;
SELECT k, to_json(v) FROM u;

-- name: NOT NULL and CHECK
CREATE TABLE t (k INT, v VARIANT NOT NULL) USING delta;
INSERT INTO t VALUES (1, parse_json('null'));
INSERT INTO t VALUES (2, NULL);
ALTER TABLE t ADD CONSTRAINT c CHECK (k > 0 AND k < 10);
INSERT INTO t VALUES (20, parse_json('{"a": 1}'));
SELECT k, to_json(v) FROM t;

-- name: shredded
CREATE TABLE t (k INT, v VARIANT) USING delta TBLPROPERTIES ('delta.enableVariantShredding' = 'true');
INSERT INTO t SELECT id, parse_json(concat('{"a": ', id, ', "b": "x"}')) FROM range(0, 10, 1, 1);
UPDATE t SET v = parse_json('[1]') WHERE k = 3;
INSERT INTO t VALUES (20, NULL);
SELECT k, to_json(v) FROM t WHERE v:a::int > 5 OR k < 4;

-- name: the preview of the feature
CREATE TABLE t (k INT, v VARIANT) USING delta TBLPROPERTIES ('delta.feature.variantType-preview' = 'supported');
INSERT INTO t VALUES (1, parse_json('1'));
ALTER TABLE t ADD COLUMN w VARIANT;
SELECT k, to_json(v) FROM t;

-- name: no order
CREATE TABLE t (k INT, v VARIANT) USING delta;
SELECT * FROM t ORDER BY v;
MERGE INTO t USING (SELECT 1 AS k, parse_json('1') AS v) s ON t.v = s.v WHEN MATCHED THEN DELETE;
