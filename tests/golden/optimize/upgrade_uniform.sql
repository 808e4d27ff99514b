CREATE TABLE t (id INT, tags ARRAY<STRING>, m MAP<STRING, STRUCT<x: INT>>, day DATE) PARTITIONED BY (day) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t VALUES (1, array('a', NULL), map('k', named_struct('x', 1)), DATE'2024-01-01'), (2, NULL, NULL, NULL);
INSERT INTO t SELECT id, NULL, NULL, DATE'2024-01-01' FROM range(10, 20, 1, 1);
DELETE FROM t WHERE id = 11;
-- name: wrong, files that Iceberg cannot read
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'false', 'delta.enableIcebergCompatV2' = 'true', 'delta.universalFormat.enabledFormats' = 'iceberg');
-- name: wrong, V1 has no arrays
CREATE TABLE a (l ARRAY<INT>);
REORG TABLE a APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 1));
-- name: wrong, Iceberg has no such type
CREATE TABLE v (v VARIANT);
REORG TABLE v APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2));
-- name: what will be done
EXPLAIN REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2));
-- name: the upgrade
REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2));
SELECT * FROM t ORDER BY id;
SHOW TBLPROPERTIES t;
-- name: nothing is left to do, in other letters
reorg table `t` /* again */ apply (upgrade uniform (iceberg_compat_version = 2));
-- name: the other version later
CREATE TABLE u (id INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'id');
INSERT INTO u VALUES (1);
REORG TABLE u APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 1));
INSERT INTO u VALUES (2);
REORG TABLE u APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2));
SHOW TBLPROPERTIES u;
-- name: the compatibility goes, and the format with it
ALTER TABLE u SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'false');
SHOW TBLPROPERTIES u;
-- name: by UNSET
ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableIcebergCompatV2');
SHOW TBLPROPERTIES t ('delta.universalFormat.enabledFormats');
-- name: a new table
CREATE TABLE w (a INT) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.universalFormat.enabledFormats' = 'iceberg');
DESCRIBE DETAIL w;
