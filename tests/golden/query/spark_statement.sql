-- log: off

CREATE TABLE t (a INT);
INSERT INTO t VALUES (1), (2);
-- name: variables
DECLARE x INT DEFAULT 1;
DECLARE OR REPLACE VARIABLE y STRING;
SET VAR x = (SELECT max(a) FROM t);
SELECT x, y;
-- name: quoted, upper case, comments
set /* a variable */ VARIABLE `Y` = 'it''s' -- set
;
SELECT y, (SELECT count(*) FROM t WHERE a = x) AS found;
-- name: functions that Spark has
DESCRIBE FUNCTION abs;
SHOW SYSTEM FUNCTIONS LIKE 'count_*';
-- name: the columns of a query over our tables
DESCRIBE QUERY SELECT a, a / 2 AS half FROM t@v1;
-- name: the time zone
SET TIME ZONE '+02:00';
SELECT CAST(TIMESTAMP '2024-01-01 00:00:00+00:00' AS STRING) AS at;
SET TIME ZONE 'UTC';

-- name: wrong, no such variable
SET VAR z = 1;
-- name: wrong, the statement stops early
DECLARE;
DROP TEMPORARY VARIABLE x;
DROP TEMPORARY VARIABLE y;
-- name: wrong, dropped
DROP TEMPORARY VARIABLE x;
SELECT x;
-- name: DESCRIBE of a query that begins with FROM
DESCRIBE FROM VALUES (1, 'x') AS t (a, b) SELECT a, upper(b) AS c;
CLEAR CACHE;
