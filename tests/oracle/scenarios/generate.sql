-- name: manifests of partitions
CREATE TABLE t (a INT, p STRING, d DATE) USING delta PARTITIONED BY (p, d) LOCATION '{dir}/t';
INSERT INTO t VALUES (1, 'x y/z', DATE'2024-01-01'), (2, NULL, NULL), (3, 'ü', DATE'2024-01-02');
GENERATE symlink_format_manifest FOR TABLE t;
SELECT p, d, regexp_extract(value, '^file:/.*/(p=[^/]+/d=[^/]+)/part-[^/]+parquet$', 1) AS line FROM text.`{dir}/t/_symlink_format_manifest`;
DELETE FROM t WHERE a = 2;
GENERATE SYMLINK_FORMAT_MANIFEST FOR TABLE delta.`{dir}/t`;
SELECT p, d, regexp_extract(value, '^file:/.*/(p=[^/]+/d=[^/]+)/part-[^/]+parquet$', 1) AS line FROM text.`{dir}/t/_symlink_format_manifest`;
GENERATE something FOR TABLE t;
GENERATE symlink_format_manifest FOR TABLE nothing_here;

-- name: after each commit
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/t' TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true');
INSERT INTO t SELECT id FROM range(0, 3, 1, 1);
INSERT INTO t SELECT id FROM range(3, 6, 1, 1);
SELECT count(*) FROM text.`{dir}/t/_symlink_format_manifest` WHERE value LIKE 'file:/%.parquet';
DELETE FROM t WHERE a < 3;
SELECT count(*) FROM text.`{dir}/t/_symlink_format_manifest`;
DELETE FROM t;
SELECT count(*) FROM text.`{dir}/t/_symlink_format_manifest`;
ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');

-- name: what manifests cannot say
CREATE TABLE v (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO v SELECT id FROM range(0, 10, 1, 1);
GENERATE symlink_format_manifest FOR TABLE v;
DELETE FROM v WHERE a = 1;
GENERATE symlink_format_manifest FOR TABLE v;
ALTER TABLE v SET TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true');
ALTER TABLE v SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false', 'delta.compatibility.symlinkFormatManifest.enabled' = 'true');
CREATE TABLE m (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
GENERATE symlink_format_manifest FOR TABLE m;
CREATE TABLE b (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.compatibility.symlinkFormatManifest.enabled' = 'true');
