-- Who moves the rows: Spark's executors, or this process. What comes of it is the same.
CREATE TABLE t (id INT, name STRING, day DATE) PARTITIONED BY (day);

SET deltasql.io.mode = DRIVER;

INSERT INTO t SELECT CAST(id AS INT), concat('r', id), date_add(DATE'2024-01-01', CAST(id % 2 AS INT)) FROM range(4);

UPDATE t SET name = upper(name) WHERE id = 1;

SELECT * FROM t ORDER BY id;

-- The plan says who it is.
EXPLAIN SELECT name FROM t WHERE id > 1;

EXPLAIN DELETE FROM t WHERE id = 2;

-- In any case.
set deltasql.io.mode = executors;

explain delete from t where id = 2;

DELETE FROM t WHERE id = 2;

SELECT * FROM t ORDER BY id;

-- Statements on metadata alone move nothing.
EXPLAIN ALTER TABLE t SET TBLPROPERTIES ('k' = 'v');

RESET deltasql.io.mode;

EXPLAIN DELETE FROM t WHERE id = 2;

SELECT * FROM t;

INSERT INTO t SELECT 1, 'x', NULL FROM range(1);

RESET deltasql.io.mode;
