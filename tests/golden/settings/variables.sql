CREATE TABLE t (a INT, b STRING, p INT) PARTITIONED BY (p);
-- log: off
INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (3, 'z', 3);
DECLARE v INT DEFAULT 2;
DECLARE n = 2;
DECLARE OR REPLACE VARIABLE w, `odd name` STRING DEFAULT 'w';
-- name: where expressions of our statements stand
-- log: off
INSERT INTO t VALUES (v + 8, w, v);
-- log: off
INSERT INTO t (a, p) VALUES (v, 5), (default, v);
-- log: off
INSERT INTO t PARTITION (p = v) SELECT 6, `odd name`;
-- log: off
INSERT INTO t REPLACE WHERE p = v SELECT 7, w, v;
-- log: off
UPDATE t SET b = w || a WHERE p >= v;
-- log: off
MERGE INTO t USING (SELECT v AS k) s ON t.p = s.k AND t.p = v
WHEN MATCHED AND v = 2 THEN UPDATE SET b = session.v WHEN NOT MATCHED THEN INSERT (a) VALUES (v);
DELETE FROM t WHERE p = v + 1;
SELECT *, system.session.v FROM t WHERE a < v OR p = v ORDER BY a LIMIT v;
SET VAR (v, w) = (SELECT max(a), min(b) FROM t);
SELECT v, w;
SET VARIABLE v = DEFAULT, w = 'set';
SELECT v, w;
CREATE TABLE made AS SELECT v AS x;
CREATE TEMPORARY VIEW seen AS SELECT v AS x;
SELECT x FROM seen;
EXPLAIN DELETE FROM t WHERE p = v;
-- name: nowhere that lasts
ALTER TABLE t ADD CONSTRAINT k CHECK (a < v + 100);
CREATE TABLE c (a INT, CONSTRAINT k CHECK (a > v));
-- name: partitions and versions
-- log: off
OPTIMIZE t WHERE p = v AND p <> session.nope;
OPTIMIZE t WHERE p >= session.n AND w <> 'x';
SET VAR n = 1;
SELECT count(*) FROM t VERSION AS OF n;
SELECT n.version AS of FROM (SELECT n AS version) AS n;
EXPLAIN RESTORE t TO VERSION AS OF session.n;
-- name: wrong
DECLARE w INT;
DECLARE x INT DEFAULT 'x';
DECLARE x INT DEFAULT (SELECT 1);
SET VAR nope = 1;
SET VAR (v, w) = (SELECT 1);
DROP TEMPORARY VARIABLE nope;
DROP TEMPORARY VARIABLE IF EXISTS nope;
SET v = 5;
SELECT v;
RESET v;
DROP TEMPORARY VARIABLE v;
DROP TEMPORARY VARIABLE w;
DROP TEMPORARY VARIABLE `odd name`;

-- A key may begin with a word that sets a variable.
SET var.schema = letters;
SET var.schema;
SELECT '${var.schema}' AS s;
