-- log: off
CREATE TABLE t (id INT, v STRING);
-- log: off
CREATE MATERIALIZED VIEW m AS SELECT id FROM t;
-- log: off
CREATE STREAMING TABLE s AS SELECT id FROM STREAM(t);
-- log: off
CREATE TABLE u (id INT);
-- name: what is not committed has no version that a refresh could record
BEGIN TRANSACTION;
-- log: off
INSERT INTO t VALUES (1, 'a');
EXPLAIN REFRESH MATERIALIZED VIEW m;
EXPLAIN REFRESH STREAMING TABLE s;
REFRESH TABLE s;
ROLLBACK;
-- name: after the transaction
-- log: off
INSERT INTO t VALUES (2, 'b');
BEGIN TRANSACTION;
-- log: off
COMMIT;
SELECT * FROM m;
SHOW VIEWS;
