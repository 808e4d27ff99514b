-- log: off

CREATE TABLE t (a INT, b STRING);
INSERT INTO t VALUES (1, 'x'), (2, 'y');
-- name: plain
CREATE FUNCTION plus(x INT COMMENT 'px', y INT DEFAULT 2) RETURNS INT COMMENT 'adds' RETURN x + y;
SELECT a, plus(a) AS more, default.plus(a, 10), plus(y => 1, x => a) FROM t ORDER BY a;
-- name: quoted, upper case, comments
create OR replace FUNCTION `My Sum` /* c */ (x INT) RETURNS INT RETURN x + 1;
CREATE FUNCTION `My_Sum` /* c */ (x INT, s STRUCT<`a b`: INT>) RETURNS INT RETURN x + s.`a b` -- end
;
SELECT MY_SUM(1, named_struct('a b', 5)) AS six;
-- name: it reads tables, as they are when it is called
CREATE FUNCTION how_many() RETURNS BIGINT RETURN SELECT count(*) FROM t;
CREATE FUNCTION up_to(n INT) RETURNS TABLE (a INT COMMENT 'ca', b STRING) RETURN SELECT a, b FROM t WHERE a <= n;
CREATE FUNCTION first_b(x INT) RETURNS STRING RETURN (SELECT max(b) FROM t WHERE a = first_b.x);
INSERT INTO t VALUES (3, 'z');
SELECT how_many() AS n, first_b(2) AS b;
SELECT t.a, u.b FROM t, LATERAL up_to(t.a) AS u WHERE t.a < 3 ORDER BY t.a, u.b;
-- name: a type that is left out, functions in functions and views, a schema
CREATE SCHEMA s;
CREATE FUNCTION s.twice(x INT) RETURN x * 2;
CREATE VIEW v AS SELECT a, s.twice(plus(a)) AS p FROM t;
USE s;
CREATE FUNCTION fourfold(x INT) RETURNS INT RETURN twice(twice(x));
USE default;
SELECT s.fourfold(1) AS four;
SELECT * FROM v ORDER BY a;
-- name: in rows that are written
UPDATE t SET a = plus(a, 100) WHERE s.twice(a) = 6;
MERGE INTO t USING (SELECT s.twice(1) AS k) q ON t.a = q.k AND plus(t.a) = 4 WHEN MATCHED THEN UPDATE SET b = first_b(1);
SELECT * FROM t ORDER BY a;
EXPLAIN SELECT s.fourfold(a) FROM t;
-- name: what is told of them
DESCRIBE FUNCTION plus;
DESCRIBE FUNCTION EXTENDED up_to;
DESCRIBE FUNCTION s.twice;
SHOW USER FUNCTIONS;
SHOW USER FUNCTIONS IN s LIKE 't*';
-- name: Spark's own come first
CREATE FUNCTION abs(x INT) RETURNS INT RETURN x + 1000;
SELECT abs(-1) AS own, default.abs(-1) AS ours;
DROP FUNCTION default.abs;
-- name: temporary ones, which may read tables
CREATE TEMPORARY FUNCTION plus_one(x INT) RETURNS INT RETURN x + 1;
CREATE TEMPORARY FUNCTION counted() RETURNS BIGINT RETURN SELECT count(*) FROM t;
SELECT plus_one(1) AS two, counted() AS n;
create OR replace TEMP FUNCTION Counted() RETURNS BIGINT RETURN plus_one(0);
SELECT counted() AS one, session.counted();
DROP TEMPORARY FUNCTION counted;
DROP TEMPORARY FUNCTION IF EXISTS counted;
-- name: wrong, exists
CREATE FUNCTION plus(x INT) RETURNS INT RETURN x;
CREATE FUNCTION IF NOT EXISTS plus(x INT) RETURNS INT RETURN x;
-- name: wrong, they call themselves
CREATE OR REPLACE FUNCTION s.twice(x INT) RETURNS INT RETURN s.fourfold(x);
CREATE OR REPLACE FUNCTION plus(x INT) RETURNS INT RETURN plus(x);
-- name: wrong, what others do not have
CREATE FUNCTION f(x INT) RETURNS INT RETURN plus_one(x);
CREATE VIEW w AS SELECT plus_one(1) AS a;
-- name: wrong, what Spark finds
CREATE FUNCTION f(x INT) RETURNS INT RETURN y;
CREATE FUNCTION f(x INT) RETURNS INT RETURN sum(x);
SELECT plus();
SELECT * FROM plus(1);
SELECT up_to(1);
-- name: wrong, a constraint cannot call it
ALTER TABLE t ADD CONSTRAINT small CHECK (plus(a) > 0);
-- name: wrong, dropped
DROP SCHEMA s;
DROP FUNCTION IF EXISTS nothing;
DROP FUNCTION plus_one;
DROP FUNCTION plus;
SELECT * FROM v;
