CREATE TABLE t (id INT, day STRING, n INT) PARTITIONED BY (day);
INSERT INTO t VALUES (1, 'mon', 10), (2, 'mon', 20), (3, 'tue', 30), (4, 'wed', 40);
-- name: partitions: whole files go
INSERT INTO t REPLACE WHERE day = 'mon' VALUES (5, 'mon', 50);
-- name: data columns: other rows of the file stay
INSERT INTO t REPLACE WHERE n >= 40 VALUES (6, 'tue', 60);
-- name: BY NAME and a query
insert into t by name replace where day in ('tue') and n = 30 select 'tue' as day, 30 as n, 7 as id;
-- name: no rows: a deletion
INSERT INTO t REPLACE WHERE id = 6 SELECT * FROM t WHERE false;
SELECT * FROM t;
-- name: wrong, a row outside the range
INSERT INTO t REPLACE WHERE day = 'mon' VALUES (8, 'tue', 1);
-- name: wrong, NULL counts as outside
INSERT INTO t REPLACE WHERE n > 5 VALUES (8, 'mon', NULL);
-- name: the check can be switched off
SET spark.databricks.delta.replaceWhere.constraintCheck.enabled = false;
INSERT INTO t REPLACE WHERE day = 'mon' VALUES (9, 'sun', 1);
RESET spark.databricks.delta.replaceWhere.constraintCheck.enabled;
SELECT * FROM t;
-- name: wrong, no such column
INSERT INTO t REPLACE WHERE nothing = 1 VALUES (8, 'mon', 1);
