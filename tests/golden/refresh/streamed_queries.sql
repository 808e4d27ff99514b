-- log: off
CREATE TABLE t (id INT, v STRING);
-- log: off
INSERT INTO t VALUES (1, 'a'), (2, NULL);
-- log: off
CREATE TABLE u (id INT, w STRING);
-- log: off
INSERT INTO u VALUES (1, 'one'), (3, 'three');
-- name: names that new rows do not have
SHOW TABLES;
-- name: joins that keep rows of the stream
-- log: off
CREATE STREAMING TABLE l AS SELECT t.id, u.w FROM STREAM(t) LEFT JOIN u ON t.id = u.id;
-- log: off
CREATE STREAMING TABLE r AS SELECT t.id, u.w FROM u RIGHT OUTER JOIN STREAM(t) ON t.id = u.id;
-- log: off
CREATE STREAMING TABLE n AS SELECT t.id FROM STREAM(t) LEFT ANTI JOIN u ON t.id = u.id;
-- log: off
CREATE STREAMING TABLE c AS WITH x AS (SELECT * FROM STREAM(t)) SELECT x.id, u.w FROM x JOIN u ON x.id = u.id;
-- log: off
CREATE STREAMING TABLE d AS SELECT * EXCEPT (v) FROM STREAM(t) WHERE v IS NOT DISTINCT FROM NULL;
-- log: off
INSERT INTO t VALUES (3, NULL), (4, 'd');
-- log: off
REFRESH STREAMING TABLE l;
SELECT * FROM l;
-- log: off
REFRESH STREAMING TABLE r;
SELECT * FROM r;
-- log: off
REFRESH STREAMING TABLE n;
SELECT * FROM n;
-- log: off
REFRESH STREAMING TABLE c;
SELECT * FROM c;
-- log: off
REFRESH STREAMING TABLE d;
SELECT * FROM d;
-- name: fields of structs
-- log: off
CREATE TABLE boxes (id INT, s STRUCT<a: STRUCT<b: INT>>);
-- log: off
INSERT INTO boxes VALUES (1, named_struct('a', named_struct('b', 2)));
-- log: off
CREATE STREAMING TABLE opened AS SELECT boxes.s.a.b, s.a AS a, boxes.s.a.b + 1 AS c FROM STREAM(boxes);
SELECT * FROM opened;
-- name: another query
-- log: off
CREATE TABLE names (first STRING, last STRING);
-- log: off
INSERT INTO names VALUES ('Ada', 'Lovelace');
-- log: off
CREATE STREAMING TABLE people AS SELECT first, last FROM STREAM(names);
CREATE OR REFRESH STREAMING TABLE people AS SELECT last, first, 1 AS one FROM STREAM(names);
CREATE OR REFRESH STREAMING TABLE people AS SELECT first AS name, last FROM STREAM(names);
-- log: off
INSERT INTO names VALUES ('Grace', 'Hopper');
-- log: off
CREATE OR REFRESH STREAMING TABLE people AS SELECT upper(last) AS LAST, first FROM STREAM(names);
SELECT * FROM people;
REFRESH STREAMING TABLE people FULL;
SELECT * FROM people;
