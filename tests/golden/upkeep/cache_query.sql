-- CACHE SELECT: files are copied to no local disk; the query is checked.
-- expect: no jvm
-- log: off
CREATE TABLE t (a INT, `b-c` STRING);
CACHE SELECT * FROM t;
cache select a, `b-c` from t /* some */ where a > 1;
CACHE WITH c AS (SELECT a FROM t) SELECT * FROM c;
-- name: wrong
CACHE SELECT a FROM missing;
