-- expect: no jvm

CREATE TABLE t (a INT, p STRING, d DATE) PARTITIONED BY (p, d);
INSERT INTO t VALUES (1, 'x y/z', DATE '2024-01-01'), (2, NULL, NULL);
-- name: plain
GENERATE symlink_format_manifest FOR TABLE t;
-- name: lower case, quotes, comments, a path
generate `SYMLINK_FORMAT_MANIFEST` /* of all */ for table `t`;
GENERATE symlink_format_manifest FOR TABLE delta.`${WAREHOUSE}/t`;
-- name: explained
EXPLAIN GENERATE symlink_format_manifest FOR TABLE t;
-- name: wrong, mapped columns
CREATE TABLE mapped (a INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
GENERATE symlink_format_manifest FOR TABLE mapped;
-- name: after each commit
CREATE TABLE kept (a INT) TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true');
ALTER TABLE t SET TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true');
-- name: wrong, what readers of manifests do not know
ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
