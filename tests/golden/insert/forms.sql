CREATE TABLE t (id INT, v STRING);
CREATE TABLE s (id INT, v STRING);
CREATE TABLE p (id INT, day STRING) PARTITIONED BY (day);
INSERT INTO s VALUES (1, 'a'), (2, 'b');
-- name: queries of every form
INSERT INTO t TABLE s;
INSERT INTO TABLE t FROM s SELECT id + 2, v;
INSERT INTO t (WITH c AS (SELECT 5 AS id, 'e' AS v) SELECT * FROM c);
INSERT INTO t WITH c AS (SELECT 6 AS id, 'f' AS v) SELECT * FROM c;
WITH c AS (SELECT 7 AS id, 'g' AS v) INSERT INTO t SELECT * FROM c;
WITH c AS (SELECT 8 AS id, 'h' AS v) INSERT INTO t WITH d AS (SELECT * FROM c) SELECT * FROM d;
INSERT INTO t (SELECT 9, 'i') UNION ALL (SELECT 10, 'j');
INSERT INTO t (id) (SELECT 11);
INSERT INTO t (v, id) TABLE s |> SELECT v, id + 11;
INSERT INTO t VALUES (14, (SELECT max(v) FROM s)), ((SELECT count(*) + 13 FROM s), DEFAULT);
INSERT INTO t SELECT id + 20, DEFAULT FROM s;
INSERT INTO t SELECT id, default FROM (SELECT 30 AS id, 'a column' AS default) q;
INSERT INTO p PARTITION (day = 'x') SELECT id FROM s;
INSERT INTO p PARTITION (day) TABLE s;
INSERT OVERWRITE TABLE p PARTITION (day = 'x') FROM s SELECT id WHERE id = 2;
SELECT * FROM t ORDER BY id;
SELECT * FROM p ORDER BY day, id;
-- name: WITH before other statements
WITH c AS (SELECT 1 AS id) UPDATE t SET v = 'with' WHERE id IN (SELECT id FROM c);
with c as (select 2 as id), d(id) as (select id + 1 from c) delete from t where id in (select id from d);
WITH c AS (SELECT 5 AS id, 'merged' AS v) MERGE INTO t USING c ON t.id = c.id WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM t WHERE id < 6 ORDER BY id;
