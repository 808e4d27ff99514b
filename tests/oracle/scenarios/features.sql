-- name: DROP FEATURE of deletion vectors
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO t SELECT id FROM range(0, 10, 1, 1);
DELETE FROM t WHERE a = 1;
ALTER TABLE t DROP FEATURE deletionVectors;
SELECT count(*) FROM t;

-- name: DROP FEATURE of a writer's feature
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.feature.vacuumProtocolCheck' = 'supported', 'delta.feature.checkConstraints' = 'supported');
ALTER TABLE t DROP FEATURE checkConstraints;
ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0);

-- name: features that cannot be dropped
CREATE TABLE t (a INT) USING delta;
ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0);
ALTER TABLE t DROP FEATURE checkConstraints;
ALTER TABLE t DROP FEATURE deletionVectors;
ALTER TABLE t DROP FEATURE noSuchFeature;
ALTER TABLE t DROP FEATURE invariants;
ALTER TABLE t DROP FEATURE appendOnly TRUNCATE HISTORY;
ALTER TABLE t DROP FEATURE 'delta.appendOnly';

-- name: row tracking on a table with rows
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1), (2);
INSERT INTO t VALUES (3);
ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true');
-- differs: row-ids-order
SELECT a, _metadata.row_id FROM t;
-- state differs: physical-names

-- name: row tracking of new rows
CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true');
INSERT INTO t SELECT id FROM range(0, 3, 1, 1);
UPDATE t SET a = 10 WHERE a = 1;
SELECT a, _metadata.row_id, _metadata.row_commit_version FROM t;
-- state differs: physical-names
