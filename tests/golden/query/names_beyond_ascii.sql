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
