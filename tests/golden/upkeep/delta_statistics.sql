-- log: off
CREATE TABLE t (a INT, s STRUCT<b: STRING, c: ARRAY<INT>>, `odd-name` DATE, p STRING) PARTITIONED BY (p);
-- log: off
INSERT INTO t VALUES (1, NULL, DATE '2024-01-01', 'x'), (NULL, NULL, NULL, 'y');
-- log: off
INSERT INTO t VALUES (3, NULL, NULL, NULL);
-- name: null counts of arrays, which footers do not tell
ANALYZE TABLE t COMPUTE DELTA STATISTICS;
-- name: again: nothing to do
analyze /* it */ table `T` compute delta statistics;
-- log: off
ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'a');
-- name: other columns have them from now on
ANALYZE TABLE delta.`${WAREHOUSE}/t` COMPUTE DELTA STATISTICS;

-- name: an empty table
-- log: off
CREATE TABLE empty (a INT);
ANALYZE TABLE empty COMPUTE DELTA STATISTICS;
-- name: wrong, a view
CREATE TEMPORARY VIEW v AS SELECT 1 AS a;
ANALYZE TABLE v COMPUTE DELTA STATISTICS;
-- name: explained
EXPLAIN ANALYZE TABLE t COMPUTE DELTA STATISTICS;
