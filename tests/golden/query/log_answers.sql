-- COUNT, MIN, MAX, DISTINCT and GROUP BY that the log answers: EXPLAIN says so, and which it leaves to Spark.

-- log: off
CREATE TABLE sales (id BIGINT, amount DECIMAL(10, 2), note STRING, at TIMESTAMP, region STRING, day DATE)
PARTITIONED BY (region, day);

-- An empty table.
SELECT count(*), count(1), count(id), min(id), max(amount) FROM sales;
SELECT DISTINCT region FROM sales;
SELECT region, count(*) FROM sales GROUP BY region;

-- log: off
INSERT INTO sales VALUES
  (1, 10.50, 'a', NULL, 'eu', DATE '2024-01-01'),
  (2, NULL, 'b', NULL, 'eu', DATE '2024-01-02'),
  (NULL, -3, NULL, NULL, 'us', DATE '2024-01-01'),
  (7, 2.25, 'c', NULL, NULL, NULL);
-- log: off
INSERT INTO sales VALUES (9223372036854775807, 99999999.99, 'd', NULL, 'eu', DATE '2024-01-01');

SELECT count(*), COUNT(1), count(amount), count(region), min(id), MAX(AMOUNT), min(day), count(DISTINCT day) FROM SALES;
SELECT S.Region, count(*) AS n, max(id) - 1, coalesce(min(s.amount), 0) c2 /* why */ FROM sales S GROUP BY 1 ORDER BY n DESC, region;
SELECT region, `DAY`, count(id) FROM sales GROUP BY region, day HAVING count(*) >= 1 AND max(id) < 100 ORDER BY 1 NULLS LAST, day DESC LIMIT 2;
SELECT DISTINCT day, region FROM sales WHERE region IS NOT NULL AND day < DATE '2024-01-02' ORDER BY region;
SELECT count(*) FROM sales@v1;
SELECT count(*) + 1 FROM default.sales VERSION AS OF 0;
SELECT count(*) FROM delta.`${WAREHOUSE}/sales` WHERE region = 'eu';
SELECT max(id) FROM sales WHERE region = 'nowhere';
EXPLAIN SELECT region, max(id) FROM sales GROUP BY region;

-- Left to Spark: texts and times are cut in the log, a data column must be read, a view, a join, a window, two queries.
EXPLAIN SELECT max(note) FROM sales;
EXPLAIN SELECT max(at) FROM sales;
EXPLAIN SELECT count(*) FROM sales WHERE id > 1;
EXPLAIN SELECT count(DISTINCT id) FROM sales;
EXPLAIN SELECT count(*) OVER () FROM sales;
EXPLAIN SELECT sum(id) FROM sales;
SELECT max(id) + 1 FROM sales;
SELECT max(nothing) FROM sales;
SELECT region, count(*) FROM sales;

-- Deletion vectors: rows are counted, bounds are left to Spark unless a file without one has them.
-- log: off
ALTER TABLE sales SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
-- log: off
INSERT INTO sales VALUES (20, 1, 'x', NULL, 'as', DATE '2024-03-01'), (30, 2, 'y', NULL, 'as', DATE '2024-03-01');
-- log: off
DELETE FROM sales WHERE id = 30;
EXPLAIN SELECT count(*) FROM sales;
SELECT region, count(*) FROM sales GROUP BY region ORDER BY region;
EXPLAIN SELECT max(id) FROM sales WHERE region = 'as';
SELECT max(id) FROM sales WHERE region = 'as';
EXPLAIN SELECT max(id) FROM sales;

-- Column mapping: a column of today's name may be another one in older files.
-- log: off
ALTER TABLE sales SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- log: off
ALTER TABLE sales RENAME COLUMN id TO number;
-- log: off
ALTER TABLE sales ADD COLUMN id BIGINT;
SELECT min(number) FROM sales WHERE day = DATE '2024-01-01';
EXPLAIN SELECT min(id) FROM sales;

-- LIMIT: of files only so many are read as have the rows.
SELECT count(*) AS n FROM (SELECT * FROM sales WHERE region = 'eu' LIMIT 2);
EXPLAIN SELECT number, day FROM sales LIMIT 2 OFFSET 1;
EXPLAIN SELECT * FROM sales AS s WHERE s.region = 'eu' LIMIT 1;
EXPLAIN SELECT * FROM sales WHERE number > 0 LIMIT 1;
EXPLAIN SELECT max(number) FROM sales LIMIT 1;
EXPLAIN SELECT number FROM sales ORDER BY number LIMIT 1;
EXPLAIN SELECT DISTINCT number FROM sales LIMIT 1;

SET spark.databricks.delta.optimizeMetadataQuery.enabled = false;
EXPLAIN SELECT count(*) FROM sales;
