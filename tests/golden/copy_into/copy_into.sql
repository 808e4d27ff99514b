-- name: files of Spark's, in folders of their own
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in/one' USING csv OPTIONS (header = true) SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'Ada'), (2, 'Grace') AS v (id, name);
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in/two' USING csv OPTIONS (header = true) SELECT 3 AS id, 'Mary' AS name;
CREATE TABLE people (id INT NOT NULL, name STRING, since DATE DEFAULT DATE '2024-01-01') TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
-- name: what would be done
EXPLAIN COPY INTO people FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true');
-- name: what would be stored
COPY INTO people FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV VALIDATE FORMAT_OPTIONS ('header' = 'true');
COPY INTO people FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV VALIDATE 1 ROWS FORMAT_OPTIONS ('header' = 'true');
-- name: the files of one folder
COPY INTO people FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true');
-- name: each file once
COPY INTO people FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true');
COPY INTO people FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV VALIDATE ALL FORMAT_OPTIONS ('header' = 'true');
-- name: of two folders, those that are new; upper case, comments, quotes
copy /* files */ into `people` -- here
from '${WAREHOUSE}/in/*' fileformat = 'csv' format_options ('HEADER' = 'TRUE') pattern = '*.csv';
SELECT * FROM people;
-- name: a query over the files
COPY INTO people FROM (SELECT id::INT + 10 AS id, upper(name) AS name, _metadata.file_name LIKE 'part-%.csv' AND f.name IS NOT NULL AS ok FROM '${WAREHOUSE}/in/one' AS f WHERE id IN (SELECT max(id) - 1 FROM people)) FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true') COPY_OPTIONS ('force' = 'true', 'mergeSchema' = 'true');
SELECT * FROM people WHERE id > 10;
-- name: what a table has lost is not loaded again
RESTORE people TO VERSION AS OF 0;
COPY INTO people FROM '${WAREHOUSE}/in/*' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true');
-- name: a table that takes its place has loaded nothing
-- log: off
CREATE OR REPLACE TABLE people (id INT NOT NULL, name STRING);
-- log: off
COPY INTO people FROM '${WAREHOUSE}/in/*' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true');
DESCRIBE HISTORY people LIMIT 1;
-- name: a table without columns; nested ones; partitions in names of folders
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in_days/day=2024-01-31' USING json SELECT 1 AS id, named_struct('a', 1, 'b', array('x')) AS s;
CREATE TABLE nested;
COPY INTO nested FROM '${WAREHOUSE}/in_days' FILEFORMAT = JSON COPY_OPTIONS ('mergeSchema' = 'true');
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in_days/day=2024-02-29' USING json SELECT 2 AS id, named_struct('c', true) AS s;
-- name: wrong, fields that the table lacks
COPY INTO nested FROM '${WAREHOUSE}/in_days' FILEFORMAT = JSON;
-- name: fields are added, and missing ones are NULL
COPY INTO nested FROM '${WAREHOUSE}/in_days' FILEFORMAT = JSON COPY_OPTIONS ('mergeSchema' = 'true');
SELECT * FROM nested;
-- name: change data feed, column mapping, deletion vectors
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/pq' USING parquet SELECT 1 AS `a b`, 2 AS c;
CREATE TABLE mapped (`a b` BIGINT, c INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true');
COPY INTO delta.`${WAREHOUSE}/mapped` FROM '${WAREHOUSE}/pq' FILEFORMAT = PARQUET;
SELECT `a b`, c, _change_type FROM table_changes('mapped', 1);
-- name: text, bytes, ORC, XML
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/plain' USING csv SELECT /*+ COALESCE(1) */ * FROM VALUES (5, 'x', 1.5), (6, 'y', 2.5) AS v;
CREATE TABLE lines (value STRING, length BIGINT, a INT);
COPY INTO lines FROM (SELECT value FROM '${WAREHOUSE}/plain') FILEFORMAT = TEXT;
COPY INTO lines FROM (SELECT length FROM '${WAREHOUSE}/plain') FILEFORMAT = BINARYFILE COPY_OPTIONS ('force' = 'true');
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/orc' USING orc SELECT 9 AS a;
COPY INTO lines FROM '${WAREHOUSE}/orc' FILEFORMAT = ORC;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/xml' USING xml OPTIONS (rowTag = 'r') SELECT 10 AS a;
COPY INTO lines FROM '${WAREHOUSE}/xml' FILEFORMAT = XML FORMAT_OPTIONS ('rowTag' = 'r');
SELECT * FROM lines;
