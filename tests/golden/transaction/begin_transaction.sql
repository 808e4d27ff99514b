-- BEGIN TRANSACTION … COMMIT by hand: what is seen in between, what is refused, and what the history says.
-- expect: no jvm
-- mask: metrics, timestamp

CREATE TABLE t (id INT, v STRING);
CREATE TABLE `other-table` (a INT);
-- name: three statements, one version
BEGIN TRANSACTION;
INSERT INTO t VALUES (1, 'a'), (2, 'b');
ALTER TABLE t ADD COLUMN w INT FIRST;
INSERT INTO DEFAULT.T (v, `id`) VALUES ('c', 3);
ALTER TABLE t SET TBLPROPERTIES ('note' = 'n');
DESCRIBE t;
SHOW TBLPROPERTIES t ('note');
-- name: only its own
DESCRIBE TABLE `other-table`;
-- name: committed versions
DESCRIBE HISTORY t;
-- name: the next version is not there yet
EXPLAIN INSERT INTO t (id) VALUES (4);
-- name: a statement that fails leaves it as it was
INSERT INTO t (nothing) VALUES (1);
ALTER TABLE t DROP COLUMN none;
-- name: of the session, not of the transaction
SET deltasql.retry.maxAttempts = 3;
USE default;
COMMIT;
DESCRIBE TABLE t;
DESCRIBE HISTORY t LIMIT 1;
-- name: rolled back
START TRANSACTION;
INSERT INTO t (id) VALUES (9);
ALTER TABLE t ADD COLUMN more INT;
ROLLBACK TRANSACTION;
DESCRIBE TABLE t;
-- name: nothing done
BEGIN TRANSACTION;
DESCRIBE TABLE t;
COMMIT TRANSACTION;
-- name: one statement is told as it would be by itself
begin transaction;
COMMENT ON TABLE t IS 'with a comment';
commit work;
DESCRIBE HISTORY t LIMIT 1;
-- name: a secret stays one
BEGIN TRANSACTION;
ALTER TABLE t SET TBLPROPERTIES ('my.password' = 'hunter2');
ALTER TABLE t SET TBLPROPERTIES ('my.token' = 'abcdef');
COMMIT;
DESCRIBE HISTORY t LIMIT 1;
-- name: by path
BEGIN TRANSACTION;
INSERT INTO delta.`${WAREHOUSE}/t` (id) VALUES (5);
INSERT INTO t (id) VALUES (6);
COMMIT;
-- name: wrong words
BEGIN TRANSACTION;
COMMIT;
EXPLAIN COMMIT;
