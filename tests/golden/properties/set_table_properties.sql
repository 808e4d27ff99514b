-- expect: no jvm

CREATE TABLE t (id INT);
-- name: plain: a name of one's own
ALTER TABLE t SET TBLPROPERTIES ('owner.team' = 'sales', tier = 3);
-- name: a property of Delta, in any case
ALTER TABLE t SET TBLPROPERTIES ('DELTA.APPENDONLY' = 'True');
-- name: values without quotes, keys with dots, no equals sign
alter table T set tblproperties (delta.appendOnly = false, a.b.c 'x', n = -5, r = 1.5);
-- name: checkpoint interval, retention and skipping
ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '5', 'delta.logRetentionDuration' = 'interval 60 days', 'delta.dataSkippingNumIndexedCols' = '4');
-- name: both isolation levels are legal
ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable');
ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'SERIALIZABLE');
ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'writeserializable');
-- name: comment is the table's description
ALTER TABLE t SET TBLPROPERTIES ('comment' = 'all of it');
-- name: protocol versions are not kept as properties
ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '3');
-- name: lower versions are silently left out
ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '2');
SHOW TBLPROPERTIES t;

-- name: wrong, no such property of Delta
ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnyl' = 'true');
-- name: wrong, not a boolean
ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'maybe');
-- name: wrong, not a number
ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '0');
-- name: wrong, not an interval
ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 2 months');
-- name: wrong, the log would be kept for less time than the files
ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 1 day', 'delta.deletedFileRetentionDuration' = 'interval 2 days');
-- name: wrong, no isolation level
ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'SnapshotIsolation');
ALTER TABLE t SET TBLPROPERTIES ('DELTA.ISOLATIONLEVEL' = 'foo');
CREATE TABLE u (id INT) TBLPROPERTIES ('delta.isolationLevel' = 'Snapshot');
-- name: wrong, a constraint is added by its own statement
ALTER TABLE t SET TBLPROPERTIES ('delta.constraints.positive' = 'id > 0');
-- name: wrong, location
ALTER TABLE t SET TBLPROPERTIES ('location' = '/elsewhere');
-- name: wrong, provider
ALTER TABLE t SET TBLPROPERTIES ('provider' = 'parquet');
-- name: wrong, clustering columns
ALTER TABLE t SET TBLPROPERTIES ('clusteringColumns' = 'id');
-- name: wrong, no such feature
ALTER TABLE t SET TBLPROPERTIES ('delta.feature.deletionVector' = 'supported');
-- name: wrong, a feature is supported or not
ALTER TABLE t SET TBLPROPERTIES ('delta.feature.deletionVectors' = 'true');
-- name: wrong, no such table
ALTER TABLE missing SET TBLPROPERTIES ('a' = '1');
-- name: wrong, the protocol would be higher than ours
ALTER TABLE t SET TBLPROPERTIES ('delta.minReaderVersion' = '4');
-- name: wrong, no such mode
ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'position');
-- name: a feature that we cannot write
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV3' = 'true', 'delta.columnMapping.mode' = 'name');
-- name: one that others on the table shut out
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true');
-- name: wrong, one key twice
ALTER TABLE t SET TBLPROPERTIES ('a' = '1', b.c = '2', a = '3');
CREATE TABLE twice (a INT) TBLPROPERTIES ('k' = '1', 'k' = '2');
CREATE TABLE twice (a INT) OPTIONS ('k' = '1', 'k' = '2');
-- name: keys that differ in their case are two
CREATE TABLE cased (a INT) TBLPROPERTIES ('k' = '1', 'K' = '2');
SHOW TBLPROPERTIES cased;
