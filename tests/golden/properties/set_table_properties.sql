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
-- name: keys that differ in their case are two
CREATE TABLE cased (a INT) TBLPROPERTIES ('k' = '1', 'K' = '2');
SHOW TBLPROPERTIES cased;
