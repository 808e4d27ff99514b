-- Folders of Parquet files become tables. Spark writes them here; nothing else of CONVERT TO DELTA needs it.
-- mask: /part-[^ :,']+\.parquet/

INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/plain' USING parquet SELECT 1 AS id, named_struct('x', 'u', 'l', array(1)) AS s;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/days/day=2024-01-01/Kind=a b%2Fc' USING parquet SELECT 1 AS id, CAST(1.5 AS DECIMAL(10,2)) AS d;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/days/day=2024-01-02/Kind=__HIVE_DEFAULT_PARTITION__' USING parquet SELECT 2 AS id, CAST(NULL AS DECIMAL(10,2)) AS d;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/mixed/1' USING parquet SELECT 1 AS id, 'x' AS name;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/mixed/2' USING parquet SELECT CAST(2 AS SMALLINT) AS ID, true AS more;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/apart/1' USING parquet SELECT 1 AS id, named_struct('x', 1) AS s;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/apart/2' USING parquet SELECT 1 AS id, named_struct('x', 'one') AS s;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/texts' USING csv SELECT 1 AS id;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/signs' USING parquet SELECT 1 AS `a b`;
-- name: plain, with a nested column
CONVERT TO DELTA parquet.`${WAREHOUSE}/plain`;
SELECT * FROM delta.`${WAREHOUSE}/plain`;
-- name: once more does nothing, whatever is said
CONVERT TO DELTA parquet.`${WAREHOUSE}/plain` PARTITIONED BY (nothing INT);
-- name: nor does the table itself, by path or by name
CONVERT TO DELTA delta.`${WAREHOUSE}/plain`;
CREATE TABLE `my-table` LOCATION '${WAREHOUSE}/plain';
CONVERT TO DELTA `my-table`;
INSERT INTO `my-table` VALUES (2, NULL);
SELECT * FROM `my-table`;
-- name: wrong, columns of folders that are not declared
CONVERT TO DELTA parquet.`${WAREHOUSE}/days`;
CONVERT TO DELTA parquet.`${WAREHOUSE}/days` PARTITIONED BY (day DATE);
-- name: wrong, their order
CONVERT TO DELTA parquet.`${WAREHOUSE}/days` PARTITIONED BY (kind STRING, day DATE);
-- name: wrong, a type
CONVERT TO DELTA parquet.`${WAREHOUSE}/days` PARTITIONED BY (day DATE, kind INT);
CONVERT TO DELTA parquet.`${WAREHOUSE}/days` PARTITIONED BY (day DATE, kind ARRAY<STRING>);
-- name: explained, with a comment
EXPLAIN CONVERT TO DELTA parquet.`${WAREHOUSE}/days` NO STATISTICS PARTITIONED BY (day DATE, kind STRING);
-- name: lower case, comments, the session's defaults
SET spark.databricks.delta.properties.defaults.enableChangeDataFeed = true;
convert /* in place */ to delta parquet.`${WAREHOUSE}/days` partitioned by (day DATE, kind STRING COMMENT 'of day') -- all
;
RESET spark.databricks.delta.properties.defaults.enableChangeDataFeed;
SELECT * FROM delta.`${WAREHOUSE}/days`;
DELETE FROM delta.`${WAREHOUSE}/days` WHERE day = DATE '2024-01-02';
-- name: files with other columns, and names in another case
CONVERT TO DELTA parquet.`${WAREHOUSE}/mixed` NO STATISTICS;
SELECT * FROM delta.`${WAREHOUSE}/mixed`;
-- name: types of partition columns come from nowhere else, comments are kept
DESCRIBE TABLE delta.`${WAREHOUSE}/days`;
-- name: wrong, columns that do not go together
CONVERT TO DELTA parquet.`${WAREHOUSE}/apart`;
-- name: wrong, inside of a table, and around one
CONVERT TO DELTA parquet.`${WAREHOUSE}/mixed/1`;
CONVERT TO DELTA parquet.`${WAREHOUSE}`;
-- name: wrong, other files
CONVERT TO DELTA parquet.`${WAREHOUSE}/texts`;
-- name: wrong, no such table, a view, a version
CREATE TEMPORARY VIEW v AS SELECT 1 AS a;
CONVERT TO DELTA v;
-- name: wrong, a name that only mapped columns can have
CONVERT TO DELTA parquet.`${WAREHOUSE}/signs`;
SET spark.databricks.delta.properties.defaults.columnMapping.mode = name;
CONVERT TO DELTA parquet.`${WAREHOUSE}/signs`;
RESET spark.databricks.delta.properties.defaults.columnMapping.mode;
-- name: wrong, rows that nobody counts
SET spark.databricks.delta.properties.defaults.enableRowTracking = true;
CONVERT TO DELTA parquet.`${WAREHOUSE}/apart/1` NO STATISTICS;
CONVERT TO DELTA parquet.`${WAREHOUSE}/apart/1`;
