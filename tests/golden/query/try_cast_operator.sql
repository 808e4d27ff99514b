-- log: off

CREATE TABLE t (a STRING, s STRUCT<b: ARRAY<STRING>>, m MAP<STRING, STRING>, n INT);
INSERT INTO t VALUES ('20', named_struct('b', array('1', 'x')), map('k', '7'), 3), ('x', NULL, map(), NULL);
-- name: literals, columns, fields, items, calls
SELECT '20'?::INT AS a, 'x'?::INT AS b, "1.5"?::DECIMAL(3, 1) AS c, -5?::STRING AS d, DATE '2024-01-31'?::STRING AS e;
SELECT a?::INT AS a, t.s.b[1]?::INT AS b, S.b[0]?::int AS c, m['k']?::BIGINT AS d, concat(a, '1')?::INT AS e, `a`?::INT AS f FROM t;
-- name: chains, brackets, CASE, with ::
SELECT ('2' || '1')?::INT + 1 AS a, CASE WHEN true THEN 'x' END?::INT AS b, '1'?::INT::STRING?::DOUBLE AS c, array('1', 'x')?::ARRAY<INT> AS d;
-- name: texts, names and comments stay
SELECT 'a?::INT' AS `b?::INT` /* ?::INT */; -- ?::INT
-- name: conditions, changes, views, constraints, generated columns
SELECT a FROM t WHERE a?::INT > 1 AND a?::INT IS NOT NULL;
UPDATE t SET n = a?::INT WHERE a?::INT IS NULL OR a?::INT = 20;
DELETE FROM t WHERE a?::INT IS NULL;
MERGE INTO t USING (SELECT '20' AS k) q ON t.a?::INT = q.k?::INT WHEN MATCHED THEN UPDATE SET n = q.k?::INT + 1;
SELECT a, n FROM t;
CREATE VIEW v AS SELECT a?::INT AS a FROM t;
SELECT a FROM v;
CREATE TABLE g (a STRING);
ALTER TABLE g ADD CONSTRAINT c CHECK (a?::INT IS NOT NULL);
INSERT INTO g (a) VALUES ('7');
INSERT INTO g (a) VALUES ('x');
SELECT a FROM g;
-- name: in scripts
BEGIN DECLARE x STRING DEFAULT 'y'; SELECT x?::INT AS n; END;
-- name: parameters of EXECUTE IMMEDIATE beside it
EXECUTE IMMEDIATE "SELECT ??::INT AS a, ?::INT AS b, ? AS c" USING 'x', '2', 3;
-- name: wrong
SELECT '20'?::NOTHING;
SELECT ?::INT;
