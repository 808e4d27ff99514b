-- name: the format needs the compatibility
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'iceberg');
CREATE TABLE u (a INT) USING delta;
ALTER TABLE u SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'iceberg');
ALTER TABLE u SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'hudi');
ALTER TABLE u SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'iceberg,hudi');

-- name: it goes with the compatibility
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.universalFormat.enabledFormats' = 'iceberg');
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'false');
SHOW TBLPROPERTIES t ('delta.universalFormat.enabledFormats');
-- state differs: uniform-upgrade

-- name: versions that are not there
CREATE TABLE t (a INT) USING delta;
REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 3));
REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 0));
REORG TABLE t WHERE a = 1 APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2));

-- name: types that Iceberg lacks
CREATE TABLE t (a INT, v VARIANT) USING delta;
REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2));
CREATE TABLE u (a ARRAY<INT>) USING delta;
REORG TABLE u APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 1));
CREATE TABLE w (a MAP<INT, INT>) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.universalFormat.enabledFormats' = 'iceberg');
