-- Expectations: CONSTRAINT … EXPECT, by what becomes of rows that violate them.
-- log: off

CREATE TABLE t (id INT, r STRING);
INSERT INTO t VALUES (1, 'a'), (-2, 'b'), (NULL, 'c');
-- name: DROP ROW
CREATE MATERIALIZED VIEW v (CONSTRAINT `is ok` EXPECT (id > 0) ON VIOLATION DROP ROW) AS SELECT id, r FROM t;
SELECT * FROM v;
INSERT INTO t VALUES (3, 'd'), (-4, 'e');
REFRESH MATERIALIZED VIEW v;
SELECT * FROM v;
UPDATE t SET r = 'f' WHERE id < 0 OR id = 1;
REFRESH MATERIALIZED VIEW v;
SELECT * FROM v;
REFRESH MATERIALIZED VIEW v FULL;
SELECT * FROM v;
SHOW CREATE TABLE v;
-- name: the condition is part of the query
CREATE OR REPLACE MATERIALIZED VIEW v (CONSTRAINT ok EXPECT (id < 0) ON VIOLATION DROP ROW) AS SELECT id, r FROM t;
SELECT * FROM v;
REFRESH MATERIALIZED VIEW v;
-- name: of a streaming table
CREATE TABLE events (id INT, r STRING);
INSERT INTO events VALUES (1, 'a'), (-2, 'b');
CREATE STREAMING TABLE s (id BIGINT COMMENT 'key', r STRING, constraint ok expect (id > 0 AND r <> 'x') on /* then */ violation drop row) AS SELECT id, r FROM STREAM(events);
INSERT INTO events VALUES (3, 'x'), (4, 'd');
REFRESH STREAMING TABLE s;
SELECT * FROM s;
SHOW CREATE TABLE s;
-- name: FAIL UPDATE
CREATE MATERIALIZED VIEW f (CONSTRAINT ok EXPECT (id > -4) ON VIOLATION FAIL UPDATE) AS SELECT id FROM t;
CREATE MATERIALIZED VIEW f (CONSTRAINT ok EXPECT (id > -9) ON VIOLATION FAIL UPDATE) AS SELECT id FROM t WHERE id IS NOT NULL;
INSERT INTO t VALUES (-9, 'g');
REFRESH MATERIALIZED VIEW f;
SELECT count(*) FROM f;
SHOW CREATE TABLE f;
-- name: rows that violate it stay
CREATE MATERIALIZED VIEW w (id, r COMMENT 'letter', CONSTRAINT ok EXPECT (id > 0), CONSTRAINT named EXPECT (r IS NOT NULL) ON VIOLATION DROP ROW) AS SELECT id, r FROM t;
SELECT count(*) FROM w;
SHOW CREATE TABLE w;
DESCRIBE EXTENDED w;
-- name: refused
CREATE MATERIALIZED VIEW x (CONSTRAINT ok EXPECT (missing > 0) ON VIOLATION DROP ROW) AS SELECT id FROM t;
SHOW TABLES;

-- name: a table that flows fill
CREATE OR REFRESH STREAMING TABLE filled (CONSTRAINT has_r EXPECT (r IS NOT NULL) ON VIOLATION DROP ROW);
CREATE FLOW of_t AS INSERT INTO filled BY NAME SELECT id, r FROM STREAM(t);
SELECT count(*) FROM filled WHERE r IS NULL;
-- name: another declaration counts for later rows
CREATE OR REFRESH STREAMING TABLE filled (CONSTRAINT large EXPECT (id > 100) ON VIOLATION DROP ROW);
INSERT INTO t (id, r) VALUES (7, 'x'), (700, NULL);
REFRESH STREAMING TABLE filled;
SELECT id, r FROM filled WHERE id > 6 ORDER BY id;
SELECT element_at(operationMetrics, 'expectations.large.passedRecords') AS passed,
  element_at(operationMetrics, 'expectations.large.failedRecords') AS failed FROM (DESCRIBE HISTORY filled) WHERE version = 2;
