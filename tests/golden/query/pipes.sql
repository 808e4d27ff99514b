CREATE TABLE t (a INT, b STRING, p INT) PARTITIONED BY (p);
CREATE TABLE s (a INT, c STRING);
CREATE TABLE sink (a INT, b STRING);
-- log: off
INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (3, 'z', 3), (4, 'x', 1);
-- log: off
INSERT INTO s VALUES (1, 'one'), (2, 'two');
-- name: names are found in every operator
FROM t |> WHERE p = 1 |> SELECT a, b |> ORDER BY a;
FROM t AS x |> LEFT JOIN s AS y USING (a) |> WHERE c IS NULL |> AGGREGATE count(*) AS n GROUP BY p |> ORDER BY p;
FROM T /* |> */ |> EXTEND a * 2 AS d |> SET b = upper(b) |> DROP p |> ORDER BY a |> LIMIT 2;
FROM t |> SELECT a |> EXCEPT (TABLE s |> SELECT a) |> UNION ALL (FROM s |> SELECT a) |> ORDER BY a;
FROM t |> JOIN LATERAL (SELECT c FROM s WHERE s.a = t.a) |> SELECT a, c |> ORDER BY a;
FROM t |> SELECT a, p |> PIVOT (sum(a) FOR p IN (1, 2));
FROM t@v1 |> WHERE a IN (FROM s |> SELECT a) |> AGGREGATE sum(a) AS total;
WITH q AS (FROM t |> WHERE a > 1) SELECT a FROM q |> ORDER BY a DESC |> LIMIT 1;
VALUES (1, 'k'), (2, 'l') |> WHERE col1 > 1;
FROM s SELECT a ORDER BY a;
-- name: files are pruned by what stands before any other operator
EXPLAIN FROM t |> WHERE p = 1 |> WHERE a > 0 |> SELECT a |> LIMIT 1;
FROM t |> ORDER BY a |> LIMIT 2 |> WHERE p = 3;
FROM t |> EXTEND row_number() OVER (ORDER BY a) AS r |> WHERE p = 3;
FROM t |> AGGREGATE count(*) AS p |> WHERE p = 4;
-- name: in other statements
-- log: off
INSERT INTO sink FROM t |> WHERE p = 1 |> SELECT a, b;
-- log: off
MERGE INTO sink USING (FROM t |> WHERE p = 3 |> SELECT a, b) AS n ON sink.a = n.a WHEN NOT MATCHED THEN INSERT *;
-- log: off
UPDATE sink SET b = (FROM s |> WHERE s.a = 1 |> SELECT c) WHERE a IN (FROM s |> SELECT a);
-- log: off
CREATE TABLE made AS FROM t |> JOIN s USING (a) |> SELECT a, c;
CREATE TEMPORARY VIEW v AS FROM t |> AGGREGATE sum(a) AS n GROUP BY b;
FROM v |> JOIN made ON n = made.a |> ORDER BY n;
SELECT * FROM sink ORDER BY a;
-- name: wrong
FROM t |> WHERE nope = 1;
FROM t |> QUALIFY a = 1;
