-- name: functions of the catalog
CREATE TABLE t (a INT, b STRING) USING delta;
INSERT INTO t VALUES (1, 'x'), (2, 'y');
CREATE FUNCTION functions_f(x INT COMMENT 'px', y INT DEFAULT 2) RETURNS INT COMMENT 'fc' RETURN x + y;
SELECT functions_f(1) AS a, functions_f(1, 5) AS b, functions_f(y => 3, x => 4) AS c;
CREATE FUNCTION functions_t(n INT) RETURNS TABLE (a INT COMMENT 'ca', b STRING) RETURN SELECT a, b FROM t WHERE a <= n;
SELECT * FROM functions_t(1);
SELECT t.a, q.b FROM t, LATERAL functions_t(t.a) AS q ORDER BY t.a, q.b;
CREATE FUNCTION functions_n() RETURNS BIGINT RETURN SELECT count(*) FROM t;
SELECT functions_n() AS n;
CREATE FUNCTION functions_g(x INT) RETURN functions_f(x) * 2;
-- differs: functions-in-changes
UPDATE t SET a = functions_g(a) WHERE functions_f(a) = 4;
-- differs: functions-in-changes
SELECT * FROM t ORDER BY a;
CREATE FUNCTION functions_f(x INT) RETURNS INT RETURN x;
CREATE FUNCTION IF NOT EXISTS functions_f(x INT) RETURNS INT RETURN x;
CREATE OR REPLACE FUNCTION IF NOT EXISTS functions_f(x INT) RETURNS INT RETURN x;
CREATE OR REPLACE FUNCTION functions_f(x INT) RETURNS INT RETURN functions_g(x);
CREATE FUNCTION functions_bad(x INT) RETURNS INT RETURN y;
CREATE TEMPORARY FUNCTION functions_tf(x INT) RETURNS INT RETURN x;
CREATE FUNCTION functions_bad(x INT) RETURNS INT RETURN functions_tf(x);
CREATE VIEW v AS SELECT functions_tf(1) AS a;
DROP TEMPORARY FUNCTION functions_tf;
SELECT functions_f() AS a;
SELECT * FROM functions_f(1);
SELECT functions_t(1);
DROP FUNCTION abs;
DROP FUNCTION functions_g;
DROP FUNCTION functions_g;
DROP FUNCTION IF EXISTS functions_g;
DROP FUNCTION functions_n;
DROP FUNCTION functions_t;
DROP FUNCTION functions_f;
-- state differs: functions-in-changes
