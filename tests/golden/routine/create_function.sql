-- log: off

CREATE TABLE t (a INT);
INSERT INTO t VALUES (1), (2);
-- name: plain
CREATE TEMPORARY FUNCTION plus_one(x INT) RETURNS INT RETURN x + 1;
SELECT a, plus_one(a) AS more FROM t ORDER BY a;
-- name: OR REPLACE; quoted, upper case, comments
create OR replace TEMP FUNCTION `Plus_One`(x INT /* a number */) RETURNS INT RETURN x + 10 -- more
;
SELECT plus_one(1) AS more;
-- name: no parameters, a comment, a default
CREATE TEMPORARY FUNCTION seven() RETURNS INT COMMENT 'the number' RETURN 7;
CREATE TEMPORARY FUNCTION more(x INT, y INT DEFAULT 5) RETURNS INT RETURN x + y;
SELECT seven() AS seven, more(1) AS six, more(1, 1) AS two;
-- name: in rows that are written
UPDATE t SET a = plus_one(a) WHERE a = seven() - 5;
SELECT a FROM t ORDER BY a;

-- name: wrong, exists
CREATE TEMPORARY FUNCTION seven() RETURNS INT RETURN 8;
-- name: wrong, not temporary
CREATE FUNCTION lasting(x INT) RETURNS INT RETURN x;
CREATE OR REPLACE FUNCTION lasting(x INT) RETURNS INT RETURN x;
-- name: wrong, a table of the warehouse
CREATE TEMPORARY FUNCTION counted() RETURNS BIGINT RETURN SELECT count(*) FROM t;
-- name: wrong, a constraint cannot call it
ALTER TABLE t ADD CONSTRAINT small CHECK (plus_one(a) > 0);
-- name: wrong, no such parameter
CREATE TEMPORARY FUNCTION wrong(x INT) RETURNS INT RETURN y;
-- name: wrong, the statement stops early
CREATE TEMPORARY FUNCTION;
CREATE TEMPORARY FUNCTION f(x INT;
DROP TEMPORARY FUNCTION plus_one;
DROP TEMPORARY FUNCTION seven;
DROP TEMPORARY FUNCTION more;
-- name: wrong, dropped
SELECT seven();
