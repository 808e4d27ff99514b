-- log: off
-- An empty text in a partition column is stored as NULL: checks, generated columns and conditions see NULL.

CREATE TABLE n (k INT, p STRING NOT NULL) PARTITIONED BY (p);
-- name: not null
INSERT INTO n SELECT 1, '';
INSERT INTO n VALUES (1, 'a');
UPDATE n SET p = '' WHERE k = 1;
UPDATE n SET p = substr(p, 2);
MERGE INTO n USING (SELECT 1 AS k, '' AS p) s ON n.k = s.k WHEN MATCHED THEN UPDATE SET *;
MERGE INTO n USING (SELECT 1 AS k, '' AS p) s ON n.k = s.k WHEN MATCHED THEN UPDATE SET p = s.p;
SELECT * FROM n;
-- name: a check constraint
CREATE TABLE c (k INT, p STRING) PARTITIONED BY (p);
ALTER TABLE c ADD CONSTRAINT there CHECK (p IS NOT NULL);
INSERT INTO c VALUES (1, '');
INSERT INTO c SELECT k, '' FROM n;
-- name: generated columns
CREATE TABLE g (k INT, p STRING, l INT GENERATED ALWAYS AS (length(p))) PARTITIONED BY (p);
INSERT INTO g (k, p) VALUES (1, ''), (2, 'ab');
INSERT INTO g (k, p) SELECT k + 2, '' FROM n;
UPDATE g SET p = '' WHERE k = 2;
SELECT k, p, l, length(p) <=> l AS same FROM g ORDER BY k;
INSERT INTO g (k, p, l) VALUES (4, '', 0);
-- name: replaced rows
CREATE TABLE t (k INT, p STRING) PARTITIONED BY (p);
INSERT INTO t REPLACE WHERE p = '' VALUES (1, '');
INSERT INTO t REPLACE WHERE p IS NULL SELECT 2, '';
INSERT INTO t REPLACE WHERE p IS NULL VALUES (3, '');
INSERT OVERWRITE t PARTITION (p = '') VALUES (4);
SELECT k, p FROM t;
-- name: VARCHAR, CHAR and BINARY
CREATE TABLE v (k INT, p VARCHAR(3), b BINARY, c CHAR(2)) PARTITIONED BY (p, b, c);
INSERT INTO v VALUES (1, '', X'', '');
SELECT k, p, b, c FROM v;
-- name: CREATE TABLE AS
CREATE TABLE a PARTITIONED BY (p) AS SELECT 1 AS k, '' AS p;
SELECT k, p FROM a;
