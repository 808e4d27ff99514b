-- ALTER TABLE that raises the protocol takes part in a transaction: what follows sees it, COMMIT writes it once.
-- mask: metrics, timestamp

-- name: a constraint
CREATE TABLE c (a INT);
BEGIN TRANSACTION;
ALTER TABLE c ADD CONSTRAINT k CHECK (a > 0);
INSERT INTO c VALUES (1);
ALTER TABLE c DROP CONSTRAINT k;
ALTER TABLE c ADD CONSTRAINT l CHECK (a > -5);
INSERT INTO c VALUES (-1);
COMMIT;
SELECT * FROM c ORDER BY a;
-- name: deletion vectors
CREATE TABLE d (a INT);
INSERT INTO d VALUES (1), (2), (3);
BEGIN TRANSACTION;
ALTER TABLE d SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
DELETE FROM d WHERE a = 2;
SELECT * FROM d ORDER BY a;
COMMIT;
SELECT * FROM d ORDER BY a;
-- name: change data feed
CREATE TABLE f (a INT);
INSERT INTO f VALUES (1), (2);
BEGIN TRANSACTION;
ALTER TABLE f SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
UPDATE f SET a = 7 WHERE a = 2;
COMMIT;
SELECT a, _change_type FROM table_changes('f', 2) ORDER BY _change_type;
-- name: column mapping
CREATE TABLE m (a INT);
BEGIN TRANSACTION;
INSERT INTO m VALUES (1);
ALTER TABLE m SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE m RENAME COLUMN a TO b;
INSERT INTO m (b) VALUES (2);
COMMIT;
SELECT * FROM m ORDER BY b;
-- name: type widening
CREATE TABLE w (a INT);
BEGIN TRANSACTION;
INSERT INTO w VALUES (1);
ALTER TABLE w SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
ALTER TABLE w ALTER COLUMN a TYPE BIGINT;
INSERT INTO w VALUES (5000000000);
COMMIT;
SELECT * FROM w ORDER BY a;
