-- expect: no jvm
-- log: off

CREATE TABLE t (k INT, `é` INT, `größe` INT DEFAULT 3) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported', 'é' = 'é');
INSERT INTO t (k, `é`) VALUES (1, 2);
-- name: in back-ticks, texts and comments such characters stand anywhere
SELECT k AS `名`, t.`é` FROM t WHERE `größe` = 3 OR 'é' = "ü" -- é
;
ALTER TABLE t ADD CONSTRAINT `ñ` CHECK (/* é */ `é` > 0);
UPDATE t SET `é` = 5 WHERE `é` = 2;
SELECT * FROM t;
-- name: elsewhere they are refused, where they stand
SELECT é FROM t;
SELECT k AS größe FROM t;
SELECT k größe FROM t;
SELECT t.É FROM t;
SELECT 1 AS 名;
SELECT transform(array(1), é -> é);
SELECT fé(1);
SELECT k FROM tä;
INSERT INTO t (é) VALUES (1);
UPDATE t SET é = 1;
DELETE FROM t WHERE é = 1;
MERGE INTO t USING t AS ü ON t.k = ü.k WHEN MATCHED THEN DELETE;
CREATE TABLE tä (k INT);
CREATE TABLE u (k INT, é INT);
CREATE TABLE u (k INT, l INT GENERATED ALWAYS AS (é + 1));
ALTER TABLE t ADD CONSTRAINT c CHECK (é > 0);
ALTER TABLE t ADD COLUMN ü INT;
CREATE VIEW v AS SELECT é FROM t;
CREATE FUNCTION f(é INT) RETURNS INT RETURN é;
DESCRIBE t.é;
USE ü;
BEGIN DECLARE é INT; SELECT é; END;
