-- Column lists with types, NOT NULL, masks and keys, and what a query must give for them.
-- log: off

CREATE TABLE t (id INT, r STRING, price DOUBLE);
INSERT INTO t VALUES (1, 'a', 1.5), (2, 'b', 2.5);
CREATE TABLE p (id INT PRIMARY KEY);
-- name: types of the query are assigned
CREATE MATERIALIZED VIEW v (id BIGINT NOT NULL COMMENT 'x', `R` STRING, cents DECIMAL(10, 2), CONSTRAINT positive CHECK (id > 0)) COMMENT 'typed' AS SELECT id, r, price FROM t;
SELECT * FROM v;
SHOW CREATE TABLE v;
DESCRIBE v;
INSERT INTO t VALUES (3, 'c', 3.5);
REFRESH MATERIALIZED VIEW v;
UPDATE t SET price = 4 WHERE id = 1;
REFRESH MATERIALIZED VIEW v;
-- name: NOT NULL holds at each refresh
INSERT INTO t VALUES (NULL, 'd', 1);
REFRESH MATERIALIZED VIEW v;
SELECT * FROM v;
SHOW TABLES;
DELETE FROM t WHERE id IS NULL;
REFRESH MATERIALIZED VIEW v;
-- name: a key of the query in another type is no place of a row
CREATE MATERIALIZED VIEW sums (id STRING, total DOUBLE) AS SELECT id, sum(price) FROM t GROUP BY id;
UPDATE t SET price = 5 WHERE id = 1;
EXPLAIN REFRESH MATERIALIZED VIEW sums;
REFRESH MATERIALIZED VIEW sums;
SELECT * FROM sums;

-- name: keys
CREATE MATERIALIZED VIEW k (id INT, r VARCHAR(5), CONSTRAINT k_pk PRIMARY KEY (id), FOREIGN KEY (id) REFERENCES p) AS SELECT id, r FROM t;
CREATE STREAMING TABLE s (id INT PRIMARY KEY, r STRING CONSTRAINT f FOREIGN KEY REFERENCES p (id)) AS SELECT id, r FROM STREAM(t);
CREATE STREAMING TABLE s (id INT CONSTRAINT s_pk PRIMARY KEY, r STRING COMMENT 'letter') AS SELECT id, r FROM STREAM(t);
SHOW CREATE TABLE k;
SHOW CREATE TABLE s;
SELECT table_name, constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_name IN ('k', 's');

-- name: masks
CREATE FUNCTION hide(x STRING) RETURNS STRING RETURN '***';
SET deltasql.governance = RECORD;
CREATE MATERIALIZED VIEW m (id INT, r STRING MASK hide) AS SELECT id, r FROM t;
SHOW CREATE TABLE m;
SET deltasql.governance.filters = true;
SELECT r FROM m;
CREATE STREAMING TABLE q (id INT, r STRING MASK hide) AS SELECT id, r FROM STREAM(t);
SET deltasql.governance.filters = false;
SET deltasql.governance = ERROR;
-- name: refused
CREATE MATERIALIZED VIEW w (id INT, r INT) AS SELECT id, r FROM t;
SHOW TABLES;
