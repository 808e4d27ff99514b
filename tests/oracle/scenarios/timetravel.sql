-- name: versions
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
DELETE FROM t WHERE a = 1;
SELECT * FROM t VERSION AS OF 0;
SELECT * FROM t VERSION AS OF 1;
SELECT * FROM t FOR SYSTEM_VERSION AS OF 2;
SELECT * FROM t VERSION AS OF '2';
SELECT * FROM t;

-- name: versions that are not there
CREATE TABLE t (a INT) USING delta;
SELECT * FROM t VERSION AS OF 9;
SELECT * FROM t VERSION AS OF 'x';

-- name: times outside of history
CREATE TABLE t (a INT) USING delta;
SELECT * FROM t TIMESTAMP AS OF '2001-01-01';
SELECT * FROM t TIMESTAMP AS OF '2999-01-01 10:00:00';
SELECT * FROM t TIMESTAMP AS OF 'yesterday afternoon';

-- name: the time of now
CREATE TABLE t (a INT) USING delta;
SELECT * FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY;

-- name: a version with another schema
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD COLUMN b STRING;
INSERT INTO t VALUES (2, 'x');
SELECT * FROM t VERSION AS OF 1;
SELECT n.a, o.a FROM t AS n LEFT JOIN t VERSION AS OF 1 AS o ON n.a = o.a;

-- name: a path with a version
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/place';
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
SELECT * FROM delta.`{dir}/place@v1`;
SELECT * FROM delta.`{dir}/place` VERSION AS OF 1;

-- name: a table with a version
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
-- differs: at-version
SELECT * FROM t@v0;

-- name: time travel of what changes
CREATE TABLE t (a INT) USING delta;
INSERT INTO t VALUES (1);
UPDATE t VERSION AS OF 0 SET a = 1;
DELETE FROM t VERSION AS OF 0;

-- name: time travel of a view
CREATE TABLE t (a INT) USING delta;
CREATE TEMPORARY VIEW v AS SELECT * FROM t;
SELECT * FROM v VERSION AS OF 0;
