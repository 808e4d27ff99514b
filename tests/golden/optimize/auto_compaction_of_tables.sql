-- Auto compaction of transactions, deletion vectors and clustered tables.
SET spark.databricks.delta.autoCompact.minNumFiles = 3;
-- A transaction is compacted after its COMMIT, and one that is rolled back is not.
CREATE TABLE u (id INT) TBLPROPERTIES ('delta.autoOptimize' = 'true');
BEGIN TRANSACTION;
INSERT INTO u VALUES (1);
INSERT INTO u VALUES (2);
INSERT INTO u VALUES (3);
-- mask: metrics
COMMIT;
SELECT count(DISTINCT _metadata.file_path) AS files FROM u;

-- Deleted rows are left out; a clustered table is compacted, too.
CREATE TABLE c (id INT) CLUSTER BY (id)
  TBLPROPERTIES ('delta.autoOptimize.autoCompact' = '1', 'delta.enableDeletionVectors' = 'true');
INSERT INTO c VALUES (1), (2), (3), (4);
DELETE FROM c WHERE id = 2;
INSERT INTO c VALUES (5);
INSERT INTO c VALUES (6);
SELECT * FROM c ORDER BY id;
OPTIMIZE c;

ALTER TABLE c SET TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'sometimes');
