CREATE TABLE t (id INT, v STRING, s STRUCT<k: INT, w: STRING>);
INSERT INTO t VALUES (1, 'a', named_struct('k', 1, 'w', 'x')), (2, 'b', named_struct('k', 2, 'w', 'y')), (NULL, 'c', NULL);
CREATE TABLE src (id INT, v STRING, s STRUCT<k: INT, w: STRING>);
INSERT INTO src VALUES (1, 'A', named_struct('k', 1, 'w', 'X')), (1, 'B', NULL), (NULL, 'C', NULL);
-- name: aliases on both sides, NULL equal to NULL
INSERT INTO t AS x REPLACE ON x.id <=> q.id (SELECT * FROM src) AS q;
SELECT * FROM t ORDER BY id, v;
-- name: without aliases: the names of the tables
insert into T replace on t.s.k = src.s.k and src.v > 'A' table src;
-- name: an inequality, other names in the query, a quoted alias without AS
INSERT INTO t (v, id) `my t` REPLACE ON `my t`.id BETWEEN lo AND `my q`.lo + 1 AND `my t`.v <> 'none' (SELECT 'r' AS b, 1 AS lo) `my q`;
-- name: BY NAME, VALUES, a condition on the table alone
INSERT INTO t AS x BY NAME REPLACE ON x.v = 'r' SELECT 4 AS id, 'new' AS v;
INSERT INTO t (v, id) REPLACE ON id = a (SELECT 'only' AS v, 4 AS a);
INSERT INTO t REPLACE ON t.id = q.a VALUES (4, 'values', NULL) AS q(a, b, c);
-- name: no rows replace nothing, whatever the condition
INSERT INTO t REPLACE ON true SELECT * FROM src WHERE false;
SELECT * FROM t ORDER BY id, v;
-- name: all of them
INSERT INTO t REPLACE ON true SELECT * FROM src LIMIT 1;
-- name: wrong names
INSERT INTO t REPLACE ON t.id = q.id (SELECT * FROM src) AS z;
-- name: random values are computed once: what is replaced is what is written
CREATE TABLE r (a INT, b DOUBLE) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO r SELECT id, id FROM range(20);
INSERT INTO r AS x REPLACE ON x.a = q.k (SELECT CAST(id * 3 AS INT) AS k, -1 AS b FROM range(5)) AS q;
SELECT count(DISTINCT a) AS keys, count_if(b >= 0) + count(DISTINCT CASE WHEN b < 0 THEN a END) AS kept FROM r;
-- name: rules of the table
CREATE TABLE c (id INT NOT NULL, d INT);
ALTER TABLE c ADD CONSTRAINT small CHECK (d < 10);
INSERT INTO c VALUES (1, 1);
INSERT INTO c REPLACE ON c.id = q.id (SELECT 1 AS id, 10 AS d) q;
INSERT INTO c REPLACE ON c.d = q.d (SELECT CAST(NULL AS INT) AS id, 1 AS d) q;
SELECT * FROM c;
ALTER TABLE c SET TBLPROPERTIES ('delta.appendOnly' = 'true');
INSERT INTO c REPLACE ON c.id = q.id (SELECT 1 AS id, 1 AS d) q;
