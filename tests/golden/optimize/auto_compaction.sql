-- Auto compaction: a write puts the small files of its partitions together, once there are enough of them.
CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true');
SET spark.databricks.delta.autoCompact.minNumFiles = 3;

INSERT INTO t VALUES (1, 'a');
INSERT INTO t VALUES (2, 'a');
-- The third file of the partition.
INSERT INTO t VALUES (3, 'a');
SELECT * FROM t ORDER BY id;

-- Partitions count apart, one of NULL too; 'a' has one file.
INSERT INTO t VALUES (4, 'b'), (5, NULL);
INSERT INTO t VALUES (6, 'b'), (7, NULL);
INSERT INTO t VALUES (8, NULL);
SELECT p, count(DISTINCT _metadata.file_path) AS files, count(*) AS n FROM t GROUP BY p ORDER BY p;

-- Other statements as well.
UPDATE t SET id = id + 10 WHERE id IN (4);
MERGE INTO t USING (VALUES (20, 'b') AS s(id, p)) AS s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t ORDER BY id;

-- The session's setting overrides the property.
SET spark.databricks.delta.autoCompact.enabled = false;
INSERT INTO t VALUES (30, 'c');
INSERT INTO t VALUES (31, 'c');
INSERT INTO t VALUES (32, 'c');
SET spark.databricks.delta.autoCompact.enabled = auto;
-- Of partitions that were not written to, only where the setting says so.
INSERT INTO t VALUES (40, 'd');
SET spark.databricks.delta.autoCompact.modifiedPartitionsOnly.enabled = false;
INSERT INTO t VALUES (41, 'd');
RESET spark.databricks.delta.autoCompact.modifiedPartitionsOnly.enabled;

-- Files of a size are not small.
SET spark.databricks.delta.autoCompact.minFileSize = 100;
INSERT INTO t VALUES (50, 'd');
RESET spark.databricks.delta.autoCompact.minFileSize;
