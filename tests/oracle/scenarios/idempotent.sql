-- name: one setting without the other
CREATE TABLE t (id INT) USING delta;
SET spark.databricks.delta.write.txnAppId = app;
INSERT INTO t VALUES (1);
UPDATE t SET id = 1;
ALTER TABLE t ADD COLUMN b INT;
CREATE TABLE u USING delta AS SELECT 1 AS id;

-- name: a write is done once
CREATE TABLE t (id INT) USING delta;
SET spark.databricks.delta.write.txnAppId = app;
SET spark.databricks.delta.write.txnVersion = 1;
INSERT INTO t VALUES (1);
SET spark.databricks.delta.write.txnVersion;
INSERT INTO t VALUES (2);
DELETE FROM t;
SET spark.databricks.delta.write.txnVersion;
SET spark.databricks.delta.write.txnVersion = 0;
INSERT INTO t VALUES (3);
SET spark.databricks.delta.write.txnVersion = 2;
INSERT INTO t VALUES (4);
write("SELECT 5 AS id").mode("append").saveAsTable("t");
write("SELECT 6 AS id").mode("append").option("txnAppId", "other").option("txnVersion", 2).saveAsTable("t");
SET spark.databricks.delta.write.txnAppId = fresh;
INSERT OVERWRITE t VALUES (7);
INSERT OVERWRITE t VALUES (8);
SELECT * FROM t;

-- name: the version is reset
CREATE TABLE t (id INT) USING delta;
INSERT INTO t VALUES (1);
SET spark.databricks.delta.write.txnAppId = app;
SET spark.databricks.delta.write.txnVersion.autoReset.enabled = true;
SET spark.databricks.delta.write.txnVersion = 2;
UPDATE t SET id = 5;
SET spark.databricks.delta.write.txnVersion;
SET spark.databricks.delta.write.txnVersion = 2;
UPDATE t SET id = 6;
SET spark.databricks.delta.write.txnVersion;
SET spark.databricks.delta.write.txnVersion = 2;
DELETE FROM t;
SET spark.databricks.delta.write.txnVersion = 2;
MERGE INTO t USING (SELECT 1 AS id) AS s ON s.id = t.id WHEN NOT MATCHED THEN INSERT *;
SET spark.databricks.delta.write.txnVersion = 3;
MERGE INTO t USING (SELECT 1 AS id) AS s ON s.id = t.id WHEN NOT MATCHED THEN INSERT *;
SET spark.databricks.delta.write.txnVersion = 3;
CREATE OR REPLACE TABLE t USING delta AS SELECT 7 AS id;
SET spark.databricks.delta.write.txnVersion = 4;
CREATE OR REPLACE TABLE t USING delta AS SELECT 8 AS id;
SET spark.databricks.delta.write.txnVersion;
SELECT * FROM t;

-- name: statements that take no part
CREATE TABLE t (id INT) USING delta;
INSERT INTO t VALUES (1);
SET spark.databricks.delta.write.txnAppId = app;
SET spark.databricks.delta.write.txnVersion = 2;
ALTER TABLE t ADD COLUMN b INT;
TRUNCATE TABLE t;
ALTER TABLE t ADD COLUMN c INT;

-- name: nothing to insert
CREATE TABLE t (id INT) USING delta;
SET spark.databricks.delta.write.txnAppId = app;
SET spark.databricks.delta.write.txnVersion = 1;
INSERT INTO t SELECT 1 WHERE false;
INSERT INTO t VALUES (1);
SELECT * FROM t;

-- name: nothing to delete
CREATE TABLE t (id INT) USING delta;
INSERT INTO t VALUES (1);
SET spark.databricks.delta.write.txnAppId = app;
SET spark.databricks.delta.write.txnVersion = 1;
DELETE FROM t WHERE id = 100;
-- differs: idempotent-delete
DELETE FROM t WHERE id = 1;
-- state differs: idempotent-delete

-- name: nothing to update
CREATE TABLE t (id INT) USING delta;
INSERT INTO t VALUES (1);
SET spark.databricks.delta.write.txnAppId = app;
SET spark.databricks.delta.write.txnVersion = 1;
UPDATE t SET id = 7 WHERE id = 100;
UPDATE t SET id = 8;
SELECT * FROM t;

-- name: nothing to merge
CREATE TABLE t (id INT) USING delta;
INSERT INTO t VALUES (1);
SET spark.databricks.delta.write.txnAppId = app;
SET spark.databricks.delta.write.txnVersion = 1;
MERGE INTO t USING (SELECT 1 AS id) AS s ON s.id = t.id WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT 2 AS id) AS s ON s.id = t.id WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t;
