CREATE TABLE t (id INT, day STRING, n INT) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'mon', 10), (2, 'mon', 20), (3, 'tue', 30), (4, 'wed', 40);
-- name: data columns: the other row of the file stays
INSERT INTO t REPLACE WHERE n = 20 VALUES (2, 'mon', 20);
-- name: partitions: whole files go
INSERT INTO t REPLACE WHERE day = 'mon' VALUES (5, 'mon', 50);
-- name: data columns, several partitions
INSERT INTO t REPLACE WHERE n >= 40 VALUES (6, 'tue', 60);
-- name: BY NAME and a query
insert into t by name replace where day in ('tue') and n = 30 select 'tue' as day, 30 as n, 7 as id;
-- name: no rows: a deletion
INSERT INTO t REPLACE WHERE id = 6 SELECT * FROM t WHERE false;
SELECT * FROM t;
-- name: wrong, NULL counts as outside
INSERT INTO t REPLACE WHERE n > 5 VALUES (8, 'mon', NULL);
SELECT * FROM t;
-- name: wrong, a constant row outside, which Spark finds before its tasks run
INSERT INTO t REPLACE WHERE n = 7 SELECT 2, 'mon', 8;
