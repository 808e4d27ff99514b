-- log: off

CREATE TABLE t (id INT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
ALTER TABLE t ADD COLUMN name STRING;
UPDATE t SET name = 'x' WHERE id = 1;
SELECT * FROM t;
-- name: VERSION AS OF
SELECT * FROM t VERSION AS OF 1;
-- name: a string, FOR, SYSTEM_VERSION, lower case
SELECT * FROM t FOR VERSION AS OF '2';
select * from t for system_version as of 2;
-- name: @v
SELECT * FROM t@v1;
-- name: of a path, and in the path
SELECT * FROM delta.`${WAREHOUSE}/t` VERSION AS OF 1;
SELECT * FROM delta.`${WAREHOUSE}/t@v1`;
-- name: two versions side by side
SELECT o.id, n.name FROM t@v2 o JOIN t VERSION AS OF 4 AS n ON o.id = n.id;
-- name: the columns are those of the version
SELECT * FROM t VERSION AS OF 0;
-- name: wrong, before the first commit
SELECT * FROM t TIMESTAMP AS OF '2001-01-01';
SELECT * FROM t@20010101000000000;
SELECT * FROM t FOR SYSTEM_TIME AS OF DATE '2001-01-01';
-- name: wrong, before the first commit, by an expression
SELECT * FROM t TIMESTAMP AS OF DATE '2001-01-02' - INTERVAL 1 DAY;
-- name: wrong, after the last commit
SELECT * FROM t TIMESTAMP AS OF '2999-12-31 23:59:59';
-- name: wrong, a view
CREATE TEMPORARY VIEW v AS SELECT 1 AS one;
SELECT * FROM v VERSION AS OF 1;
-- name: a source of a MERGE, an INSERT and a view
INSERT INTO t SELECT id + 10, 'old' FROM t@v1;
CREATE TEMPORARY VIEW first AS SELECT * FROM t@v1;
SELECT * FROM first;
SELECT * FROM t;
