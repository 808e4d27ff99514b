-- What cannot be part of a transaction is refused by its name, and the transaction stays open as it was.
-- expect: no jvm
-- mask: metrics

CREATE TABLE t (id INT, v STRING);
CREATE TABLE `other-table` (a INT);
BEGIN TRANSACTION;
INSERT INTO t (id) VALUES (1);
-- name: refused inside, the transaction stays
BEGIN WORK;
start /* once more */ transaction;
BEGIN ATOMIC INSERT INTO t (id) VALUES (4); END;
INSERT INTO `other-table` VALUES (1);
ALTER TABLE `other-table` ADD COLUMN b INT;
OPTIMIZE t;
VACUUM t;
RESTORE t TO VERSION AS OF 0;
REORG TABLE t APPLY (PURGE);
COPY INTO t FROM '/in' FILEFORMAT = CSV;
CREATE TABLE u (a INT);
CREATE OR REPLACE TABLE t (a INT);
DROP TABLE t;
ALTER TABLE t RENAME TO u;
ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true');
CREATE SCHEMA s;
COMMENT ON SCHEMA default IS 'c';
DROP SCHEMA IF EXISTS s;
COMMIT;
