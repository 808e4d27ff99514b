-- A clone is a Delta table; the format before or behind the source says so.
-- expect: no jvm
CREATE TABLE s (a INT);
INSERT INTO s VALUES (1), (2);
-- name: before the source
CREATE TABLE t USING DELTA DEEP CLONE s;
create or replace table `t` using iceberg /* read as one */ clone s version as of 0 tblproperties ('k' = 'v');
SELECT * FROM t;
-- name: behind the source
CREATE TABLE u SHALLOW CLONE s USING delta TBLPROPERTIES ('k' = 'v');
CREATE TABLE IF NOT EXISTS u DEEP CLONE s USING ICEBERG;
SELECT * FROM u ORDER BY a;
SHOW CREATE TABLE t;
-- name: wrong
CREATE TABLE v USING parquet CLONE s;
CREATE TABLE v CLONE s USING csv;
CREATE TABLE v USING delta CLONE s USING delta;
CREATE TABLE v USING delta SHALLOW s;
