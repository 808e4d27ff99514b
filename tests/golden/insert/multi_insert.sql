CREATE TABLE s (id INT, v STRING);
INSERT INTO s VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE a (id INT, v STRING);
CREATE TABLE b (id INT, v STRING, p STRING) PARTITIONED BY (p);
-- name: two tables, each its commit
FROM s INSERT INTO a SELECT * WHERE id < 3 INSERT INTO b PARTITION (p = 'x') SELECT id, upper(v) WHERE id > 1;
-- name: a sub-query, a join, lists of columns, comments, upper and lower case
from (select id + 10 as id, v from s) as q join s on q.id = s.id + 10 -- both
insert into table A (v, id) select q.v, q.id /* insert */ insert overwrite b by name select q.id, 'insert into' as v, 'y' as p where q.v = 'a';
-- name: WITH before it
WITH c AS (SELECT 7 AS i), d AS (SELECT * FROM c) FROM d INSERT INTO a SELECT i, 'w1' INSERT INTO a SELECT i, 'w2';
-- name: one alone
FROM s INSERT INTO a SELECT id, 'alone' ORDER BY id LIMIT 1;
SELECT * FROM a ORDER BY id, v;
SELECT * FROM b ORDER BY id;
-- name: from the table itself: the second sees what the first has done
FROM a INSERT INTO a SELECT count(*), 'first' INSERT INTO a SELECT count(*), 'second';
SELECT * FROM a WHERE v IN ('first', 'second');
EXPLAIN FROM s INSERT INTO a SELECT * INSERT INTO b SELECT *, 'z';
-- name: wrong: nothing is done
FROM s INSERT INTO a SELECT * INSERT INTO nowhere SELECT *;
FROM s INSERT INTO a SELECT * INSERT INTO b SELECT id;
FROM s INSERT INTO a SELECT * INSERT INTO b (id, nope) SELECT *;
FROM s INSERT INTO a SELECT * INSERT INTO b SELECT * FROM s;
FROM s INSERT INTO a SELECT nope INSERT INTO b SELECT *, 'x';
-- name: wrong row in the second: the first is there
ALTER TABLE b ADD CONSTRAINT small CHECK (id < 20);
FROM s INSERT INTO a SELECT id, 'kept' INSERT INTO b SELECT id + 100, v, 'x';
SELECT count(*) FROM a WHERE v = 'kept';
